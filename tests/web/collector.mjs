// A collector for tests, which counts as docs/web.md says, and fails in every way that a network and a server can.
import { createServer } from 'node:http';
import { Generator } from './support.mjs';

export class Collector {
  /** What it has counted, by key */
  batches = new Map();
  requests = [];
  /** What goes wrong, called with the number of the request: one of FAULTS, or nothing. */
  fault = () => undefined;
  server = createServer((request, response) => this.#receive(request, response));

  async start() {
    await new Promise((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${this.server.address().port}/v1/collections/age/reports`;
    return this;
  }

  stop() {
    this.server.closeAllConnections();
    this.server.close();
  }

  get codes() {
    return [...this.batches.values()].flatMap((body) => JSON.parse(body).codes);
  }

  async #receive(request, response) {
    let body = '';
    request.on('error', () => {});
    for await (const part of request) body += part;
    const { headers, method } = request;
    if (method === 'OPTIONS') return this.#answer(response, 204);
    this.requests.push({ headers, body });
    const fault = this.fault(this.requests.length - 1);
    if (fault === 'drop') return request.socket.destroy();
    if (fault === 'busy') return this.#answer(response, 503, { title: 'busy' }, { 'Retry-After': '0' });
    if (typeof fault === 'object') return this.#answer(response, fault.status, fault.body, fault.headers);
    const answer = this.#count(headers['idempotency-key'], body);
    if (fault === 'drop after counting') return request.socket.destroy();
    if (fault === 'fail after counting') return this.#answer(response, 500, { title: 'lost my head' });
    return this.#answer(response, 200, answer);
  }

  #count(key, body) {
    const before = this.batches.get(key);
    if (before !== undefined && before !== body) throw new Error('one key, two batches');
    this.batches.set(key, body);
    return { accepted: JSON.parse(body).codes.length, refused: 0, duplicate: before !== undefined };
  }

  #answer(response, status, body, headers = {}) {
    response.writeHead(status, {
      'Content-Type': 'application/json',
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Allow-Headers': 'content-type, idempotency-key, authorization',
      ...headers,
    });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  }
}

export const FAULTS = ['drop', 'busy', 'drop after counting', 'fail after counting', undefined];

export function seededFaults(seed) {
  const generator = new Generator(seed);
  return () => FAULTS[generator.below(FAULTS.length)];
}

// A podiumd that the tests start, kill and start again, and a browser that complains about whatever it sees.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { launch } from '../../web/site/browser.mjs';

export const { PODIUMD, PODIUM_PROGRAM, PODIUM_WORK, PODIUM_PACKAGE, PODIUM_LIBRARY, PODIUM_SOURCE } = process.env;
export const fromPackage = (name) => import(pathToFileURL(path.join(PODIUM_PACKAGE, name)).href);
const { Collection } = await fromPackage('index.js');
export const SPEC = 'minimax epsilon=1 range=1:120';
export const age = await Collection.parse(SPEC);
export const until = async (isTrue, what, seconds = 20) => {
  for (const end = Date.now() + 1000 * seconds; Date.now() < end;) {
    const found = await isTrue();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  assert.fail(`never: ${what}`);
};

/** Numbers of a generator that is seeded, so that every run sends reports about the same people */
function* people(seed) {
  for (let state = seed; ;) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield 20 + (50 * state) / 2 ** 32;
  }
}
const source = people(1);
export const someone = () => source.next().value;

const servers = new Set();
/** Ends all servers, also those of tests that failed; a process that is left would keep the tests from ending. */
export const stopServers = () => Promise.all([...servers].map((server) => server.stop('SIGKILL')));

export class Server {
  tokens = {};

  constructor(name, ...options) {
    this.data = path.join(PODIUM_WORK, name);
    this.options = options;
    mkdirSync(PODIUM_WORK, { recursive: true });
    rmSync(this.data, { recursive: true, force: true });
    this.file = `${this.data}.podium`;
    const words = '--mechanism minimax --epsilon 1 --range 1:120 --name age -o'.split(' '); // as SPEC says
    execFileSync(PODIUM_PROGRAM, ['design', ...words, this.file], { stdio: 'ignore' });
  }

  /** Starts, or starts again at the same address. */
  async start() {
    const listen = this.port ?? 0;
    const words = ['--data', this.data, '--collection', this.file, '--listen', `127.0.0.1:${listen}`, ...this.options];
    this.process = spawn(PODIUMD, words);
    servers.add(this);
    this.process.stderr.pipe(createWriteStream(`${this.data}.log`, { flags: 'a' }));
    let said = '';
    for await (const part of this.process.stdout) {
      said += part;
      const address = said.match(/podiumd listens at (http:\/\/127\.0\.0\.1:(\d+))\n/);
      if (address) [, this.url, this.port] = address;
      if (address) break;
    }
    assert.ok(this.url, `podiumd did not start; see ${this.data}.log`);
    for (const [, scope, token] of said.matchAll(/token to (\w+) age, shown only now: (\S+)/g))
      this.tokens[scope] = token;
    return this;
  }

  async stop(signal = 'SIGTERM') {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const ended = new Promise((resolve) => this.process.once('exit', resolve));
    this.process.kill(signal);
    await ended;
  }

  reports = () => `${this.url}/v1/collections/age/reports`;

  async post(body) {
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(this.reports(), { method: 'POST', headers, body: JSON.stringify(body) });
    return response.json();
  }

  /** Posts the reports of so many people. */
  send = (n, labels) => this.post({ codes: Array.from(age.codes(Float64Array.from({ length: n }, someone))), labels });

  async count() {
    const headers = this.tokens.read ? { Authorization: `Bearer ${this.tokens.read}` } : {};
    const { n, refused = 0 } = await (await fetch(`${this.url}/v1/collections/age/estimate`, { headers })).json();
    return [n, refused];
  }
}

export const openBrowser = () => launch(path.join(PODIUM_WORK, 'npm'));
const axe = readFileSync(path.join(PODIUM_WORK, 'npm/node_modules/axe-core/axe.min.js'), 'utf8');

/** Opens a page. `complaints` gets what the console says, errors, and requests to other hosts. */
export async function visit(browser, url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1100, height: 900 }, ...options });
  const page = await context.newPage();
  const complaints = [];
  const requests = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    requests.push(request);
    if (new URL(request.url()).host !== new URL(url).host && !request.url().startsWith('data:'))
      complaints.push(`asked for ${request.url()}`);
  });
  await page.goto(url);
  return { page, context, complaints, requests };
}

/** The pages' policy refuses scripts that are not their own, so axe comes through the debugger. */
export async function checkLooks(page) {
  const { violations, passes } = await page.evaluate(
    `${axe}; axe.run(document, { resultTypes: ['violations', 'passes'] })`,
  );
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  assert.deepEqual(
    serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html)}`),
    [],
  );
  assert.ok(passes.length > 15, String(passes.length));
  const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.equal(content, window);
}

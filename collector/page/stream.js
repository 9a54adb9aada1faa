// The events of a collection, read by fetch, because an EventSource cannot send a token. A stream that ends is opened
// again, so that the page catches up by itself after the server or the network was away.
import { authorization } from './session.js';

const SILENCE = 40_000; // milliseconds; the server says something every 15 seconds
const RETRY_FIRST = 500;
const RETRY_MOST = 10_000;

export class Stream {
  #name;
  #on;
  #closing = new AbortController();
  #controller; // of the request under way
  #tries = 0;
  #wake = () => {};

  /** on.event is called with each event, and on.state with `live`, `away` or `refused`. */
  constructor(name, on) {
    this.#name = name;
    this.#on = on;
    addEventListener('online', () => this.#wake(), { signal: this.#closing.signal });
    this.#run();
  }

  close() {
    this.#closing.abort();
    this.#controller?.abort();
    this.#wake();
  }

  get #isClosed() {
    return this.#closing.signal.aborted;
  }

  async #run() {
    while (!this.#isClosed) {
      const isAllowed = await this.#listen().catch(() => true);
      if (this.#isClosed) return;
      this.#on.state(isAllowed ? 'away' : 'refused');
      if (!isAllowed) return;
      await this.#pause();
    }
  }

  /** Waits, longer each time, but not if the browser says that the network is back. */
  #pause() {
    const time = Math.min(RETRY_MOST, RETRY_FIRST * 2 ** this.#tries++) * (0.5 + Math.random() / 2);
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, time);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Reads events until the stream ends. Returns false if the server wants another token. */
  async #listen() {
    const controller = (this.#controller = new AbortController());
    const response = await fetch(`/v1/collections/${this.#name}/events`, {
      headers: authorization('read', this.#name),
      cache: 'no-store',
      signal: controller.signal,
    });
    if (response.status === 401 || response.status === 403) return false;
    if (!response.ok) return true;
    this.#tries = 0;
    this.#on.state('live');
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (;;) {
      const timer = setTimeout(() => controller.abort(), SILENCE);
      const { value, done } = await reader.read().finally(() => clearTimeout(timer));
      if (done) return true;
      const lines = (rest + value).split('\n');
      rest = lines.pop();
      for (const line of lines) if (line.startsWith('data: ')) this.#on.event(JSON.parse(line.slice(6)));
    }
  }
}

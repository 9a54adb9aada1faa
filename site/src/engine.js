// The page's side of the workers: it sends the newest request of each kind once a frame, and draws the newest answer.
import source from 'worker-source';

const CROWD = new Set(['crowd']);

export class Engine {
  #workers;
  #asked = new Map();
  #answered = new Map();
  #listeners = new Map();
  #newest = new Map();
  #isScheduled = false;
  #number = 0;

  constructor() {
    // A worker made from a blob inherits the page's Content-Security-Policy, so it cannot connect to anything either.
    const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
    this.#workers = [new Worker(url), new Worker(url)];
    for (const worker of this.#workers) worker.onmessage = ({ data }) => this.#receive(data);
  }

  /** Calls the listener with the newest answer of a kind, at most once a frame. */
  on(kind, listener) {
    this.#listeners.set(kind, listener);
  }

  ask(kind, request) {
    this.#asked.set(kind, request);
    this.#schedule();
  }

  #receive({ kind, id, answer }) {
    if (id < this.#newest.get(kind) && kind !== 'crowd') return;
    this.#answered.set(kind, answer);
    this.#schedule();
  }

  #schedule() {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    requestAnimationFrame(() => this.#frame());
  }

  #frame() {
    this.#isScheduled = false;
    for (const [kind, request] of this.#asked) {
      const id = ++this.#number;
      this.#newest.set(kind, id);
      this.#workers[CROWD.has(kind) ? 1 : 0].postMessage({ kind, id, request });
    }
    this.#asked.clear();
    const answers = [...this.#answered];
    this.#answered.clear();
    for (const [kind, answer] of answers) this.#listeners.get(kind)?.(answer);
  }
}

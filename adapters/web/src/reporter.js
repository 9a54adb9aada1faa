// podium-privacy/reporter: sends reports to a collector, each exactly once, and keeps account of what they cost.
//
// A value is privatised before anything is stored, so what waits here are codes, never values. Codes wait in batches. A
// batch has a key, under which the collector counts it once however often it is sent, so a batch that may have been sent
// never changes: only the Reporter that made it adds to it, and only until it is sealed.
import { PodiumError, randomSource } from './library.js';

const DEFAULTS = {
  batch: 100, // reports in a request, at most
  wait: 10_000, // milliseconds in which reports gather before they are sent
  retryFirst: 1_000,
  retryMost: 600_000,
  timeout: 30_000,
  waitingMost: 10_000, // reports that may wait
  keyHours: 24, // for which the collector remembers a key
};

/** Refuses what would fail later, or never. */
function checkArguments(collection, url, options) {
  if (typeof collection?.codes !== 'function') throw new PodiumError('the first argument must be a Collection');
  if (!/^https?:$/.test(url.protocol)) throw new PodiumError('the URL must begin with https:// or http://');
  for (const name of Object.keys(DEFAULTS)) {
    const isCount = name === 'batch' || name === 'waitingMost';
    const unit = name === 'keyHours' ? 'hours' : 'milliseconds';
    const x = options[name];
    if (isCount ? !(Number.isSafeInteger(x) && x > 0) : !(typeof x === 'number' && x >= 0 && x < Infinity))
      throw new PodiumError(`${name} must be ${isCount ? 'a whole number from 1 on' : `a number of ${unit}`}`);
  }
}

const RECENT_MOST = 50;
const KEY_MARGIN = 600_000; // milliseconds before the collector forgets a key, in which nothing is sent under it again
const KEEPALIVE_BYTES = 60_000; // browsers allow 64 KiB under way when a page goes away
/** Answers after which a later attempt may succeed: timeout, conflict, too early, too many, and all from 500 on */
const TOO_MANY = 429;
const TEMPORARY = [408, 409, 425, TOO_MANY];

// ---- Random: for keys and delays ----

const randomWords = (n) => randomSource().getRandomValues(new Uint32Array(n));
const newKey = () => Array.from(randomWords(4), (word) => word.toString(16).padStart(8, '0')).join('');
/** From half of a time to all of it, so that devices do not come all at once. */
const withJitter = (time) => time * (0.5 + randomWords(1)[0] / 2 ** 33);

// ---- Storage: update(change) reads the state, lets change alter it, and writes it, as one step ----

const emptyState = () => ({ batches: [], sent: 0, refused: 0, recent: [] });

export function memoryStorage() {
  const kept = emptyState();
  return {
    async update(change) {
      return change(kept);
    },
  };
}

function openDatabase() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open('podium-privacy', 1);
    request.onupgradeneeded = () => request.result.createObjectStore('reporters');
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

export function browserStorage(name) {
  let database;
  return {
    async update(change) {
      database ??= openDatabase();
      const transaction = (await database).transaction('reporters', 'readwrite');
      const store = transaction.objectStore('reporters');
      return new Promise((resolve, reject) => {
        let result;
        store.get(name).onsuccess = ({ target }) => {
          try {
            const state = target.result ?? emptyState();
            result = change(state);
            store.put(state, name);
          } catch (error) {
            transaction.abort();
            reject(error);
          }
        };
        transaction.oncomplete = () => resolve(result);
        transaction.onabort = () => reject(transaction.error);
      });
    },
  };
}

/** One tab sends at a time. Where there are no locks, the keys make a second sender harmless. */
const exclusively = (name, work) =>
  globalThis.navigator?.locks === undefined ? work() : navigator.locks.request(`podium-privacy ${name}`, work);

// ---- Answers of the collector ----

function retryAfter(response) {
  const header = response.headers.get('Retry-After');
  if (header === null) return 0;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? 0 : Math.max(0, seconds * 1000);
}

async function readJson(response) {
  try {
    return await response.json();
  } catch {
    return {};
  }
}

/** What became of a batch: counted, or an error with the time to wait, whether waiting helps, and whether it was surely
 *  not counted. */
async function outcomeOf(response) {
  const answer = await readJson(response);
  if (response.ok && Number.isInteger(answer.accepted))
    return { refused: Number.isInteger(answer.refused) ? answer.refused : 0 };
  const said = answer.detail ?? answer.title ?? '';
  const what = response.ok ? 'something that is no collector answered' : `the collector answered ${response.status}`;
  const isTemporary = response.ok || response.status >= 500 || TEMPORARY.includes(response.status);
  const isUncounted = !isTemporary || response.status === TOO_MANY;
  return { error: new PodiumError(`${what}${said && `: ${said}`}`), wait: retryAfter(response), isTemporary, isUncounted };
}

/** Privatises values, and sends the reports to a collector. */
export class Reporter {
  #collection;
  #url;
  #options;
  #name;
  #storage;
  #owner = newKey();
  #state = emptyState(); // as this Reporter saw it last
  #sealed = new Set(); // keys of batches that this Reporter has sent or is about to send
  #timer;
  #sending = Promise.resolve();
  #isClosed = false;
  #onHide = () => document.visibilityState === 'hidden' && this.#sendBeforeLeaving();

  constructor(collection, url, options = {}) {
    const whole = new URL(url, globalThis.location?.href);
    this.#collection = collection;
    this.#url = whole.href;
    this.#options = { ...DEFAULTS, fetch: (...request) => fetch(...request), ...options };
    checkArguments(collection, whole, this.#options);
    this.#name = options.name ?? `${this.#url} ${collection.fingerprint}`;
    const isBrowser = globalThis.indexedDB !== undefined;
    this.#storage = options.storage ?? (isBrowser ? browserStorage(this.#name) : memoryStorage());
    globalThis.document?.addEventListener('visibilitychange', this.#onHide);
    if (isBrowser || options.storage) this.#schedule(0); // what an earlier page has left
  }

  /** Privatises a value or several, and stores their reports, which are sent later. Returns how many there are. */
  async report(values, { nan } = {}) {
    return this.reportCodes(this.#collection.codes(typeof values === 'number' ? [values] : values, { nan }));
  }

  /** The same for reports that were drawn before, for example to show them first. Each may be passed only once. */
  async reportCodes(drawn) {
    if (this.#isClosed) throw new PodiumError('the Reporter is closed');
    const codes = Array.from(drawn);
    const isFull = await this.#update((state) => this.#append(state, codes));
    this.#schedule(isFull ? 0 : withJitter(this.#options.wait));
    if (isFull) await new Promise((resume) => setTimeout(resume)); // whoever reports in a loop lets others work
    return codes.length;
  }

  /** Sends everything that waits, now. Rejects if the collector cannot be reached or refuses. */
  async flush() {
    if (this.#isClosed) throw new PodiumError('the Reporter is closed');
    const error = await this.#send(true);
    if (error !== undefined) throw error;
  }

  /** What was reported, and what it cost. */
  async account() {
    return this.#accountOf(await this.#update((state) => structuredClone(state)));
  }

  /** Deletes what waits. What was tried to send counts as sent, because it may have arrived. Returns how many are gone. */
  async discard() {
    return this.#update((state) => {
      const count = (batches) => batches.reduce((sum, batch) => sum + batch.codes.length, 0);
      const gone = state.batches.filter(({ isSealed, key }) => !isSealed && !this.#sealed.has(key));
      state.sent += count(state.batches) - count(gone);
      state.recent = state.recent.filter(({ key }) => !gone.some((batch) => batch.key === key));
      state.batches = [];
      return count(gone);
    });
  }

  /** Stops sending. What waits is sent by the next Reporter of this name. */
  close() {
    this.#isClosed = true;
    clearTimeout(this.#timer?.id);
    globalThis.document?.removeEventListener('visibilitychange', this.#onHide);
  }

  /** Keeps an element up to date with the account, in words. */
  async show(element) {
    this.#options.onChange = chain(this.#options.onChange, (account) => showAccount(element, account));
    showAccount(element, await this.account());
  }

  // ---- State ----

  async #update(change) {
    const before = this.#state;
    let result;
    try {
      result = await this.#storage.update((state) => {
        const made = change(state);
        this.#state = state; // before it is on disk, so that whoever leaves the page now knows of it
        return made;
      });
    } catch (error) {
      this.#state = before;
      throw error;
    }
    this.#options.onChange?.(this.#accountOf(this.#state));
    return result;
  }

  #accountOf({ batches, sent, refused, recent }) {
    const { spec, epsilon } = this.#collection;
    const waiting = batches.reduce((sum, batch) => sum + batch.codes.length, 0);
    const reports = sent + refused + waiting;
    const isWaiting = (key) => batches.some((batch) => batch.key === key);
    return {
      collection: spec,
      epsilon,
      reports,
      sent,
      waiting,
      refused,
      spent: reports * epsilon,
      recent: recent.map(({ key, at, code }) => ({
        at: new Date(at),
        code,
        report: this.#collection.reports(code),
        isSent: !isWaiting(key),
      })),
    };
  }

  /** Adds codes to the batch that is open, and to new ones. Returns whether one became full. */
  #append(state, codes) {
    const { batch: most, waitingMost } = this.#options;
    const waiting = state.batches.reduce((sum, batch) => sum + batch.codes.length, 0);
    if (waiting + codes.length > waitingMost)
      throw new PodiumError(`more than ${waitingMost} reports would wait to be sent`);
    let isFull = false;
    for (let from = 0; from < codes.length; ) {
      const batch = this.#openBatch(state, most);
      const part = codes.slice(from, from + most - batch.codes.length);
      batch.codes.push(...part);
      if (globalThis.document !== undefined) batch.since = Date.now();
      state.recent.push(...part.map((code) => ({ key: batch.key, at: Date.now(), code })));
      from += part.length;
      isFull ||= batch.codes.length === most;
    }
    state.recent = state.recent.slice(-RECENT_MOST);
    return isFull;
  }

  /** The batch that reports are added to. */
  #openBatch(state, most) {
    const isOpen = ({ owner, isSealed, key, codes }) =>
      owner === this.#owner && !isSealed && !this.#sealed.has(key) && codes.length < most;
    const open = state.batches.find(isOpen);
    if (open !== undefined) return open;
    const made = { key: newKey(), owner: this.#owner, isSealed: false, codes: [], tries: 0, due: 0, unanswered: 0 };
    state.batches.push(made);
    return made;
  }

  // ---- Sending ----

  #schedule(time) {
    if (this.#isClosed) return;
    const due = Date.now() + time;
    if (this.#timer !== undefined && this.#timer.due <= due) return;
    clearTimeout(this.#timer?.id);
    const id = setTimeout(() => {
      this.#timer = undefined;
      this.#send(false);
    }, Math.min(time, 2 ** 31 - 1));
    this.#timer = { id, due };
  }

  /** Sends what is due, or everything, after whoever is sending already. Returns the error that stopped it, if any. */
  #send(everything) {
    this.#sending = this.#sending.then(() => exclusively(this.#name, () => this.#sendBatches(everything)));
    this.#sending = this.#sending.catch((error) => {
      this.#schedule(withJitter(this.#options.retryMost)); // the storage fails
      return error;
    });
    return this.#sending.then((error) => {
      if (error !== undefined) this.#options.onError?.(error);
      return error;
    });
  }

  async #sendBatches(everything) {
    if (everything) await this.#update((state) => state.batches.forEach((batch) => (batch.due = 0)));
    for (;;) {
      const batch = this.#isClosed ? undefined : await this.#update((state) => this.#seal(state));
      if (batch === undefined) return this.#scheduleNext();
      const outcome = this.#isForgotten(batch) ? this.#giveUp(batch) : await this.#post(batch, false);
      await this.#update((state) => this.#settle(state, batch.key, outcome));
      if (outcome.error === undefined) continue;
      this.#scheduleNext();
      return outcome.error;
    }
  }

  #scheduleNext() {
    const dues = this.#state.batches.map(({ due }) => due);
    if (dues.length > 0) this.#schedule(Math.max(0, Math.min(...dues) - Date.now()));
  }

  /** Fixes a batch that is due, so that it can be sent. */
  #seal(state) {
    const batch = state.batches.find(({ due }) => due <= Date.now());
    if (batch === undefined) return undefined;
    batch.tries++;
    this.#noteAttempt(batch);
    return structuredClone(batch);
  }

  /** `since` is when the batch may first have reached the collector. A page that is left has no time to note its last
   *  attempt, so for the batches of another page it is when that page last added to it. */
  #noteAttempt(batch) {
    if (batch.unanswered++ === 0 && (batch.owner === this.#owner || batch.since === undefined)) batch.since = Date.now();
    batch.isSealed = true;
    this.#sealed.add(batch.key);
  }

  /** Whether the collector may have counted the batch and forgotten its key, so that it would count it again. */
  #isForgotten({ since }) {
    return Date.now() - since > 3_600_000 * this.#options.keyHours - KEY_MARGIN;
  }

  /** The batch counts as sent, because it may have arrived. */
  #giveUp({ codes }) {
    const why = `they may have arrived, and the collector knows their key for ${this.#options.keyHours} hours only`;
    this.#options.onError?.(new PodiumError(`${codes.length} reports are not sent again: ${why}`));
    return { refused: 0 };
  }

  #request({ key, codes }, keepalive) {
    const { labels, token, timeout } = this.#options;
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': key };
    if (token !== undefined) headers.Authorization = `Bearer ${token}`;
    const body = JSON.stringify({ fingerprint: this.#collection.fingerprint, codes, labels });
    const signal = AbortSignal.timeout(timeout);
    // No cookie and no address of the page says who reports.
    return { method: 'POST', headers, body, keepalive, signal, credentials: 'omit', referrerPolicy: 'no-referrer' };
  }

  async #post(batch, keepalive) {
    try {
      return await outcomeOf(await this.#options.fetch(this.#url, this.#request(batch, keepalive)));
    } catch (error) {
      return { error: new PodiumError(`the collector was not reached: ${error.message}`), wait: 0, isTemporary: true };
    }
  }

  /** Removes a batch that was counted, or says when to try again. A batch that was refused stays, and is tried rarely. */
  #settle(state, key, { refused, error, wait, isTemporary, isUncounted }) {
    const batch = state.batches.find((one) => one.key === key);
    if (batch === undefined) return;
    if (error === undefined) {
      state.batches = state.batches.filter((one) => one !== batch);
      state.sent += batch.codes.length - refused; // also if it was counted before
      state.refused += refused;
      return;
    }
    if (isUncounted) batch.unanswered--;
    const { retryFirst, retryMost } = this.#options;
    const own = isTemporary ? Math.min(retryMost, retryFirst * 2 ** (batch.tries - 1)) : retryMost;
    const due = Date.now() + Math.max(wait, withJitter(own));
    for (const one of state.batches) one.due = Math.max(one.due, due); // the others would fare no better
  }

  /** The page may end at any moment, so this sends at once what is stored, and may never see the answer. */
  #sendBeforeLeaving() {
    const mayChange = ({ owner, isSealed }) => owner !== this.#owner && !isSealed; // another tab may be adding to it
    let bytes = 0;
    for (const batch of this.#state.batches) {
      bytes += this.#request(batch, true).body.length;
      if (mayChange(batch) || batch.due > Date.now() || this.#isForgotten(batch) || bytes > KEEPALIVE_BYTES) continue;
      this.#sealed.add(batch.key);
      this.#sendOnce(batch).catch(() => {}); // it is sent again later, under the same key
    }
  }

  async #sendOnce(batch) {
    const answer = this.#post(batch, true);
    await this.#update((state) => state.batches.forEach((one) => one.key === batch.key && this.#noteAttempt(one)));
    const outcome = await answer;
    if (outcome.error === undefined) await this.#update((state) => this.#settle(state, batch.key, outcome));
  }
}

const chain = (first, second) => (account) => {
  first?.(account);
  second(account);
};

/** Writes the account into an element, as text. */
function showAccount(element, { reports, sent, waiting, epsilon, spent, recent }) {
  const round = (x) => Number(x.toPrecision(6));
  const lines = [
    `${reports} ${reports === 1 ? 'report' : 'reports'}: ${sent} sent, ${waiting} waiting.`,
    `Each costs at most ε = ${round(epsilon)}, together ${round(spent)}.`,
    ...recent.slice(-5).map(({ at, report, isSent }) =>
      `${at.toLocaleTimeString()}: ${round(report)} (${isSent ? 'sent' : 'waiting'})`),
  ];
  element.replaceChildren(...lines.map((line) => Object.assign(document.createElement('p'), { textContent: line })));
}

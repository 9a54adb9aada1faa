/** podium-privacy/reporter: sends reports to a collector, each exactly once, and keeps account of what they cost. */
import { Collection, CodesOptions, Numbers } from './device.js';

export interface ReporterOptions {
  /** The token for writing that the collector has issued. */
  token?: string;
  /** Public labels, such as `{ country: 'CH' }`, from the collection's own list. */
  labels?: Record<string, string>;
  /** The most reports in a request; 100 unless told. */
  batch?: number;
  /** Milliseconds in which reports gather before they are sent; 10,000 unless told, and from half of that at random. */
  wait?: number;
  /** Milliseconds after the first failure, 1,000 unless told; they double each time, up to `retryMost`, 600,000. */
  retryFirst?: number;
  retryMost?: number;
  /** Milliseconds after which an attempt is given up; 30,000 unless told. */
  timeout?: number;
  /** The most reports that may wait, 10,000 unless told; `report` rejects beyond. */
  waitingMost?: number;
  /** For how many hours the collector remembers a key: its `key_hours`, 24 unless told. From ten minutes before that on, a
   *  batch that may have arrived is not sent again, and counts as sent. */
  keyHours?: number;
  /** What the queue is called. Reporters of one name share it, also in other tabs. */
  name?: string;
  /** Where reports wait; IndexedDB in a browser, and memory elsewhere. */
  storage?: ReporterStorage;
  fetch?: typeof fetch;
  /** Called whenever the account has changed. */
  onChange?: (account: Account) => void;
  /** Called when an attempt has failed and there will be another, and when a batch is given up because of `keyHours`. */
  onError?: (error: Error) => void;
}

/** Keeps a state that can be cloned. It has codes and counts, and never a value. */
export interface ReporterStorage {
  /** Reads the state, lets `change` alter it, and writes it, as one step; returns what `change` returns. */
  update<Result>(change: (state: ReporterState) => Result): Promise<Result>;
}

/** What a storage keeps: at first `{ batches: [], sent: 0, refused: 0, recent: [] }`. */
export interface ReporterState {
  batches: object[];
  sent: number;
  refused: number;
  recent: object[];
}

/** What was reported, and what it cost */
export interface Account {
  collection: string;
  /** Of one report */
  epsilon: number;
  /** How many reports there are in all */
  reports: number;
  /** How many the collector has counted, or may have counted if it never answered */
  sent: number;
  /** How many it has not acknowledged yet */
  waiting: number;
  /** How many it has refused */
  refused: number;
  /** What all reports cost together: epsilon for each */
  spent: number;
  /** The latest reports, at most 50 */
  recent: { at: Date; code: number; report: number; isSent: boolean }[];
}

/** Privatises values, and sends the reports to a collector. */
export class Reporter {
  /** The URL is that of a collection's reports, such as `https://collect.example/v1/collections/age/reports`. */
  constructor(collection: Collection, url: string | URL, options?: ReporterOptions);
  /** Privatises a value or several, and stores their reports, which are sent later. Returns how many there are. */
  report(values: number | Numbers, options?: CodesOptions): Promise<number>;
  /** The same for reports that `collection.codes` drew before, for example to show them first. Pass each only once. */
  reportCodes(codes: Iterable<number>): Promise<number>;
  /** Sends everything that waits, now. Rejects if the collector cannot be reached, or refuses. */
  flush(): Promise<void>;
  /** What was reported, and what it cost. */
  account(): Promise<Account>;
  /** Keeps an element up to date with the account, in words. */
  show(element: { replaceChildren(...lines: any[]): void }): Promise<void>;
  /** Deletes what waits, and returns how many reports that were. What was tried to send counts as sent. */
  discard(): Promise<number>;
  /** Stops sending. What waits is sent by the next Reporter of this name. */
  close(): void;
}

/** Keeps what waits until the program ends. */
export function memoryStorage(): ReporterStorage;
/** Keeps what waits in IndexedDB, under a name. */
export function browserStorage(name: string): ReporterStorage;

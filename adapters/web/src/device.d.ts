/** podium-privacy/device: the device's half, which turns private values into reports. */

/** What the library says when it cannot do something. It never contains a private value. */
export class PodiumError extends Error {
  constructor(message: string, details?: { status?: number; field?: string; line?: number; column?: number });
  /** The library's podium_status, or 0 if the package itself refused an argument. */
  readonly status: number;
  /** What is wrong in a text, and where, counted from 1. */
  readonly field?: string;
  readonly line?: number;
  readonly column?: number;
}

/** An array or a typed array of numbers */
export type Numbers =
  | readonly number[]
  | Float64Array
  | Float32Array
  | Int8Array
  | Uint8Array
  | Uint8ClampedArray
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array;

/** Items are 1 byte wide if a collection has up to 256 cells, 2 up to 65,536, and 4 otherwise. */
export type Codes = Uint8Array | Uint16Array | Uint32Array;

/** Where the WebAssembly module comes from: a URL, its bytes, or the compiled WebAssembly.Module. Not every program in
    Node has the types of the browser, so that the last one is any object here. */
export type WasmSource = URL | string | ArrayBuffer | ArrayBufferView | object;

export interface PrivatizeOptions {
  /**
   * What happens to a value that is NaN. `'error'`, the default, throws; `'middle'` privatises it as the middle of the
   * range, so that nobody sees that it was NaN; `'keep'` makes its report NaN, which everybody sees.
   */
  nan?: 'error' | 'middle' | 'keep';
}

export interface CodesOptions {
  /** As for `privatize`; a code cannot be NaN, so there is no `'keep'`. */
  nan?: 'error' | 'middle';
}

/**
 * What is asked: a mechanism, an epsilon and a range of values. It is public, and fixed before the first value is seen.
 * The range must come from knowledge of the question and never from the data, because a range that is computed from the
 * data reveals something about the data.
 */
export class Collection {
  protected constructor();
  /**
   * Makes a collection from a design, which a whole library has made of a spec beforehand. If it gets a spec, such as
   * `minimax epsilon=1 range=1:120`, it loads the whole library for its solvers.
   */
  static parse(text: string): Promise<Collection>;

  /** The line that names this collection in C, in the program, in SQL, in Python and here. */
  readonly spec: string;
  readonly mechanism: string;
  /** How much a report may tell: less is more private. */
  readonly epsilon: number;
  /** The least and the greatest value. A value outside counts as the nearer end. */
  readonly range: [min: number, max: number];
  /** How many different reports there are. */
  readonly cells: number;
  /** The least and the greatest report, often far outside the range. */
  readonly support: [least: number, most: number];
  /** How many bytes a code has when it is sent. */
  readonly codeBytes: 1 | 2 | 3 | 4;
  /** 16 digits by which two sides can check that they mean the same collection. */
  readonly fingerprint: string;

  /**
   * Turns a private value into a report, which may leave the device. A report is often far outside the range. Do not
   * clamp, round or drop reports, because only unaltered ones average to the truth. Privatise each value once: a second
   * report about it spends epsilon again.
   *
   * Throws if `crypto.getRandomValues` is missing or fails; nothing weaker takes its place.
   */
  privatize(value: number, options?: PrivatizeOptions): number;
  privatize(values: Numbers, options?: PrivatizeOptions): Float64Array;

  /** Turns private values into codes: reports in as few bytes as possible. */
  codes(value: number, options?: CodesOptions): number;
  codes(values: Numbers, options?: CodesOptions): Codes;

  /** The reports that codes stand for. */
  reports(code: number): number;
  reports(codes: Numbers): Float64Array;

  /** Codes as the bytes that are sent: `codeBytes` each, the least significant first. */
  encodeCodes(codes: Numbers): Uint8Array;
  /** The codes that such bytes stand for. */
  decodeCodes(bytes: Uint8Array): Codes;

  toString(): string;
  toJSON(): string;
}

/** Loads the WebAssembly module from somewhere else than the file beside the package's. Call it before anything else. */
export function load(source: WasmSource): Promise<void>;

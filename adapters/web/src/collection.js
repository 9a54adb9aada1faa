// Collections: what is asked, and the only code of the package that sees a private value.
import { PodiumError } from './library.js';

const FACTS = [
  'mechanism', 'epsilon', 'min', 'max', 'spread', 'cellsMost', 'fingerprintHigh', 'fingerprintLow', 'cells', 'least',
  'most', 'codeBytes',
];
const COLLECTION_BYTES = 4096; // sizeof(podium_collection)
const CODES = { 1: Uint8Array, 2: Uint16Array, 3: Uint32Array, 4: Uint32Array };
const NAN_POLICIES = ['error', 'middle', 'keep'];

/** Says what is wrong with a spec, as the program and SQL do. */
function specError(core, status) {
  const [field, column] = [core.words(core.call.errorField()), core.call.errorColumn()];
  const error = core.error(status, { field, line: 1, column });
  if (field === '') return error;
  const where = column === 0 ? `the spec lacks "${field}="` : `the spec is wrong at "${field}", column ${column}`;
  error.message = `${where}: ${error.message}`;
  return error;
}

/** Reads numbers from..to of values into the page, which is where they stay until the call wipes them. */
function readValues(page, values, from, to) {
  if (ArrayBuffer.isView(values)) {
    page.set(values.subarray(from, to));
    return;
  }
  for (let i = from; i < to; i++) {
    const value = values[i];
    if (typeof value !== 'number') throw new PodiumError(`item ${i} is not a number`);
    page[i - from] = value;
  }
}

export function lengthOf(values, what) {
  const isList = Array.isArray(values) || (ArrayBuffer.isView(values) && !(values instanceof DataView));
  const holdsNumbers = !(values instanceof BigInt64Array || values instanceof BigUint64Array);
  if (isList && holdsNumbers) return values.length;
  throw new PodiumError(`${what} must be a number, an array of numbers or a typed array of numbers`);
}

/** A collection: a mechanism, an epsilon and a range. It is public, and fixed before the first value is seen. */
export class Collection {
  #core;
  #facts;

  /** Collections are made by `Collection.parse`. */
  constructor(core, key) {
    if (key !== Collection.#key) throw new PodiumError('collections are made by Collection.parse');
    this.#core = core;
    core.call.facts();
    core.fresh();
    this.#facts = Object.fromEntries(FACTS.map((name, i) => [name, core.page[i]]));
    this.mechanism = core.words(core.call.mechanismName(this.#facts.mechanism));
    this.parameter = core.words(core.call.mechanismParameter(this.#facts.mechanism)) || undefined;
    this.spec = core.text(core.call.line());
    const at = core.call.collection();
    Object.defineProperty(this, 'bytes', { value: core.fresh().bytes.slice(at, at + COLLECTION_BYTES) });
    core.current = this;
    Object.freeze(this);
  }

  static #key = Symbol('made by this module');

  /** The collection that is in the core's memory. */
  static made(core) {
    return new this(core, Collection.#key);
  }

  /** Makes a collection from a line such as "minimax epsilon=1 range=1:120". */
  static async parse(spec) {
    if (typeof spec !== 'string') throw new PodiumError('a spec is a text such as "minimax epsilon=1 range=1:120"');
    const core = await this.library.core();
    const n = core.put(new TextEncoder().encode(spec.trim()), 'the spec');
    core.current = undefined;
    const status = core.call.parse(n);
    if (status !== 0) throw specError(core, status);
    return this.made(core);
  }

  /** The core, about this collection. */
  get core() {
    return this.#core.use(this);
  }

  get epsilon() {
    return this.#facts.epsilon;
  }

  /** The least and the greatest value. A value outside counts as the nearer end. */
  get range() {
    return [this.#facts.min, this.#facts.max];
  }

  /** The mechanism's parameter, if that is the spread. */
  get spread() {
    return this.parameter === 'spread' ? this.#facts.spread : undefined;
  }

  /** How many different reports there are. */
  get cells() {
    return this.#facts.cells;
  }

  /** The least and the greatest report, often far outside the range. */
  get support() {
    return [this.#facts.least, this.#facts.most];
  }

  /** How many bytes a code has when it is sent. */
  get codeBytes() {
    return this.#facts.codeBytes;
  }

  /** 16 digits by which two sides can check that they mean the same collection. */
  get fingerprint() {
    const hex = (half) => half.toString(16).padStart(8, '0');
    return hex(this.#facts.fingerprintHigh) + hex(this.#facts.fingerprintLow);
  }

  toString() {
    return this.spec;
  }

  toJSON() {
    return this.spec;
  }

  /** Turns a private value into a report, or many into a Float64Array of reports. */
  privatize(values, { nan = 'error' } = {}) {
    if (typeof values === 'number') return this.#privatizeOne(values, nan);
    const n = lengthOf(values, 'a value');
    const reports = new Float64Array(n);
    const kept = [];
    this.#eachPage(values, n, nan, kept, (core, from, to) => {
      core.check(core.call.privatize(to - from));
      reports.set(core.page.subarray(0, to - from), from);
    });
    for (const i of kept) reports[i] = NaN;
    return reports;
  }

  #privatizeOne(value, nan) {
    if (value !== value) {
      if (nan === 'keep') return NaN;
      this.#refuseNaN(nan);
    }
    const core = this.core;
    try {
      core.page[0] = value;
      const status = core.call.privatize(1);
      if (status !== 0) throw core.error(status);
      return core.page[0];
    } finally {
      core.page[0] = 0;
    }
  }

  /** Turns private values into codes: reports in as few bytes as possible. */
  codes(values, { nan = 'error' } = {}) {
    if (typeof values === 'number') return this.codes([values], { nan })[0];
    if (nan === 'keep') throw new PodiumError("a code cannot be NaN, so nan must be 'error' or 'middle'");
    const n = lengthOf(values, 'a value');
    const codes = new CODES[this.codeBytes](n);
    this.#eachPage(values, n, nan, [], (core, from, to) => {
      core.check(core.call.privatizeCells(to - from));
      codes.set(core.cells.subarray(0, to - from), from);
    });
    return codes;
  }

  #refuseNaN(nan) {
    if (!NAN_POLICIES.includes(nan)) throw new PodiumError("nan must be 'error', 'middle' or 'keep'");
    if (nan === 'error')
      throw new PodiumError("a value is NaN; nan: 'middle' privatises it as the middle of the range, 'keep' keeps it");
  }

  /** Runs work on pages of values, and wipes the page whatever happens. */
  #eachPage(values, n, nan, kept, work) {
    const core = this.core.fresh();
    const most = core.page.length;
    try {
      for (let from = 0; from < n; from += most) {
        const to = Math.min(n, from + most);
        readValues(core.page, values, from, to);
        if (core.call.hasNaN(to - from)) {
          this.#refuseNaN(nan);
          if (nan === 'keep') for (let i = from; i < to; i++) if (Number.isNaN(core.page[i - from])) kept.push(i);
        }
        work(core, from, to);
      }
    } finally {
      core.fresh().page.fill(0, 0, Math.min(n, most));
    }
  }

  /** The reports that codes stand for. */
  reports(codes) {
    if (typeof codes === 'number') return this.reports([codes])[0];
    const n = lengthOf(codes, 'a code');
    const reports = new Float64Array(n);
    this.eachCells(codes, n, (core, from, to) => {
      core.check(core.call.reports(to - from));
      reports.set(core.page.subarray(0, to - from), from);
    });
    return reports;
  }

  /** Runs work on codes, a page at a time in core.cells. */
  eachCells(codes, n, work) {
    const core = this.core.fresh();
    const most = core.cells.length;
    for (let from = 0; from < n; from += most) {
      const to = Math.min(n, from + most);
      for (let i = from; i < to; i++) {
        if (!Number.isInteger(codes[i]) || codes[i] < 0 || codes[i] > 0xffffffff)
          throw new PodiumError(`item ${i} is not a code`);
        core.cells[i - from] = codes[i];
      }
      work(core, from, to);
    }
  }

  /** Codes as the bytes that are sent, codeBytes each, the least significant first. */
  encodeCodes(codes) {
    const n = lengthOf(codes, 'a code');
    const size = this.codeBytes;
    const bytes = new Uint8Array(n * size);
    this.eachCells(codes, n, (core, from, to) => {
      core.check(core.call.encodeCodes(to - from));
      bytes.set(core.copy((to - from) * size), from * size);
    });
    return bytes;
  }

  /** The codes that such bytes stand for. */
  decodeCodes(bytes) {
    if (!(bytes instanceof Uint8Array)) throw new PodiumError('the bytes of codes must be a Uint8Array');
    const core = this.core;
    const size = this.codeBytes;
    const codes = new CODES[size](Math.ceil(bytes.length / size));
    const most = core.cells.length;
    for (let from = 0; from < codes.length; from += most) {
      const part = bytes.subarray(from * size, (from + most) * size);
      core.check(core.call.decodeCodes(core.put(part, 'a page of codes')));
      codes.set(core.cells.subarray(0, part.length / size), from);
    }
    return codes;
  }
}

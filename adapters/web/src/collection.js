// Collections: what is asked, and the only code of the package that sees a private value.
import { PodiumError } from './library.js';

const FACTS = ['epsilon', 'min', 'max', 'fingerprintHigh', 'fingerprintLow', 'cells', 'least', 'most', 'codeBytes'];
const CODES = [undefined, Uint8Array, Uint16Array, Uint32Array, Uint32Array];
const NAN_POLICIES = ['error', 'middle', 'keep'];

/** The length of an array of numbers. */
export function lengthOf(values, what) {
  const isTyped = ArrayBuffer.isView(values) && typeof values[0] !== 'bigint' && !(values instanceof DataView);
  if (isTyped || Array.isArray(values)) return values.length;
  throw new PodiumError(`${what} must be a number, an array of numbers or a typed array of numbers`);
}

/** Copies items from..to into a view of the module's memory. */
function copyNumbers(view, items, from, to) {
  if (ArrayBuffer.isView(items)) return view.set(items.subarray(from, to));
  for (let i = from; i < to; i++) {
    if (typeof items[i] !== 'number') throw new PodiumError(`item ${i} of the values is not a number`);
    view[i - from] = items[i];
  }
}

function checkPolicy(nan) {
  if (!NAN_POLICIES.includes(nan)) throw new PodiumError("nan must be 'error', 'middle' or 'keep'");
  if (nan === 'error')
    throw new PodiumError("a value is NaN; nan: 'middle' privatises it as the middle of the range, 'keep' keeps it");
}

/** Calls work(from, to) for pages of n items. */
export function eachPage(core, n, work) {
  const most = core.page.length;
  for (let from = 0; from < n; from += most) work(from, Math.min(n, from + most));
}

/** A collection: a mechanism, an epsilon and a range. It is public, and fixed before the first value is seen. */
export class Collection {
  #core;
  #facts;

  /** Takes the collection that is in the core's memory. Everybody else calls Collection.parse. */
  constructor(core, spec) {
    const at = core.call.collection();
    this.spec = spec;
    this.#core = core;
    core.call.facts();
    this.#facts = Object.fromEntries(FACTS.map((name, i) => [name, core.fresh().page[i]]));
    Object.defineProperty(this, 'bytes', { value: core.copy(at, core.call.collectionSize()) });
    core.current = this;
  }

  /** The core, about this collection. */
  get core() {
    return this.#core.use(this);
  }

  get mechanism() {
    return this.spec.split(' ')[0];
  }

  get epsilon() {
    return this.#facts.epsilon;
  }

  get range() {
    return [this.#facts.min, this.#facts.max];
  }

  get cells() {
    return this.#facts.cells;
  }

  get support() {
    return [this.#facts.least, this.#facts.most];
  }

  get codeBytes() {
    return this.#facts.codeBytes;
  }

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

  privatize(values, { nan = 'error' } = {}) {
    if (typeof values === 'number') return this.#privatizeOne(values, nan);
    const reports = new Float64Array(lengthOf(values, 'a value'));
    const kept = this.#draw(values, nan, (core, from, to) => {
      core.check(core.call.privatize(to - from));
      reports.set(core.page.subarray(0, to - from), from);
    });
    for (const i of kept) reports[i] = NaN;
    return reports;
  }

  #privatizeOne(value, nan) {
    if (Number.isNaN(value)) {
      if (nan === 'keep') return NaN;
      checkPolicy(nan);
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

  codes(values, { nan = 'error' } = {}) {
    if (typeof values === 'number') return this.codes([values], { nan })[0];
    if (nan === 'keep') throw new PodiumError("a code cannot be NaN, so nan must be 'error' or 'middle'");
    const codes = new CODES[this.codeBytes](lengthOf(values, 'a value'));
    this.#draw(values, nan, (core, from, to) => {
      core.check(core.call.privatizeCells(to - from));
      codes.set(core.cells.subarray(0, to - from), from);
    });
    return codes;
  }

  /** Runs work on pages of values, and wipes the page whatever happens. Returns the indices of NaN that are kept. */
  #draw(values, nan, work) {
    const core = this.core;
    const kept = [];
    try {
      eachPage(core, values.length, (from, to) => {
        copyNumbers(core.page, values, from, to);
        if (core.call.hasNaN(to - from)) {
          checkPolicy(nan);
          if (nan === 'keep') core.page.forEach((value, i) => Number.isNaN(value) && i < to - from && kept.push(from + i));
        }
        work(core, from, to);
      });
      return kept;
    } finally {
      core.page.fill(0);
      core.cells.fill(0); // where a grid is fine, a cell is a random word
    }
  }

  /** Runs work on pages of codes, which are in core.cells then. */
  eachCells(codes, work) {
    const core = this.core;
    const isCode = (code) => Number.isInteger(code) && code >= 0 && code <= 0xffffffff;
    eachPage(core, lengthOf(codes, 'a code'), (from, to) => {
      for (let i = from; i < to; i++) {
        if (!isCode(codes[i])) throw new PodiumError(`item ${i} of the codes is not a code`);
        core.cells[i - from] = codes[i];
      }
      work(core, from, to);
    });
  }

  reports(codes) {
    if (typeof codes === 'number') return this.reports([codes])[0];
    const reports = new Float64Array(lengthOf(codes, 'a code'));
    this.eachCells(codes, (core, from, to) => {
      core.check(core.call.reports(to - from));
      reports.set(core.page.subarray(0, to - from), from);
    });
    return reports;
  }

  encodeCodes(codes) {
    const each = this.codeBytes;
    const bytes = new Uint8Array(lengthOf(codes, 'a code') * each);
    this.eachCells(codes, (core, from, to) => {
      core.check(core.call.encodeCodes(to - from));
      bytes.set(core.copy(core.page.byteOffset, (to - from) * each), from * each);
    });
    return bytes;
  }

  decodeCodes(bytes) {
    if (!(bytes instanceof Uint8Array)) throw new PodiumError('the bytes of codes must be a Uint8Array');
    const each = this.codeBytes;
    const codes = new CODES[each](Math.ceil(bytes.length / each));
    const core = this.core;
    eachPage(core, codes.length, (from, to) => {
      const part = bytes.subarray(from * each, to * each);
      core.check(core.call.decodeCodes(core.put(part)));
      codes.set(core.cells.subarray(0, to - from), from);
    });
    return codes;
  }
}

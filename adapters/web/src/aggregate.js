// Aggregates: exact sums of reports, and what they say about the values.
import { eachPage, lengthOf } from './collection.js';
import { PodiumError } from './library.js';

const INTERVALS = ['normal', 'guaranteed', 'anytime'];
const SUMMARY = [
  'count', 'refused', 'confidence', 'meanKnown', 'mean', 'standardError', 'intervalKnown', 'lower', 'upper',
  'meanIsOutside', 'influence', 'spreadKnown', 'variance', 'standardDeviation', 'shapeKnown',
];
const DIFFERENCE = [
  'confidence', 'known', 'difference', 'standardError', 'intervalKnown', 'lower', 'upper', 'pValue',
];
const KNOWN = { estimated: 0, notAsked: 5 }; // of podium_known

/** The first numbers of the page, by these names */
export const numbers = (core, names) => Object.fromEntries(names.map((name, i) => [name, core.fresh().page[i]]));

/** Why the parts of an answer that are NaN are so. */
function reasons(core, parts) {
  const withheld = {};
  for (const [part, known] of Object.entries(parts))
    if (known !== KNOWN.estimated && known !== KNOWN.notAsked) withheld[part] = core.text(core.call.knownMessage(known));
  return withheld;
}

function question({ confidence = 0.95, interval = 'normal', population = false }) {
  if (typeof confidence !== 'number' || !(confidence > 0 && confidence < 1)) throw new PodiumError('confidence must be between 0 and 1');
  const number = INTERVALS.indexOf(interval);
  if (number < 0) throw new PodiumError("interval must be 'normal', 'guaranteed' or 'anytime'");
  return [confidence, number, Boolean(population)];
}

function checkList(name, list, isGood, what) {
  if (!Array.isArray(list) || !list.every((x) => typeof x === 'number' && isGood(x)))
    throw new PodiumError(`${name} must be an array of ${what}`);
}

/** The exact sum of many reports. */
export class Aggregate {
  #collection;
  #bytes; // a podium_aggregate, which is copied into the core's memory for a call

  /** Aggregates are made by a collection's `aggregate` and by `Aggregate.decode`. */
  constructor(collection, bytes) {
    this.#collection = collection;
    this.#bytes = bytes;
  }

  static of(collection, reports) {
    const core = collection.core;
    core.call.aggregateInit();
    const sums = new Aggregate(collection, Aggregate.#take(core));
    if (reports !== undefined) sums.add(reports);
    return sums;
  }

  static #take(core) {
    return core.copy(core.call.aggregates(), core.call.aggregateSize());
  }

  /** The core, about this aggregate, and about another one. */
  #open(other) {
    const core = this.#collection.core.fresh();
    const at = core.call.aggregates();
    core.bytes.set(this.#bytes, at);
    if (other !== undefined) core.bytes.set(other.#bytes, at + core.call.aggregateSize());
    return core;
  }

  /** Keeps what the core has made of it. */
  #close(core) {
    this.#bytes = Aggregate.#take(core);
    return this;
  }

  #other(other) {
    if (!(other instanceof Aggregate)) throw new PodiumError('the other one must be an aggregate');
    return this.#open(other);
  }

  get collection() {
    return this.#collection;
  }

  /** How many reports were added. */
  get count() {
    return this.#open().call.count();
  }

  /** How many were refused, because the collection cannot have produced them. */
  get refused() {
    return this.#open().call.refused();
  }

  /** Adds reports; one that the collection cannot have produced is refused, and counted as refused. */
  add(reports) {
    const list = typeof reports === 'number' ? [reports] : reports;
    const core = this.#open();
    eachPage(core, lengthOf(list, 'a report'), (from, to) => {
      for (let i = from; i < to; i++) core.page[i - from] = typeof list[i] === 'number' ? list[i] : NaN;
      core.check(core.call.add(to - from));
    });
    return this.#close(core);
  }

  /** Adds codes. */
  addCodes(codes) {
    const list = typeof codes === 'number' ? [codes] : codes;
    const core = this.#open();
    this.#collection.eachCells(list, (_, from, to) => core.check(core.call.addCells(to - from)));
    return this.#close(core);
  }

  /** Adds the reports of another aggregate of the same collection. */
  merge(other) {
    const core = this.#other(other);
    core.check(core.call.merge());
    return this.#close(core);
  }

  /** Subtracts reports that were added or merged before. */
  subtract(other) {
    const core = this.#other(other);
    core.check(core.call.subtract());
    return this.#close(core);
  }

  /** A copy, to which more can be added. */
  clone() {
    return new Aggregate(this.#collection, this.#bytes.slice());
  }

  /** Throws unless these can be independent reports of the collection. */
  check() {
    const core = this.#open();
    core.check(core.call.checkAggregate());
  }

  /** The bytes that every other Podium reads. */
  encode() {
    const core = this.#open();
    return core.copy(core.page.byteOffset, core.call.encode());
  }

  /** The same on one line of text, as `podium aggregate` writes it. */
  text() {
    const core = this.#open();
    return core.text(core.page.byteOffset, core.call.formatAggregate());
  }

  toJSON() {
    return this.text();
  }

  /** Reads an encoded aggregate of the collection. */
  static read(collection, encoded) {
    const { core } = collection;
    const n = put(core, encoded);
    core.check(typeof encoded === 'string' ? core.call.parseAggregate(n) : core.call.decode(n));
    return new Aggregate(collection, Aggregate.#take(core));
  }

  /** What the reports say about the values. */
  summary(options = {}) {
    const { quantiles = [], below = [], histogram, dishonest = 0, check = true } = options;
    const asked = question(options);
    checkList('quantiles', quantiles, (p) => p >= 0 && p <= 1, 'probabilities from 0 to 1');
    checkList('below', below, Number.isFinite, 'numbers');
    const bins = histogram === undefined ? 0 : histogram === true ? 20 : histogram;
    if (histogram !== undefined && !(Number.isInteger(bins) && bins > 0))
      throw new PodiumError('histogram must be a number of bins');
    if (!(Number.isSafeInteger(dishonest) && dishonest >= 0))
      throw new PodiumError('dishonest must be a number of reports');
    if (check) this.check();
    const wantsShape = bins > 0 || quantiles.length > 0 || below.length > 0;
    if (asked[1] !== 0) this.#collection.useBounds();
    const channel = wantsShape ? this.#collection.channel() : 0;
    const core = this.#open();
    core.check(core.call.summary(channel, ...asked, bins, dishonest), options);
    const made = numbers(core, SUMMARY);
    const { meanKnown: mean, intervalKnown: interval, spreadKnown: spread, shapeKnown: distribution, ...rest } = made;
    return {
      collection: this.#collection.spec,
      ...rest,
      meanIsOutside: rest.meanIsOutside !== 0,
      interval: INTERVALS[asked[1]],
      about: core.text(core.call.about()),
      quantiles: quantiles.map((p) => (core.call.quantile(p), { p, ...numbers(core, ['value', 'lower', 'upper']) })),
      below: below.map((x) => (core.call.below(x), { x, ...numbers(core, ['share', 'lower', 'upper']) })),
      histogram: Array.from({ length: bins }, (_, i) => {
        core.call.bin(i);
        return numbers(core, ['from', 'to', 'share', 'lower', 'upper']);
      }),
      withheld: reasons(core, { mean, interval, spread, distribution }),
    };
  }

  /** The mean of these values minus that of another aggregate's, which must be other people. */
  difference(other, options = {}) {
    const asked = question(options);
    if (!(other instanceof Aggregate)) throw new PodiumError('the other one must be an aggregate');
    if (asked[1] !== 0) this.#collection.useBounds();
    const core = this.#open(other);
    core.check(core.call.difference(...asked));
    const { known: difference, intervalKnown: interval, ...rest } = numbers(core, DIFFERENCE);
    return {
      ...rest,
      interval: INTERVALS[asked[1]],
      population: asked[2],
      withheld: reasons(core, { difference, interval }),
    };
  }
}

/** Writes an encoded aggregate into the page. */
export function put(core, encoded) {
  if (typeof encoded === 'string') return core.put(encoded.trim(), 'the text of an aggregate');
  if (encoded instanceof Uint8Array) return core.put(encoded, 'an encoded aggregate');
  throw new PodiumError('an encoded aggregate is a Uint8Array or a text');
}

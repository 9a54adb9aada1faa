// The whole library, wherever its module comes from.
import { Aggregate as Sums, numbers, put } from './aggregate.js';
import { Collection as Base } from './collection.js';
import { Library, PodiumError } from './library.js';

export const library = new Library();
const OBJECTIVES = ['worst', 'uniform', 'middle', 'distribution'];
const CHANNELS_MAX = 4; // each has some megabytes

/** The channels of the collections that were asked last, the latest at the end, by fingerprint */
const channels = new Map();
const bounds = new WeakMap();

export class Collection extends Base {
  static library = library;

  /** Also accepts the text of a file that `podium design` wrote. */
  static async parse(spec) {
    if (typeof spec !== 'string' || !spec.trim().includes('\n')) return super.parse(spec);
    const core = await library.core();
    core.current = undefined;
    const status = core.call.parseFile(core.put(new TextEncoder().encode(spec), 'the text'));
    if (status !== 0) {
      const [field, line] = [core.words(core.call.fileErrorField()), core.call.fileErrorLine()];
      const error = core.error(status, { field, line });
      error.message = `line ${line}, "${field}": ${error.message}`;
      throw error;
    }
    return this.made(core);
  }

  /** The collection with the least noise for the objective. */
  static async choose({ epsilon, range, cells = 0, objective = 'worst' }) {
    const core = await library.core();
    const [min, max] = rangeOf(range);
    core.current = undefined;
    core.check(core.call.choose(epsilon, min, max, cells, objectiveOf(objective)));
    return this.made(core);
  }

  /** The lines of a collection file, as `podium design` writes them. */
  text(name = '') {
    const core = this.core;
    const n = core.call.format(core.put(new TextEncoder().encode(name), 'a name'));
    if (n === 0) throw new PodiumError('a name has up to 63 bytes, and no control characters');
    return core.text(n);
  }

  /** Whether reports say anything about the values besides their mean. */
  get tellsSpread() {
    return this.core.call.tellsSpread() !== 0;
  }

  /** The variance of the report of x; without x its maximum over the range. */
  variance(x) {
    return x === undefined ? this.core.call.varianceMost() : this.core.call.variance(x);
  }

  /** The noise of a report under an objective: 'worst', 'uniform', 'middle' or 'distribution'. */
  noise(objective = 'worst') {
    return this.core.call.noise(objectiveOf(objective));
  }

  /** Where a share of the reports of x lies, with as many below as above. */
  span(x, share = 0.8) {
    const core = this.core;
    core.check(core.call.span(x, share));
    return { lower: core.page[1], upper: core.page[2] };
  }

  /** The density of the report of x at each y. Throws if the mechanism has no density. */
  density(x, ys) {
    const core = this.core;
    core.check(core.call.shapeInit());
    const densities = Float64Array.from(ys);
    for (let from = 0; from < densities.length; from += core.page.length) {
      const part = densities.subarray(from, from + core.page.length);
      core.page.set(part);
      core.call.density(x, part.length);
      part.set(core.page.subarray(0, part.length));
    }
    return densities;
  }

  /** An aggregate of these reports, or of none. */
  aggregate(reports) {
    return Sums.of(this, reports);
  }

  /** Reads an encoded aggregate of this collection. */
  decode(encoded) {
    return Sums.read(this.core, encoded, this);
  }

  /** Makes the bounds that guaranteed and anytime intervals need, once. */
  prepare(wantsBounds) {
    if (!wantsBounds) return;
    const core = this.core;
    const at = core.call.bounds();
    if (bounds.has(this)) {
      core.fresh().bytes.set(bounds.get(this), at);
      return;
    }
    core.check(core.call.boundsInit());
    bounds.set(this, core.bytes.slice(at, at + core.call.boundsSize()));
  }

  /** The address of this collection's channel, which a summary of the distribution needs. */
  channel() {
    const core = this.core;
    let channel = channels.get(this.spec);
    if (channel === undefined) {
      core.check(core.call.channelMake());
      channel = core.page[0];
      for (const [spec, old] of channels)
        if (channels.size >= CHANNELS_MAX) {
          core.call.channelFree(old);
          channels.delete(spec);
        }
    }
    channels.delete(this.spec);
    channels.set(this.spec, channel);
    return channel;
  }
}

function rangeOf(range) {
  if (Array.isArray(range) && range.length === 2 && range.every((end) => typeof end === 'number')) return range;
  throw new PodiumError('range must be two numbers, such as [1, 120]');
}

function objectiveOf(objective) {
  const number = OBJECTIVES.indexOf(objective);
  if (number < 0) throw new PodiumError("objective must be 'worst', 'uniform', 'middle' or 'distribution'");
  return number;
}

/** Reads an aggregate of any collection. */
Sums.decode = async function decode(encoded) {
  const core = await library.core();
  core.current = undefined;
  core.check(core.call.peek(put(core, encoded)));
  return Collection.made(core).decode(encoded);
};

/** The mechanisms that there are. */
export async function mechanisms() {
  const core = await library.core();
  return Array.from({ length: core.call.mechanismCount() }, (_, i) => ({
    name: core.words(core.call.mechanismName(i)),
    summary: core.words(core.call.mechanismSummary(i)),
    colour: core.words(core.call.mechanismColour(i)),
    parameter: core.words(core.call.mechanismParameter(i)) || undefined,
  }));
}

/** The library's version, such as "0.1.0". */
export async function version() {
  const core = await library.core();
  return core.words(core.call.version());
}

/** The noise of every mechanism with this epsilon and range, in the library's order. */
export async function compare({ epsilon, range, spread = 0, cells = 0 }) {
  const [min, max] = rangeOf(range);
  const rows = [];
  for (const { name, summary, colour, parameter } of await mechanisms()) {
    const own = parameter === 'spread' ? ` spread=${spread}` : parameter === 'cells' && cells ? ` cells=${cells}` : '';
    const collection = await Collection.parse(`${name} epsilon=${epsilon} range=${min}:${max}${own}`);
    const noise = Object.fromEntries(OBJECTIVES.map((objective) => [objective, collection.noise(objective)]));
    rows.push({ mechanism: name, summary, colour, ...noise, codeBytes: collection.codeBytes, collection });
  }
  return rows;
}

async function collectionOf(collection) {
  return collection instanceof Collection ? collection : Collection.parse(collection);
}

/** Computes the error from the people, or the people from the error; given both, the least epsilon that is enough. */
export async function plan(collection, { people, within, confidence = 0.95, spread = 0.25, quantile, histogram }) {
  let c = await collectionOf(collection);
  if (people === undefined && within === undefined)
    throw new PodiumError('give people or within; the other one is computed');
  if (quantile !== undefined || histogram !== undefined)
    return planShape(c, { people, within, confidence, quantile, histogram });
  const core = c.core;
  if (people !== undefined && within !== undefined) {
    core.current = undefined;
    core.check(core.call.planEpsilon(people, within, spread, confidence));
    c = Collection.made(core);
  } else if (people === undefined) {
    core.check(core.call.planPeople(within, spread, confidence));
    people = core.page[0];
  } else {
    core.check(core.call.planError(people, spread, confidence));
    within = core.page[0];
  }
  return { collection: c, people, within, confidence };
}

function planShape(c, { people, within, confidence, quantile, histogram }) {
  if (people !== undefined && within !== undefined)
    throw new PodiumError('for a quantile or a histogram, give people or within, not both');
  if (quantile !== undefined && histogram !== undefined) throw new PodiumError('give quantile or histogram, not both');
  const channel = c.channel();
  const core = c.core;
  const asksPeople = people === undefined;
  const given = asksPeople ? within : people;
  core.check(
    quantile !== undefined
      ? core.call.planQuantile(channel, asksPeople, given, quantile, confidence)
      : core.call.planHistogram(channel, asksPeople, given, histogram, confidence),
  );
  const found = core.page[0];
  return { collection: c, people: asksPeople ? found : people, within: asksPeople ? within : found, confidence };
}

/** The least difference between the means of two of so many groups that a test finds with this power. */
export async function planDifference({ within, groups = 2, confidence = 0.95, power = 0.8 }) {
  const core = await library.core();
  core.check(core.call.planDifference(within, groups, confidence, power));
  return core.page[0];
}

/** What a report with this epsilon can do to what somebody believed with the probability `prior`. */
export async function promise(epsilon, prior = 0.5) {
  const core = await library.core();
  core.check(core.call.promise(epsilon, prior));
  const made = numbers(core, ['factor', 'prior', 'least', 'most', 'strength']);
  return { epsilon, ...made, strength: core.words(core.call.strengthName(made.strength)) };
}

/** What a report can tell about a person, in numbers. */
export async function explain(collection) {
  const c = await collectionOf(collection);
  const odds = await Promise.all([0.01, 0.1, 0.5].map((prior) => promise(c.epsilon, prior)));
  const { factor, strength } = odds[0];
  return {
    collection: c.spec,
    epsilon: c.epsilon,
    factor,
    strength,
    odds: odds.map(({ prior, least, most }) => ({ prior, least, most })),
    examples: c.range.map((value) => ({ value, share: 0.8, ...c.span(value, 0.8) })),
  };
}

/** Adjusts the p-values of several comparisons by Holm's method. */
export async function adjust(pValues) {
  const core = await library.core();
  if (pValues.length > core.page.length) throw new PodiumError(`at most ${core.page.length} p-values`);
  core.page.set(pValues);
  core.check(core.call.adjust(pValues.length));
  return Array.from(core.page.subarray(0, pValues.length));
}

/** Says where the module comes from. */
export const load = (source) => library.load(source);
export { Sums as Aggregate, PodiumError };

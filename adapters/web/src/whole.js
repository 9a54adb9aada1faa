// The whole library, wherever its module comes from.
import { Aggregate, numbers, put } from './aggregate.js';
import { Collection as Base, eachPage } from './collection.js';
import { decodeDesign, encodeDesign, isDesign } from './design.js';
import { Library, PodiumError } from './library.js';
import { hosts } from './numbers.js';

export const library = new Library(hosts);
const OBJECTIVES = ['worst', 'uniform', 'middle', 'distribution'];
const CHANNELS_MAX = 4; // a channel has some megabytes

/** Addresses of channels in each core by spec, the one that was used last at the end. */
const channelsOf = new WeakMap();
/** The bounds of collections, as bytes. */
const bounds = new WeakMap();

/** Says what is wrong with a spec, as the program and SQL do. */
function specError(core, status) {
  const [field, column] = [core.text(core.call.errorField()), core.call.errorColumn()];
  const error = Object.assign(core.error(status), { field, column });
  const where = column === 0 ? `the spec lacks "${field}="` : `the spec is wrong at "${field}", column ${column}`;
  if (field !== '') error.message = `${where}: ${error.message}`;
  return error;
}

function objectiveOf(objective) {
  const number = OBJECTIVES.indexOf(objective);
  if (number < 0) throw new PodiumError("objective must be 'worst', 'uniform', 'middle' or 'distribution'");
  return number;
}

function rangeOf(range) {
  if (Array.isArray(range) && range.length === 2 && range.every((end) => typeof end === 'number')) return range;
  throw new PodiumError('range must be two numbers, such as [1, 120]');
}

export class Collection extends Base {
  /** Calls a function of the core that makes a collection, and takes that. */
  static #make(core, call, fail = (status) => core.error(status)) {
    core.current = undefined;
    const status = call();
    if (status !== 0) throw fail(status);
    return new Collection(core, core.text(core.call.page(), core.call.line()));
  }

  static async parse(text) {
    if (typeof text !== 'string') throw new PodiumError('a spec is a text such as "minimax epsilon=1 range=1:120"');
    const core = await library.core();
    const version = core.text(core.call.version());
    const spec = isDesign(text) ? decodeDesign(text, core.call.collectionSize(), version).spec : text;
    const n = core.put(spec.trim(), 'the spec');
    return Collection.#make(core, () => core.call.parse(n), (status) => specError(core, status));
  }

  static async choose({ epsilon, range, cells = 0, objective = 'worst' } = {}) {
    const core = await library.core();
    const [min, max] = rangeOf(range);
    return Collection.#make(core, () => core.call.choose(epsilon, min, max, cells, objectiveOf(objective)));
  }

  /** The collection of an encoded aggregate. */
  static ofAggregate(core, encoded) {
    const n = put(core, encoded);
    return Collection.#make(core, () => core.call.peek(n));
  }

  /** This collection with the least epsilon that is enough. */
  withEpsilonFor(people, within, spread, confidence) {
    const { core } = this;
    const fail = (status) => core.error(status, { people, within, spread, confidence });
    return Collection.#make(core, () => core.call.planEpsilon(people, within, spread, confidence), fail);
  }

  get design() {
    const { core } = this;
    return encodeDesign(this.spec, this.bytes, core.text(core.call.version()));
  }

  get tellsSpread() {
    return this.core.call.tellsSpread() !== 0;
  }

  variance(x) {
    const { call } = this.core;
    return x === undefined ? call.varianceMost() : call.variance(x);
  }

  noise(objective = 'worst') {
    return this.core.call.noise(objectiveOf(objective));
  }

  span(x, share = 0.8) {
    const { core } = this;
    const { page } = core.check(core.call.span(x, share), { share });
    return { lower: page[1], upper: page[2] };
  }

  likelihood(code, xs) {
    return this.#map(xs, (call, n) => call.likelihood(code, n));
  }

  density(x, ys) {
    const { core } = this;
    core.check(core.call.shapeInit());
    return this.#map(ys, (call, n) => call.density(x, n));
  }

  /** What the core makes of numbers, a page at a time. */
  #map(given, work) {
    const { core } = this;
    const made = Float64Array.from(given);
    eachPage(core, made.length, (from, to) => {
      const part = made.subarray(from, to);
      core.page.set(part);
      work(core.call, part.length);
      part.set(core.page.subarray(0, part.length));
    });
    return made;
  }

  aggregate(reports) {
    return Aggregate.of(this, reports);
  }

  decode(encoded) {
    return Aggregate.read(this, encoded);
  }

  /** Puts the bounds that guaranteed and anytime intervals need into the core; they are computed once. */
  useBounds() {
    const { core } = this;
    const at = core.call.bounds();
    if (bounds.has(this)) return core.fresh().bytes.set(bounds.get(this), at);
    core.check(core.call.boundsInit());
    bounds.set(this, core.copy(at, core.call.boundsSize()));
  }

  /** The address of this collection's channel, which the distribution is estimated with. */
  channel() {
    const { core } = this;
    const channels = channelsOf.get(core) ?? new Map();
    channelsOf.set(core, channels);
    let channel = channels.get(this.spec);
    if (channel === undefined) {
      channel = core.check(core.call.channelMake()).page[0];
      const [oldest] = channels.size >= CHANNELS_MAX ? channels.keys() : [];
      if (oldest !== undefined) core.call.channelFree(channels.get(oldest));
      channels.delete(oldest);
    }
    channels.delete(this.spec);
    channels.set(this.spec, channel);
    return channel;
  }
}

Aggregate.decode = async (encoded) => Collection.ofAggregate(await library.core(), encoded).decode(encoded);

const collectionOf = async (given) => (given instanceof Collection ? given : Collection.parse(given));

export async function mechanisms() {
  const core = await library.core();
  const { call } = core;
  return Array.from({ length: call.mechanismCount() }, (_, i) => ({
    name: core.text(call.mechanismName(i)),
    summary: core.text(call.mechanismSummary(i)),
    colour: core.text(call.mechanismColour(i)),
    parameter: core.text(call.mechanismParameter(i)) || undefined,
  }));
}

export async function version() {
  const core = await library.core();
  return core.text(core.call.version());
}

export async function compare({ epsilon, range, spread = 0, cells = 0 }) {
  const [min, max] = rangeOf(range);
  const rows = [];
  for (const { name, summary, colour, parameter } of await mechanisms()) {
    const value = { spread, cells }[parameter];
    const own = value ? ` ${parameter}=${value}` : parameter === 'spread' ? ' spread=0' : '';
    const collection = await Collection.parse(`${name} epsilon=${epsilon} range=${min}:${max}${own}`);
    const noise = Object.fromEntries(OBJECTIVES.map((objective) => [objective, collection.noise(objective)]));
    rows.push({ mechanism: name, summary, colour, ...noise, codeBytes: collection.codeBytes, collection });
  }
  return rows;
}

export async function plan(collection, question = {}) {
  const { people, within, quantile, histogram, confidence = 0.95, spread = 0.25 } = question;
  const c = await collectionOf(collection);
  if (people === undefined && within === undefined)
    throw new PodiumError('give people or within; the other one is computed');
  if (quantile !== undefined || histogram !== undefined) return planShape(c, { ...question, confidence });
  const { core } = c;
  if (people !== undefined && within !== undefined)
    return { collection: c.withEpsilonFor(people, within, spread, confidence), people, within, confidence };
  if (people === undefined) {
    const { page } = core.check(core.call.planPeople(within, spread, confidence), question);
    return { collection: c, people: page[0], within, confidence };
  }
  const { page } = core.check(core.call.planError(people, spread, confidence), question);
  return { collection: c, people, within: page[0], confidence };
}

function planShape(c, question) {
  const { people, within, confidence, quantile, histogram } = question;
  if ((people !== undefined && within !== undefined) || (quantile !== undefined && histogram !== undefined))
    throw new PodiumError('give people or within, and quantile or histogram, not both');
  const channel = c.channel();
  const { core } = c;
  const asksPeople = people === undefined;
  const given = asksPeople ? within : people;
  const status =
    quantile !== undefined
      ? core.call.planQuantile(channel, asksPeople, given, quantile, confidence)
      : core.call.planHistogram(channel, asksPeople, given, histogram, confidence);
  const found = core.check(status, question).page[0];
  return { collection: c, people: asksPeople ? found : people, within: asksPeople ? within : found, confidence };
}

export async function planDifference({ within, groups = 2, confidence = 0.95, power = 0.8 }) {
  const core = await library.core();
  const status = core.call.planDifference(within, groups, confidence, power);
  return core.check(status, { within, groups, confidence, power }).page[0];
}

export async function promise(epsilon, prior = 0.5) {
  const core = await library.core();
  core.check(core.call.promise(epsilon, prior), { epsilon, prior });
  const made = numbers(core, ['factor', 'prior', 'least', 'most', 'strength']);
  return { epsilon, ...made, strength: core.text(core.call.strengthName(made.strength)) };
}

export async function explain(collection) {
  const c = await collectionOf(collection);
  const odds = await Promise.all([0.01, 0.1, 0.5].map((prior) => promise(c.epsilon, prior)));
  return {
    collection: c.spec,
    epsilon: c.epsilon,
    factor: odds[0].factor,
    strength: odds[0].strength,
    odds: odds.map(({ prior, least, most }) => ({ prior, least, most })),
    examples: c.range.map((value) => ({ value, share: 0.8, ...c.span(value) })),
  };
}

export async function adjust(pValues) {
  const core = await library.core();
  const { page } = core.fresh();
  if (pValues.length > page.length) throw new PodiumError(`at most ${page.length} p-values`);
  page.set(pValues);
  core.check(core.call.adjust(pValues.length));
  return Array.from(core.page.subarray(0, pValues.length));
}

export const load = (source) => library.load(source);
export { Aggregate, PodiumError };

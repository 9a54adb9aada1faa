// All that is computed: the library, in a worker, so that the page can always draw. There are two of these workers, one
// for the crowd and one for everything else.
import { Collection, mechanisms, plan, promise, version } from 'podium-privacy/inline';
import { Population } from './population.js';
import { CROWDS } from './settings.js';

const REPORTS = 10;
const POINTS = 480;
const SHOWN = 0.96; // the share of the reports of an end that the axis shows
const BINS = 20;
const CHUNK = 20000; // people between two looks at the messages
const PATIENCE = 400; // milliseconds after which a crowd that is always interrupted shows its histogram anyway
const EVENLY = 1 / 12; // the spread of evenly spread values, which `podium plan` assumes too

const between = (from, to, n) => Float64Array.from({ length: n }, (_, i) => from + ((to - from) * i) / (n - 1));

/** Tells an answer what the library says if it cannot compute it. */
async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    if (error.name !== 'PodiumError') throw error;
    return { problem: error.message };
  }
}

// ---- You ----

/** Mechanisms with few different reports have probabilities, and the others a density. */
const isDiscrete = (collection) => collection.codeBytes === 1;

/** How often the report of x is each of the ys, by the density or by the probabilities of all codes. */
function distribution(collection, x, ys) {
  if (!isDiscrete(collection)) return collection.density(x, ys);
  return Float64Array.from(ys, (_, code) => collection.likelihood(code, [x])[0]);
}

function everyReport(collection) {
  return collection.reports(Array.from({ length: collection.cells }, (_, code) => code));
}

async function you({ spec, value, other }) {
  const collection = await Collection.parse(spec);
  const [low, high] = collection.range;
  const drawn = collection.codes(new Float64Array(REPORTS).fill(value));
  const codes = Array.from(drawn).sort((a, b) => collection.reports(a) - collection.reports(b));
  const reports = collection.reports(codes);
  const likelihoods = (xs) => codes.map((code) => collection.likelihood(code, xs));
  const from = Math.min(collection.span(low, SHOWN).lower, reports[0]);
  const to = Math.max(collection.span(high, SHOWN).upper, reports[REPORTS - 1]);
  const ys = isDiscrete(collection) ? everyReport(collection) : between(from, to, POINTS);
  const xs = between(low, high, POINTS + 1);
  return {
    reports,
    ys,
    xs,
    from,
    to,
    isDiscrete: isDiscrete(collection),
    own: distribution(collection, value, ys),
    others: distribution(collection, other, ys),
    likelihoods: likelihoods(xs),
    towards: likelihoods([value, other]),
  };
}

async function odds({ epsilon }) {
  const [one, ten] = [await promise(epsilon, 0.5), await promise(REPORTS * epsilon, 0.5)];
  const chances = await Promise.all([0.01, 0.1, 0.5].map((prior) => promise(epsilon, prior)));
  return { factor: one.factor, factorOfTen: ten.factor, strength: one.strength, chances, version: await version() };
}

// ---- Mechanisms ----

async function compareAll({ epsilon, low, high, people, value, names }) {
  const xs = between(low, high, 121);
  const known = await mechanisms();
  const rows = [];
  for (const name of names) {
    const collection = await Collection.parse(`${name} epsilon=${epsilon} range=${low}:${high}`);
    const { colour, summary } = known.find((mechanism) => mechanism.name === name);
    const { within } = await plan(collection, { people, spread: EVENLY });
    rows.push({
      name,
      colour,
      summary,
      within,
      worst: collection.noise('worst'),
      middle: collection.noise('middle'),
      distribution: collection.noise('distribution'),
      bytes: collection.codeBytes,
      support: collection.support,
      deviations: Float64Array.from(xs, (x) => Math.sqrt(collection.variance(x))),
      reports: collection.privatize(new Float64Array(40).fill(value)),
    });
  }
  return { xs, rows };
}

// ---- Plan ----

function questionOf({ goal, about, within, share, asked, confidence }) {
  const question = { confidence };
  if (goal !== 'within') question.within = about === 'histogram' ? share : within;
  if (goal !== 'people') question.people = asked;
  if (about === 'mean') question.spread = EVENLY;
  if (about === 'median') question.quantile = 0.5;
  if (about === 'histogram') question.histogram = 10;
  return question;
}

async function planAll({ names, ...given }) {
  const rows = [];
  for (const name of names) {
    const spec = `${name} epsilon=${given.epsilon} range=${given.low}:${given.high}`;
    const row = await attempt(async () => {
      const { collection, people, within } = await plan(spec, questionOf(given));
      return { people, within, epsilon: collection.epsilon };
    });
    rows.push({ name, ...row });
  }
  return { rows };
}

// ---- The crowd ----

/** People who answered, up to each number of CROWDS. */
class Crowd {
  constructor(collection, truth) {
    const [low, high] = collection.range;
    this.collection = collection;
    this.truth = truth;
    this.population = new Population(truth, low, high, CROWDS.at(-1));
    this.aggregate = collection.aggregate();
    this.total = 0;
    this.bins = new Float64Array(BINS);
    this.stages = []; // what was known when so many people of CROWDS had answered
  }

  answer(n) {
    const { count } = this.aggregate;
    const values = this.population.people(count, n);
    const [low, high] = this.collection.range;
    for (const value of values) {
      this.total += value;
      this.bins[Math.min(BINS - 1, Math.floor((BINS * (value - low)) / (high - low)))]++;
    }
    this.aggregate.add(this.collection.privatize(values));
  }

  remember() {
    const { count, mean, lower, upper } = this.aggregate.summary();
    this.stages.push({
      count,
      mean,
      lower,
      upper,
      truth: this.total / count,
      bins: this.bins.map((people) => people / count),
      aggregate: this.aggregate.clone(),
    });
  }

  /** The histogram at a stage, beside the truth */
  shape(stage) {
    stage.summary ??= stage.aggregate.summary({ histogram: BINS, quantiles: [0.5] });
    const { histogram, withheld, quantiles } = stage.summary;
    return { count: stage.count, histogram, withheld, truth: stage.bins, median: quantiles[0] };
  }
}

let crowd;
let shown = 0; // when a histogram was last computed

async function crowdFor(spec, truth) {
  if (crowd?.collection.spec !== spec || crowd.truth !== truth) crowd = new Crowd(await Collection.parse(spec), truth);
  return crowd;
}

function* points(stages) {
  for (const { count, mean, lower, upper, truth } of stages) yield { count, mean, lower, upper, truth };
}

/** Posts the mean while people answer, and the histogram once all have, unless a newer request arrives. */
async function gather({ spec, truth, people }, post, isOld) {
  const c = await crowdFor(spec, truth);
  const stageCount = CROWDS.indexOf(people) + 1;
  const reached = () => c.stages.slice(0, stageCount);
  const show = (shape) => post({ range: c.collection.range, points: [...points(reached())], people, shape });
  while (c.stages.length < stageCount && !(c.aggregate.count > CHUNK && isOld())) {
    const goal = CROWDS[c.stages.length];
    c.answer(Math.min(goal, c.aggregate.count + CHUNK));
    if (c.aggregate.count === goal) c.remember();
    if (c.aggregate.count < CHUNK) continue;
    show();
    await breathe();
  }
  show();
  await breathe();
  if (isOld() && performance.now() - shown < PATIENCE) return;
  show(c.shape(reached().at(-1)));
  shown = performance.now();
}

// ---- Messages: only the newest request of each kind is answered ----

const WORK = { you, odds, compare: compareAll, plan: planAll, crowd: gather };
const waiting = new Map();
let isBusy = false;

const channel = new MessageChannel();
const breaths = [];
channel.port1.onmessage = () => breaths.shift()();
/** Lets messages arrive. */
const breathe = () => new Promise((go) => (breaths.push(go), channel.port2.postMessage(0)));

async function work() {
  isBusy = true;
  for (let kind; (kind = Object.keys(WORK).find((name) => waiting.has(name))); await breathe()) {
    const { id, request } = waiting.get(kind);
    waiting.delete(kind);
    const post = (answer) => postMessage({ kind, id, answer });
    const answer = await attempt(() => WORK[kind](request, post, () => waiting.has(kind)));
    if (answer !== undefined) post(answer);
  }
  isBusy = false;
}

onmessage = ({ data: { kind, id, request } }) => {
  waiting.set(kind, { id, request });
  if (!isBusy) work();
};

// What the person chose, and the link that keeps it. A private number is never a setting.

export const MECHANISMS = ['podium', 'minimax', 'square-wave', 'laplace'];
export const TITLES = { podium: 'Podium', minimax: 'Minimax', 'square-wave': 'Square Wave', laplace: 'Laplace' };

const steps = (from, to, step) =>
  Array.from({ length: Math.round((to - from) / step) + 1 }, (_, i) => Number((from + i * step).toFixed(2)));
/** Round numbers, closer together where people choose. */
export const EPSILONS = [...steps(0.1, 0.95, 0.05), ...steps(1, 1.9, 0.1), ...steps(2, 3.8, 0.2), ...steps(4, 8, 0.5)];

/** Round numbers of people, evenly spaced on a logarithmic axis. */
export const CROWDS = [100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000, 200000, 500000, 1000000];

/** Questions to start from: where the sliders end, and a range that covers the answers. */
export const QUESTIONS = {
  age: { title: 'Your age', column: 'age', unit: 'years', ends: [0, 150], step: 1, range: [1, 120], example: 34 },
  sleep: {
    title: 'Hours you sleep',
    column: 'sleep',
    unit: 'hours',
    ends: [0, 24],
    step: 0.5,
    range: [0, 14],
    example: 7,
  },
  commute: {
    title: 'Minutes to work',
    column: 'commute',
    unit: 'minutes',
    ends: [0, 300],
    step: 5,
    range: [0, 120],
    example: 25,
  },
  warmth: {
    title: 'Temperature at home',
    column: 'warmth',
    unit: '°C',
    ends: [-20, 50],
    step: 1,
    range: [5, 35],
    example: 21,
  },
  pay: {
    title: 'Monthly pay',
    column: 'pay',
    unit: 'francs',
    ends: [0, 50000],
    step: 500,
    range: [0, 20000],
    example: 6500,
  },
};

export const TRUTHS = { ages: 'One hump', peaks: 'Two peaks', even: 'Evenly spread', same: 'All the same' };
export const GOALS = {
  people: 'How many people do I need?',
  within: 'How accurate will it be?',
  epsilon: 'Which ε is enough?',
};
export const ABOUTS = { mean: 'the average', median: 'the median', histogram: 'a histogram of ten bars' };
export const CONFIDENCES = [0.9, 0.95, 0.99];

/** A hundredth of the range, or the round number below. */
export function fineness(low, high) {
  const power = 10 ** Math.floor(Math.log10((high - low) / 100));
  const digit = Math.floor((high - low) / 100 / power + 1e-9);
  return Number((power * (digit >= 5 ? 5 : digit >= 2 ? 2 : 1)).toPrecision(3));
}

export function startWith(question) {
  const [low, high] = QUESTIONS[question].range;
  return { question, low, high, within: fineness(low, high) };
}

export const DEFAULTS = {
  ...startWith('age'),
  epsilon: 1,
  mechanism: 'podium',
  people: 10000,
  truth: 'ages',
  goal: 'people',
  about: 'mean',
  share: 0.05,
  asked: 10000,
  confidence: 0.95,
};

/** The line that names the collection in every language. */
export const specOf = ({ mechanism, epsilon, low, high }) => `${mechanism} epsilon=${epsilon} range=${low}:${high}`;

const oneOf = (table) => (text) => (Object.hasOwn(table, text) ? text : undefined);
const oneNumberOf = (list) => (text) => list.find((x) => x === Number(text));
const number = (least, most) => (text) => {
  const x = text.trim() === '' ? NaN : Number(text);
  return x >= least && x <= most ? x : undefined;
};
const BOUND_MOST = 1e9;

/** How each setting is read from a link; what cannot be read is undefined. */
const READERS = {
  question: oneOf(QUESTIONS),
  low: number(-BOUND_MOST, BOUND_MOST),
  high: number(-BOUND_MOST, BOUND_MOST),
  epsilon: oneNumberOf(EPSILONS),
  mechanism: oneOf(TITLES),
  people: oneNumberOf(CROWDS),
  truth: oneOf(TRUTHS),
  goal: oneOf(GOALS),
  about: oneOf(ABOUTS),
  within: number(1e-9, BOUND_MOST),
  share: number(0.001, 0.5),
  asked: number(2, 1e12),
  confidence: oneNumberOf(CONFIDENCES),
};

/** The part of the link after '#'. */
export function toHash(settings) {
  return new URLSearchParams(Object.keys(READERS).map((key) => [key, String(settings[key])])).toString();
}

/** A range is usable if its ends are in order and not too close together for neighbouring reports to differ. */
export const isRange = (low, high) => high - low >= 1e-5 * Math.max(Math.abs(low), Math.abs(high), 1e-3);

/** Reads such a part. The second item lists the parts that it could not use. */
export function fromHash(hash) {
  const given = new URLSearchParams(hash.replace(/^#/, ''));
  const read = {};
  const refused = [];
  for (const [key, text] of given) {
    const value = Object.hasOwn(READERS, key) ? READERS[key](text) : undefined;
    if (value === undefined) refused.push(key);
    else read[key] = value;
  }
  const start = { ...DEFAULTS, ...startWith(read.question ?? DEFAULTS.question) };
  const settings = { ...start, ...read };
  if (!isRange(settings.low, settings.high)) {
    refused.push('low', 'high');
    [settings.low, settings.high] = [start.low, start.high];
  }
  if (settings.goal === 'epsilon' && settings.about !== 'mean') {
    refused.push('about'); // an epsilon can be planned for the mean alone
    settings.about = 'mean';
  }
  return [settings, refused];
}

/** podium-privacy: local differential privacy for numbers. */
import { Collection as DeviceCollection, Numbers, WasmSource } from './device.js';
export { PodiumError, Numbers, Codes, WasmSource, PrivatizeOptions, CodesOptions } from './device.js';

/** What shall be small: the variance in the worst case, on average, in the middle; or the error of the distribution */
export type Objective = 'worst' | 'uniform' | 'middle' | 'distribution';

export class Collection extends DeviceCollection {
  /** Makes a collection from a line such as `minimax epsilon=1 range=1:120`. */
  static parse(spec: string): Promise<Collection>;
  /** The collection with the least noise for the objective. */
  static choose(given: {
    epsilon: number;
    range: readonly [number, number];
    /** The most cells that the support may have. */
    cells?: number;
    objective?: Objective;
  }): Promise<Collection>;

  /** The text from which `podium-privacy/device` makes this collection without a solver. It is for the same version. */
  readonly design: string;
  /** Whether reports say anything about the values besides their mean. */
  readonly tellsSpread: boolean;
  /** The variance of the report of x; without x its maximum over the range. */
  variance(x?: number): number;
  /** The noise of a report under an objective. */
  noise(objective?: Objective): number;
  /** Where a share of the reports of x lies, with as many below it as above. */
  span(x: number, share?: number): Limits;
  /** The probability that the report of each x is this code. Its ratios are all that an observer learns from it. */
  likelihood(code: number, xs: Numbers): Float64Array;
  /** The density of the report of x at each y. Throws if the mechanism has no density. */
  density(x: number, ys: Numbers): Float64Array;

  /** An aggregate of these reports, or of none. */
  aggregate(reports?: number | Numbers): Aggregate;
  /** Reads an encoded aggregate of this collection, from bytes or text. */
  decode(encoded: Uint8Array | string): Aggregate;
}

/** The exact sum of many reports: in any order, on any number of machines, the same bytes */
export class Aggregate {
  private constructor();
  /** Reads what `encode`, `text` or `podium aggregate` wrote, of any collection, and checks it. */
  static decode(encoded: Uint8Array | string): Promise<Aggregate>;

  readonly collection: Collection;
  /** How many reports were added. */
  readonly count: number;
  /** How many were refused, because the collection cannot have produced them. */
  readonly refused: number;

  /** Adds reports. What the collection cannot have produced, such as NaN, is refused, and counted as refused. */
  add(reports: number | Numbers): this;
  /** Adds codes. */
  addCodes(codes: number | Numbers): this;
  /** Adds the reports of another aggregate of the same collection. */
  merge(other: Aggregate): this;
  /** Subtracts reports that were added or merged before; anytime intervals do not hold from then on. */
  subtract(other: Aggregate): this;
  /** A copy, to which more can be added. */
  clone(): Aggregate;
  /** Throws if these cannot be independent reports of the collection, such as raw values or rounded reports. */
  check(): void;
  /** The bytes that every other Podium reads. */
  encode(): Uint8Array;
  /** The same on one line of text, as `podium aggregate` writes it. */
  text(): string;
  toJSON(): string;

  /** What the reports say about the values, and what they cannot say. */
  summary(question?: Question): Summary;
  /** The mean of these values minus that of another aggregate's, which must be of other people. */
  difference(other: Aggregate, question?: Comparison): Difference;
}

export interface Comparison {
  /** How often the interval shall cover the truth; 0.95 unless told */
  confidence?: number;
  /** `'normal'` for many reports, `'guaranteed'` for every number of them, `'anytime'` for looking after each. */
  interval?: 'normal' | 'guaranteed' | 'anytime';
  /** Whether the interval is for a population from which these people were drawn, and not for these people. */
  population?: boolean;
}

export interface Question extends Comparison {
  /** How many equal bins the histogram shall have; `true` stands for 20. */
  histogram?: number | true;
  /** Shares between 0 and 1 */
  quantiles?: readonly number[];
  /** Numbers; the summary has the share of the values below each. */
  below?: readonly number[];
  /** How many reports may be dishonest; the summary has how far they can have moved the mean. */
  dishonest?: number;
  /** Whether to throw if these cannot be reports of the collection; `true` unless told. It takes some milliseconds. */
  check?: boolean;
}

export interface Limits {
  lower: number;
  upper: number;
}

export interface Quantile extends Limits {
  p: number;
  value: number;
}

export interface Share extends Limits {
  x: number;
  share: number;
}

export interface Bin extends Limits {
  from: number;
  to: number;
  share: number;
}

/** What is not known is NaN, and `withheld` has the reason. */
export interface Summary extends Limits {
  collection: string;
  count: number;
  refused: number;
  confidence: number;
  interval: 'normal' | 'guaranteed' | 'anytime';
  /** Whose mean the interval is for */
  about: string;
  mean: number;
  standardError: number;
  /** Whether the mean is so far outside the range that these are hardly reports of the collection */
  meanIsOutside: boolean;
  /** How far the dishonest reports can have moved the mean; NaN if that was not asked */
  influence: number;
  variance: number;
  standardDeviation: number;
  quantiles: Quantile[];
  below: Share[];
  histogram: Bin[];
  withheld: { mean?: string; interval?: string; spread?: string; distribution?: string };
}

/** What is not known is NaN, and `withheld` has the reason. */
export interface Difference extends Limits {
  confidence: number;
  interval: 'normal' | 'guaranteed' | 'anytime';
  population: boolean;
  difference: number;
  standardError: number;
  pValue: number;
  withheld: { difference?: string; interval?: string };
}

/** Adjusts the p-values of several comparisons by Holm's method. */
export function adjust(pValues: readonly number[]): Promise<number[]>;

export interface Mechanism {
  name: string;
  /** When to choose it, in a few words */
  summary: string;
  /** Its colour in plots */
  colour: string;
  parameter: 'spread' | 'cells' | undefined;
}

/** The mechanisms that there are. */
export function mechanisms(): Promise<Mechanism[]>;

export interface Noise {
  mechanism: string;
  summary: string;
  colour: string;
  worst: number;
  uniform: number;
  middle: number;
  distribution: number;
  codeBytes: number;
  collection: Collection;
}

/** The noise of every mechanism with this epsilon and range. */
export function compare(given: {
  epsilon: number;
  range: readonly [number, number];
  spread?: number;
  cells?: number;
}): Promise<Noise[]>;

export interface Plan {
  collection: Collection;
  people: number;
  /** Half the width of the interval */
  within: number;
  confidence: number;
}

/**
 * Computes the error from the people, or the people from the error; given both, the least epsilon that is enough. With
 * `quantile` or `histogram` the plan is for the limits of that quantile, or of the shares of that many bins, instead of
 * the mean.
 */
export function plan(
  collection: Collection | string,
  question: {
    people?: number;
    within?: number;
    confidence?: number;
    /** The mean square of the values about the middle, in units of the squared width of the range; 1/4 covers all. */
    spread?: number;
    quantile?: number;
    histogram?: number;
  },
): Promise<Plan>;

/** The least difference between the means of two of so many groups that a test finds with this power. */
export function planDifference(question: {
  /** The error of each group's mean, as `plan` computes it */
  within: number;
  groups?: number;
  confidence?: number;
  power?: number;
}): Promise<number>;

/** What somebody believed with the probability `prior` before a report is believed afterwards from `least` to `most`. */
export interface Odds {
  prior: number;
  least: number;
  most: number;
}

export interface Promised extends Odds {
  epsilon: number;
  /** e^epsilon, by which a report can change odds at most */
  factor: number;
  strength: 'strong' | 'moderate' | 'weak' | 'nominal';
}

/** What a report with this epsilon can do to what somebody believed with the probability `prior`. */
export function promise(epsilon: number, prior?: number): Promise<Promised>;

export interface Explanation {
  collection: string;
  epsilon: number;
  factor: number;
  strength: 'strong' | 'moderate' | 'weak' | 'nominal';
  odds: Odds[];
  /** Of the reports of `value`, this share lies from `lower` to `upper`. */
  examples: ({ value: number; share: number } & Limits)[];
}

/** What a report can tell about a person, in numbers. */
export function explain(collection: Collection | string): Promise<Explanation>;

/** The library's version, such as "0.1.0". */
export function version(): Promise<string>;

/** Loads the WebAssembly module from somewhere else than the file beside the package's. Call it before anything else. */
export function load(source: WasmSource): Promise<void>;

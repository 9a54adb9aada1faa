// What the live page and the page to join share: the shape of the answers, and what ε promises.
import { say } from '../../site/src/dom.js';
import { Chart, ink, lines } from '../../site/src/charts.js';
import { format, formatCount, formatIn, promise } from '../../site/src/words.js';

/** null, which JSON has for what is not known, as a number that compares with nothing */
export const known = (x) => (typeof x === 'number' ? x : NaN);

/** Numbers with as many digits as the limits allow */
export const formatWith = ({ lower, upper }, { min, max }) =>
  formatIn(20 * Math.min(max - min, known(upper) - known(lower)) || max - min);

/** "45.2, with limits from 44.1 to 46.3", or that there is no estimate yet */
export function describe(event, collection) {
  if (event.problem)
    return `No values could have led to these reports, so there is no estimate. They may be raw values, or belong to \
another collection.`;
  if (event.n === 0) return 'There are no reports yet.';
  const f = formatWith(event, collection);
  return `From **${formatCount(event.n)} ${event.n === 1 ? 'report' : 'reports'}** the mean is estimated as \
**${f(event.mean)}**. With a confidence of 95% it is between ${f(known(event.lower))} and \
${f(known(event.upper))}.`;
}

/** A histogram with the limits of its bars. */
export class Shape {
  #chart;
  #bins = [];
  #words;

  constructor(host, words) {
    this.#words = words;
    this.#chart = new Chart(host, {
      height: 230,
      y: { values: (x) => `${format(100 * x)}%` },
      series: [{ show: false }],
      over: (ctx, at) => {
        for (const bin of this.#bins) lines.bar(ctx, at, bin, ink('podium'));
      },
    });
  }

  show({ n, histogram = [], telling }, { min, max }) {
    this.#bins = histogram.filter(({ share }) => typeof share === 'number');
    const top = Math.max(0.1, ...this.#bins.map(({ share, upper }) => Math.min(upper, 2 * share + 0.1)));
    const words = this.#describe(n, telling, formatIn(max - min));
    say(this.#words, words);
    this.#chart.set([histogram.map(({ from }) => from), histogram.map(({ share }) => share)], {
      x: [min, max],
      y: [0, Math.min(1, 1.1 * top)],
      says: words.replaceAll('**', ''),
    });
  }

  #describe(n, telling, f) {
    if (n === 0) return 'There are no reports yet.';
    if (this.#bins.length === 0) return 'Reports of this collection show only the mean.';
    const highest = this.#bins.reduce((best, bin) => (bin.share > best.share ? bin : best));
    const percent = (share) => `${format(Number((100 * share).toPrecision(3)))}%`;
    return telling === false
      ? 'There are too few reports to tell the shape: within its limits it could be nearly anything.'
      : `The most frequent answers are from ${f(highest.from)} to ${f(highest.to)}: an estimated \
**${percent(highest.share)}**, with limits from ${percent(highest.lower)} to ${percent(highest.upper)}.`;
  }
}

/** What ε promises, from what `explain` of the package says. */
export function sayPromise(element, { factor, odds, strength, epsilon }, whose) {
  say(
    element,
    `Each report has **ε = ${format(epsilon)}**, which is ${strength} protection. ${promise(factor, odds, whose)}`,
  );
}

// 2. The crowd: simulated people answer, and the estimate closes in on the truth.
import { $, fillSelect, say } from './dom.js';
import { Chart, ink, lines } from './charts.js';
import { Pace } from './pace.js';
import { CROWDS, QUESTIONS, TRUTHS } from './settings.js';
import { format, formatCount, formatIn, formatPeople, points as inPoints } from './words.js';

const STEP = 900; // milliseconds between two numbers of people while it grows

export class Crowd {
  #page;
  #answer = { points: [] };
  #shape;
  #timer;
  #pace;

  constructor(page) {
    this.#page = page;
    this.#pace = new Pace($('crowd'), () => page.engine.ask('crowd', this.#request()));
    fillSelect($('truth'), TRUTHS);
    $('people').max = CROWDS.length - 1;
    this.average = new Chart($('average'), {
      height: 230,
      x: { log: true, values: formatPeople, splits: () => [100, 1000, 10000, 100000, 1000000] },
      y: {},
      series: [{ show: false }],
      over: (...surface) => this.#drawAverage(...surface),
    });
    this.shape = new Chart($('shape'), {
      height: 240,
      x: {},
      y: { values: (x) => `${format(100 * x)}%` },
      series: [{ show: false }],
      over: (...surface) => this.#drawShape(...surface),
    });
    $('people').addEventListener('input', () => {
      this.#stop();
      page.change({ people: CROWDS[$('people').valueAsNumber] });
    });
    $('truth').addEventListener('input', () => page.change({ truth: $('truth').value }));
    $('play').addEventListener('click', () => (this.#timer ? this.#stop() : this.#play()));
    page.engine.on('crowd', (answer) => this.#show(answer));
  }

  /** Shows the settings in the controls. */
  reflect() {
    const { people, truth } = this.#page.settings;
    $('people').value = CROWDS.indexOf(people);
    $('people').setAttribute('aria-valuetext', `${formatCount(people)} people`);
    $('people-value').textContent = formatCount(people);
    $('truth').value = truth;
  }

  ask() {
    this.#pace.ask();
  }

  #request() {
    const { truth, people } = this.#page.settings;
    return { spec: this.#page.spec, truth, people };
  }

  #play() {
    $('play').setAttribute('aria-pressed', 'true');
    $('play').textContent = 'Stop';
    let i = 0;
    const step = () => {
      this.#page.change({ people: CROWDS[i] });
      if (++i === CROWDS.length) this.#stop();
    };
    this.#timer = setInterval(step, STEP);
    step();
  }

  #stop() {
    clearInterval(this.#timer);
    this.#timer = undefined;
    $('play').setAttribute('aria-pressed', 'false');
    $('play').textContent = 'Watch it grow';
  }

  #show(answer) {
    if (answer.problem) return this.#page.complain(answer.problem);
    const { low, high } = this.#page.settings;
    if (answer.range[0] !== low || answer.range[1] !== high) return; // about a range that was since moved
    this.#answer = answer;
    if (answer.shape) this.#shape = answer.shape;
    this.#showAverage();
    if (answer.shape) this.#showShape();
  }

  #showAverage() {
    const { points, people } = this.#answer;
    if (points.length === 0) return;
    const { low, high, question } = this.#page.settings;
    const { unit } = QUESTIONS[question];
    const last = points[points.length - 1];
    const f = formatIn(5 * (last.upper - last.lower) || high - low);
    const all = points.flatMap(({ mean, lower, upper, truth }) => [mean, lower, upper, truth]).filter(Number.isFinite);
    const bottom = Math.max(2 * low - high, Math.min(...all));
    const top = Math.min(2 * high - low, Math.max(...all));
    const pad = 0.1 * (top - bottom);
    const isWild = last.mean < low || last.mean > high;
    const counts = points.map(({ count }) => count);
    const more = last.count < people ? '; more people are answering' : '';
    const wild = isWild ? ' With so few people the noise is larger than the range.' : '';
    const words = `From the reports of **${formatCount(last.count)} people** the average is estimated as \
**${f(last.mean)} ${unit}**, with a 95% interval from ${f(last.lower)} to ${f(last.upper)}. The truth is \
**${f(last.truth)}**${more}.${wild}`;
    say($('crowd-words'), words);
    this.average.set([counts, points.map(({ mean }) => mean)], {
      x: [90, 1.15e6],
      y: [bottom - pad, top + pad],
      says: words.replaceAll('**', ''),
    });
  }

  #showShape() {
    const { histogram, truth, withheld, count, median } = this.#shape;
    const { low, high, question } = this.#page.settings;
    const { unit } = QUESTIONS[question];
    const known = histogram.filter(({ share }) => Number.isFinite(share));
    const top = Math.min(
      1,
      1.15 * Math.max(0.1, ...truth, ...known.map(({ share, upper }) => Math.min(upper, 2 * share + 0.1))),
    );
    const f = formatIn(high - low);
    const words = withheld.distribution
      ? `From the reports of ${formatCount(count)} people the shape cannot be distinguished from an even one: \
there are too few, or the answers are evenly spread.`
      : `Half of the ${formatCount(count)} people answer less than **${f(median.value)} ${unit}**, by the estimate \
(95% limits ${f(median.lower)} to ${f(median.upper)}). A bar’s limits are \
${inPoints(Math.max(...known.map((b) => b.upper - b.lower)))} apart where they are widest.`;
    say($('shape-words'), words);
    this.shape.set([histogram.map(({ from }) => from), histogram.map(({ share }) => share)], {
      x: [low, high],
      y: [0, top],
      says: words.replaceAll('**', ''),
    });
  }

  // ---- Drawing ----

  #drawAverage(ctx, at) {
    const { points } = this.#answer;
    if (points.length === 0) return;
    const colour = ink(this.#page.settings.mechanism);
    lines.band(ctx, at, points, colour);
    for (const p of points) this.#drawEstimate(ctx, at, p, colour);
    ctx.strokeStyle = ink('truth');
    ctx.lineWidth = 2;
    ctx.setLineDash([6, 4]);
    ctx.beginPath();
    points.forEach(({ count, truth }, i) => ctx[i ? 'lineTo' : 'moveTo'](...at(count, truth)));
    ctx.stroke();
    ctx.setLineDash([]);
  }

  #drawEstimate(ctx, at, { count, mean, lower, upper }, colour) {
    const [x, y] = at(count, mean);
    ctx.beginPath();
    ctx.moveTo(...at(count, lower));
    ctx.lineTo(...at(count, upper));
    ctx.stroke();
    lines.dot(ctx, x, y, 3.5, colour);
  }

  #drawShape(ctx, at) {
    if (!this.#shape) return;
    const colour = ink(this.#page.settings.mechanism);
    const { histogram, truth } = this.#shape;
    for (const bin of histogram) if (Number.isFinite(bin.share)) lines.bar(ctx, at, bin, colour);
    ctx.beginPath();
    histogram.forEach(({ from, to }, i) => {
      ctx[i ? 'lineTo' : 'moveTo'](...at(from, truth[i]));
      ctx.lineTo(...at(to, truth[i]));
    });
    ctx.strokeStyle = ink('truth');
    ctx.lineWidth = 2;
    ctx.stroke();
  }
}

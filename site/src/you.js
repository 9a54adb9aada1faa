// 1. You: ten reports of one number, where each could have come from, and what it tells.
import { $, make, numberIn, say } from './dom.js';
import { Chart, ink, lines, stepped } from './charts.js';
import { QUESTIONS } from './settings.js';
import { format, formatIn, formatShort, promise, times } from './words.js';

const BASE = 26; // pixels under the curves, where the reports are

export class You {
  #page;
  #answer;
  #chosen = 0;
  #value;
  #other;

  constructor(page) {
    this.#page = page;
    this.strip = new Chart($('strip'), {
      height: 190,
      x: {},
      y: { hidden: true },
      series: [
        { stroke: () => this.#colour(), fill: () => `${this.#colour()}2b`, width: 2, points: { show: false } },
        { stroke: () => ink('edge'), width: 1.5, dash: [5, 4], points: { show: false } },
      ],
      under: (...surface) => this.#shadeRange(...surface),
      over: (...surface) => this.#drawReports(...surface),
    });
    this.origin = new Chart($('origin'), {
      height: 210,
      x: {},
      y: { values: (x) => `${formatShort(x)}×` },
      series: [
        {
          stroke: () => this.#colour(),
          fill: () => `${this.#colour()}2b`,
          width: 2,
          paths: stepped,
          points: { show: false },
        },
      ],
      over: (...surface) => this.#drawBound(...surface),
    });
    $('value').addEventListener('input', () => this.ask());
    $('other').addEventListener('input', () => this.ask());
    $('again').addEventListener('click', () => this.ask());
    for (const type of ['pointermove', 'pointerdown'])
      $('strip').addEventListener(type, (event) => this.#choose(this.#nearest(this.strip.valueAt(event))));
    $('chips').addEventListener('input', (event) => this.#choose(Number(event.target.value)));
    $('chips').addEventListener('pointerover', (event) => {
      const input = event.target.closest('label')?.querySelector('input');
      if (input && event.pointerType === 'mouse') this.#choose(Number(input.value));
    });
    page.engine.on('you', (answer) => this.#show(answer));
    page.engine.on('odds', (odds) => this.#showPromise(odds));
  }

  #colour() {
    return ink(this.#page.settings.mechanism);
  }

  /** Another question starts with its own example. */
  start() {
    const { question, low, high } = this.#page.settings;
    const { title, unit, example } = QUESTIONS[question];
    $('value').value = example;
    $('value-label').textContent = title;
    $('value-unit').textContent = `in ${unit}`;
    $('other').value = Math.abs(high - example) > Math.abs(low - example) ? high : low;
  }

  ask() {
    const { spec } = this.#page;
    const { low, high, epsilon } = this.#page.settings;
    this.#page.engine.ask('odds', { epsilon });
    const [value, other] = [numberIn($('value')), numberIn($('other'), (x) => x >= low && x <= high)];
    const isOutside = value !== undefined && (value < low || value > high);
    $('value-note').textContent =
      value === undefined
        ? 'Type a number.'
        : isOutside
          ? `It is outside the range, so it counts as ${format(value < low ? low : high)}, the nearer end.`
          : 'It stays here: not stored, not in the link.';
    if (value === undefined) return;
    this.#value = Math.min(high, Math.max(low, value));
    this.#other = other ?? (Math.abs(high - this.#value) > Math.abs(low - this.#value) ? high : low);
    $('other-note').textContent =
      other === undefined
        ? `A number from ${format(low)} to ${format(high)} is needed here; until then it is ${format(this.#other)}.`
        : '';
    this.#page.valueChanged(this.#value);
    this.#page.engine.ask('you', { spec, value: this.#value, other: this.#other });
  }

  #nearest(x) {
    const { reports } = this.#answer ?? { reports: [] };
    return reports.reduce((best, report, i) => (Math.abs(report - x) < Math.abs(reports[best] - x) ? i : best), 0);
  }

  #choose(i) {
    if (!this.#answer || i === this.#chosen) return;
    this.#chosen = i;
    this.#showChosen();
  }

  #show(answer) {
    if (answer.problem) return this.#page.complain(answer.problem);
    this.#answer = { ...answer, value: this.#value, other: this.#other };
    this.#showStrip();
    this.#showChips();
    this.#showGuesses();
    this.#showChosen();
  }

  #formatter() {
    const { low, high } = this.#page.settings;
    return formatIn(high - low);
  }

  #showStrip() {
    const { reports, ys, own, others, from, to, isDiscrete } = this.#answer;
    const { low, high } = this.#page.settings;
    const outside = reports.filter((report) => report < low || report > high).length;
    const top = 1.12 * Math.max(...own, ...others);
    const margin = 0.02 * (to - from);
    this.strip.set(isDiscrete ? [[], [], []] : [ys, own, others], {
      x: [from - margin, to + margin],
      y: [-0.2 * top, top],
      says: `${Array.from(reports, this.#formatter()).join(', ')}. ${outside} of the ten are outside the range.`,
    });
    say($('strip-caption'), this.#captionOf(outside));
  }

  #captionOf(outside) {
    const { value, other, ys, isDiscrete } = this.#answer;
    const [own, others] = [format(value), format(other)];
    const curves = isDiscrete
      ? `There are only ${ys.length} different reports: each line shows how often one of them comes up for ${own}, \
and each grey mark for ${others}.`
      : `The filled curve shows how often each report comes up for ${own}, and the dashed one for ${others}.`;
    const verb = outside === 1 ? 'lies' : 'lie';
    const place =
      outside > 0
        ? `; ${outside} of the ten ${verb} outside it, which is intended: only unaltered reports average to the truth`
        : '';
    return `The dots are ten reports of ${own}. ${curves} The range is shaded${place}.`;
  }

  #showChips() {
    const f = this.#formatter();
    const chips = Array.from(this.#answer.reports, (report, i) => {
      const input = make('input', { type: 'radio', name: 'report', value: i, checked: i === this.#chosen });
      return make('label', {}, input, f(report));
    });
    const hadFocus = $('chips').contains(document.activeElement);
    $('chips').replaceChildren($('chips').querySelector('legend'), ...chips);
    if (hadFocus) chips[this.#chosen].querySelector('input').focus();
  }

  /** Names the two numbers between which the observer wonders. */
  #showGuesses() {
    const { value, other } = this.#answer;
    for (const element of document.querySelectorAll('[data-own]')) element.textContent = format(value);
    document.querySelector('[data-own-side]').textContent = `${format(value)} →`;
    document.querySelector('[data-other-side]').textContent = `← ${format(other)}`;
  }

  #showChosen() {
    const { reports, xs, likelihoods, towards, value, other } = this.#answer;
    const f = this.#formatter();
    const likelihood = likelihoods[this.#chosen];
    const [least, most] = [Math.min(...likelihood), Math.max(...likelihood)];
    const ratios = likelihood.map((p) => p / least);
    const bound = Math.exp(this.#page.settings.epsilon);
    const from = this.#origins(xs, likelihood, most);
    const [low, high] = [xs[0], xs[xs.length - 1]];
    this.origin.set([xs, ratios], {
      x: [low, high],
      y: [0, 1.15 * bound],
      says: `The report ${f(reports[this.#chosen])} is most likely from the numbers ${from}.`,
    });
    const report = f(reports[this.#chosen]);
    say(
      $('origin-words'),
      most / least < 1 + 1e-6
        ? `A report of **${report}** is equally likely from every number. It says nothing at all.`
        : `A report of **${report}** is at most **${times(most / least)} times** as likely from one number as from \
any other. It is most likely from the numbers ${from}, but every number of the range could have led to it. No report \
may exceed the dashed line, a factor of ${times(bound)}.`,
    );
    const inputs = $('chips').querySelectorAll('input');
    inputs[this.#chosen].checked = true;
    this.#showOdds(towards, value, other, f);
    this.strip.plot.redraw(false, false);
  }

  /** The numbers from which the report is most likely, in words. */
  #origins(xs, likelihood, most) {
    const top = xs.filter((_, i) => likelihood[i] >= most * (1 - 1e-9));
    const [from, to] = [top[0], top[top.length - 1]];
    const f = this.#formatter();
    return to - from > 0.02 * (xs[xs.length - 1] - xs[0]) ? `${f(from)} to ${f(to)}` : `around ${f((from + to) / 2)}`;
  }

  #showOdds(towards, value, other, f) {
    const bound = this.#page.settings.epsilon;
    const rows = towards.map(([own, others], i) => {
      const share = Math.log(own / others) / bound; // from -1 to 1
      const bar = make('i');
      bar.style.left = `${50 + 50 * Math.min(0, share)}%`;
      bar.style.width = `${50 * Math.abs(share)}%`;
      const track = make('span', { className: 'track' }, bar);
      track.ariaHidden = 'true';
      const factor = own >= others ? own / others : others / own;
      const words =
        Math.abs(share) < 1e-6 ? 'no change' : `${times(factor)}× for ${format(own > others ? value : other)}`;
      const row = make(
        'div',
        { className: i === this.#chosen ? 'chosen' : '' },
        make('span', { className: 'report', textContent: f(this.#answer.reports[i]) }),
        track,
        make('span', { textContent: words }),
      );
      row.setAttribute('role', 'listitem');
      return row;
    });
    $('odds').replaceChildren(...rows);
  }

  #showPromise(odds) {
    say($('odds-words'), promise(odds.factor, odds.chances, 'your'));
    say(
      $('ten-words'),
      `**Only one report may be sent.** All ten together would change the odds by a factor of up to \
${times(odds.factorOfTen)}, because reports about the same number add up.`,
    );
    this.#page.promised(odds);
  }

  // ---- Drawing ----

  #shadeRange(ctx, at, box) {
    const { low, high } = this.#page.settings;
    const [left] = at(low, 0);
    const [right] = at(high, 0);
    ctx.fillStyle = ink('shade');
    ctx.fillRect(left, box.top, right - left, box.height);
  }

  #drawReports(ctx, at, box) {
    if (!this.#answer) return;
    if (this.#answer.isDiscrete) this.#drawLines(ctx, at);
    const y = box.top + box.height - BASE / 2;
    const [own] = at(this.#answer.value, 0);
    lines.vertical(ctx, { ...box, height: box.height - BASE }, own, this.#colour(), { dash: [3, 3] });
    lines.text(ctx, format(this.#answer.value), own + 5, box.top + 11, this.#colour(), { weight: '600' });
    this.#answer.reports.forEach((report, i) => {
      if (i !== this.#chosen) lines.dot(ctx, at(report, 0)[0], y, 5.5, `${this.#colour()}aa`);
    });
    lines.dot(ctx, at(this.#answer.reports[this.#chosen], 0)[0], y, 8, this.#colour(), ink('ink'));
  }

  /** A line for each of the few reports that there are, and a mark where it would end for the other number */
  #drawLines(ctx, at) {
    const { ys, own, others } = this.#answer;
    ys.forEach((report, i) => {
      const [x, end] = at(report, own[i]);
      const [, base] = at(report, 0);
      const [, mark] = at(report, others[i]);
      ctx.fillStyle = `${this.#colour()}90`;
      ctx.fillRect(Math.round(x), end, 1, base - end);
      ctx.fillStyle = ink('edge');
      ctx.fillRect(x - 1.5, mark - 1, 3, 2);
    });
  }

  #drawBound(ctx, at, box) {
    if (!this.#answer) return;
    const { epsilon } = this.#page.settings;
    const [own, bound] = at(this.#answer.value, Math.exp(epsilon));
    const [, one] = at(0, 1);
    lines.horizontal(ctx, box, bound, ink('ink'), { dash: [6, 4] });
    lines.horizontal(ctx, box, one, ink('edge'), { width: 1 });
    lines.text(ctx, `most: e^ε = ${times(Math.exp(epsilon))}`, box.left + box.width - 4, bound - 5, ink('ink'), {
      align: 'right',
    });
    lines.vertical(ctx, box, own, this.#colour(), { dash: [3, 3] });
    lines.text(ctx, format(this.#answer.value), own + 5, box.top + box.height - 6, this.#colour(), { weight: '600' });
  }
}

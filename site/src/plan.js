// 4. Plan: people, error or epsilon, from the other two.
import { $, fillRadios, fillSelect, make, numberIn, say } from './dom.js';
import { Pace } from './pace.js';
import { planCommand } from './code.js';
import { ABOUTS, CONFIDENCES, GOALS, MECHANISMS, QUESTIONS, TITLES } from './settings.js';
import { format, formatCount, percent, points, withUnit } from './words.js';

const PATIENCE = 300; // milliseconds after which the page says that it computes

export class Plan {
  #page;
  #pace;
  #timer;

  constructor(page) {
    this.#page = page;
    const ask = () => {
      page.engine.ask('plan', { ...page.settings, names: MECHANISMS });
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#showBusy(true), PATIENCE);
    };
    this.#pace = new Pace($('plan'), ask, { isPatient: true });
    fillRadios($('goal'), 'goal', GOALS);
    fillSelect($('about'), ABOUTS);
    fillSelect($('confidence'), Object.fromEntries(CONFIDENCES.map((c) => [c, percent(c)])));
    $('goal').addEventListener('input', ({ target: { value: goal } }) =>
      page.change(goal === 'epsilon' ? { goal, about: 'mean' } : { goal }),
    );
    $('about').addEventListener('input', () => page.change({ about: $('about').value }));
    $('confidence').addEventListener('input', () => page.change({ confidence: Number($('confidence').value) }));
    this.#listen('within', (x) => x > 0 && x <= 1e9);
    this.#listen('asked', (x) => x >= 2 && x <= 1e12);
    this.#listen('share', (x) => x >= 0.1 && x <= 50, 1 / 100);
    page.engine.on('plan', (answer) => this.#show(answer));
  }

  #listen(key, isGood, unit = 1) {
    $(key).addEventListener('input', () => {
      const x = numberIn($(key), isGood);
      if (x === undefined) say($('plan-words'), 'Type another number: nothing can be planned from this one.');
      else this.#page.change({ [key]: Number((x * unit).toPrecision(12)) });
    });
  }

  reflect() {
    const { goal, about, within, share, asked, confidence, question } = this.#page.settings;
    $('goal').querySelector(`[value="${goal}"]`).checked = true;
    for (const option of $('about').options) option.disabled = goal === 'epsilon' && option.value !== 'mean';
    $('about').value = about;
    $('confidence').value = confidence;
    $('within-unit').textContent = QUESTIONS[question].unit;
    const fields = { within, asked, share: Number((100 * share).toPrecision(12)) };
    for (const [id, value] of Object.entries(fields)) if (document.activeElement !== $(id)) $(id).value = value;
    $('within-field').hidden = goal === 'within' || about === 'histogram';
    $('share-field').hidden = goal === 'within' || about !== 'histogram';
    $('asked-field').hidden = goal === 'people';
  }

  /** A plan for a median or a histogram takes seconds. The old bars fade, because they answer another question. */
  #showBusy(isBusy) {
    if (isBusy) say($('plan-words'), 'Computing…');
    $('plan-bars').ariaBusy = String(isBusy);
  }

  ask() {
    this.#pace.ask();
  }

  /** What a plan computed, in words. */
  #words(row) {
    const { goal, about, question } = this.#page.settings;
    if (row.problem) return 'not possible';
    if (goal === 'people') return formatCount(row.people);
    if (goal === 'epsilon') return `ε = ${format(row.epsilon)}`;
    return about === 'histogram'
      ? `± ${points(row.within).replace('percentage ', '')}`
      : `± ${withUnit(format(row.within), QUESTIONS[question].unit)}`;
  }

  #show({ rows, problem }) {
    clearTimeout(this.#timer);
    this.#showBusy(false);
    if (problem) return say($('plan-words'), `This cannot be planned: ${problem}.`);
    const { goal } = this.#page.settings;
    const possible = rows.filter((row) => !row.problem);
    const best = possible.reduce((a, b) => (a && a[goal] <= b[goal] ? a : b), undefined);
    const most = Math.max(...possible.map((row) => row[goal]));
    $('plan-bars').replaceChildren(
      ...rows.map((row) => {
        const bar = make('i', { className: `of-${row.name}` });
        bar.style.width = row.problem ? '0' : `${Math.max(0.5, (100 * row[goal]) / most)}%`;
        const line = make(
          'div',
          { className: row === best ? 'best' : '', dataset: { name: row.name, found: row[goal] ?? '' } },
          make('span', { textContent: TITLES[row.name] }),
          make('span', { className: 'track' }, bar),
          make('span', { textContent: this.#words(row), title: row.problem ?? '' }),
        );
        line.setAttribute('role', 'listitem');
        return line;
      }),
    );
    this.#showWords(best, rows);
    $('plan-command').textContent = planCommand(this.#page.settings);
  }

  #showWords(best, rows) {
    const { goal, about, within, share, asked, confidence, epsilon, question } = this.#page.settings;
    if (!best) return say($('plan-words'), `No mechanism can do this: ${rows[0].problem}.`);
    const error =
      about === 'histogram'
        ? `each of ten bars to within ${points(share)}`
        : `${ABOUTS[about]} to within ${withUnit(format(within), QUESTIONS[question].unit)}`;
    const sure = `with ${percent(confidence)} confidence`;
    const title = TITLES[best.name];
    const sentences = {
      people: `With ${title} at ε = ${epsilon}, **${formatCount(best.people)} people** are enough to know ${error}, \
${sure}.`,
      within: `With ${title} at ε = ${epsilon}, ${formatCount(asked)} people are enough to know \
${about === 'histogram' ? 'each of ten bars' : ABOUTS[about]} to within **${this.#words(best).replace('± ', '')}**, \
${sure}.`,
      epsilon: `With ${title}, **ε = ${format(best.epsilon)}** is enough for ${formatCount(asked)} people to show \
${error}, ${sure}.`,
    };
    say($('plan-words'), sentences[goal]);
  }
}

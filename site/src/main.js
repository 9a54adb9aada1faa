// The page: its settings, the controls that change them, and the five sections that follow them.
import { $, fillSelect, numberIn } from './dom.js';
import { Compare } from './compare.js';
import { Crowd } from './crowd.js';
import { Engine } from './engine.js';
import { Plan } from './plan.js';
import { Take } from './take.js';
import { You } from './you.js';
import { EPSILONS, fineness, fromHash, isRange, QUESTIONS, specOf, startWith, TITLES, toHash } from './settings.js';
import { format } from './words.js';

const LINK_PAUSE = 300; // milliseconds; browsers refuse a link that changes every frame

class Page {
  engine = new Engine();
  settings;
  #linkTimer;

  constructor() {
    this.you = new You(this);
    this.crowd = new Crowd(this);
    this.compare = new Compare(this);
    this.plan = new Plan(this);
    this.take = new Take(this);
    this.#listen();
    addEventListener('hashchange', () => this.#open());
    this.#open();
  }

  get spec() {
    return specOf(this.settings);
  }

  #open() {
    const isSection = $(location.hash.slice(1)) !== null;
    const [settings, refused] = fromHash(isSection ? '' : location.hash);
    const isOther = settings.question !== this.settings?.question;
    this.settings = settings;
    this.complain(
      refused.length === 0
        ? ''
        : `The link has settings that this page cannot use (${refused.join(', ')}), so it shows its own instead.`,
    );
    if (isOther) this.you.start();
    this.#reflect();
    this.#ask();
  }

  /** Shows what is wrong, or nothing. */
  complain(text) {
    $('notice').hidden = text === '';
    $('notice').textContent = text;
  }

  change(changes) {
    const before = this.settings;
    this.settings = { ...before, ...changes };
    this.complain('');
    this.#reflect();
    const isNew = (...keys) => keys.some((key) => before[key] !== this.settings[key]);
    const isOther = isNew('epsilon', 'low', 'high', 'mechanism');
    if (isNew('question')) this.you.start();
    if (isOther || isNew('question')) this.you.ask();
    if (isOther || isNew('truth', 'people')) this.crowd.ask();
    if (isNew('epsilon', 'low', 'high', 'people')) this.compare.ask();
    if (isNew('epsilon', 'low', 'high', 'goal', 'about', 'within', 'share', 'asked', 'confidence')) this.plan.ask();
    clearTimeout(this.#linkTimer);
    this.#linkTimer = setTimeout(() => history.replaceState(null, '', `#${toHash(this.settings)}`), LINK_PAUSE);
  }

  #ask() {
    this.you.ask();
    this.crowd.ask();
    this.plan.ask();
  }

  /** The number that the person typed has changed; it goes to the worker and nowhere else. */
  valueChanged(value) {
    this.compare.ask(value);
  }

  promised(odds) {
    $('strength').textContent = `· ${odds.strength}`;
    $('version').textContent = odds.version;
    this.take.promised(odds);
  }

  // ---- The bar ----

  #listen() {
    fillSelect($('question'), Object.fromEntries(Object.entries(QUESTIONS).map(([key, { title }]) => [key, title])));
    fillSelect($('mechanism'), TITLES);
    $('epsilon').max = EPSILONS.length - 1;
    $('bar').addEventListener('submit', (event) => event.preventDefault());
    $('epsilon').addEventListener('input', () => this.change({ epsilon: EPSILONS[$('epsilon').valueAsNumber] }));
    $('mechanism').addEventListener('input', () => this.change({ mechanism: $('mechanism').value }));
    $('question').addEventListener('input', () => this.change(startWith($('question').value)));
    for (const end of ['low', 'high']) {
      $(end).addEventListener('input', () => this.#slide(end, $(end).valueAsNumber));
      $(`${end}-number`).addEventListener('input', () => this.#type(end));
    }
    for (const link of document.querySelectorAll('a[href^="#"]'))
      link.addEventListener('click', (event) => this.#jump(event, $(link.hash.slice(1))));
    $('more').addEventListener('click', () => {
      const isOpen = $('rest').classList.toggle('open');
      $('more').setAttribute('aria-expanded', String(isOpen));
    });
  }

  /** Goes to a section, and leaves the link to the settings. */
  #jump(event, section) {
    event.preventDefault();
    section.scrollIntoView();
    section.tabIndex = -1;
    section.focus({ preventScroll: true });
  }

  /** Moves one end of the range, and pushes the other out of the way. */
  #slide(end, to) {
    const { low, high, question } = this.settings;
    const { step } = QUESTIONS[question];
    const range =
      end === 'low' ? { low: to, high: Math.max(high, to + step) } : { high: to, low: Math.min(low, to - step) };
    this.#setRange(range);
  }

  #type(end) {
    const other = this.settings[end === 'low' ? 'high' : 'low'];
    const isGood = (x) => (end === 'low' ? isRange(x, other) : isRange(other, x)) && Math.abs(x) <= 1e9;
    const x = numberIn($(`${end}-number`), isGood);
    if (x === undefined) return this.complain('The range needs two numbers of at most 1,000,000,000, the smaller one first, and not too close together.');
    this.#setRange({ [end]: x });
  }

  #setRange(range) {
    const { low, high } = { ...this.settings, ...range };
    const { low: oldLow, high: oldHigh, within } = this.settings;
    const isUntouched = within === fineness(oldLow, oldHigh);
    this.change({ ...range, within: isUntouched ? fineness(low, high) : within });
  }

  #reflect() {
    const { settings } = this;
    const { ends, step, unit } = QUESTIONS[settings.question];
    $('epsilon').value = EPSILONS.indexOf(settings.epsilon);
    $('epsilon').setAttribute('aria-valuetext', `epsilon ${settings.epsilon}`);
    $('epsilon-value').textContent = settings.epsilon;
    $('mechanism').value = settings.mechanism;
    $('question').value = settings.question;
    for (const end of ['low', 'high']) {
      Object.assign($(end), { min: Math.min(ends[0], settings.low), max: Math.max(ends[1], settings.high), step });
      $(end).value = settings[end];
      $(end).setAttribute('aria-valuetext', `${format(settings[end])} ${unit}`);
      if (document.activeElement !== $(`${end}-number`)) $(`${end}-number`).value = settings[end];
    }
    $('more-summary').textContent =
      `${format(settings.low)} to ${format(settings.high)}, ${TITLES[settings.mechanism]}`;
    for (const element of document.querySelectorAll('[data-unit]')) element.textContent = unit;
    document.body.className = `of-${settings.mechanism}`;
    this.crowd.reflect();
    this.plan.reflect();
    this.take.reflect();
  }
}

globalThis.addEventListener('DOMContentLoaded', () => new Page());

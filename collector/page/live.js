// The live page: one collection at a time, with its estimate as reports come in.
import { explain } from '/client/index.js';
import { $, fillRadios, make, offerCopy, say } from '../../site/src/dom.js';
import { Chart, ink, lines } from '../../site/src/charts.js';
import { format, formatCount, formatShort, percent } from '../../site/src/words.js';
import { LANGUAGES } from './code.js';
import { describe, formatWith, known, sayPromise, Shape } from './parts.js';
import { authorization, forgetToken, keepToken, readCollections, readLiveLink, tokenFor } from './session.js';
import { Stream } from './stream.js';

const POINTS_MOST = 600; // of the band; older ones are thinned out
const GROUPS_MOST = 30; // of a label that are shown, the largest
const SVG = 'http://www.w3.org/2000/svg';
const RATE_OVER = 20_000; // milliseconds
const RATE_LASTS = 5_000;
const SPOKEN_EVERY = 30_000; // milliseconds between two sentences for screen readers
const STATES = { live: 'live', away: 'connecting', refused: 'token needed' };
/** What was refused and why: the words for one, and those for several */
const REASONS = {
  not_numbers: ['report was not a number', 'reports were not numbers'],
  not_reports: [
    'report was a number that this collection cannot produce, such as a rounded or a raw value',
    'reports were numbers that this collection cannot produce, such as rounded or raw values',
  ],
};
const PROBLEMS = {
  'fingerprint-wrong': 'made for another collection, or for an older version of this one',
  'label-wrong': 'with labels that the collection does not declare',
  'body-wrong': 'that could not be read',
  'format-unknown': 'of an unknown type',
  'body-too-large': 'with too many bytes',
  'too-many-reports': 'with too many reports',
  'key-wrong': 'with an invalid key',
  'key-reused': 'with the key of another batch',
  'reports-refused': 'sent with atomic=true and containing invalid reports',
  'store-away': 'that came while the store was away',
  busy: 'that came while the server was busy',
};

/** The mean and its band against the number of reports. */
class Band {
  #points = [];
  #chart = new Chart($('band'), {
    height: 250,
    x: { values: (n) => (n < 1e6 ? formatCount(n) : formatShort(n)) },
    series: [{ show: false }],
    over: (ctx, at) => this.#draw(ctx, at),
  });

  clear() {
    this.#points = [];
  }

  /** Puts what is known of the past before what was seen. */
  addPast(points) {
    const first = this.#points[0]?.count ?? Infinity;
    const past = points.filter(({ n, mean }) => n < first && typeof mean === 'number');
    this.#points = [...past.map(Band.#pointOf), ...this.#points];
  }

  static #pointOf = ({ n, mean, lower, upper }) => ({ count: n, mean, lower: known(lower), upper: known(upper) });

  add(event) {
    this.#points = this.#points.filter(({ count }) => count < event.n); // reports may have been deleted
    this.#points.push(Band.#pointOf(event));
    if (this.#points.length > POINTS_MOST)
      this.#points = this.#points.filter((_, i, all) => i % 2 || i === all.length - 1);
  }

  show(collection, words) {
    const last = this.#points.at(-1);
    if (last === undefined)
      return this.#chart.set([[], []], { x: [0, 1], y: [collection.min, collection.max], says: words });
    this.#chart.set([this.#points.map(({ count }) => count), this.#points.map(({ mean }) => mean)], {
      x: [0, 1.03 * Math.max(last.count, 10)],
      y: this.#limits(last.count, collection),
      says: words,
    });
  }

  /** The band is cut off where there were few reports, because it was far wider there than it is now. */
  #limits(count, { min, max }) {
    const late = this.#points.filter((p) => p.count >= 0.15 * count);
    const all = late.flatMap(({ mean, lower, upper }) => [mean, lower, upper]).filter(Number.isFinite);
    const bottom = Math.max(2 * min - max, Math.min(...all));
    const top = Math.min(2 * max - min, Math.max(...all));
    const pad = 0.08 * (top - bottom) || 1;
    return [bottom - pad, top + pad];
  }

  #draw(ctx, at) {
    if (this.#points.length === 0) return;
    const { count, mean, lower, upper } = this.#points.at(-1);
    const colour = ink('podium');
    lines.band(ctx, at, this.#points, colour);
    ctx.beginPath();
    ctx.moveTo(...at(count, lower));
    ctx.lineTo(...at(count, upper));
    ctx.stroke();
    lines.dot(ctx, ...at(count, mean), 4, colour);
  }
}

/** The limits of a group as a bar and its mean as a mark, on the scale that its table has. */
function laneOf({ mean, lower, upper }, [from, to]) {
  const svg = document.createElementNS(SVG, 'svg');
  const at = (x) => (100 * (Math.min(to, Math.max(from, x)) - from)) / (to - from);
  const draw = (className, x, width) => {
    const rect = document.createElementNS(SVG, 'rect');
    for (const [name, value] of Object.entries({ class: className, x, width, y: 0, height: 10 }))
      rect.setAttribute(name, value);
    svg.append(rect);
  };
  svg.setAttribute('viewBox', '0 0 100 10');
  svg.setAttribute('preserveAspectRatio', 'none');
  draw('limits', at(known(lower)), at(known(upper)) - at(known(lower)));
  draw('mean', at(mean) - 0.4, 0.8);
  return svg;
}

function rowOf(label, group, collection, scale) {
  const { mean, lower, upper, n } = group;
  const f = formatWith(group, collection);
  const isKnown = [mean, lower, upper].every((x) => typeof x === 'number');
  const cells = isKnown ? [f(mean), `${f(lower)} to ${f(upper)}`] : ['–', '–'];
  return make(
    'tr',
    {},
    make('th', { scope: 'row', textContent: group.group || `no ${label}` }),
    ...[formatCount(n), ...cells].map((textContent) => make('td', { textContent })),
    make('td', { className: 'lane', ariaHidden: 'true' }, isKnown ? laneOf(group, scale) : ''),
  );
}

/** A table of the groups of one label, in the order of its declaration, and of the largest if there are many. */
function tableOf(label, groups, collection) {
  const largest = groups.toSorted((a, b) => b.n - a.n).slice(0, GROUPS_MOST);
  const shown = groups.filter((one) => largest.includes(one)).toSorted((a, b) => (a.group === '') - (b.group === ''));
  const limits = shown.flatMap(({ lower, upper }) => [lower, upper]).filter((x) => typeof x === 'number');
  const scale = [Math.max(collection.min, Math.min(...limits)), Math.min(collection.max, Math.max(...limits))];
  const head = [`By ${label}`, 'Reports', 'Mean', '95% limits'].map((textContent) =>
    make('th', { scope: 'col', textContent }),
  );
  const table = make(
    'table',
    { className: 'groups' },
    make('thead', {}, make('tr', {}, ...head, make('td', { className: 'lane', ariaHidden: 'true' }))),
    make('tbody', {}, ...shown.map((group) => rowOf(label, group, collection, scale))),
  );
  const rest = groups.length - shown.length;
  const words = `and ${rest} more ${rest === 1 ? 'group' : 'groups'}`;
  return make(
    'div',
    {},
    table,
    rest > 0 ? make('p', { className: 'caption', textContent: words }) : '',
  );
}

class Page {
  #listing = { collections: [], open: false };
  #collection;
  #stream;
  #band = new Band();
  #shape = new Shape($('shape'), $('shape-words'));
  #spoken = 0;
  #before = []; // how many reports there were in the last seconds
  #last; // event
  #pause; // a timer, after which reports no longer come in

  async start() {
    this.#listen();
    for (let wait = 500; ; wait = Math.min(10_000, 2 * wait)) {
      try {
        this.#listing = await readCollections();
        break;
      } catch (error) {
        this.#complain(`The server cannot be reached. ${error.message}`);
        await new Promise((resolve) => setTimeout(resolve, wait));
      }
    }
    this.#complain('');
    const names = this.#listing.collections.map(({ name }) => name);
    fillRadios($('collections'), 'collection', Object.fromEntries(names.map((name) => [name, name])));
    $('collections').hidden = names.length < 2;
    this.#open();
  }

  #listen() {
    addEventListener('hashchange', () => location.hash !== '#now' && this.#open());
    $('collections').addEventListener('input', (event) => (location.hash = event.target.value));
    $('token-form').addEventListener('submit', (event) => {
      event.preventDefault();
      keepToken('read', this.#collection.name, $('token').value.trim());
      $('token').value = '';
      this.#connect();
    });
    fillRadios($('language'), 'language', Object.fromEntries(Object.entries(LANGUAGES).map(([k, v]) => [k, v.title])));
    $('language').querySelector('input').checked = true;
    $('language').addEventListener('input', () => this.#showCode());
    offerCopy($('copy-spec'), $('copied'), () => $('spec').textContent);
    offerCopy($('copy-code'), $('copied'), () => $('code').textContent);
  }

  #complain(text) {
    $('notice').hidden = text === '';
    $('notice').textContent = text;
  }

  /** Shows the collection that the address names, or the first one. */
  #open() {
    const name = readLiveLink();
    const { collections } = this.#listing;
    const collection = collections.find((one) => one.name === name) ?? collections[0];
    if (collection === undefined) return this.#complain('This server has no collections.');
    for (const input of document.querySelectorAll('#collections input'))
      input.checked = input.value === collection.name;
    this.#collection = collection;
    this.#showCollection();
    this.#connect();
  }

  // ---- The collection ----

  #showCollection() {
    const { name, question, spec, fingerprint, min, max, epsilon } = this.#collection;
    const { open } = this.#listing;
    document.title = `${name}: live`;
    $('title').textContent = question || name;
    $('subtitle').textContent = `${question ? `${name} · ` : ''}answers from ${format(min)} to ${format(max)}`;
    $('spec').textContent = spec;
    $('fingerprint').textContent = fingerprint;
    $('epsilon').textContent = format(epsilon);
    $('join').href = `/join/${name}`;
    $('join').textContent = `${location.host}/join/${name}`;
    $('join-note').textContent = open ? '.' : ', with # and a write token at the end of the address.';
    $('shape').closest('section').hidden = false;
    this.#showCode();
    explain(spec).then((told) => {
      if (this.#collection.spec !== spec) return; // somebody was quick to choose another one
      $('strength').textContent = `${told.strength} protection`;
      sayPromise($('promise'), told, 'a person’s');
    });
  }

  #showCode() {
    const { write, note } = LANGUAGES[$('language').querySelector('input:checked').value];
    $('code').textContent = write({
      collection: this.#collection,
      host: location.origin,
      isOpen: this.#listing.open,
    });
    $('code-note').textContent = note;
  }

  // ---- The stream ----

  #connect() {
    const { name } = this.#collection;
    const mayRead = this.#listing.open || tokenFor('read', name) !== undefined;
    this.#stream?.close();
    this.#band.clear();
    this.#before = [];
    this.#last = undefined;
    $('token-form').hidden = mayRead;
    $('estimate').hidden = true;
    this.#setState(mayRead ? 'away' : 'refused');
    if (!mayRead) return;
    const isCurrent = () => this.#collection.name === name;
    this.#stream = new Stream(name, {
      event: (event) => isCurrent() && this.#show(event),
      state: (state) => isCurrent() && this.#setState(state),
    });
    this.#readPast(name).then((points) => {
      if (!isCurrent()) return;
      this.#band.addPast(points);
      if (this.#last) this.#show(this.#last);
    });
  }

  #setState(state) {
    $('state').dataset.state = state;
    if ($('state-words').textContent !== STATES[state]) $('state-words').textContent = STATES[state];
    if (state !== 'refused' || this.#listing.open) return;
    if (tokenFor('read', this.#collection.name)) this.#complain('This token may not read this collection.');
    forgetToken('read', this.#collection.name);
    $('token-form').hidden = false;
    $('estimate').hidden = true;
  }

  /** The band until now, by day, or by hour if there are only a few days. */
  async #readPast(name) {
    const read = async (every) => {
      const query = `interval=anytime&cumulative=true&every=${every}`;
      const headers = authorization('read', name);
      const response = await fetch(`/v1/collections/${name}/history?${query}`, { headers, cache: 'no-store' });
      return response.ok ? response.json() : [];
    };
    const days = await read('day').catch(() => []);
    return days.length > 14 || this.#collection.period === 'day' ? days : read('hour').catch(() => days);
  }

  // ---- An event ----

  #show(event) {
    const collection = this.#collection;
    const words = describe(event, collection);
    this.#last = event;
    this.#complain('');
    $('estimate').hidden = false;
    if (typeof event.mean === 'number') this.#band.add(event);
    this.#showFigures(event);
    say($('mean-words'), words);
    this.#band.show(collection, words.replaceAll('**', ''));
    this.#shape.show(event, collection);
    this.#showGroups(event);
    this.#showRefused(event);
    this.#showDishonest(event.excess);
    this.#speak(words.replaceAll('**', ''));
  }

  #showFigures(event) {
    const { n, refused = 0, mean, lower, upper } = event;
    const isKnown = typeof mean === 'number';
    const f = formatWith(event, this.#collection);
    $('mean').textContent = isKnown ? f(mean) : '–';
    $('limits').textContent = isKnown ? `95% band from ${f(known(lower))} to ${f(known(upper))}` : '';
    $('count').textContent = formatCount(n);
    $('rate').textContent = this.#rateOf(n);
    clearTimeout(this.#pause);
    this.#pause = setTimeout(() => ($('rate').textContent = 'so far'), RATE_LASTS);
    $('refused').textContent = formatCount(refused);
    $('refused-share').textContent = refused > 0 ? `${percent(refused / (n + refused))} of what arrived` : 'none';
  }

  /** Reports a minute, over the last seconds */
  #rateOf(n) {
    const now = performance.now();
    this.#before = [...this.#before, { n, now }].filter((one) => now - one.now < RATE_OVER);
    const [first] = this.#before;
    const minutes = (now - first.now) / 60_000;
    return minutes > 0.02 && n > first.n
      ? `about ${format(Number(((n - first.n) / minutes).toPrecision(2)))} a minute`
      : 'so far';
  }

  #showGroups({ groups = {} }) {
    const labels = Object.entries(groups).filter(([, list]) => list.length > 0);
    $('groups-section').hidden = labels.length === 0;
    $('groups').replaceChildren(...labels.map(([label, list]) => tableOf(label, list, this.#collection)));
  }

  /** What honest people cannot have sent */
  #showDishonest(excess) {
    const parts = (excess?.cells ?? []).map(
      ({ from, to, n, most }) =>
        `${formatCount(n)} are ${from === to ? `equal to ${format(from)}` : `from ${format(from)} to ${format(to)}`}, \
where honest people send at most ${formatCount(most)}`,
    );
    say(
      $('dishonest-words'),
      excess === undefined
        ? ''
        : `At least **${formatCount(excess.dishonest)} reports are dishonest**, because too many are alike: \
${parts.join('; ')}. GET …/estimate?trim=true leaves the surplus out.`,
    );
  }

  #showRefused({ n, refused = 0, refusals, refused_batches: batches }) {
    const counted = (count, [one, several]) => `${formatCount(count)} ${count === 1 ? one : several}`;
    const reasons = [
      ...Object.entries(refusals)
        .filter(([, count]) => count > 0)
        .map(([reason, count]) => counted(count, REASONS[reason])),
      ...Object.entries(batches).map(
        ([problem, count]) => `${counted(count, ['whole batch', 'whole batches'])} ${PROBLEMS[problem] ?? problem}`,
      ),
    ];
    $('refused-words').textContent =
      refused === 0 && reasons.length === 0
        ? 'Nothing. Everything that arrived could be a report of this collection.'
        : `${formatCount(refused)} of ${formatCount(n + refused)} individual reports were refused in all.${
            reasons.length > 0 ? ' Since this server started:' : ''
          }`;
    $('reasons').replaceChildren(...reasons.map((textContent) => make('li', { textContent })));
  }

  #speak(words) {
    if (performance.now() - this.#spoken < SPOKEN_EVERY) return;
    this.#spoken = performance.now();
    $('spoken').textContent = words;
  }
}

new Page().start();

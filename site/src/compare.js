// 3. Mechanisms side by side.
import { $, make, say } from './dom.js';
import { Chart, ink } from './charts.js';
import { Pace } from './pace.js';
import { MECHANISMS, QUESTIONS, TITLES } from './settings.js';
import { format, formatCount } from './words.js';

/** Square Wave often covers Podium, so that it needs gaps. */
const DASHES = { 'square-wave': [9, 5] };

const SVG = 'http://www.w3.org/2000/svg';

function svg(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function star() {
  const mark = make('span', { className: 'star', textContent: ' ★' });
  mark.setAttribute('role', 'img');
  mark.setAttribute('aria-label', 'best');
  return mark;
}

const least = (rows, of) => Math.min(...rows.map(of));

export class Compare {
  #page;
  #pace;
  #value;

  constructor(page) {
    this.#page = page;
    this.#pace = new Pace($('mechanisms'), () => page.engine.ask('compare', this.#request()));
    this.noise = new Chart($('noise'), {
      height: 230,
      x: {},
      y: {},
      series: MECHANISMS.map((name) => ({
        stroke: () => ink(name),
        width: 2.5,
        dash: DASHES[name],
        points: { show: false },
      })),
    });
    $('noise-key').replaceChildren(
      ...MECHANISMS.flatMap((name) => [
        make('span', { className: 'whole' }, make('span', { className: `key line of-${name}` }), ` ${TITLES[name]}`),
        ' ',
      ]),
    );
    page.engine.on('compare', (answer) => this.#show(answer));
  }

  ask(value = this.#value) {
    this.#value = value;
    if (value !== undefined) this.#pace.ask();
  }

  #request() {
    const { epsilon, low, high, people } = this.#page.settings;
    return { epsilon, low, high, people, value: this.#value, names: MECHANISMS };
  }

  #show(answer) {
    if (answer.problem) return this.#page.complain(answer.problem);
    const { low, high } = this.#page.settings;
    const { rows, xs } = answer;
    const top = Math.max(...rows.flatMap(({ deviations }) => [...deviations]));
    this.noise.set([xs, ...rows.map(({ deviations }) => deviations)], {
      x: [low, high],
      y: [0, 1.1 * top],
      says: rows.map((r) => `${TITLES[r.name]}: at most ${format(Math.sqrt(r.worst))}`).join('. '),
    });
    this.#showLanes(rows);
    this.#showTable(rows);
    this.#showWords(rows);
  }

  #showLanes(rows) {
    const { low, high } = this.#page.settings;
    const width = high - low;
    const reach = 1.3 * Math.sqrt(Math.max(...rows.map(({ worst }) => worst)));
    const [from, to] = [low - reach, high + reach];
    const at = (x) => (1000 * (x - from)) / (to - from);
    $('lanes-caption').textContent =
      `All are reports of ${format(this.#value)}, and the range is shaded. Minimax has few different reports, so many \
coincide.`;
    $('lanes').replaceChildren(
      ...rows.map(({ name, reports }) => {
        const outside = [...reports].filter((x) => x < from || x > to).length;
        const marks = [...reports].map((x) => `M${at(x).toFixed(1)} 9v22`).join('');
        const picture = svg(
          'svg',
          {
            viewBox: '0 0 1000 40',
            preserveAspectRatio: 'none',
            role: 'img',
            'aria-label': `Forty reports by ${TITLES[name]}, ${outside} of them too far away to show`,
          },
          svg('rect', { x: at(low), width: at(low + width) - at(low), y: 0, height: 40 }),
          svg('path', { d: marks, class: `of-${name}` }),
        );
        return make('div', {}, make('span', { textContent: TITLES[name] }), picture);
      }),
    );
  }

  #showTable(rows) {
    const { mechanism } = this.#page.settings;
    const cell = (text, isBest) => make('td', { className: isBest ? 'best' : '' }, text, isBest ? star() : '');
    const columns = [
      [(r) => r.worst, (r) => format(Math.sqrt(r.worst))],
      [(r) => r.within, (r) => `± ${format(Number(r.within.toPrecision(3)))}`],
      [(r) => r.distribution, (r) => (r.distribution < Infinity ? format(r.distribution) : 'none')],
      [(r) => r.bytes, (r) => String(r.bytes)],
    ];
    $('compare').tBodies[0].replaceChildren(
      ...rows.map((row) => {
        const key = make('span', { className: `key line of-${row.name}` });
        const cells = columns.map(([of, words]) => cell(words(row), of(row) === least(rows, of)));
        const support = cell(`${format(row.support[0])} and ${format(row.support[1])}`, false);
        const line = make(
          'tr',
          { className: row.name === mechanism ? 'chosen' : '' },
          make('th', { scope: 'row' }, key, ` ${TITLES[row.name]}`),
          ...cells,
          support,
        );
        Object.assign(line.dataset, {
          name: row.name,
          worst: row.worst,
          distribution: row.distribution,
          within: row.within,
        });
        return line;
      }),
    );
  }

  #showWords(rows) {
    const { people, question, epsilon } = this.#page.settings;
    const { unit } = QUESTIONS[question];
    const of = Object.fromEntries(rows.map((row) => [row.name, row]));
    const best = rows.reduce((a, b) => (b.worst < a.worst ? b : a));
    const ratio = ((of.laplace.within / best.within) ** 2).toFixed(1);
    const forShape = rows.reduce((a, b) => (b.distribution < a.distribution ? b : a));
    $('compare-caption').textContent =
      `Noise is the standard deviation of one report, in ${unit}. The error of the average is half the width of its \
95% interval with ${formatCount(people)} people whose answers are evenly spread, with the noise of the worst case. Noise for the shape only compares \
mechanisms with each other. A star marks the best.`;
    say(
      $('compare-words'),
      `At ε = ${epsilon}, **${TITLES[best.name]}** has the least noise in the worst case: with Laplace, the \
textbook’s noise, **${ratio} times** as many people would have to answer for an average of the same accuracy. For the \
shape of the answers, **${TITLES[forShape.name]}** tells the most.`,
    );
  }
}

// Charts, drawn by uPlot in the page's own colours.
import uPlot from 'uplot';
import { format, formatShort } from './words.js';

const FONT = '12px system-ui, sans-serif';
const charts = new Set();

const style = getComputedStyle(document.documentElement);
/** A colour of the style sheet, which differs in the dark. */
export const ink = (name) => style.getPropertyValue(`--${name}`).trim();

/** A drawing surface in CSS pixels, clipped to the plot. */
function painter(draw) {
  return (u) => {
    const { ctx, bbox } = u;
    const ratio = devicePixelRatio;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top - 4 * ratio, bbox.width, bbox.height + 4 * ratio);
    ctx.clip();
    ctx.scale(ratio, ratio);
    const at = (x, y) => [u.valToPos(x, 'x', true) / ratio, u.valToPos(y, 'y', true) / ratio];
    const box = {
      left: bbox.left / ratio,
      top: bbox.top / ratio,
      width: bbox.width / ratio,
      height: bbox.height / ratio,
    };
    draw(ctx, at, box, u);
    ctx.restore();
  };
}

function axis({ label, values, size = 30, hidden = false, grid = true, space = 60 }) {
  return {
    show: !hidden,
    label,
    size,
    space,
    font: FONT,
    labelFont: FONT,
    labelSize: 20,
    gap: 4,
    labelGap: 0,
    stroke: () => ink('soft'),
    grid: { show: grid, stroke: () => ink('line'), width: 1 },
    ticks: { show: false },
    values: (_, splits) => splits.map((x) => (x === null ? '' : (values ?? formatShort)(x))),
  };
}

export class Chart {
  #host;
  #label;
  #observer;

  /**
   * options: height, x and y (label, values, hidden, log), series (of uPlot), under and over (draw on the canvas before
   * and after the series), splits (where the x axis has numbers)
   */
  constructor(host, { height, x = {}, y = {}, series = [], under, over }) {
    this.#host = host;
    this.#label = host.getAttribute('aria-label');
    const hooks = { drawClear: under ? [painter(under)] : [], draw: over ? [painter(over)] : [] };
    const scale = (of) => ({ time: false, auto: false, distr: of.log ? 3 : 1, range: (_, from, to) => [from, to] });
    const xAxis = axis({ size: x.label ? 26 : 28, grid: false, ...x });
    if (x.splits) xAxis.splits = x.splits;
    const yAxis = { ...axis({ size: 52, space: 36, ...y }) };
    if (y.splits) yAxis.splits = y.splits;
    this.plot = new uPlot(
      {
        width: Math.max(200, host.clientWidth),
        height,
        hooks,
        series: [{}, ...series],
        legend: { show: false },
        cursor: { show: false },
        padding: [8, 18, 0, y.hidden ? 18 : 0],
        scales: { x: scale(x), y: scale(y) },
        axes: [xAxis, yAxis],
      },
      undefined,
      host,
    );
    this.#observer = new ResizeObserver(() => {
      const width = Math.max(200, host.clientWidth);
      if (width !== this.plot.width) this.plot.setSize({ width, height });
    });
    this.#observer.observe(host);
    charts.add(this);
  }

  /** Draws data in these limits, and says to people who do not see it what it shows. */
  set(data, { x, y, says }) {
    this.plot.batch(() => {
      this.plot.setData(data, false);
      this.plot.setScale('x', { min: x[0], max: x[1] });
      this.plot.setScale('y', { min: y[0], max: y[1] });
    });
    if (says !== undefined) this.#host.setAttribute('aria-label', `${this.#label}. ${says}`);
  }

  /** The value on the x axis under a pointer. */
  valueAt(event) {
    const { left } = this.plot.over.getBoundingClientRect();
    return this.plot.posToVal(event.clientX - left, 'x');
  }
}

export function redrawAll() {
  for (const chart of charts) chart.plot.redraw(true, true);
}

matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redrawAll);

export const lines = {
  /** A vertical line with a word at its top. */
  vertical(ctx, box, x, colour, { dash = [], width = 1.5 } = {}) {
    ctx.strokeStyle = colour;
    ctx.lineWidth = width;
    ctx.setLineDash(dash);
    ctx.beginPath();
    ctx.moveTo(x, box.top);
    ctx.lineTo(x, box.top + box.height);
    ctx.stroke();
    ctx.setLineDash([]);
  },
  horizontal(ctx, box, y, colour, { dash = [], width = 1.5 } = {}) {
    ctx.strokeStyle = colour;
    ctx.lineWidth = width;
    ctx.setLineDash(dash);
    ctx.beginPath();
    ctx.moveTo(box.left, y);
    ctx.lineTo(box.left + box.width, y);
    ctx.stroke();
    ctx.setLineDash([]);
  },
  /** The area between the limits of estimates, and their means as a line. Estimates without limits are left out. */
  band(ctx, at, points, colour) {
    const path = (list, of) => list.forEach((p, i) => ctx[i ? 'lineTo' : 'moveTo'](...at(p.count, of(p))));
    const known = points.filter(({ lower }) => Number.isFinite(lower));
    ctx.fillStyle = `${colour}38`;
    ctx.beginPath();
    path(known, (p) => p.lower);
    known.toReversed().forEach((p) => ctx.lineTo(...at(p.count, p.upper)));
    ctx.fill();
    ctx.strokeStyle = colour;
    ctx.lineWidth = 2;
    ctx.beginPath();
    path(points, (p) => p.mean);
    ctx.stroke();
  },
  /** A bar of a histogram, with its limits as a line. */
  bar(ctx, at, { from, to, share, lower, upper }, colour) {
    const [[left, base], [right]] = [at(from, 0), at(to, 0)];
    const [, y] = at(from, share);
    ctx.fillStyle = `${colour}8c`;
    ctx.fillRect(left + 1, y, right - left - 2, base - y);
    ctx.fillStyle = colour;
    ctx.fillRect((left + right) / 2 - 1, at(0, upper)[1], 2, at(0, lower)[1] - at(0, upper)[1]);
  },
  text(ctx, words, x, y, colour, { align = 'left', baseline = 'alphabetic', weight = '' } = {}) {
    ctx.font = `${weight} ${FONT}`.trim();
    ctx.textAlign = align;
    ctx.textBaseline = baseline;
    ctx.fillStyle = colour;
    ctx.fillText(words, x, y);
  },
  dot(ctx, x, y, radius, fill, stroke) {
    ctx.beginPath();
    ctx.arc(x, y, radius, 0, 2 * Math.PI);
    ctx.fillStyle = fill;
    ctx.fill();
    if (!stroke) return;
    ctx.strokeStyle = stroke;
    ctx.lineWidth = 2;
    ctx.stroke();
  },
};

export const stepped = uPlot.paths.stepped({ align: 1 });

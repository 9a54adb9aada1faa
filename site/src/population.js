// Simulated people, of whom everything is known. The same settings make the same people, so that a link shows the same
// truth.

/** A small generator for the simulation alone (a Weyl sequence, mixed); reports never come from it. */
function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let z = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return ((z ^ (z >>> 15)) >>> 0) / 2 ** 32;
  };
}

function hump(next) {
  const x = 0.07 - 0.085 * Math.log((1 - next()) * (1 - next()) * (1 - next()));
  return x <= 1 ? x : hump(next);
}

/** Where in the range a person's number lies, from 0 to 1 */
const SHAPES = {
  ages: hump,
  peaks: (next) => (next() < 0.6 ? 0.1 : 0.65) + (0.3 * (next() + next() + next())) / 3,
  even: (next) => next(),
  same: () => 0.3,
};

export class Population {
  #next = generator(17);
  #shape;
  #range;
  count = 0;

  constructor(truth, low, high, most) {
    this.#shape = SHAPES[truth];
    this.#range = [low, high];
    this.values = new Float64Array(most);
  }

  /** The values of people number from to n - 1. */
  people(from, n) {
    const [low, high] = this.#range;
    for (; this.count < n; this.count++) this.values[this.count] = low + (high - low) * this.#shape(this.#next);
    return this.values.subarray(from, n);
  }
}

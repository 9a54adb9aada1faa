// The speed of the npm package in Node, as ratios in one run: arrays beside a plain Laplace in JavaScript, which is
// neither exact nor secure, and one value beside the call of getRandomValues that it cannot do without.
//
//   web.mjs PACKAGE-DIR
import { pathToFileURL } from 'node:url';

const [directory] = process.argv.slice(2);
const load = (name) => import(new URL(name, pathToFileURL(`${directory}/`)));
const { Collection, mechanisms } = await load('index.js');
const { Collection: DeviceCollection } = await load('device.js');

globalThis.crypto ??= (await import('node:crypto')).webcrypto; // Node 18
const N = 100_000;
const ROUNDS = 40;
const values = Float64Array.from({ length: N }, (_, i) => 20 + (i % 60));
const out = new Float64Array(N);

/** The textbook: the inverse of the distribution function at a uniform number */
function plainLaplace() {
  for (let i = 0; i < N; i++) {
    const u = Math.random() - 0.5;
    out[i] = values[i] - 119 * Math.sign(u) * Math.log(1 - 2 * Math.abs(u));
  }
}

/** The least nanoseconds that each job takes for one of n; they take turns, so that all see the same machine. */
function measure(jobs, n) {
  const least = jobs.map(() => Infinity);
  for (let round = 0; round < ROUNDS; round++)
    jobs.forEach((job, i) => {
      const from = process.hrtime.bigint();
      job();
      least[i] = Math.min(least[i], Number(process.hrtime.bigint() - from) / n);
    });
  return least;
}

/** How many random bytes one value takes. */
function bytesOf(collection) {
  const real = crypto.getRandomValues;
  let bytes = 0;
  crypto.getRandomValues = (view) => ((bytes += view.length), real.call(crypto, view));
  collection.privatize(34);
  delete crypto.getRandomValues;
  return bytes;
}

const repeat = (n, job) => () => {
  for (let i = 0; i < n; i++) job();
};

console.log(`Node ${process.version}, ${N} values at a time; ns for a value, and ratios`);
console.log('mechanism             array   codes  plain Laplace  ratio     one  its getRandomValues  ratio  bytes');
for (const { name } of await mechanisms()) {
  const spec = `${name} epsilon=1 range=1:120${name === 'podium-tuned' ? ' spread=0.05' : ''}`;
  const collection = await DeviceCollection.parse((await Collection.parse(spec)).design);
  const few = new Uint8Array(bytesOf(collection));
  const jobs = [() => collection.privatize(values), () => collection.codes(values), plainLaplace];
  const [array, codes, laplace] = measure(jobs, N);
  const singles = [repeat(1000, () => collection.privatize(34)), repeat(1000, () => crypto.getRandomValues(few))];
  const [one, random] = measure(singles, 1000);
  const cells = [array, codes, laplace, laplace / array, one, random, one / random, few.length];
  const widths = [6, 7, 14, 6, 7, 20, 6, 6];
  const decimals = [1, 1, 1, 2, 1, 1, 2, 0];
  const text = cells.map((x, i) => x.toFixed(decimals[i]).padStart(widths[i])).join(' ');
  console.log(`${name.padEnd(20)} ${text}`);
}

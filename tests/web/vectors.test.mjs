// The shared test vectors, in the whole library and in the device's half: the same bytes as the native library.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Collection } from 'podium-privacy';
import { Collection as DeviceCollection } from 'podium-privacy/device';
import { Generator, withRandom } from './support.mjs';

const MASK = (1n << 64n) - 1n;
const view = new DataView(new ArrayBuffer(8));

function doubleOf(hex) {
  view.setBigUint64(0, BigInt(`0x${hex}`));
  return view.getFloat64(0);
}

function bitsOf(x) {
  view.setFloat64(0, x);
  return view.getBigUint64(0).toString(16).padStart(16, '0');
}

/** FNV-1a of 64 bits */
function hashOf(bytes) {
  let hash = 0xcbf29ce484222325n;
  for (const byte of bytes) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & MASK;
  return hash.toString(16).padStart(16, '0');
}

const bytesOf = (typed) => new Uint8Array(typed.buffer, typed.byteOffset, typed.byteLength);
const hexOf = (bytes) => Buffer.from(bytes).toString('hex');

function fieldsOf(line) {
  const [, head, text] = /^(.*?)(?: text=(.*))?$/.exec(line);
  const [kind, ...words] = head.split(' ');
  const fields = Object.fromEntries(words.filter((word) => word.includes('=')).map((word) => word.split('=')));
  return { kind, name: words[0], text, ...fields };
}

/** What a generator of that seed gives, the same for each call. */
const randomFrom = (seed, work) => {
  const generator = new Generator(seed);
  return withRandom((bytes) => generator.fill(bytes), work);
};

function specOf(fields) {
  const own = doubleOf(fields.spread) !== 0 || fields.name === 'podium-tuned' ? ` spread=${doubleOf(fields.spread)}` : '';
  const cells = fields.cells === '0' ? '' : ` cells=${fields.cells}`;
  const [min, max] = [doubleOf(fields.min), doubleOf(fields.max)];
  return `${fields.name} epsilon=${doubleOf(fields.epsilon)} range=${min}:${max}${own}${cells}`;
}

async function checkSpec(fields) {
  const parsed = await Collection.parse(specOf(fields)).catch((error) => error);
  assert.equal(parsed.status ?? 0, Number(fields.status));
  if (fields.status !== '0') return [];
  assert.equal(parsed.spec, fields.text);
  assert.equal(parsed.fingerprint, fields.fingerprint);
  assert.equal(parsed.cells, Number(fields.support));
  assert.deepEqual(parsed.support.map(bitsOf), [fields.least, fields.most]);
  assert.equal(bitsOf(parsed.variance(parsed.range[0])), fields.variance_min);
  assert.equal(bitsOf(parsed.variance()), fields.variance_most);
  return [parsed, await DeviceCollection.parse(parsed.design)];
}

async function checkValue(collection, fields) {
  const x = doubleOf(fields.x);
  const nan = 'middle';
  const [code] = await randomFrom(fields.seed, () => collection.codes([x], { nan }));
  assert.equal(code, Number(fields.cell));
  assert.equal(hexOf(collection.encodeCodes([code])), fields.code);
  assert.deepEqual(Array.from(collection.decodeCodes(Buffer.from(fields.code, 'hex'))), [code]);
  assert.equal(bitsOf(await randomFrom(fields.seed, () => collection.privatize(x, { nan }))), fields.report);
  assert.equal(bitsOf(collection.reports(code)), fields.report);
}

async function checkArray(collection, fields) {
  const generator = new Generator(fields.seed);
  const [low, step, count] = [doubleOf(fields.low), doubleOf(fields.step), BigInt(fields.count)];
  const values = Float64Array.from({ length: Number(fields.n) }, () => low + Number(generator.word() % count) * step);
  const codes = await randomFrom(fields.seed, () => collection.codes(values));
  const reports = await randomFrom(fields.seed, () => collection.privatize(values));
  assert.equal(hashOf(bytesOf(Uint32Array.from(codes))), fields.cells);
  assert.equal(hashOf(collection.encodeCodes(codes)), fields.codes);
  assert.equal(hashOf(bytesOf(reports)), fields.reports);
  return reports;
}

function checkState(collection, reports, fields) {
  const sums = collection.aggregate(reports);
  const state = sums.encode();
  assert.equal(sums.refused, Number(fields.refused));
  assert.equal(state.length, Number(fields.bytes));
  assert.equal(state.length <= 160 ? hexOf(state) : hashOf(state), fields.state);
  assert.deepEqual(collection.decode(state).encode(), state);
}

test('the same bytes as the native library', async () => {
  const lines = readFileSync(process.env.PODIUM_VECTORS, 'utf8').split('\n');
  const checked = { spec: 0, value: 0, array: 0, shape: 0 };
  let [whole, device] = [];
  for (const [i, line] of lines.entries()) {
    if (line === '' || line.startsWith('#')) continue;
    const fields = fieldsOf(line);
    try {
      if (fields.kind === 'spec') [whole, device] = await checkSpec(fields);
      if (fields.kind === 'shape' && whole !== undefined && fields.status === undefined && whole.spec !== undefined)
        assert.equal(bitsOf(whole.density(whole.range[0], [whole.range[1]])[0]), fields.density);
      for (const one of fields.kind === 'value' ? [whole, device] : []) await checkValue(one, fields);
      for (const one of fields.kind === 'array' ? [whole, device] : [])
        checkState(whole, await checkArray(one, fields), fields);
    } catch (error) {
      error.message = `line ${i + 1}: ${error.message}`;
      throw error;
    }
    checked[fields.kind]++;
  }
  console.log(`vectors: ${Object.values(checked).reduce((a, b) => a + b)} lines, the same bytes`);
  assert.ok(checked.value > 2000 && checked.array > 150 && checked.spec > 150, JSON.stringify(checked));
});

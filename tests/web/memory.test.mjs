// What happens if memory runs out: an error, after which everything that needs less goes on.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Collection, load } from 'podium-privacy';

/** The module with a limit to its memory: no pages beyond those it starts with and `more`. */
function limited(bytes, more) {
  const number = (at) => {
    let [value, shift, end] = [0, 0, at];
    do value |= (bytes[end] & 127) << shift, (shift += 7);
    while (bytes[end++] & 128);
    return { value, end };
  };
  const leb = (value) => (value < 128 ? [value] : [(value & 127) | 128, ...leb(value >>> 7)]);
  for (let at = 8; at < bytes.length; ) {
    const size = number(at + 1);
    const end = size.end + size.value;
    if (bytes[at] === 5) {
      const least = number(size.end + 2).value; // after the number of memories, 1, and their flags, 0
      const section = [1, 1, ...leb(least), ...leb(least + more)];
      return Buffer.concat([bytes.subarray(0, at), Buffer.from([5, ...leb(section.length), ...section]), bytes.subarray(end)]);
    }
    at = end;
  }
  return assert.fail('the module has no memory');
}

const MODULE = readFileSync(new URL(import.meta.resolve('podium-privacy/podium.wasm')));
const OUT_OF_MEMORY = { name: 'PodiumError', status: 19 };

test('no memory for a solver', async () => {
  await load(limited(MODULE, 0));
  await assert.rejects(Collection.parse('minimax epsilon=1 range=1:120'), OUT_OF_MEMORY);
  const age = await Collection.parse('podium epsilon=1 range=1:120');
  const values = new Float64Array(20_000).fill(42);
  const sums = age.aggregate(age.privatize(values));
  assert.throws(() => sums.summary({ histogram: 5 }), OUT_OF_MEMORY);
  assert.ok(Math.abs(sums.summary({ check: false }).mean - 42) < 10);
  assert.equal(sums.count, 20_000);
});

test('memory that was used is used again', async () => {
  await load(limited(MODULE, 300)); // 19 MiB, which four channels and a solver just fit into
  for (let i = 0; i < 10; i++) {
    const age = await Collection.parse(`minimax epsilon=1 range=1:${120 + i}`);
    const sums = age.aggregate(age.privatize(new Float64Array(2000).fill(42)));
    assert.equal(sums.summary({ histogram: 5, interval: 'anytime' }).histogram.length, 5);
  }
});

test('a memory that grows does not lose the views of it', async () => {
  await load(MODULE);
  const age = await Collection.parse('podium epsilon=1 range=1:120');
  const sums = age.aggregate(age.privatize(new Float64Array(5000).fill(42)));
  sums.summary({ quantiles: [0.5] });
  assert.ok(Number.isFinite(age.privatize(42)));
  assert.equal(sums.add(age.privatize([1, 2, 3])).count, 5003);
});

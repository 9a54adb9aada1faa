// The package as its users call it.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as whole from 'podium-privacy';
import { Collection as DeviceCollection, PodiumError as DeviceError } from 'podium-privacy/device';
import { Generator, found, withRandom, withSeed } from './support.mjs';

const { Aggregate, Collection, PodiumError } = whole;
const SPEC = 'minimax epsilon=1 range=1:120';
const FINE = 'podium epsilon=1 range=1:120';
const age = await Collection.parse(SPEC);
const device = await DeviceCollection.parse(age.design);
const podium = (given, ...options) =>
  execFileSync(process.env.PODIUM_PROGRAM, options, { input: given, encoding: 'utf8' });
const hasCrypto = globalThis.crypto !== undefined; // Node 18 has it in a module, which the package finds
const people = (n) => Float64Array.from({ length: n }, (_, i) => 20 + (i % 60));

test('what a collection says of itself', async () => {
  assert.equal(String(age), SPEC);
  assert.equal(JSON.stringify({ age }), JSON.stringify({ age: SPEC }));
  assert.equal((await Collection.parse('  minimax   range=1:120 epsilon=1.0 ')).spec, SPEC);
  for (const one of [age, device]) {
    assert.deepEqual([one.mechanism, one.epsilon, one.range, one.cells, one.codeBytes], ['minimax', 1, [1, 120], 256, 1]);
    assert.match(one.fingerprint, /^[0-9a-f]{16}$/);
    assert.ok(one.support[0] < 1 && one.support[1] > 120);
  }
  assert.equal(age.fingerprint, device.fingerprint);
  const design = podium('', 'design', '--range', '1:120', '--epsilon', '1', '--mechanism', 'minimax', '--name', 'age');
  assert.ok(design.includes(age.fingerprint));
});

test('one value, many values, codes', async () => {
  const fine = await Collection.parse(FINE);
  const three = await Collection.parse('minimax epsilon=5 range=0:1 cells=1000');
  for (const one of [age, device, fine, three]) {
    const [least, most] = one.support;
    const isReport = (report) => report >= least && report <= most;
    assert.ok(isReport(one.privatize(34)));
    for (const values of [[34, 51], new Float64Array(5), Float32Array.of(1, 2), Uint8Array.of(7), [], people(10_000)]) {
      const reports = one.privatize(values);
      assert.ok(reports instanceof Float64Array && reports.length === values.length && reports.every(isReport));
      assert.ok(one.codes(values).every((code) => code < one.cells));
    }
    assert.equal(typeof one.codes(34), 'number');
    const codes = one.codes(people(9000));
    assert.deepEqual(one.decodeCodes(one.encodeCodes(codes)), codes);
    assert.equal(one.reports(codes)[8999], one.reports(codes[8999]));
  }
  assert.ok(age.codes([34, 51]) instanceof Uint8Array);
  assert.ok(three.codes([0]) instanceof Uint16Array);
  assert.ok(fine.codes([34]) instanceof Uint32Array);
});

// The mean of 20,000 reports of 42 is within 6 standard errors, which a correct program fails less than once in 10^8
// seeds; all mechanisms, both halves.
test('reports average to the truth', async () => {
  const values = new Float64Array(20_000).fill(42);
  for (const { name } of await whole.mechanisms()) {
    const spec = `${name} epsilon=1 range=1:120${name === 'podium-tuned' ? ' spread=0.05' : ''}`;
    const one = await Collection.parse(spec);
    const reports = await withSeed(11, async () => (await DeviceCollection.parse(one.design)).privatize(values));
    const mean = reports.reduce((sum, report) => sum + report) / values.length;
    assert.ok(Math.abs(mean - 42) < 6 * Math.sqrt(one.variance(42) / values.length), `${name}: ${mean}`);
    assert.deepEqual(await withSeed(11, () => one.privatize(values)), reports);
  }
});

test('NaN is an error unless the caller says what it means', () => {
  for (const one of [age, device]) {
    for (const values of [NaN, [1, NaN], Float64Array.of(NaN)]) {
      assert.throws(() => one.privatize(values), /a value is NaN/);
      assert.throws(() => one.codes(values), /a value is NaN/);
    }
    assert.ok(Number.isFinite(one.privatize(NaN, { nan: 'middle' })));
    assert.ok(Number.isNaN(one.privatize(NaN, { nan: 'keep' })));
    const values = people(9000).fill(NaN, 4095, 4098);
    const kept = one.privatize(values, { nan: 'keep' });
    assert.deepEqual(kept.map(Number.isNaN), values.map(Number.isNaN));
    assert.ok(one.privatize(values, { nan: 'middle' }).every(Number.isFinite));
    assert.throws(() => one.codes(values, { nan: 'keep' }), /cannot be NaN/);
    assert.throws(() => one.privatize(values, { nan: 'zero' }), /nan must be/);
  }
  const middle = withSeed(3, () => age.privatize([NaN], { nan: 'middle' }));
  return Promise.all([middle, withSeed(3, () => age.privatize([60.5]))]).then(([a, b]) => assert.deepEqual(a, b));
});

test('whatever is not a number is refused, and not repeated', () => {
  const secret = '4815162342';
  const wrong = [secret, null, undefined, true, {}, 34n, new Date(0), [secret], [null], [1, undefined], [[34]], [34n],
    BigInt64Array.of(34n), new DataView(new ArrayBuffer(8)), { length: 1, 0: secret }];
  for (const one of [age, device])
    for (const values of wrong)
      for (const call of [() => one.privatize(values), () => one.codes(values)])
        assert.throws(call, (error) => error.name === 'PodiumError' && !error.message.includes(secret), String(values));
  for (const codes of [[256], [-1], [0.5], ['1'], [NaN]]) {
    assert.throws(() => age.reports(codes), { name: 'PodiumError' });
    assert.throws(() => age.encodeCodes(codes), { name: 'PodiumError' });
  }
  assert.equal(DeviceError, PodiumError);
});

// ---- Random bits ----

test('no reports without getRandomValues', async () => {
  const real = Math.random;
  Math.random = () => assert.fail('Math.random was called');
  const broken = () => {
    throw new DOMException('no entropy', 'OperationError');
  };
  try {
    for (const one of [age, device])
      for (const random of hasCrypto ? [broken, undefined] : [broken])
        await withRandom(random, () => {
          for (const call of [() => one.privatize(34), () => one.privatize(people(20_000)), () => one.codes([34])])
            assert.throws(call, { name: 'PodiumError', status: 11, message: /random/ });
        });
  } finally {
    Math.random = real;
  }
  assert.ok(Number.isFinite(age.privatize(34)));
});

test('no call asks getRandomValues for more than 65,536 bytes', async () => {
  const sizes = [];
  const generator = new Generator(1);
  const random = (view) => {
    assert.ok(view instanceof Uint8Array && view.length <= 65536);
    sizes.push(view.length);
    return generator.fill(view);
  };
  await withRandom(random, () => age.privatize(people(50_000)));
  assert.ok(sizes.length < 30 && Math.max(...sizes) === 65536, String(sizes));
  await withRandom(random, () => age.privatize(34));
  assert.ok(sizes.at(-1) < 64, 'one value takes only what it needs');
});

// ---- Wiping ----

/** Values that no other computation produces, and random words that are remembered */
function planted() {
  const generator = new Generator(99);
  const values = Float64Array.from({ length: 9000 }, () => 1 + 119 * (generator.below(2 ** 40) / 2 ** 40));
  const random = [];
  const fill = (view) => {
    generator.fill(view);
    for (let at = 0; at + 8 <= view.length; at += 8 * 997) random.push(view.slice(at, at + 8));
    random.push(view.slice(0, 8), view.slice(-8));
    return view;
  };
  return { values, random, fill };
}

function checkWiped(values, random) {
  for (let i = 0; i < values.length; i += 97) {
    const secrets = [values[i], values[i] - 60.5, Math.abs(values[i] - 60.5)]; // and what is computed first of it
    for (const secret of secrets) assert.deepEqual(found(Float64Array.of(secret)), [], `value ${i}`);
  }
  assert.ok(random.length > 0);
  for (const word of random) assert.deepEqual(found(word), [], 'random bytes');
}

test('values and random words are gone after a call', async () => {
  const one = await Collection.parse(FINE);
  const stairs = await Collection.parse('laplace epsilon=1 range=1:120');
  for (const c of [age, device, one, stairs, await DeviceCollection.parse(stairs.design)]) {
    const { values, random, fill } = planted();
    await withRandom(fill, () => {
      c.privatize(values[0]);
      c.privatize(values);
      c.codes(values);
      c.codes(values[74]);
      c.privatize(Array.from(values));
    });
    checkWiped(values, random);
  }
});

test('and after a call that failed', async () => {
  const stairs = await Collection.parse('laplace epsilon=1 range=1:120');
  for (const c of [age, device, stairs]) {
    const { values, random, fill } = planted();
    let left = 2;
    const fails = (view) => {
      if (left-- <= 0) throw new Error('no more');
      return fill(view);
    };
    await withRandom(fails, () => assert.throws(() => c.privatize(values), { status: 11 }));
    left = 1;
    await withRandom(fails, () => assert.throws(() => c.codes(values), { status: 11 }));
    left = 0;
    await withRandom(fails, () => assert.throws(() => c.privatize(values[0]), { status: 11 }));
    const withNaN = values.slice().fill(NaN, 8999);
    await withRandom(fill, () => assert.throws(() => c.privatize(withNaN), /NaN/));
    assert.throws(() => c.privatize([...values.subarray(0, 100), 'x']), /item 100 of the values is not a number/);
    checkWiped(values, random);
  }
});

// What the search above would find, if it were there.
test('a value that stays is found', () => {
  const plant = Float64Array.of(77.123456789);
  const sums = age.aggregate();
  sums.add(plant); // a collector's page is not wiped, because reports are not private
  assert.notDeepEqual(found(plant), []);
});

// ---- Aggregates and summaries: the program says the same ----

test('aggregates are exact, and everybody reads them', async () => {
  const reports = age.privatize(people(10_000));
  const all = age.aggregate(reports);
  const [first, second] = [age.aggregate(reports.subarray(0, 3)), age.aggregate().add(Array.from(reports.subarray(3)))];
  assert.deepEqual(second.clone().merge(first).encode(), all.encode());
  assert.equal(all.clone().subtract(first).count, 9997);
  assert.equal(all.count, 10_000);
  assert.throws(() => first.clone().subtract(second), { status: 23 });
  const codes = age.codes(people(5000));
  assert.deepEqual(age.aggregate().addCodes(codes).encode(), age.aggregate(age.reports(codes)).encode());
  for (const encoded of [all.encode(), all.text(), `${all.text()}\n`]) {
    const read = await Aggregate.decode(encoded);
    assert.deepEqual([read.count, read.collection.spec, read.text()], [10_000, SPEC, all.text()]);
    assert.deepEqual(age.decode(encoded).encode(), all.encode());
  }
  assert.equal(podium(`${all.text()}\n`, 'merge', '-').trim(), all.text());
  const other = await Collection.parse('minimax epsilon=2 range=1:120');
  assert.throws(() => all.clone().merge(other.aggregate()), { status: 15 });
  assert.throws(() => other.decode(all.encode()), { status: 15 });
  const refused = age.aggregate([NaN, 1e9, 34.5, 'x', reports[0]]);
  assert.deepEqual([refused.count, refused.refused], [1, 4]);
  const values = age.aggregate(people(2000));
  assert.throws(() => values.check(), { status: 24 });
  assert.throws(() => values.summary(), { status: 24 });
  assert.equal(values.summary({ check: false }).count, 0);
  all.check();
});

const toCamel = (key) => key.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
const isNear = (a, b) => a === b || Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b));

function compareWithProgram(summary, said) {
  assert.equal(summary.count, said.n);
  for (const [key, value] of Object.entries(said)) {
    const own = summary[toCamel(key)];
    if (typeof value === 'number' && own !== undefined) assert.ok(isNear(own, value), `${key}: ${own}, ${value}`);
    if (key === 'interval' || key === 'about') assert.equal(own, value);
    if (!Array.isArray(value)) continue;
    assert.equal(own.length, value.length);
    value.forEach((row, i) =>
      Object.entries(row).forEach(([name, x]) => assert.ok(isNear(own[i][name], x), `${key} ${i} ${name}`)));
  }
}

test('a summary says what the program says', async () => {
  const questions = [
    [{}, []],
    [{ confidence: 0.9, interval: 'guaranteed', dishonest: 3 },
      ['--confidence', '0.9', '--interval', 'guaranteed', '--dishonest', '3']],
    [{ interval: 'anytime', population: true }, ['--interval', 'anytime', '--population']],
    [{ histogram: 7, quantiles: [0.1, 0.5, 0.9], below: [35, 60] },
      ['--histogram', '7', '--quantiles', '0.1,0.5,0.9', '--below', '35,60']],
    [{ histogram: 3, interval: 'guaranteed' }, ['--histogram', '3', '--interval', 'guaranteed']],
  ];
  for (const spec of [SPEC, FINE, 'duchi epsilon=1 range=1:120', 'laplace epsilon=2 range=1:120']) {
    const one = await Collection.parse(spec);
    const sums = await withSeed(7, () => one.aggregate(one.privatize(people(20_000))));
    for (const [question, options] of questions) {
      if (question.histogram !== undefined && !one.tellsSpread) continue;
      const said = JSON.parse(podium(`${sums.text()}\n`, 'estimate', '--format', 'json', ...options, '-'));
      compareWithProgram(sums.summary(question), said);
    }
  }
});

test('what cannot be said is NaN, with the reason', async () => {
  const none = age.aggregate().summary({ quantiles: [0.5], histogram: true });
  assert.ok(Number.isNaN(none.mean) && /few/.test(none.withheld.mean) && none.histogram.length === 20);
  assert.ok(Number.isNaN(none.quantiles[0].value));
  const duchi = await Collection.parse('duchi epsilon=1 range=1:120');
  assert.equal(duchi.tellsSpread, false);
  assert.match(duchi.aggregate(duchi.privatize(people(1000))).summary({ below: [3] }).withheld.distribution, /mean/);
  const subtracted = age.aggregate(age.privatize(people(100)));
  subtracted.subtract(age.aggregate()).merge(age.aggregate());
  for (const wrong of [{ confidence: 0 }, { confidence: '0.9' }, { interval: 'sure' }, { histogram: 0 }, { histogram: 1.5 },
    { histogram: 100_000 }, { dishonest: -1 }, { dishonest: 0.5 }])
    assert.throws(() => subtracted.summary(wrong), { name: 'PodiumError' }, JSON.stringify(wrong));
});

test('differences', async () => {
  const [young, old] = await withSeed(5, () => [20, 80].map((x) => age.aggregate(age.privatize(new Float64Array(5000).fill(x)))));
  const d = old.difference(young);
  assert.ok(d.lower < 60 && d.upper > 60 && d.pValue < 1e-6 && Object.keys(d.withheld).length === 0);
  assert.match(age.aggregate().difference(old).withheld.difference, /few/);
  assert.deepEqual(await whole.adjust([0.01, 0.04, NaN]), [0.02, 0.04, NaN]);
  await assert.rejects(whole.adjust([2]), { name: 'PodiumError' });
});

// ---- Before the first report ----

test('plans, promises and comparisons are those of the program', async () => {
  const said = JSON.parse(podium('', 'plan', '--range', '1:120', '--epsilon', '1', '--within', '2', '--format', 'json'));
  for (const { mechanism, people: needed } of said.plans) {
    const own = mechanism === 'podium-tuned' ? ` spread=${said.spread}` : '';
    const plan = await whole.plan(`${mechanism} epsilon=1 range=1:120${own}`, { within: 2, spread: said.spread });
    assert.equal(Math.ceil(plan.people), needed, mechanism);
    const { within } = await whole.plan(plan.collection, { people: plan.people, spread: said.spread });
    assert.ok(Math.abs(within - 2) < 1e-3);
  }
  assert.ok((await whole.plan(FINE, { people: 10_000, within: 2 })).collection.epsilon > 1);
  assert.ok((await whole.plan(FINE, { people: 1e6, quantile: 0.5 })).within > 0);
  assert.ok((await whole.plan(FINE, { within: 0.1, histogram: 5 })).people > 1000);
  assert.ok((await whole.planDifference({ within: 1 })) > 1);
  const rows = await whole.compare({ epsilon: 1, range: [1, 120] });
  assert.equal(rows.length, (await whole.mechanisms()).length);
  assert.equal(rows.toSorted?.((a, b) => a.worst - b.worst)[0].mechanism ?? 'minimax', 'minimax');
  assert.equal((await Collection.choose({ epsilon: 1, range: [1, 120] })).mechanism, 'minimax');
  const odds = await whole.promise(Math.log(3), 0.5);
  assert.ok(isNear(odds.most, 0.75) && isNear(odds.least, 0.25) && isNear(odds.factor, 3));
  const explained = await whole.explain(age);
  assert.equal(explained.strength, 'strong');
  assert.ok(explained.examples.every(({ lower, upper }) => lower < upper));
  assert.equal(await whole.version(), JSON.parse(readFileSync(process.env.PODIUM_PACKAGE, 'utf8')).version);
});

test('an error names the argument that is wrong', async () => {
  for (const [call, words] of [
    [() => whole.plan(age, { within: -1 }), 'an argument is out of range: {"within":-1}'],
    [() => whole.plan(age, { people: 0 }), '{"people":0}'],
    [() => whole.plan(age, { people: 10, within: -1 }), '{"people":10,"within":-1,"spread":0.25,"confidence":0.95}'],
    [() => whole.plan(age, { people: 10, quantile: 50 }), '{"people":10,"quantile":50,"confidence":0.95}'],
    [() => whole.plan(age, { within: 0.1, histogram: 0 }), '{"within":0.1,"histogram":0,"confidence":0.95}'],
    [() => whole.plan(age), 'give people or within; the other one is computed'],
    [() => whole.planDifference({ within: 0 }), '{"within":0,"groups":2,"confidence":0.95,"power":0.8}'],
    [() => whole.promise(1, 2), '{"epsilon":1,"prior":2}'],
    [() => Collection.choose({ epsilon: -1, range: [1, 120] }), 'epsilon is not positive'],
    [() => Collection.choose(), 'range must be two numbers, such as [1, 120]'],
    [async () => age.aggregate(age.privatize([34])).summary({ histogram: 100_000 }), '{"histogram":100000}'],
    [async () => age.privatize([34, '35']), 'item 1 of the values is not a number'],
    [async () => age.reports([0.5]), 'item 0 of the codes is not a code'],
  ])
    await assert.rejects(call, ({ name, message }) => name === 'PodiumError' && message.endsWith(words), words);
  const secret = 4815.162342;
  assert.throws(() => age.span(secret, 3), ({ message }) => message.endsWith('{"share":3}') && !message.includes(secret));
});

test('what one report tells is at most a factor of e^epsilon', async () => {
  const xs = Float64Array.from({ length: 120 }, (_, i) => i + 1);
  for (const spec of [SPEC, FINE, 'laplace epsilon=1 range=1:120', 'hybrid epsilon=1 range=1:120']) {
    const one = await Collection.parse(spec);
    for (const code of one.codes(people(50))) {
      const likelihood = one.likelihood(code, xs);
      assert.ok(Math.max(...likelihood) / Math.min(...likelihood) < Math.E * (1 + 1e-9));
    }
  }
  const fine = await Collection.parse(FINE);
  const [low, high] = fine.support;
  const ys = Float64Array.from({ length: 20_000 }, (_, i) => low + ((high - low) * (i + 0.5)) / 20_000);
  const mass = fine.density(34, ys).reduce((sum, density) => sum + density) * ((high - low) / 20_000);
  assert.ok(Math.abs(mass - 1) < 1e-3);
  assert.throws(() => age.density(34, ys), { status: 22 });
});

// ---- Hostile input ----

test('hostile specs', async () => {
  const specs = ['', ' ', '\0', 'podium', 'podium epsilon=', 'podium epsilon=1', 'podium epsilon=1 range=1', 'x'.repeat(1e5),
    'podium epsilon=1 range=1:2 range=1:2', 'podium epsilon=1 range=1:2 cells=7', 'podium epsilon=NaN range=0:1',
    'podium epsilon=1e999 range=0:1', 'podium epsilon=1 range=-inf:inf', 'podium epsilon=0x1 range=0:1', '💥', 'a\nb\nc',
    'podium epsilon=1 range=0:1\0', 'minimax epsilon=1 range=0:1 cells=99999999999', 'podium epsilon=1 range=1:120 design='];
  for (const spec of specs) {
    await assert.rejects(Collection.parse(spec), { name: 'PodiumError' }, spec.slice(0, 40));
    await assert.rejects(DeviceCollection.parse(spec), { name: 'PodiumError' }, spec.slice(0, 40));
  }
  for (const spec of [undefined, null, 7, {}, [SPEC]]) await assert.rejects(Collection.parse(spec), { name: 'PodiumError' });
  const wrong = await Collection.parse('podium epsilon=0 range=1:2').catch((error) => error);
  assert.deepEqual([wrong.status, wrong.field, wrong.column], [3, 'epsilon', 8]);
  const letters = 'podiumnxe=1230.:-+ E\0é';
  const generator = new Generator(21);
  for (let i = 0; i < 3000; i++) {
    const text = Array.from({ length: generator.below(60) }, () => letters[generator.below(letters.length)]).join('');
    await Collection.parse(i % 2 ? text : `podium epsilon=1 range=${text}`).then(
      (parsed) => assert.ok(parsed.cells > 1),
      (error) => assert.equal(error.name, 'PodiumError', error.stack),
    );
  }
  assert.ok(Number.isFinite(age.privatize(34)));
});

test('hostile states', async () => {
  const good = age.aggregate(age.privatize(people(1000))).encode();
  for (const state of ['', 'podium-aggregate:', 'podium-aggregate:zz', new Uint8Array(), new Uint8Array(40_000), [1, 2], null])
    await assert.rejects(Aggregate.decode(state), { name: 'PodiumError' });
  const generator = new Generator(22);
  let accepted = 0;
  for (let i = 0; i < 3000; i++) {
    const bad = good.slice(0, i % 5 === 0 ? generator.below(good.length) : good.length);
    for (let k = generator.below(3); k >= 0; k--) bad[generator.below(good.length)] ^= 1 << generator.below(8);
    try {
      const read = age.decode(bad);
      assert.ok(read.count >= 0 && read.summary({ check: false }).count === read.count);
      accepted++;
    } catch (error) {
      assert.equal(error.name, 'PodiumError', error.stack);
    }
  }
  assert.ok(accepted < 3000);
  assert.deepEqual(age.decode(good).encode(), good);
});

test('hostile designs', async () => {
  const { design } = age;
  const bytes = Buffer.from(design.slice(design.lastIndexOf(':') + 1), 'base64');
  const generator = new Generator(23);
  assert.ok(bytes.length > 100);
  for (let i = 0; i < 1000; i++) {
    const bad = Buffer.from(bytes);
    bad[generator.below(bad.length)] ^= 1 << generator.below(8);
    const text = design.slice(0, design.lastIndexOf(':') + 1) + bad.toString('base64');
    await assert.rejects(DeviceCollection.parse(text), /damaged/);
  }
  await assert.rejects(DeviceCollection.parse(design.replace('epsilon=1', 'epsilon=0.5')), /damaged/);
  await assert.rejects(DeviceCollection.parse(design.replace(/design=[^:]*/, 'design=9.9.9')), /version 9.9.9/);
  await assert.rejects(DeviceCollection.parse(design.slice(0, -1)), /damaged/);
  assert.ok((await DeviceCollection.parse(SPEC)).cells === 256, 'a spec loads the whole library');
});

// A design with a right checksum whose thresholds promise more than they keep is refused by the library itself.
test('a design that would not be private', async () => {
  const weak = await Collection.parse('podium epsilon=2 range=1:120');
  const { encodeDesign } = await import(new URL('design.js', import.meta.resolve('podium-privacy')));
  const bytes = weak.bytes.slice();
  const at = bytes.findIndex((_, i) => i % 8 === 0 && new DataView(bytes.buffer).getFloat64(i, true) === 2);
  new DataView(bytes.buffer).setFloat64(at, 1, true);
  const forged = encodeDesign(FINE, bytes, await whole.version());
  await assert.rejects(DeviceCollection.parse(forged), { status: 12 });
});

// The Reporter against a collector that fails: what is counted is what was reported.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Collection } from 'podium-privacy';
import { Reporter, memoryStorage } from 'podium-privacy/reporter';
import { Collector, seededFaults } from './collector.mjs';
import { withRandom } from './support.mjs';

const age = await Collection.parse('minimax epsilon=1 range=1:120');
const QUICK = { wait: 4, retryFirst: 2, retryMost: 8 };
const pause = (time) => new Promise((resolve) => setTimeout(resolve, time));
const collectors = [];
after(() => collectors.forEach((collector) => collector.stop()));

async function start(options = {}) {
  const collector = await new Collector().start();
  collectors.push(collector);
  return { collector, reporter: new Reporter(age, collector.url, { ...QUICK, ...options }) };
}

async function untilEmpty(reporter) {
  for (let tries = 0; tries < 1000; tries++) {
    if ((await reporter.account()).waiting === 0) return;
    await reporter.flush().catch(() => {});
  }
  assert.fail('reports still wait');
}

test('a request has what the collector needs, and nothing about the person', async () => {
  const { collector, reporter } = await start({ token: 'secret', labels: { country: 'CH' } });
  assert.equal(await reporter.report(34), 1);
  await reporter.flush();
  const [{ headers, body }] = collector.requests;
  assert.match(headers['idempotency-key'], /^[0-9a-f]{32}$/);
  assert.equal(headers.authorization, 'Bearer secret');
  assert.equal(headers['content-type'], 'application/json');
  assert.equal(headers.cookie ?? headers.referer, undefined);
  const { codes, ...rest } = JSON.parse(body);
  assert.deepEqual(rest, { fingerprint: age.fingerprint, labels: { country: 'CH' } });
  assert.ok(codes.length === 1 && codes[0] < 256);
  reporter.close();
});

test('reports that were drawn before are sent as they are', async () => {
  const { collector, reporter } = await start();
  const drawn = age.codes([34, 60]);
  assert.equal(await reporter.reportCodes(drawn), 2);
  await reporter.flush();
  assert.deepEqual(collector.codes, Array.from(drawn));
  reporter.close();
});

// Seeded: each of these runs is the same but for the codes and the timing.
test('counts equal what was reported, whatever fails', async () => {
  for (const seed of [1, 2, 3, 4, 5, 6]) {
    const { collector, reporter } = await start({ batch: 7 });
    collector.fault = seededFaults(seed);
    let reported = 0;
    for (let i = 0; i < 60; i++) {
      reported += await reporter.report(i % 3 === 0 ? [20, 30, 40, 50] : 34);
      if (i % 8 === 0) await pause(3);
    }
    await untilEmpty(reporter);
    const account = await reporter.account();
    assert.equal(collector.codes.length, reported);
    assert.deepEqual([account.sent, account.waiting, account.refused, account.spent], [reported, 0, 0, reported]);
    const kept = account.recent.map(({ code }) => code);
    assert.deepEqual(kept, collector.codes.slice(-kept.length).length === kept.length ? kept : []);
    assert.ok(collector.requests.length > collector.batches.size, 'something was sent twice');
    reporter.close();
  }
});

test('batches are sent by themselves, together', async () => {
  const { collector, reporter } = await start({ wait: 30 });
  for (let i = 0; i < 20; i++) await reporter.report(34);
  await pause(120);
  assert.equal(collector.batches.size, 1);
  assert.equal(collector.codes.length, 20);
  reporter.close();
});

test('a Reporter sends what an earlier one has left, under the same key', async () => {
  const storage = memoryStorage();
  const { collector, reporter } = await start({ storage });
  collector.fault = () => 'drop after counting';
  await reporter.report([1, 2, 3]);
  await assert.rejects(reporter.flush(), /not reached/);
  reporter.close();
  await assert.rejects(reporter.report(4), /closed/);
  await assert.rejects(reporter.flush(), /closed/);
  collector.fault = () => undefined;
  const next = new Reporter(age, collector.url, { ...QUICK, storage });
  await next.report(4);
  await untilEmpty(next);
  assert.deepEqual([...collector.batches.values()].map((body) => JSON.parse(body).codes.length), [3, 1]);
  assert.equal((await next.account()).sent, 4);
  next.close();
});

/** Runs work as if it were so many hours later. */
async function hoursLater(hours, work) {
  const { now } = Date;
  Date.now = () => now() + 3_600_000 * hours;
  try {
    return await work();
  } finally {
    Date.now = now;
  }
}

test('a batch that may have arrived is not sent again once the collector may have forgotten its key', async () => {
  for (const [hours, keyHours, isSentAgain] of [[23, 24, true], [23.9, 24, false], [25, 24, false], [25, 48, true]]) {
    const storage = memoryStorage();
    const { collector, reporter } = await start({ storage, keyHours });
    collector.fault = () => 'drop after counting';
    await reporter.report([1, 2, 3]);
    await assert.rejects(reporter.flush(), /not reached/);
    reporter.close();
    collector.fault = () => undefined;
    const before = collector.requests.length;
    const errors = [];
    await hoursLater(hours, async () => {
      const onError = (error) => errors.push(error.message);
      const next = new Reporter(age, collector.url, { ...QUICK, storage, keyHours, onError });
      await next.report([4, 5]);
      await untilEmpty(next);
      assert.equal((await next.account()).sent, 5);
      next.close();
    });
    const sent = collector.requests.slice(before).map(({ body }) => JSON.parse(body).codes.length);
    assert.deepEqual(sent, isSentAgain ? [3, 2] : [2]);
    const words = '3 reports are not sent again: they may have arrived, and the collector knows their key for 24 hours only';
    assert.deepEqual(errors, isSentAgain ? [] : [words]);
  }
});

test('a batch that cannot have arrived is sent however late', async () => {
  for (const refusal of [undefined, { status: 401, body: {} }, { status: 429, body: {} }]) {
    const { collector, reporter } = await start({ wait: 1e6, retryMost: 1e6, retryFirst: 1e6 });
    collector.fault = () => refusal;
    await reporter.report([1, 2, 3]);
    if (refusal) await assert.rejects(reporter.flush(), /the collector answered 4/);
    collector.fault = () => undefined;
    await hoursLater(100, () => reporter.flush());
    assert.equal(collector.codes.length, 3);
    reporter.close();
  }
});

test('what would never work is refused at once', () => {
  const url = 'http://127.0.0.1:1/';
  for (const batch of [0, -1, 1.5, NaN, Infinity, '7'])
    assert.throws(() => new Reporter(age, url, { batch }), /batch must be a whole number from 1 on/);
  assert.throws(() => new Reporter(age, url, { waitingMost: 0 }), /waitingMost must be/);
  for (const wait of [-1, NaN, Infinity, '7'])
    assert.throws(() => new Reporter(age, url, { wait }), /wait must be a number of milliseconds/);
  assert.throws(() => new Reporter(age, url, { keyHours: '24' }), /keyHours must be a number of hours/);
  assert.throws(() => new Reporter('minimax epsilon=1 range=1:120', url), /must be a Collection/);
  assert.throws(() => new Reporter(age, 'ftp://127.0.0.1/'), /must begin with https/);
});

test('a program that reports in a loop, one by one, is not refused', async () => {
  const { collector, reporter } = await start({ wait: 600_000, batch: 20, waitingMost: 300 });
  for (let i = 0; i < 1000; i++) await reporter.report(34);
  await untilEmpty(reporter);
  assert.equal(collector.codes.length, 1000);
  reporter.close();
});

test('two Reporters on one queue', async () => {
  const storage = memoryStorage();
  const { collector, reporter } = await start({ storage, batch: 5 });
  const other = new Reporter(age, collector.url, { ...QUICK, storage, batch: 5 });
  collector.fault = seededFaults(9);
  await Promise.all(Array.from({ length: 80 }, (_, i) => (i % 2 ? reporter : other).report(34)));
  await Promise.all([untilEmpty(reporter), untilEmpty(other)]);
  assert.equal(collector.codes.length, 80);
  assert.equal((await reporter.account()).sent, 80);
  reporter.close();
  other.close();
});

test('Retry-After is honoured', async () => {
  const errors = [];
  const { collector, reporter } = await start({ onError: (error) => errors.push(error.message) });
  const times = [];
  const later = [{ 'Retry-After': '1' }, { 'Retry-After': new Date(Date.now() + 3000).toUTCString() }];
  collector.fault = (number) => {
    times.push(Date.now());
    return number < 2 ? { status: 503, body: { title: 'full' }, headers: later[number] } : undefined;
  };
  await reporter.report(34);
  while ((await reporter.account()).waiting > 0) await pause(20);
  assert.equal(times.length, 3);
  assert.ok(times[1] - times[0] >= 1000, 'seconds');
  assert.ok(times[2] >= Date.parse(later[1]['Retry-After']), 'a date');
  assert.deepEqual(errors, Array(2).fill('the collector answered 503: full'));
  reporter.close();
});

test('nothing is lost if the collector refuses, or is none', async () => {
  for (const [fault, message] of [
    [{ status: 401, body: { detail: 'the token is not known' } }, /401: the token is not known/],
    [{ status: 422, body: { title: 'other fingerprint' } }, /422: other fingerprint/],
    [{ status: 200, body: '<p>Please log in to the hotel</p>' }, /no collector/],
    [{ status: 200, body: {} }, /no collector/],
    [{ status: 502, body: 'x' }, /502/],
  ]) {
    const { collector, reporter } = await start();
    collector.fault = () => fault;
    await reporter.report([1, 2]);
    await assert.rejects(reporter.flush(), message);
    assert.deepEqual((await reporter.account()).waiting, 2);
    collector.fault = () => undefined;
    await untilEmpty(reporter);
    assert.equal(collector.codes.length, 2);
    reporter.close();
  }
});

test('refused reports are counted as such', async () => {
  const { collector, reporter } = await start();
  collector.fault = () => ({ status: 200, body: { accepted: 1, refused: 2, duplicate: false } });
  await reporter.report([1, 2, 3]);
  await reporter.flush();
  const { sent, refused, waiting, spent } = await reporter.account();
  assert.deepEqual([sent, refused, waiting, spent], [1, 2, 0, 3]);
  reporter.close();
});

test('what is stored is codes, and never a value', async () => {
  const inner = memoryStorage();
  const stored = [];
  const storage = { update: (change) => inner.update((state) => [change(state), stored.push(JSON.stringify(state))][0]) };
  const { collector, reporter } = await start({ storage });
  collector.fault = () => 'drop';
  const value = 77.12345;
  await reporter.report([value, value]);
  await reporter.flush().catch(() => {});
  assert.ok(stored.length > 2);
  for (const text of [...stored, ...collector.requests.map(({ body }) => body)]) assert.ok(!text.includes(String(value)));
  reporter.close();
});

test('too many, NaN, no random bits: nothing is stored', async () => {
  const { reporter } = await start({ waitingMost: 3, wait: 1000 });
  await reporter.report([1, 2]);
  await assert.rejects(reporter.report([1, 2]), /more than 3 reports/);
  await assert.rejects(reporter.report(NaN), /NaN/);
  await assert.rejects(reporter.report('34'), { name: 'PodiumError' });
  const broken = () => {
    throw new Error('no entropy');
  };
  await withRandom(broken, () => assert.rejects(reporter.report(3), { status: 11 }));
  assert.equal(await reporter.report(NaN, { nan: 'middle' }), 1);
  assert.equal((await reporter.account()).reports, 3);
  reporter.close();
});

test('what waits can be discarded', async () => {
  const { collector, reporter } = await start({ wait: 1000 });
  collector.fault = () => 'drop';
  await reporter.report([1, 2, 3]);
  await reporter.flush().catch(() => {});
  await reporter.report([4, 5]);
  assert.equal(await reporter.discard(), 2);
  const { sent, waiting, spent, recent } = await reporter.account();
  assert.deepEqual([sent, waiting, spent, recent.length], [3, 0, 3, 3]);
  reporter.close();
});

test('onChange follows the account', async () => {
  const seen = [];
  const { reporter } = await start({ onChange: ({ sent, waiting }) => seen.push(`${sent}/${waiting}`) });
  await reporter.report(34);
  await reporter.flush();
  assert.equal(seen[0], '0/1');
  assert.equal(seen.at(-1), '1/0');
  reporter.close();
});

// The package in Chromium, under a strict Content-Security-Policy: in a page, in a worker, over reloads and in two tabs.
//
//   browser.mjs PROJECT-DIR    where podium-privacy and playwright-core are installed
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import path from 'node:path';
import { Collector } from './collector.mjs';

const [project, tools] = process.argv.slice(2);
const { chromium } = createRequire(path.join(tools, 'x.js'))('playwright-core');
const packed = path.join(project, 'node_modules/podium-privacy');
const TYPES = { '.js': 'text/javascript', '.mjs': 'text/javascript', '.wasm': 'application/wasm', '.html': 'text/html' };

// 'wasm-unsafe-eval' is what WebAssembly needs. A page that inlines the module needs to connect to the collector alone.
const POLICIES = {
  strict: "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self' http://127.0.0.1:*",
  inline: "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src http://127.0.0.1:9",
  none: "default-src 'none'; script-src 'self'; connect-src 'self'",
};
const PAGE = '<!doctype html><html lang="en"><title>Test</title><body><div id="account"></div>';
const WORKER = `
  import { Collection } from '/podium/device.js';
  onmessage = async ({ data: { design, values } }) => {
    try {
      const age = await Collection.parse(design);
      postMessage({ codes: age.codes(values), spec: age.spec });
    } catch (error) {
      postMessage({ error: error.message });
    }
  };`;

function serve(request, response) {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost');
  const send = (type, body) => {
    const policy = POLICIES[searchParams.get('policy') ?? 'strict'];
    response.writeHead(200, { 'Content-Type': type, 'Content-Security-Policy': policy, 'Cache-Control': 'no-store' });
    response.end(body);
  };
  if (pathname === '/') return send('text/html', PAGE);
  if (pathname === '/worker.js') return send('text/javascript', WORKER);
  if (pathname === '/favicon.ico') return send('image/x-icon', '');
  const file = path.join(packed, path.basename(pathname));
  return send(TYPES[path.extname(file)], readFileSync(file));
}

const site = createServer(serve);
await new Promise((resolve) => site.listen(0, '127.0.0.1', resolve));
const origin = `http://127.0.0.1:${site.address().port}`;
const collector = await new Collector().start();
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
});
const context = await browser.newContext();
const requested = [];
const complaints = [];
context.on('request', (request) => requested.push(new URL(request.url()).host));

async function open(policy = 'strict', expected = /^$/) {
  const page = await context.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error' && !expected.test(message.text())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(`${origin}/?policy=${policy}`);
  return page;
}

let passed = 0;
async function check(name, work) {
  try {
    await work();
    passed++;
  } catch (error) {
    console.error(`not ok: ${name}\n${error.stack}`);
    process.exitCode = 1;
  }
}

const SPEC = 'minimax epsilon=1 range=1:120';
const eventually = async (what, isSo) => {
  for (let i = 0; i < 200 && !(await isSo()); i++) await new Promise((resolve) => setTimeout(resolve, 25));
  assert.ok(await isSo(), what);
};

await check('a page draws reports and estimates', async () => {
  const page = await open();
  const said = await page.evaluate(async (spec) => {
    const { Collection } = await import('/podium/index.js');
    const age = await Collection.parse(spec);
    const reports = age.privatize(new Float64Array(50_000).fill(42));
    const { mean, lower, upper } = age.aggregate(reports).summary({ confidence: 1 - 1e-9, quantiles: [0.5] });
    return { mean, lower, upper, fingerprint: age.fingerprint };
  }, SPEC);
  assert.ok(said.lower < 42 && said.upper > 42);
  assert.equal(said.fingerprint, 'a529400ff0195a1c');
  await page.close();
});

await check('the same bytes as the native library', async () => {
  const lines = readFileSync(process.env.PODIUM_VECTORS, 'utf8').split('\n');
  const vectors = [];
  for (let i = 0, text; i < lines.length; i++) {
    if (lines[i].startsWith('spec ')) text = / text=(.*)$/.exec(lines[i])?.[1];
    const [, x, seed, cell, report] = /^value x=(\w+) seed=(\d+) cell=(\d+) .*report=(\w+)/.exec(lines[i]) ?? [];
    if (x !== undefined && i % 7 === 0) vectors.push({ text, x, seed, cell, report });
  }
  const page = await open();
  const wrong = await page.evaluate(async (given) => {
    const { Collection } = await import('/podium/index.js');
    const view = new DataView(new ArrayBuffer(8));
    const fill = (seed) => {
      const mask = (1n << 64n) - 1n;
      let state = BigInt(seed);
      crypto.getRandomValues = (bytes) => {
        for (let i = 0, word; i < bytes.length; i++) {
          if (i % 8 === 0) {
            state = (state + 0x9e3779b97f4a7c15n) & mask;
            let z = ((state ^ (state >> 30n)) * 0xbf58476d1ce4e5b9n) & mask;
            z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & mask;
            word = z ^ (z >> 31n);
          }
          bytes[i] = Number((word >> BigInt(8 * (i % 8))) & 255n);
        }
        return bytes;
      };
    };
    let differ = 0;
    for (const { text, x, seed, cell, report } of given) {
      const one = await Collection.parse(text);
      view.setBigUint64(0, BigInt(`0x${x}`));
      const value = view.getFloat64(0);
      fill(seed);
      const drawn = one.codes(value, { nan: 'middle' });
      view.setFloat64(0, one.reports(drawn));
      if (drawn !== Number(cell) || view.getBigUint64(0) !== BigInt(`0x${report}`)) differ++;
    }
    return differ;
  }, vectors);
  assert.ok(vectors.length > 300);
  assert.equal(wrong, 0);
  await page.close();
});

await check('a worker draws from a design', async () => {
  const page = await open();
  const said = await page.evaluate(async (spec) => {
    const { Collection } = await import('/podium/index.js');
    const { design } = await Collection.parse(spec);
    const worker = new Worker('/worker.js', { type: 'module' });
    worker.postMessage({ design, values: new Float64Array(1000).fill(42) });
    const { data } = await new Promise((resolve) => (worker.onmessage = resolve));
    return { ...data, kind: data.codes?.constructor.name, n: data.codes?.length };
  }, SPEC);
  assert.deepEqual([said.error, said.spec, said.kind, said.n], [undefined, SPEC, 'Uint8Array', 1000]);
  await page.close();
});

await check('the inlined module needs no connection', async () => {
  const page = await open('inline');
  const report = await page.evaluate(async (spec) => {
    const { Collection } = await import('/podium/inline.js');
    const age = await Collection.parse(spec);
    const small = await import('/podium/device-inline.js');
    return (await small.Collection.parse(age.design)).privatize(42);
  }, SPEC);
  assert.ok(Number.isFinite(report));
  await page.close();
});

await check('without wasm-unsafe-eval there is an error, and no report', async () => {
  const page = await open('none', /Content Security Policy/);
  const said = await page.evaluate(async (spec) => {
    const { Collection } = await import('/podium/index.js');
    return Collection.parse(spec).then(() => 'parsed', (error) => error.message);
  }, SPEC);
  assert.match(said, /Content Security Policy|unsafe-eval/);
  await page.close();
});

await check('no report without getRandomValues', async () => {
  const page = await open();
  const said = await page.evaluate(async (spec) => {
    const { Collection } = await import('/podium/index.js');
    const age = await Collection.parse(spec);
    crypto.getRandomValues = () => {
      throw new Error('broken');
    };
    try {
      return age.privatize(42);
    } catch (error) {
      return error.status;
    }
  }, SPEC);
  assert.equal(said, 11);
  await page.close();
});

// ---- The Reporter ----

/** Runs in a page: a Reporter of that name, kept as window.reporter. */
const startReporter = async ({ spec, url, name, options }) => {
  const { Collection } = await import('/podium/index.js');
  const { Reporter } = await import('/podium/reporter.js');
  window.reporter = new Reporter(await Collection.parse(spec), url, { name, wait: 1e6, retryFirst: 50, ...options });
};
const given = (name, options) => ({ spec: SPEC, url: collector.url, name, options });

await check('reports survive a reload, and are counted once', async () => {
  const page = await open('strict', /Failed to load resource/);
  const before = collector.codes.length;
  collector.fault = () => 'fail after counting';
  await page.evaluate(startReporter, given('reload', { retryFirst: 1e6, retryMost: 1e6 }));
  await page.evaluate(async () => {
    await reporter.report([77.12345, 34]);
    await reporter.flush().catch(() => {});
    await reporter.report(77.12345);
    reporter.close(); // so that leaving the page does not send it
  });
  const stored = await page.evaluate(async () => {
    const database = await new Promise((resolve) => {
      const request = indexedDB.open('podium-privacy');
      request.onsuccess = () => resolve(request.result);
    });
    const read = database.transaction('reporters').objectStore('reporters').getAll();
    return new Promise((resolve) => (read.onsuccess = () => resolve(JSON.stringify(read.result))));
  });
  assert.ok(stored.includes('"codes":[') && !stored.includes('77.12345'));
  assert.equal(collector.codes.length, before + 2);
  await page.reload();
  collector.fault = () => undefined;
  await page.evaluate(startReporter, given('reload'));
  await page.evaluate(() => reporter.flush());
  await eventually('everything is sent', () => page.evaluate(async () => (await reporter.account()).waiting === 0));
  const account = await page.evaluate(() => reporter.account());
  assert.deepEqual([account.sent, account.reports, account.spent], [3, 3, 3]);
  assert.equal(collector.codes.length, before + 3);
  await page.close();
});

await check('leaving the page sends what waits', async () => {
  const page = await open();
  const before = collector.codes.length;
  await page.evaluate(startReporter, given('leaving'));
  await page.evaluate(() => reporter.report([1, 2, 3]));
  await page.goto('about:blank');
  await eventually('it arrived', async () => collector.codes.length === before + 3);
  await page.goto(`${origin}/`);
  await page.evaluate(startReporter, given('leaving'));
  await eventually('it is settled', () => page.evaluate(async () => (await reporter.account()).waiting === 0));
  assert.equal(await page.evaluate(async () => (await reporter.account()).sent), 3);
  assert.equal(collector.codes.length, before + 3);
  await page.close();
});

await check('what was sent when the page was left is not sent after the collector has forgotten its key', async () => {
  const page = await open();
  const before = collector.codes.length;
  await page.evaluate(startReporter, given('late'));
  await page.evaluate(() => reporter.report([1, 2, 3]));
  await page.evaluate(() => {
    IDBDatabase.prototype.transaction = () => {
      throw new Error('the page is gone before it could note that it has sent');
    };
  });
  await page.goto('about:blank');
  await eventually('it arrived', async () => collector.codes.length === before + 3);
  const requests = collector.requests.length;
  await page.goto(`${origin}/`);
  await page.evaluate(() => {
    const { now } = Date;
    Date.now = () => now() + 25 * 3_600_000;
  });
  await page.evaluate(startReporter, given('late'));
  await eventually('it is settled', () => page.evaluate(async () => (await reporter.account()).waiting === 0));
  assert.equal(await page.evaluate(async () => (await reporter.account()).sent), 3);
  assert.equal(collector.requests.length, requests);
  await page.close();
});

await check('two tabs share a queue', async () => {
  const pages = [await open('strict', /Failed to load/), await open('strict', /Failed to load/)];
  const before = collector.codes.length;
  let n = 0;
  collector.fault = () => ['drop', 'busy', 'drop after counting', undefined][n++ % 4];
  for (const page of pages) await page.evaluate(startReporter, given('tabs', { wait: 20, batch: 4 }));
  await Promise.all(pages.map((page) => page.evaluate(async () => {
    for (let i = 0; i < 15; i++) await reporter.report(34);
  })));
  const isEmpty = (page) => page.evaluate(async () => {
    await reporter.flush().catch(() => {});
    return (await reporter.account()).waiting === 0;
  });
  for (const page of pages) await eventually('everything is sent', () => isEmpty(page));
  assert.equal(collector.codes.length, before + 30);
  assert.equal(await pages[0].evaluate(async () => (await reporter.account()).sent), 30);
  collector.fault = () => undefined;
  for (const page of pages) await page.close();
});

await check('the person sees what was sent and what it cost', async () => {
  const page = await open();
  await page.evaluate(startReporter, given('shown'));
  await page.evaluate(() => reporter.show(document.getElementById('account')));
  await page.evaluate(() => reporter.report([34, 51]));
  await page.waitForFunction(() => /2 reports: 0 sent, 2 waiting/.test(document.getElementById('account').textContent));
  await page.evaluate(() => reporter.flush());
  const text = await page.textContent('#account');
  assert.match(text, /2 reports: 2 sent, 0 waiting\.Each costs at most ε = 1, together 2\./);
  assert.match(text, /\(sent\)/);
  await page.close();
});

await check('nothing was asked of another host', () => {
  const known = [new URL(origin).host, new URL(collector.url).host];
  assert.deepEqual(requested.filter((host) => !known.includes(host)), []);
  assert.ok(requested.length > 50);
});
await check('the console is quiet', () => assert.deepEqual(complaints, []));

await browser.close();
collector.stop();
site.closeAllConnections();
site.close();
console.log(`browser: ${passed} checks in Chromium ${browser.version()}`);

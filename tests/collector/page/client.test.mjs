// The browser client that podiumd serves, in Chromium and in Node, against a podiumd that dies; and the code to copy.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { serve } from '../../web/site/browser.mjs';
import {
  age,
  fromPackage,
  openBrowser,
  PODIUM_LIBRARY,
  PODIUM_PROGRAM,
  PODIUM_SOURCE,
  PODIUM_WORK,
  Server,
  someone,
  SPEC,
  stopServers,
  until,
  visit,
} from './support.mjs';

const { Reporter, memoryStorage } = await fromPackage('reporter.js');
const KILLS = 6;
let browser, elsewhere;

before(async () => {
  browser = await openBrowser();
  const directory = path.join(PODIUM_WORK, 'elsewhere');
  mkdirSync(directory, { recursive: true });
  writeFileSync(
    path.join(directory, 'index.html'),
    '<!doctype html><link rel="icon" href="data:,"><title>a page</title>',
  );
  elsewhere = await serve(directory);
});
after(async () => {
  await browser?.close();
  await elsewhere?.close();
  await stopServers();
});
const origin = () => elsewhere.url.replace(/\/$/, '');

/** Kills the server while work goes on, and starts it again each time. */
async function killWhile(server, working) {
  let isDone = false;
  working.finally(() => (isDone = true)).catch(() => {});
  for (let kills = 0; kills < KILLS || !isDone; kills++) {
    await new Promise((resolve) => setTimeout(resolve, 60 + 30 * (kills % 5)));
    if (kills >= KILLS) continue;
    await server.stop('SIGKILL');
    await server.start();
  }
  return working;
}

test('Node: none lost and none twice, while podiumd is killed', async () => {
  const server = await new Server('killed-node', '--open').start();
  const quick = { batch: 5, wait: 1, retryFirst: 1, retryMost: 20, timeout: 2000, storage: memoryStorage() };
  const reporter = new Reporter(age, server.reports(), quick);
  let reported = 0;
  const work = async () => {
    for (let i = 0; i < 300; i++) {
      reported += await reporter.report(someone());
      if (i % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 30));
    }
    await until(
      async () => (await reporter.flush().catch(() => {}), (await reporter.account()).waiting === 0),
      'all sent',
    );
  };
  await killWhile(server, work());
  assert.deepEqual(await server.count(), [reported, 0]);
  reporter.close();
  await server.stop();
});

test('Chromium, on a page of another origin: none lost and none twice, while podiumd is killed', async () => {
  const server = await new Server('killed-browser', '--origin', origin()).start();
  const { page, context } = await visit(browser, elsewhere.url);
  const work = page.evaluate(
    async ({ url, spec, reports, token }) => {
      const { Collection } = await import(`${url}/client/index.js`);
      const { Reporter } = await import(`${url}/client/reporter.js`);
      const collection = await Collection.parse(spec);
      const reporter = new Reporter(collection, reports, {
        token,
        batch: 5,
        wait: 1,
        retryFirst: 1,
        retryMost: 20,
        timeout: 2000,
      });
      let reported = 0;
      for (let i = 0; i < 200; i++) {
        reported += await reporter.report(20 + (i % 60));
        if (i % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 50));
      }
      while ((await reporter.account()).waiting > 0)
        await reporter.flush().catch(() => new Promise((r) => setTimeout(r, 10)));
      return reported;
    },
    { url: server.url, spec: SPEC, reports: server.reports(), token: server.tokens.write },
  );
  await until(async () => (await server.count().catch(() => [0]))[0] > 0, 'first reports');
  const reported = await killWhile(server, work);
  assert.deepEqual(await server.count(), [reported, 0]);
  await context.close();
  await server.stop();
});

test('pages of an origin that is not listed get neither the client nor an answer', async () => {
  const server = await new Server('origins', '--origin', 'https://example.org').start();
  const { page, context } = await visit(browser, elsewhere.url);
  const outcomes = await page.evaluate(
    ({ url }) =>
      Promise.all([
        import(`${url}/client/reporter.js`).then(
          () => 'loaded',
          () => 'refused',
        ),
        fetch(`${url}/v1/collections/age/reports`, { method: 'POST', body: '{}' }).then(
          () => 'answered',
          () => 'refused',
        ),
      ]),
    { url: server.url },
  );
  assert.deepEqual(outcomes, ['refused', 'refused']);
  await context.close();
  await server.stop();
});

test('the code to copy does what it says', async () => {
  const server = await new Server('code', '--origin', origin(), '--key-hours', '48').start();
  const { page, context, complaints } = await visit(browser, server.url);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const code = {};
  for (const language of ['Python', 'C', 'Shell', 'Browser']) {
    await page.getByText(language, { exact: true }).click();
    code[language] = await page.locator('#code').textContent();
  }
  assert.match(code.Browser, /token: 'TOKEN', keyHours: 48 }/);
  await page.click('#copy-code');
  await page.waitForFunction(() => document.getElementById('copy-code').textContent === 'Copied');
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), code.Browser);
  assert.equal(await page.locator('#spec').textContent(), SPEC);
  assert.deepEqual(complaints, []);

  const environment = {
    ...process.env,
    TOKEN: server.tokens.write,
    PATH: `${path.dirname(PODIUM_PROGRAM)}:${process.env.PATH}`,
  };
  const options = { encoding: 'utf8', cwd: PODIUM_WORK, env: environment, stdio: ['ignore', 'pipe', 'ignore'] };
  const taken = '{"accepted":1,"refused":0,"duplicate":false}\n';
  let n = 0;
  assert.equal(execFileSync('sh', ['-c', code.Shell], options), taken);
  n++;
  writeFileSync(path.join(PODIUM_WORK, 'report.c'), code.C);
  execFileSync(
    'cc',
    ['-I', path.join(PODIUM_SOURCE, 'include'), 'report.c', PODIUM_LIBRARY, '-lcrypto', '-lm', '-o', 'report'],
    options,
  );
  const [, command] = code.C.match(/^ {3}(\.\/report \|[^]*) \*\/$/m);
  assert.equal(execFileSync('sh', ['-c', command], options), taken);
  n++;
  if (process.env.PODIUM_PYTHON) {
    const python = code.Python.replace('Bearer TOKEN', `Bearer ${server.tokens.write}`);
    assert.equal(execFileSync(process.env.PODIUM_PYTHON, ['-c', python], options), `${taken}\n`);
    n++;
  }
  const other = await visit(browser, elsewhere.url);
  await other.page.evaluate(
    (html) => {
      const script = document.createElement('script');
      script.type = 'module';
      script.textContent = html.replace(/<\/?script.*>/g, '');
      document.body.append(script);
    },
    code.Browser.replace('TOKEN', server.tokens.write),
  );
  await until(async () => (await server.count())[0] === n + 1, 'the report of the other page');
  await other.context.close();
  await context.close();
  await server.stop();
});

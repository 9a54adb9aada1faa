// The page as people use it: real clicks and keys in Chromium, light, dark and on a phone. Nothing in the console,
// nothing asked of another host, nothing that axe calls serious; and its numbers are those of the program.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { after, before, test } from 'node:test';
import { launch, serve } from './browser.mjs';

const { PODIUM_PROGRAM: program, PODIUM_WORK: work } = process.env;
const site = path.join(work, 'site');
const axe = readFileSync(path.join(work, 'npm/node_modules/axe-core/axe.min.js'), 'utf8');
const podium = (...words) => execFileSync(program, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
const LEARNT = 'podium, minimax, square-wave, laplace'.split(', ');
let browser, server;

before(async () => {
  server = await serve(site, '/some/where/');
  browser = await launch(path.join(work, 'npm'));
});
after(async () => {
  await browser?.close();
  await server?.close();
});

/** Opens the page, lets work use it, and fails if it complained or asked for anything beside itself. */
async function visit(options, work, url = server.url) {
  const context = await browser.newContext({ viewport: { width: 1100, height: 900 }, ...options });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await context.newPage();
  const complaints = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    const asked = request.url();
    if (!asked.startsWith(url.replace(/[^/]*$/, '')) && !asked.startsWith('blob:'))
      complaints.push(`asked for ${asked}`);
  });
  await page.goto(`${url}#${options.hash ?? ''}`);
  await settled(page);
  await work(page, context);
  assert.deepEqual(
    complaints.filter((complaint) => !options.expects?.some((words) => words.test(complaint))),
    [],
  );
  await context.close();
}

/** Waits until every section shows what it computed. */
async function settled(page) {
  await page.waitForFunction(() =>
    ['crowd-words', 'shape-words', 'compare-words', 'plan-words', 'odds-words', 'origin-words'].every(
      (id) => !['', 'Computing…'].includes(document.getElementById(id).textContent),
    ),
  );
}

const text = (page, id) => page.locator(`#${id}`).innerText();
const rowsOf = (page, selector) =>
  page.locator(selector).evaluateAll((rows) => rows.map((row) => ({ ...row.dataset })));

/** The program prints the shortest digits of a number, and the module's arithmetic may differ in the last bits. */
function same(actual, expected, what) {
  assert.ok(
    Math.abs(Number(actual) - expected) <= 1e-9 * Math.abs(expected),
    `${what}: ${actual} instead of ${expected}`,
  );
}

for (const [name, options] of Object.entries({
  light: {},
  dark: { colorScheme: 'dark', hash: 'mechanism=minimax' },
  phone: { viewport: { width: 390, height: 844 } },
  'dark phone': {
    viewport: { width: 390, height: 844 },
    colorScheme: 'dark',
    reducedMotion: 'reduce',
    hash: 'question=pay',
  },
}))
  test(`${name}: axe finds nothing serious, and nothing is too wide`, () =>
    visit(options, async (page) => {
      if (options.viewport) await page.click('#more');
      // The page's policy refuses scripts that are not its own, so axe comes through the debugger.
      const { violations, passes } = await page.evaluate(
        `${axe}; axe.run(document, { resultTypes: ['violations', 'passes'] })`,
      );
      const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
      assert.deepEqual(
        serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html)}`),
        [],
      );
      assert.ok(passes.length > 20);
      const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      assert.equal(content, window);
    }));

test('compares as podium compare does', () =>
  visit({ hash: 'low=-3&high=40&epsilon=0.8' }, async (page) => {
    const [head, ...lines] = podium('compare', '--range', '-3:40', '--epsilon', '0.8', '--format', 'csv')
      .trim()
      .split('\n');
    const fields = head.split(',');
    const printed = lines.map((line) => Object.fromEntries(line.split(',').map((word, i) => [fields[i], word])));
    const rows = await rowsOf(page, '#compare tbody tr');
    assert.deepEqual(
      rows.map(({ name }) => name),
      LEARNT,
    );
    for (const row of rows) {
      const expected = printed.find(({ mechanism }) => mechanism === row.name);
      for (const key of ['worst', 'distribution']) same(row[key], Number(expected[key]), `${row.name}, ${key}`);
    }
  }));

test('plans as podium plan does', () =>
  visit({}, async (page) => {
    const goals = {
      people: ['--epsilon', '0.8', '--within', '0.7'],
      within: ['--people', '4321', '--epsilon', '0.8'],
      epsilon: ['--people', '4321', '--within', '0.7'],
    };
    const cases = [
      ['people', 'mean'],
      ['within', 'mean'],
      ['epsilon', 'mean'],
      ['within', 'median'],
      ['within', 'histogram'],
    ];
    for (const [goal, about] of cases) {
      const words = [
        ...goals[goal],
        ...{ mean: [], median: ['--quantile', '0.5'], histogram: ['--histogram', '10'] }[about],
      ];
      await page.evaluate(
        (hash) => (location.hash = hash),
        `low=-3&high=40&epsilon=0.8&within=0.7&share=0.04&asked=4321&goal=${goal}&about=${about}`,
      );
      const command = ['plan', '--range', '-3:40', ...words];
      await page.waitForFunction(
        (shown) => document.getElementById('plan-command').textContent === shown,
        `podium ${command.join(' ')} --all`,
      );
      const { plans } = JSON.parse(podium(...command, '--format', 'json'));
      for (const { name, found } of await rowsOf(page, '#plan-bars > div'))
        same(found, plans.find(({ mechanism }) => mechanism === name)[goal], `${name}, ${goal} for the ${about}`);
    }
  }));

test('promises what podium explain does', () =>
  visit({ hash: 'epsilon=1.3' }, async (page) => {
    const told = podium('explain', '--epsilon', '1.3').replace(/\s+/g, ' ');
    const words = await text(page, 'odds-words');
    for (const [, phrase] of told.matchAll(/to at most (\d+ in \d+)/g))
      assert.ok(words.includes(phrase), `${phrase} in ${words}`);
    const [, factor] = told.match(/a factor of at most ([\d.]+)\./);
    assert.ok(words.includes(`factor of at most ${factor}.`));
    assert.ok(
      (await text(page, 'strength')).includes(
        JSON.parse(podium('explain', '--epsilon', '1.3', '--format', 'json')).strength,
      ),
    );
  }));

for (const mechanism of LEARNT)
  test(`${mechanism}: no report changes odds by more than e^ε, and one changes them`, () =>
    visit({ hash: `mechanism=${mechanism}&epsilon=0.7` }, async (page) => {
      const factors = (await page.locator('#odds > div').allInnerTexts()).map((row) =>
        Number(row.match(/([\d.]+)×/)?.[1] ?? 1),
      );
      assert.equal(factors.length, 10);
      assert.ok(Math.max(...factors) <= 2.02, String(factors)); // e^0.7, rounded upwards
      assert.ok(Math.max(...factors) > 1);
    }));

test('the estimate is close to the truth', () =>
  // Reports are random and cannot be seeded. A correct estimate is further away than 7 standard errors, 3.5 times the
  // interval's half, with probability 3e-12.
  visit({ hash: 'people=1000000&mechanism=minimax&truth=peaks' }, async (page) => {
    await page.waitForFunction(
      () => document.getElementById('shape-words').textContent.includes('1,000,000'),
      undefined,
      { timeout: 20000 },
    );
    const words = await text(page, 'crowd-words');
    const [, mean, lower, upper, truth] = words
      .match(/as ([\d.]+) years.* from ([\d.]+) to ([\d.]+)\. The truth is ([\d.]+)\.$/)
      .map(Number);
    assert.ok(Math.abs(mean - truth) < (3.6 * (upper - lower)) / 2, words);
    assert.ok(upper - lower < 1, words);
  }));

test('the keyboard reaches everything, and the crowd grows', () =>
  visit({}, async (page) => {
    await page.focus('#epsilon');
    await page.keyboard.press('End');
    await page.waitForFunction(() => document.getElementById('strength').textContent.includes('nominal'));
    assert.equal(await text(page, 'epsilon-value'), '8');
    await page.keyboard.press('Home');
    await page.waitForFunction(() => document.getElementById('odds-words').textContent.includes('1.11'));
    await page.focus('#chips input:checked');
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction(() => document.querySelector('#odds > div:nth-child(2)').classList.contains('chosen'));
    assert.match(
      await text(page, 'origin-words'),
      new RegExp(`A report of ${await page.locator('#chips label').nth(1).innerText()} `),
    );
    await page.focus('#people');
    await page.keyboard.press('End');
    await page.waitForFunction(() => document.getElementById('crowd-words').textContent.includes('1,000,000 people'));
    await page.click('#play');
    await page.waitForFunction(() => document.getElementById('crowd-words').textContent.includes('200 people'));
    await page.click('#play');
    const seen = new Set();
    await page.focus('#you .row input');
    for (let i = 0; i < 40; i++) {
      seen.add(await page.evaluate(() => document.activeElement.id || document.activeElement.name));
      await page.keyboard.press('Tab');
    }
    for (const id of [
      'value',
      'again',
      'report',
      'other',
      'people',
      'truth',
      'play',
      'goal',
      'about',
      'copy-link',
      'language',
      'code',
    ])
      assert.ok(seen.has(id), id);
  }));

test('a typed number stays: it is in no link and in no storage', () =>
  visit({}, async (page, context) => {
    await page.fill('#value', '47.1183');
    await page.waitForFunction(() => document.getElementById('strip-caption').textContent.includes('47.12'));
    await page.selectOption('#mechanism', 'laplace');
    await page.waitForFunction(() => location.hash.includes('laplace'));
    await page.click('#copy-link');
    const kept = [
      page.url(),
      await page.evaluate(() => navigator.clipboard.readText()),
      await page.evaluate(async () =>
        JSON.stringify([
          { ...localStorage },
          { ...sessionStorage },
          document.cookie,
          history.state,
          await indexedDB.databases(),
          await caches.keys(),
        ]),
      ),
      JSON.stringify(await context.cookies()),
    ];
    for (const place of kept) assert.ok(!place.includes('47.1'), place);
    assert.equal(kept[2], '[{},{},"",null,[],[]]');
  }));

test('a number outside the range counts as the nearer end, and a bad one is refused', () =>
  visit({}, async (page) => {
    await page.fill('#value', '500');
    await page.waitForFunction(() => document.getElementById('strip-caption').textContent.includes('reports of 120'));
    assert.match(await text(page, 'value-note'), /counts as 120/);
    await page.fill('#value', '');
    assert.match(await text(page, 'value-note'), /Type a number/);
    await page.fill('#low-number', '300');
    assert.match(await text(page, 'notice'), /the smaller one first/);
    await page.fill('#low-number', '1');
    await page.fill('#value', '34');
    await page.fill('#other', '-3');
    assert.match(await text(page, 'other-note'), /from 1 to 120 is needed here; until then it is 120/);
    await page.fill('#other', '60');
    assert.equal(await text(page, 'other-note'), '');
  }));

test('a plan that takes long says that it is computed', () =>
  visit({}, async (page) => {
    await page.evaluate(() => {
      const words = document.getElementById('plan-words');
      globalThis.said = [];
      const note = () => said.push([words.textContent, document.getElementById('plan-bars').ariaBusy]);
      new MutationObserver(note).observe(words, { childList: true });
    });
    await page.selectOption('#about', 'histogram');
    await page.waitForFunction(() => said.some(([words]) => words.includes('each of ten bars')));
    assert.deepEqual((await page.evaluate(() => said)).map(([words, busy]) => [words.split(' ')[0], busy]), [
      ['Computing…', 'true'],
      ['With', 'false'],
    ]);
    assert.equal(await page.getAttribute('#plan-words', 'aria-live'), 'polite');
  }));

test('an epsilon is planned for the average alone, and a bad number is refused', () =>
  visit({}, async (page) => {
    await page.selectOption('#about', 'histogram');
    await page.check('#goal [value="epsilon"]');
    assert.equal(await page.inputValue('#about'), 'mean');
    assert.equal(await page.locator('#about option:disabled').count(), 2);
    await page.waitForFunction(() => document.getElementById('plan-words').textContent.includes('is enough'));
    await page.fill('#asked', '0');
    assert.match(await text(page, 'plan-words'), /Type another number/);
  }));

test('without a clipboard the buttons copy what is selected', () =>
  visit({}, async (page) => {
    await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
    await page.evaluate(() =>
      addEventListener('copy', ({ target }) => (globalThis.copied = target.value.slice(target.selectionStart, target.selectionEnd))),
    );
    await page.click('#copy-code');
    await page.waitForFunction(() => document.getElementById('copy-code').textContent === 'Copied');
    assert.equal(await page.evaluate(() => globalThis.copied), await page.evaluate(() => document.getElementById('code').textContent));
  }));

test('the policy forbids the page to connect', () =>
  visit({ expects: [/Connecting to '.*' violates|Refused to connect/] }, async (page) => {
    const refused = await page.evaluate(
      () =>
        new Promise((seen) => {
          addEventListener('securitypolicyviolation', (event) => seen(event.effectiveDirective));
          fetch('index.html').then(
            () => seen('nothing'),
            () => {},
          );
        }),
    );
    assert.equal(refused, 'connect-src');
  }));

test('the link keeps the settings, and the copy buttons copy', () =>
  visit({}, async (page, context) => {
    await page.selectOption('#question', 'sleep');
    await page.selectOption('#mechanism', 'square-wave');
    await page.focus('#high');
    await page.keyboard.press('ArrowLeft');
    await page.focus('#epsilon');
    await page.keyboard.press('ArrowRight');
    await page.click('#copy-link');
    await page.waitForFunction(() => document.getElementById('copy-link').textContent === 'Copied');
    const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
    const link = await clipboard();
    await page.getByText('SQL', { exact: true }).click();
    await page.click('#copy-code');
    await page.waitForFunction(() => document.getElementById('copy-code').textContent === 'Copied');
    const code = await clipboard();
    assert.match(code, /podium_privatize\(sleep, 'square-wave epsilon=1.1 range=0:13.5'\)/);
    await page.click('#copy-consent');
    assert.match(await clipboard(), /at most 1 in \d+\. We see that you took part/);
    const other = await context.newPage();
    await other.goto(link);
    await settled(other);
    await other.getByText('SQL', { exact: true }).click();
    assert.equal(await other.locator('#code').textContent(), code);
  }));

test('works offline once it is loaded, and from a file', async () => {
  await visit({}, async (page, context) => {
    await context.setOffline(true);
    await page.selectOption('#mechanism', 'laplace');
    await page.waitForFunction(() => document.getElementById('code').textContent.includes('laplace'));
    const before = await page.locator('#chips').innerText();
    await page.click('#again');
    await page.waitForFunction((old) => document.getElementById('chips').innerText !== old, before);
  });
  await visit(
    {},
    async (page) => assert.match(await text(page, 'crowd-words'), /10,000 people/),
    pathToFileURL(path.join(site, 'index.html')).href,
  );
});

// The live page while reports come in, and the page to join, as people use them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { checkLooks, openBrowser, Server, stopServers, until, visit } from './support.mjs';

const LABEL = ['--label', 'age:region=north,south', '--question', 'age:How old are you?'];
const LOOKS = {
  light: {},
  dark: { colorScheme: 'dark' },
  phone: { viewport: { width: 390, height: 844 } },
  'dark phone': { viewport: { width: 390, height: 844 }, colorScheme: 'dark', reducedMotion: 'reduce' },
};
let browser, server, closed;

before(async () => {
  browser = await openBrowser();
  server = await new Server('pages', '--open', ...LABEL).start();
  closed = await new Server('pages-closed', ...LABEL).start();
});
after(async () => {
  await browser?.close();
  await stopServers();
});

const text = (page, id) => page.locator(`#${id}`).innerText();
const countOn = async (page) => Number((await text(page, 'count')).replaceAll(',', ''));
const shows = (page, n) => until(async () => (await countOn(page)) === n, `${n} reports on the page`);
/** How wide the band is, by the words of the page */
async function widthOn(page) {
  const [, lower, upper] = (await text(page, 'limits')).match(/from ([\d.−]+) to ([\d.−]+)/);
  return Number(upper.replace('−', '-')) - Number(lower.replace('−', '-'));
}

test('the live page follows the reports, and catches up after the server was away', async () => {
  const { page, context, complaints, requests } = await visit(browser, server.url);
  await page.waitForSelector('#state[data-state="live"]');
  await shows(page, 0);
  assert.equal(await text(page, 'title'), 'How old are you?');
  await server.send(400, { region: 'north' });
  await shows(page, 400);
  const wide = await widthOn(page);
  for (let i = 0; i < 4; i++) {
    await server.send(1500, { region: i % 2 ? 'north' : 'south' });
    await until(async () => (await countOn(page)) > 400 + 1500 * i, 'more reports on the page');
  }
  await shows(page, 6400);
  assert.ok((await widthOn(page)) < 0.5 * wide, 'the band did not narrow');
  const estimate = await (await fetch(`${server.url}/v1/collections/age/estimate?interval=anytime`)).json();
  assert.ok(Math.abs(Number(await text(page, 'mean')) - estimate.mean) < 0.06);
  assert.match(await page.getAttribute('#band', 'aria-label'), /From 6,400 reports the mean is estimated as/);
  assert.match(await page.getAttribute('#shape', 'aria-label'), /most frequent answers are/);
  assert.deepEqual(await page.locator('#groups tbody th').allInnerTexts(), ['north', 'south']);

  await server.post({ reports: [1.5, 'x'] });
  await server.post({ reports: [1], fingerprint: '0'.repeat(16) });
  await until(async () => (await page.locator('#reasons li').count()) === 3, 'three reasons');
  assert.match(
    await text(page, 'reasons'),
    /1 report was not a number\n1 report was a number that .*\n1 whole batch made for another/,
  );
  assert.equal(await text(page, 'refused'), '2');
  assert.match(await text(page, 'promise'), /a factor of at most 2\.72\..*to at most 74 in 100/);
  assert.deepEqual(complaints, []);

  await server.stop();
  await page.waitForSelector('#state[data-state="away"]');
  await server.start();
  await server.send(600);
  await shows(page, 7000);
  await page.waitForSelector('#state[data-state="live"]');
  assert.deepEqual(
    complaints.filter((words) => !/ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_INCOMPLETE_CHUNKED/.test(words)),
    [],
  );
  await context.setOffline(true);
  await server.send(100);
  await context.setOffline(false);
  await shows(page, 7100);
  assert.ok(requests.every((request) => !request.headers().referer));
  await context.close();
});

test('a page that is opened later draws the past', async () => {
  const { page, context, complaints } = await visit(browser, server.url);
  await page.waitForSelector('#state[data-state="live"]');
  await shows(page, 7100);
  const response = await fetch(`${server.url}/v1/collections/age/history?cumulative=true&interval=anytime`);
  assert.equal((await response.json()).at(-1).n, 7100);
  assert.deepEqual(complaints, []);
  await context.close();
});

test('of many groups of equal size the first thirty are shown', async () => {
  const cantons = Array.from({ length: 40 }, (_, i) => `canton-${i + 1}`);
  const many = await new Server('groups', '--open', '--label', `age:canton=${cantons.join()}`).start();
  for (const canton of cantons) await many.send(20, { canton });
  await many.send(30);
  const { page, context, complaints } = await visit(browser, many.url);
  await shows(page, 830);
  assert.deepEqual(await page.locator('#groups tbody th').allInnerTexts(), [...cantons.slice(0, 29), 'no canton']);
  assert.match(await text(page, 'groups'), /and 11 more groups/);
  assert.equal(await page.locator('#groups .lane rect').count(), 60);
  assert.deepEqual(complaints, []);
  await context.close();
  await many.stop();
});

test('a stream that is closed listens no more', async () => {
  const { page, context } = await visit(browser, server.url);
  await page.waitForSelector('#state[data-state="live"]');
  await page.evaluate(() => {
    const add = globalThis.addEventListener;
    globalThis.signals = [];
    globalThis.addEventListener = (type, listener, options) => {
      if (type === 'online') signals.push(options?.signal);
      add(type, listener, options);
    };
  });
  for (let i = 0; i < 5; i++) {
    await page.evaluate((hash) => (location.hash = hash), `other-${i}`);
    await page.waitForFunction((n) => signals.length === n, i + 1);
  }
  assert.equal(await page.evaluate(() => signals.filter((signal) => !signal?.aborted).length), 1);
  await context.close();
});

for (const [name, options] of Object.entries(LOOKS))
  test(`${name}: axe finds nothing serious on both pages, and nothing is too wide`, async () => {
    const { page, context, complaints } = await visit(browser, server.url, options);
    await shows(page, 7100);
    await checkLooks(page);
    await page.goto(`${server.url}/join/age`);
    await page.fill('#value', '34');
    await checkLooks(page);
    await page.keyboard.press('Enter');
    await page.waitForSelector('#preview:not([hidden])');
    await until(() => text(page, 'promise'), 'a promise');
    await checkLooks(page);
    await page.click('#drop');
    await page.waitForSelector('#others:not([hidden])');
    await checkLooks(page);
    assert.deepEqual(complaints, []);
    await context.close();
  });

test('the live page asks for a token, and keeps it in the tab', async () => {
  const { page, context, complaints, requests } = await visit(browser, closed.url);
  await page.waitForSelector('#token-form:not([hidden])');
  assert.deepEqual(complaints, []);
  await page.fill('#token', 'podium_read_wrong');
  await page.keyboard.press('Enter');
  await page.waitForSelector('#notice:not([hidden])');
  assert.equal(await text(page, 'notice'), 'This token may not read this collection.');
  await page.fill('#token', closed.tokens.read);
  await page.keyboard.press('Enter');
  await shows(page, 0);
  await page.reload();
  await shows(page, 0);
  assert.ok(requests.every((request) => !request.url().includes('podium_')));
  const stored = await page.evaluate(() => [JSON.stringify(localStorage), document.cookie]);
  assert.deepEqual(stored, ['{}', '']);
  await context.close();
  const link = await visit(browser, `${closed.url}/#age:${closed.tokens.read}`);
  await shows(link.page, 0);
  assert.equal(link.page.url(), `${closed.url}/#age`);
  assert.deepEqual(link.complaints, []);
  await link.context.close();
});

test('somebody answers by keyboard: nothing leaves before they agree, and never the number', async () => {
  const [n] = await server.count();
  const { page, context, complaints, requests } = await visit(browser, `${server.url}/join/age`);
  const posts = () => requests.filter((request) => request.method() === 'POST');
  await page.waitForSelector('#ask:not([hidden])');
  assert.equal(await text(page, 'title'), 'How old are you?');
  assert.ok(await page.isHidden('#others'));
  await page.focus('#value');
  await page.keyboard.type('37.625');
  await page.keyboard.press('Enter');
  await page.waitForSelector('#preview:not([hidden])');
  await until(() => text(page, 'promise'), 'a promise');
  const shown = await page.locator('#request').textContent();
  assert.equal(posts().length, 0);
  await page.focus('#send');
  await page.keyboard.press('Enter');
  await page.waitForSelector('#done:not([hidden])');
  await until(async () => (await text(page, 'done-title')) === 'Thank you', 'thanks');
  assert.equal(posts().length, 1);
  assert.equal(posts()[0].postData(), shown.split('\n').at(-1));
  assert.deepEqual(await server.count(), [n + 1, 2]);
  assert.match(await text(page, 'account'), /1 report: 1 sent, 0 waiting/);
  await until(async () => (await text(page, 'others-words')).includes((n + 1).toLocaleString('en')), 'the others');
  for (const request of requests) assert.ok(!`${request.url()} ${request.postData() ?? ''}`.includes('37.625'));
  await page.reload();
  await page.waitForSelector('#done:not([hidden])');
  assert.match(await text(page, 'done-title'), /This browser has answered/);
  assert.match(await text(page, 'again'), /from ε = 1 to ε = 2/);
  await page.fill('#value', '200');
  await page.keyboard.press('Enter');
  await page.waitForSelector('#preview:not([hidden])');
  await page.click('#drop');
  assert.match(await text(page, 'done-title'), /Nothing was sent/);
  assert.deepEqual(await server.count(), [n + 1, 2]);
  assert.deepEqual(complaints, []);
  await context.close();
});

test('a link to join carries its token behind the #', async () => {
  const bare = await visit(browser, `${closed.url}/join/age`);
  await bare.page.waitForSelector('#notice:not([hidden])');
  assert.ok(await bare.page.isHidden('#ask'));
  await bare.context.close();
  const { page, context, complaints, requests } = await visit(browser, `${closed.url}/join/age#${closed.tokens.write}`);
  await page.fill('#value', '50');
  await page.keyboard.press('Enter');
  await page.click('#send');
  await until(async () => (await text(page, 'done-title')) === 'Thank you', 'thanks');
  assert.deepEqual(await closed.count(), [1, 0]);
  assert.ok(await page.isHidden('#others')); // who may write may not read
  assert.ok(requests.every((request) => !request.url().includes('podium_')));
  assert.equal(page.url(), `${closed.url}/join/age`);
  const none = await visit(browser, `${closed.url}/join/nothing`);
  await until(async () => /asks nothing/.test(await text(none.page, 'notice')), 'a notice');
  assert.deepEqual(complaints, []);
  await context.close();
});

// Frames a second while somebody drags a slider and a million people answer, and the processor's time that the page's
// own thread takes for one. A display shows 60 a second if that is below 16.7 ms and a core is free.
//
//   node site.mjs DIRECTORY-OF-THE-PAGE DIRECTORY-OF-NPM
import { launch, serve } from '../tests/web/site/browser.mjs';

const [directory, packages] = process.argv.slice(2);
const SECONDS = 5;
const server = await serve(directory);
const browser = await launch(packages);
const page = await browser.newPage({ viewport: { width: 1100, height: 900 } });

const debug = await page.context().newCDPSession(page);
await debug.send('Performance.enable', { timeDomain: 'threadTicks' });
/** Milliseconds that the page's thread has worked */
async function worked() {
  const { metrics } = await debug.send('Performance.getMetrics');
  return 1000 * metrics.find(({ name }) => name === 'TaskDuration').value;
}

/** Counts frames and the longest pause between two of them, until stop() is called. */
function count() {
  const times = [];
  let isOn = true;
  const frame = (now) => (times.push(now), isOn && requestAnimationFrame(frame));
  requestAnimationFrame(frame);
  globalThis.stop = () => {
    isOn = false;
    const pauses = times
      .slice(1)
      .map((time, i) => time - times[i])
      .sort((a, b) => a - b);
    const seconds = (times.at(-1) - times[0]) / 1000;
    return {
      count: times.length - 1,
      frames: (times.length - 1) / seconds,
      median: pauses[pauses.length >> 1],
      p99: pauses[Math.floor(0.99 * pauses.length)],
      most: pauses.at(-1),
    };
  };
}

async function measure(name, hash, id) {
  await page.goto('about:blank');
  await page.goto(`${server.url}#${hash}`);
  await page.waitForSelector('#plan-bars > div');
  await page.locator('#crowd').scrollIntoViewIfNeeded();
  await page.waitForTimeout(1500);
  const box = await page.locator(`#${id}`).boundingBox();
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width / 2, y);
  await page.mouse.down();
  await page.evaluate(count);
  const start = await worked();
  for (let end = Date.now() + 1000 * SECONDS, t = 0; Date.now() < end; t += 0.03) {
    await page.mouse.move(box.x + box.width * (0.5 + 0.45 * Math.sin(t)), y);
    await page.waitForTimeout(8);
  }
  const { count: shown, frames, median, p99, most } = await page.evaluate(() => globalThis.stop());
  const each = ((await worked()) - start) / shown;
  await page.mouse.up();
  const ms = (x) => `${x.toFixed(1)} ms`;
  console.log(`${name.padEnd(36)} ${frames.toFixed(1)} frames a second, ${ms(each)} of work each; between two frames \
${ms(median)} at the median, ${ms(p99)} in 99 of 100, ${ms(most)} at most`);
}

await measure('nothing dragged but the mouse', 'people=100', 'crowd-words');
for (const mechanism of ['podium', 'minimax', 'square-wave', 'laplace'])
  await measure(`epsilon, ${mechanism}, 1000000 people`, `people=1000000&mechanism=${mechanism}`, 'epsilon');
await measure('people, podium', 'people=1000000', 'people');
await browser.close();
await server.close();

// A few calls that every runtime must manage: Node from 18 on, Deno, a browser. Prints what docs/web.md promises.
import { Collection } from 'podium-privacy';
import { Collection as InlineCollection } from 'podium-privacy/inline';
import { Collection as DeviceCollection } from 'podium-privacy/device';
import { Collection as DeviceInlineCollection } from 'podium-privacy/device-inline';
import { Reporter } from 'podium-privacy/reporter';

const age = await Collection.parse('minimax epsilon=1 range=1:120');
const all = [age, await InlineCollection.parse(age.spec), await DeviceCollection.parse(age.design)];
all.push(await DeviceInlineCollection.parse(age.design));
for (const one of all) {
  const reports = one.privatize(new Float64Array(20_000).fill(42));
  const { mean, standardError } = age.aggregate(reports).summary();
  if (!(Math.abs(mean - 42) < 8 * standardError)) throw new Error(`the mean is ${mean}`); // fails once in 10^15 runs
}
const sent = [];
const answer = () => new Response(JSON.stringify({ accepted: 2, refused: 0, duplicate: false }));
const reporter = new Reporter(age, 'http://127.0.0.1/', { fetch: async (_, { body }) => (sent.push(body), answer()) });
await reporter.report([34, 51]);
await reporter.flush();
reporter.close();
if (sent.length !== 1 || (await reporter.account()).sent !== 2) throw new Error('the Reporter did not send');
console.log('the package works');

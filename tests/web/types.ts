// What a program in TypeScript may write. tsc checks it; nothing runs it.
import { Aggregate, Collection, PodiumError, compare, explain, plan, promise, type Summary } from 'podium-privacy';
import { Collection as Inline } from 'podium-privacy/inline';
import { Collection as DeviceCollection, load, type Codes } from 'podium-privacy/device';
import { Collection as DeviceInline } from 'podium-privacy/device-inline';
import { Reporter, type Account } from 'podium-privacy/reporter';

const age: Collection = await Collection.parse('minimax epsilon=1 range=1:120');
const report: number = age.privatize(34);
const reports: Float64Array = age.privatize(new Float64Array(3), { nan: 'middle' });
const codes: Codes = age.codes([34, 51]);
const sums: Aggregate = age.aggregate().add(reports).addCodes(codes).merge(age.aggregate(report));
const bytes: Uint8Array = sums.encode();
const same: Aggregate = await Aggregate.decode(bytes);
const summary: Summary = same.summary({ confidence: 0.95, interval: 'anytime', histogram: 20, quantiles: [0.5] });
const [median] = summary.quantiles;
const reason: string | undefined = summary.withheld.mean;
const { people } = await plan(age, { within: 2 });
const odds: number = (await promise(1)).most;

const device: DeviceCollection = await DeviceCollection.parse(age.design);
const also: DeviceCollection[] = [age, await Inline.parse(age.spec), await DeviceInline.parse(age.design)];
await load(new URL('https://example.org/podium-device.wasm'));
const reporter = new Reporter(device, 'https://example.org/v1/collections/age/reports', {
  token: 'secret',
  labels: { country: 'CH' },
  onChange: (account: Account) => console.log(account.spent),
});
await reporter.report(34);
await reporter.report([34, 51], { nan: 'middle' });
console.log(median?.value, reason, people, odds, also, await compare({ epsilon: 1, range: [1, 120] }), await explain(age));

// @ts-expect-error: a text is not a value
age.privatize('34');
// @ts-expect-error: no such interval
sums.summary({ interval: 'sure' });
// @ts-expect-error: a code cannot be NaN
age.codes([34], { nan: 'keep' });
// @ts-expect-error: collections are parsed
new Collection('minimax epsilon=1 range=1:120');
// @ts-expect-error: a device has no aggregates
device.aggregate();
try {
  await Collection.parse('');
} catch (error) {
  if (error instanceof PodiumError) console.log(error.status, error.column);
}

// podium-privacy: the whole library, with its module in a file beside this one.
import { library } from './whole.js';

library.source ??= new URL('./podium.wasm', import.meta.url);

export { Aggregate, Collection, PodiumError } from './whole.js';
export { adjust, compare, explain, load, mechanisms, plan, planDifference, promise, version } from './whole.js';

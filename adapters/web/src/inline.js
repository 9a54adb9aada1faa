// podium-privacy/inline: the whole library, with its module inside.
import { bytes } from './podium-bytes.js';
import { library } from './whole.js';

library.source ??= bytes;

export { Aggregate, Collection, PodiumError } from './whole.js';
export { adjust, compare, explain, load, mechanisms, plan, planDifference, promise, version } from './whole.js';

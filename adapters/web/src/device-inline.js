// podium-privacy/device-inline: the device's half alone, with its module inside.
import { bytes } from './podium-device-bytes.js';
import { library } from './device-half.js';

library.source ??= bytes;
library.whole ??= () => import('./inline.js');

export { Collection, PodiumError, load } from './device-half.js';

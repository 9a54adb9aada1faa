// podium-privacy/device: the device's half alone, with its module in a file beside this one.
import { library } from './device-half.js';

library.source ??= new URL('./podium-device.wasm', import.meta.url);
library.whole ??= () => import('./index.js');

export { Collection, PodiumError, load } from './device-half.js';

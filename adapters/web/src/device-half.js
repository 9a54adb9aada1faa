// The device's half, wherever its module comes from.
import { Collection as Base } from './collection.js';
import { decodeDesign, isDesign } from './design.js';
import { Library, PodiumError } from './library.js';

export const library = new Library();

export class Collection extends Base {
  /** Makes a collection from a design, or, with the whole library, from a spec. */
  static async parse(text) {
    if (typeof text !== 'string') throw new PodiumError('a design or a spec is a text');
    const core = await library.core();
    const design = isDesign(text) ? text : await designOf(text);
    const { spec, bytes } = decodeDesign(design, core.call.collectionSize(), core.text(core.call.version()));
    core.current = undefined;
    core.fresh().bytes.set(bytes, core.call.collection());
    core.check(core.call.check());
    return new this(core, spec);
  }
}

/** Loads the whole library for its solvers. */
async function designOf(spec) {
  const whole = await library.whole();
  return (await whole.Collection.parse(spec)).design;
}

export const load = (source) => library.load(source);
export { PodiumError };

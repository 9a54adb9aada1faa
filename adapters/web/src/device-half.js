// The device's half, wherever its module comes from.
import { Collection as Base } from './collection.js';
import { Library } from './library.js';

export const library = new Library();

export class Collection extends Base {
  static library = library;
}

/** Says where the module comes from. */
export const load = (source) => library.load(source);
export { PodiumError } from './library.js';

// What the tests of the package share: seeded random bytes in place of crypto.getRandomValues, and a look at its memory.

const MASK = (1n << 64n) - 1n;

/** SplitMix64, as tests/devices/vectors.c has it. */
export class Generator {
  #state;
  #bytes = new Uint8Array(0);

  constructor(seed) {
    this.#state = BigInt(seed);
  }

  word() {
    this.#state = (this.#state + 0x9e3779b97f4a7c15n) & MASK;
    let z = this.#state;
    z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK;
    z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & MASK;
    return z ^ (z >> 31n);
  }

  /** From 0 to below n */
  below(n) {
    return Number(this.word() % BigInt(n));
  }

  fill(bytes) {
    let done = Math.min(this.#bytes.length, bytes.length);
    bytes.set(this.#bytes.subarray(0, done));
    this.#bytes = this.#bytes.subarray(done);
    const words = new BigUint64Array(Math.ceil((bytes.length - done) / 8)).map(() => this.word());
    const more = new Uint8Array(words.buffer);
    bytes.set(more.subarray(0, bytes.length - done), done);
    this.#bytes = words.length > 0 ? more.slice(bytes.length - done) : this.#bytes;
    return bytes;
  }
}

const realCrypto = globalThis.crypto;

/** Runs work with another getRandomValues; undefined stands for none. */
export async function withRandom(getRandomValues, work) {
  const value = getRandomValues && { getRandomValues };
  Object.defineProperty(globalThis, 'crypto', { value, configurable: true, writable: true });
  try {
    return await work();
  } finally {
    Object.defineProperty(globalThis, 'crypto', { value: realCrypto, configurable: true, writable: true });
  }
}

export const withSeed = (seed, work) => {
  const generator = new Generator(seed);
  return withRandom((view) => generator.fill(view), work);
};

/** The memories of all modules that were instantiated since this file was loaded */
export const memories = [];
const { Instance } = WebAssembly;
WebAssembly.Instance = class extends Instance {
  constructor(...given) {
    super(...given);
    memories.push(this.exports.memory);
  }
};

/** Where 8 bytes occur in any memory. */
export function found(eight) {
  const wanted = Buffer.from(eight.buffer, eight.byteOffset, 8);
  return memories.flatMap(({ buffer }, i) => {
    const at = Buffer.from(buffer).indexOf(wanted);
    return at < 0 ? [] : [`memory ${i} at ${at}`];
  });
}

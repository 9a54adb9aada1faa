// The library: the WebAssembly module, its memory, and its errors.
/** What the library says when it cannot do something. It never contains a private value. */
export class PodiumError extends Error {
  /**
   * @param {string} message
   * @param {{ status?: number, field?: string, line?: number, column?: number }} [details]
   */
  constructor(message, details = {}) {
    super(message);
    this.name = 'PodiumError';
    /** The library's podium_status, or 0 if the package itself refused an argument. */
    this.status = details.status ?? 0;
    /** What is wrong in a text, and where, counted from 1. */
    this.field = details.field;
    this.line = details.line;
    this.column = details.column;
  }
}

const PAGE_VALUES = 4096; // of core.h
const RANDOM_BYTES_MAX = 65536; // what one call of getRandomValues may ask for
const WASI_SUCCESS = 0;
const WASI_FAILED = 29; // EIO

/** Node's modules, by a name that no bundler for browsers follows */
const ofNode = (name) => import(/* webpackIgnore: true */ /* @vite-ignore */ `node:${name}`);
const isNode = globalThis.process?.versions?.node !== undefined;

async function readUrl(url) {
  if (url.protocol === 'file:' && isNode) return (await ofNode('fs/promises')).readFile(url);
  const response = await fetch(url);
  if (!response.ok) throw new PodiumError(`the module could not be fetched: ${url} was answered by ${response.status}`);
  return response.arrayBuffer();
}

/** The digits of x as printf's %.*g writes them, which differs from toPrecision in ties, zeros and exponents. */
function formatNumber(x, digits) {
  if (!Number.isFinite(x)) return x > 0 ? 'inf' : x < 0 ? '-inf' : 'nan';
  let [mantissa, exponent] = x.toExponential(digits - 1).split('e');
  const [exact] = x.toExponential(100).split('e');
  const [before, after] = [exact.slice(0, exact.indexOf('.') + digits), exact.slice(exact.indexOf('.') + digits)];
  // JavaScript rounds a tie away from zero, and C to the even digit. A tie's even digit is the one that is cut off.
  if (/^50*$/.test(after) && /[02468]\.?$/.test(before)) mantissa = before;
  mantissa = mantissa.includes('.') ? mantissa.replace(/\.?0*$/, '') : mantissa;
  if (exponent < -4 || exponent >= digits) return `${mantissa}e${exponent.replace(/^([+-])(\d)$/, '$10$2')}`;
  return String(Number(`${mantissa}e${exponent}`).toPrecision(digits)).replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '');
}

/** The module with one memory. Whatever is private is in it only during a call. */
class Core {
  /** @param {Crypto | undefined} crypto what Node 18 has instead of globalThis.crypto */
  constructor(module, crypto) {
    this.crypto = crypto;
    const imports = {
      Math,
      podium: { write: this.#write.bind(this), read: this.#read.bind(this) },
      wasi_snapshot_preview1: { random_get: this.#random.bind(this) },
    };
    const instance = new WebAssembly.Instance(module, imports);
    /** The functions of adapters/web/core. */
    this.call = instance.exports;
    this.memory = instance.exports.memory;
    this.#look();
    this.current = undefined; // the collection whose bytes are in the memory
  }

  /** Makes the views again, because a memory that has grown has a new buffer. */
  #look() {
    const { buffer } = this.memory;
    this.buffer = buffer;
    this.bytes = new Uint8Array(buffer);
    this.page = new Float64Array(buffer, this.call.page(), PAGE_VALUES);
    this.cells = new Uint32Array(buffer, this.call.cells(), PAGE_VALUES);
    this.random = undefined;
  }

  fresh() {
    if (this.buffer !== this.memory.buffer) this.#look();
    return this;
  }

  /** WASI's random_get: fails rather than using anything weaker than getRandomValues. */
  #random(address, n) {
    try {
      const crypto = globalThis.crypto ?? this.crypto;
      this.fresh();
      if (this.random?.byteOffset !== address || this.random.byteLength !== n)
        this.random = this.bytes.subarray(address, address + n);
      for (let done = 0; done < n; done += RANDOM_BYTES_MAX)
        crypto.getRandomValues(n <= RANDOM_BYTES_MAX ? this.random : this.random.subarray(done, done + RANDOM_BYTES_MAX));
      return WASI_SUCCESS;
    } catch {
      return WASI_FAILED;
    }
  }

  #write(address, digits, x) {
    const text = formatNumber(x, digits);
    this.fresh();
    for (let i = 0; i < text.length; i++) this.bytes[address + i] = text.charCodeAt(i);
    return text.length;
  }

  #read(address, n) {
    return Number(this.decode(address, n));
  }

  /** The text of n bytes at an address. */
  decode(address, n) {
    return new TextDecoder().decode(this.fresh().bytes.subarray(address, address + n));
  }

  /** A text of C, which ends with a 0 byte. */
  words(address) {
    return this.decode(address, this.fresh().bytes.indexOf(0, address) - address);
  }

  /** The text of n bytes in the page. */
  text(n) {
    return this.decode(this.page.byteOffset, n);
  }

  /** Writes bytes into the page. */
  put(bytes, what) {
    this.fresh();
    if (bytes.length > this.page.byteLength) throw new PodiumError(`${what} has more than ${this.page.byteLength} bytes`);
    this.bytes.set(bytes, this.page.byteOffset);
    return bytes.length;
  }

  /** Copies n bytes of the page. */
  copy(n) {
    this.fresh();
    return this.bytes.slice(this.page.byteOffset, this.page.byteOffset + n);
  }

  error(status, details = {}) {
    return new PodiumError(this.words(this.call.message(status)), { ...details, status });
  }

  /** Throws the library's words unless the status is PODIUM_OK. */
  check(status) {
    if (status !== 0) throw this.error(status);
    this.fresh();
  }

  /** Calls are about this collection from now on. */
  use(collection) {
    if (this.current === collection) return this;
    this.fresh().bytes.set(collection.bytes, this.call.collection());
    this.current = collection;
    return this;
  }
}

/** One of the two modules, loaded when it is first needed. */
export class Library {
  /** @type {URL | string | BufferSource | WebAssembly.Module | undefined} */
  source;
  #core;

  /** Loads the module from another source. */
  async load(source) {
    this.source = source;
    this.#core = undefined;
    await this.core();
  }

  /** @returns {Promise<Core>} */
  core() {
    this.#core ??= this.#make().catch((error) => {
      this.#core = undefined; // so that the next call tries again
      throw error;
    });
    return this.#core;
  }

  async #make() {
    const crypto = globalThis.crypto === undefined && isNode ? (await ofNode('crypto')).webcrypto : undefined;
    const { source } = this;
    if (source instanceof WebAssembly.Module) return new Core(source, crypto);
    const isUrl = source instanceof URL || typeof source === 'string';
    const bytes = isUrl ? await readUrl(new URL(source, globalThis.location?.href)) : source;
    return new Core(await WebAssembly.compile(bytes), crypto);
  }
}

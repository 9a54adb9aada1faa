// The library: a WebAssembly module, its memory, and its errors.

/** What the library says when it cannot do something. It never contains a private value. */
export class PodiumError extends Error {
  constructor(message, { status = 0, field, line, column } = {}) {
    super(message);
    this.name = 'PodiumError';
    this.status = status;
    this.field = field;
    this.line = line;
    this.column = column;
  }
}

const PAGE_VALUES = 4096; // of core.h
const RANDOM_FAILED = 11; // of podium.h
const ARGUMENT_WRONG = 18;

/** What Node 18 has instead of globalThis.crypto. */
let nodeCrypto;

/** The Crypto whose getRandomValues makes all random bits. There is no other source: without it, everything fails. */
export const randomSource = () => globalThis.crypto ?? nodeCrypto;

/** The module with one memory. Whatever is private is in it during a call only. */
class Core {
  /** hosts are what C calls besides `random`. */
  constructor(module, hosts) {
    const random = (address, n) => this.#random(address, n);
    const instance = new WebAssembly.Instance(module, { Math, podium: { random, ...hosts(this) } });
    /** The functions of adapters/web/core. */
    this.call = instance.exports;
    /** The collection whose bytes are in the memory. */
    this.current = undefined;
    this.fresh();
  }

  /** Makes the views again if the memory has grown, because it has a new buffer then. */
  fresh() {
    const { buffer } = this.call.memory;
    if (this.buffer === buffer) return this;
    this.buffer = buffer;
    this.bytes = new Uint8Array(buffer);
    this.page = new Float64Array(buffer, this.call.page(), PAGE_VALUES);
    this.cells = new Uint32Array(buffer, this.call.cells(), PAGE_VALUES);
    return this;
  }

  /** Fills memory with random bytes. It fails rather than using anything weaker than getRandomValues. */
  #random(address, n) {
    try {
      randomSource().getRandomValues(this.fresh().bytes.subarray(address, address + n));
      return true;
    } catch {
      return false;
    }
  }

  /** The text of n bytes at an address; without n, up to a 0 byte. */
  text(address, n) {
    const { bytes } = this.fresh();
    return new TextDecoder().decode(bytes.subarray(address, n === undefined ? bytes.indexOf(0, address) : address + n));
  }

  /** Writes bytes or a text into the page, and returns how many bytes there are. */
  put(given, what) {
    const bytes = typeof given === 'string' ? new TextEncoder().encode(given) : given;
    const { page } = this.fresh();
    if (bytes.length > page.byteLength) throw new PodiumError(`${what} has more than ${page.byteLength} bytes`);
    this.bytes.set(bytes, page.byteOffset);
    return bytes.length;
  }

  /** A copy of n bytes at an address. */
  copy(address, n) {
    return this.fresh().bytes.slice(address, address + n);
  }

  /** The library's words, and the public arguments that were given, by name, if one of them is wrong. */
  error(status, given) {
    let message = this.text(this.call.message(status));
    if (status === RANDOM_FAILED) message += ', because there is no crypto.getRandomValues, or it threw';
    if (status === ARGUMENT_WRONG && given) message += `: ${JSON.stringify(given)}`;
    return new PodiumError(message, { status });
  }

  /** Throws the library's words unless the status is PODIUM_OK. */
  check(status, given) {
    if (status !== 0) throw this.error(status, given);
    return this.fresh();
  }

  /** Calls are about this collection from now on. */
  use(collection) {
    if (this.current !== collection) {
      this.fresh().bytes.set(collection.bytes, this.call.collection());
      this.current = collection;
    }
    return this;
  }
}

const isNode = globalThis.process?.versions?.node !== undefined;
/** A module of Node, by a name that no bundler for browsers follows */
const ofNode = (name) => import(/* webpackIgnore: true */ /* @vite-ignore */ `node:${name}`);

async function readUrl(url) {
  if (url.protocol === 'file:' && isNode) return (await ofNode('fs/promises')).readFile(url);
  const response = await fetch(url);
  if (!response.ok) throw new PodiumError(`the module could not be fetched: ${url} was answered by ${response.status}`);
  return response.arrayBuffer();
}

async function compile(bytes) {
  try {
    return await WebAssembly.compile(bytes);
  } catch (error) {
    const hint = "a Content-Security-Policy needs script-src 'wasm-unsafe-eval'";
    throw new PodiumError(`the module could not be compiled (${hint}): ${error.message}`);
  }
}

/** One of the two modules, loaded when it is first needed. */
export class Library {
  /** Where the module comes from: a URL, its bytes, or the compiled module. */
  source;
  #hosts;
  #core;

  constructor(hosts = () => ({})) {
    this.#hosts = hosts;
  }

  /** Loads the module from another source. */
  async load(source) {
    this.source = source;
    this.#core = undefined;
    await this.core();
  }

  /** The core, once it is loaded. If that fails, the next call tries again. */
  core() {
    this.#core ??= this.#make().catch((error) => {
      this.#core = undefined;
      throw error;
    });
    return this.#core;
  }

  async #make() {
    const { source } = this;
    if (globalThis.crypto === undefined && isNode) nodeCrypto = (await ofNode('crypto')).webcrypto;
    const isUrl = source instanceof URL || typeof source === 'string';
    const bytes = isUrl ? await readUrl(new URL(source, globalThis.location?.href)) : source;
    const module = bytes instanceof WebAssembly.Module ? bytes : await compile(bytes);
    return new Core(module, this.#hosts);
  }
}

/**
 * `Filter`: what every class of filter has. Methods check what only JavaScript can get wrong and hand the rest to a backend.
 */
import { type Backend, Fact, type Handle, type LooseInteger } from "./backend.js";
import { feed, gather, KEEP, type Keys } from "./batch.js";
import { loadBytes, type LoadOptions, type LoadSource, localPath, saveBytes, type SharedHandle } from "./io.js";
import { type KeyHash, readHash, writeHash } from "./keyhash.js";
import { asBytes, isWellFormed, type Key, notice, typeName, writeKey } from "./keys.js";
import { BRAND, type Foreign, notFilter, Place, together } from "./place.js";
import { anyHome, type Homes } from "./runtime.js";

/** How bytes are written. */
export interface ToBytesOptions {
  /** Leaves the seed out; who reads the bytes must know it. Default false. */
  withholdSeed?: boolean;
}

/** How bytes are read. */
export interface FromBytesOptions {
  /** The seed, when it was withheld from the bytes. */
  seed?: number | bigint;
}

/** @internal A filter that exists already, on its way into the class. */
export class Adopted<B extends Backend> extends Place<B> {}

/** What every class of filter has. Not to be constructed. */
export abstract class Filter<B extends Backend = Backend> {
  readonly #place: Place<B>;

  /** @internal */
  constructor(place: Place<B>) {
    this.#place = place;
  }

  /** @internal A new filter of the same class. */
  abstract _like(backend: B, handle: Handle): this;
  /** @internal The facts for `inspect`. */
  abstract _describe(): string;

  /** @internal Where a value lives if it is a filter of this copy; otherwise what it offers to be read by. */
  static _placeOf<B extends Backend>(homes: Homes<B>, value: unknown, field: string): Place<B> | Foreign {
    if (typeof value === "object" && value !== null) {
      if (#place in value) {
        const place = (value as Filter).#place as Place;
        if ((place.homes as unknown) === homes) return place as unknown as Place<B>;
      } else if ((value as Record<symbol, unknown>)[BRAND] === homes.kind && typeof (value as Foreign).toBytes === "function") {
        return value as Foreign;
      }
    }
    throw notFilter(homes.home(0), field, value);
  }

  /** Checks the receiver: `BloomFilter.prototype.has.call(somethingElse)` gets a helpful error. */
  static #of<B extends Backend>(value: Filter<B>): Place<B> {
    if (typeof value === "object" && value !== null && #place in value) return value.#place;
    throw notFilter(anyHome(), "this", value);
  }

  /** @internal */
  _together<T>(other: unknown, work: (backend: B, a: Handle, b: Handle) => T): T {
    const place = Filter.#of(this);
    return together(place, Filter._placeOf(place.homes, other, "other"), work);
  }

  // ---- keys

  /**
   * Adds a key.
   *
   * @returns true if it was new: the answer of `has` just before. Among threads at most one is told so.
   * @throws KeyTypeError for a value that is no key.
   */
  add(key: Key): boolean {
    const place = Filter.#of(this);
    const { backend } = place;
    const filter = place.open();
    const length = writeKey(backend, key, 0);
    const answer = backend.add(filter, length) === 1;
    if (length > KEEP) backend.reserve(0);
    return answer;
  }

  /**
   * Asks for a key.
   *
   * @returns false: never added. true: probably added.
   * @throws KeyTypeError for a value that is no key.
   */
  has(key: Key): boolean {
    const place = Filter.#of(this);
    const { backend } = place;
    const filter = place.open();
    const length = writeKey(backend, key, 0);
    const answer = backend.has(filter, length) === 1;
    if (length > KEEP) backend.reserve(0);
    return answer;
  }

  /**
   * Adds many keys, in order, as a loop over `add` would.
   *
   * @returns One byte a key: 1 if it was new. A repeat inside the batch is 0.
   * @throws KeyTypeError with `index` for a value that is no key; the keys before it are in.
   */
  addMany(keys: Keys): Uint8Array {
    const place = Filter.#of(this);
    return place.pinned((backend) =>
      gather(backend, keys, {
        packed: (count) => backend.addMany(place.open(), count),
        ints: (count) => backend.addInts(place.open(), count),
      }),
    );
  }

  /**
   * Asks for many keys, in order.
   *
   * @returns One byte a key: 1 probably there, 0 certainly not.
   * @throws KeyTypeError with `index` for a value that is no key.
   */
  hasMany(keys: Keys): Uint8Array {
    const place = Filter.#of(this);
    return place.pinned((backend) =>
      gather(backend, keys, {
        packed: (count) => backend.hasMany(place.open(), count),
        ints: (count) => backend.hasInts(place.open(), count),
      }),
    );
  }

  /** Adds the keys of all iterables. */
  update(...iterables: Keys[]): void {
    const place = Filter.#of(this);
    place.pinned((backend) => {
      const sink = {
        packed: (count: number) => backend.addMany(place.open(), count),
        ints: (count: number) => backend.addInts(place.open(), count),
      };
      for (const keys of iterables) feed(backend, keys, sink);
    });
  }

  /** Hashes a key once, to ask many filters of the same seed with it. */
  keyHash(key: Key): KeyHash {
    const { backend, handle } = this._opened();
    const length = writeKey(backend, key, 0);
    backend.keyHash(handle, length);
    const hash = readHash(backend);
    if (length > KEEP) backend.reserve(0);
    return hash;
  }

  /** `add` by hash. @throws MismatchError (`ERR_SEED_DIFFERS`) for a hash made with another seed. */
  addHash(hash: KeyHash): boolean {
    const { backend, handle } = this._opened();
    writeHash(backend, hash);
    return backend.addHash(handle) === 1;
  }

  /** `has` by hash. @throws MismatchError (`ERR_SEED_DIFFERS`) for a hash made with another seed. */
  hasHash(hash: KeyHash): boolean {
    const { backend, handle } = this._opened();
    writeHash(backend, hash);
    return backend.hasHash(handle) === 1;
  }

  // ---- whole filters

  /** Takes all keys out. */
  clear(): void {
    const { backend, handle } = this._opened();
    backend.clear(handle);
  }

  /** A deep copy; a copy of a read-only filter can be changed. */
  clone(): this {
    const { backend, handle } = this._opened();
    return this._like(backend, backend.clone(handle));
  }

  /**
   * A new filter with the keys of both: equal to the one that all keys had been added to.
   *
   * @throws MismatchError unless layout, seed and probes are equal and one size divides the other.
   */
  union(other: this): this {
    return this._combine(other, (backend, a, b) => backend.union(a, b));
  }

  /** Adds the keys of another filter, whose size must be a multiple of this one's. */
  unionWith(other: this): void {
    this._together(other, (backend, a, b) => backend.unionWith(a, b));
  }

  /** Whether parameters and bits are the same. Metadata may differ. */
  equals(other: this): boolean {
    return this._together(other, (backend, a, b) => backend.equals(a, b));
  }

  /** @internal */
  _combine(other: unknown, work: (backend: B, a: Handle, b: Handle) => Handle): this {
    return this._together(other, (backend, a, b) =>
      this._like(backend, work(backend, a, b)),
    );
  }

  // ---- bytes, files, threads

  /** The filter as bytes, readable in every language: a copy of your own. */
  toBytes(options: ToBytesOptions = {}): Uint8Array {
    const { backend, handle } = this._opened();
    return backend.toBytes(handle, options.withholdSeed === true);
  }

  /**
   * Writes the filter to a file, in Node. Atomic: a temporary file beside it, flushed to disk, then renamed; if that fails, the old file stays.
   *
   * @throws FilterIOError with the system's error as `cause`; UnsupportedError where there are no files.
   */
  async save(path: string | URL, options: ToBytesOptions = {}): Promise<void> {
    const place = this._opened();
    const { backend, handle } = place;
    const file = localPath(path);
    if (file === undefined) {
      if (typeof path === "string" || path instanceof URL) throw notice(backend, "unsupported", "save (files)");
      throw notice(backend, "argument_type", "path", "a path", typeName(path));
    }
    const withhold = options.withholdSeed === true;
    const native = place.homes.native();
    if (native === undefined) return saveBytes(backend, file, backend.toBytes(handle, withhold));
    if (backend === native) return native.native.saveFile(handle, file, withhold);
    // The addon saves as every language does; a save that has begun holds its filter by itself.
    const copy = native.fromBytes([backend.toBytes(handle, false)], undefined);
    try {
      return native.native.saveFile(copy, file, withhold);
    } finally {
      native.free(copy);
    }
  }

  /** Checks the body of a mapped file against its checksum. @throws FormatError (`ERR_CHECKSUM`) */
  verify(): void {
    const { backend, handle } = this._opened();
    backend.verify(handle);
  }

  /**
   * A handle that can be posted to another Node worker, where `BloomFilter.attach(handle)` opens this same filter: no copy, safe to use from
   * all at once. Keep the filter until the other has attached.
   *
   * @throws UnsupportedError in browsers and wherever there is no native addon: post `toBytes()` there.
   */
  share(): SharedHandle {
    const place = Filter.#of(this);
    place.open();
    const native = place.toNative("share");
    return { kind: "tepal.shared", token: native.native.share(place.open()) };
  }

  /** Gives the memory back at once, rather than when the garbage collector comes by. Using the filter afterwards is `ERR_FREED`. */
  free(): void {
    Filter.#of(this).end();
  }

  /** `using filter = …` frees at the end of the block. */
  [Symbol.dispose](): void {
    this.free();
  }

  // ---- facts

  /** Length of `toBytes()`, in bytes. */
  get byteLength(): number {
    return this._fact(Fact.byteLength);
  }
  /** The texts that travel with the filter, sorted by key. */
  get metadata(): Readonly<Record<string, string>> {
    const { backend, handle } = this._opened();
    const flat = backend.metadata(handle);
    const pairs: [string, string][] = [];
    for (let i = 0; i < flat.length; i += 2) pairs.push([flat[i] as string, flat[i + 1] as string]);
    return Object.freeze(Object.fromEntries(pairs));
  }
  /** Whether the filter is mapped from a file and cannot be changed. */
  get readOnly(): boolean {
    return this._fact(Fact.readOnly) === 1;
  }
  /** Share of bits that are set. Reads the whole body. */
  get fillRatio(): number {
    return this._fact(Fact.fillRatio);
  }
  /** About how many distinct keys were added: an estimate from the bits. Reads the whole body. */
  get estimatedCount(): number {
    return this._fact(Fact.estimatedCount);
  }
  /** The false-positive rate as the bits are now. Reads the whole body. */
  get estimatedFpr(): number {
    return this._fact(Fact.estimatedFpr);
  }
  /** `estimatedCount / capacity`: above 1 the promise holds no more. Reads the whole body. */
  get saturation(): number {
    return this._fact(Fact.saturation);
  }

  /** @internal */
  _fact(which: Fact): number {
    const { backend, handle } = this._opened();
    return backend.fact(handle, which);
  }

  /** @internal */
  _opened(): Place<B> {
    const place = Filter.#of(this);
    place.open();
    return place;
  }


  /** What `console.log` shows in Node. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    if (!(#place in this)) return "Filter.prototype";
    const { handle, backend, homes } = this.#place;
    if (handle === 0) return `${homes.kind} { freed }`;
    return `${homes.kind} { ${this._describe()}, ${backend.name}${this.readOnly ? ", read-only" : ""} }`;
  }

  get [Symbol.toStringTag](): string {
    return #place in this ? this.#place.homes.kind : "Filter";
  }

  /** @internal */
  get [BRAND](): string {
    return this[Symbol.toStringTag];
  }
}

// Where the runtime has no Symbol.dispose yet, the method above got a nonsense name.
if (Symbol.dispose === undefined) delete (Filter.prototype as unknown as Record<string, unknown>)["undefined"];

/** @internal For `fromBytes` of a class. */
export function fromBytesIn<B extends Backend>(homes: Homes<B>, bytes: unknown, options: FromBytesOptions): [B, Handle] {
  const source = asBytes(bytes);
  if (source === undefined) throw notFilterBytes(homes.home(0), bytes);
  return fromChunks(homes, [source], readSeed(homes, options));
}

function fromChunks<B extends Backend>(homes: Homes<B>, chunks: Uint8Array[], seed: LooseInteger | undefined): [B, Handle] {
  const backend = homes.home(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  return [backend, backend.fromBytes(chunks, seed)];
}

/** @internal For `load` of a class. */
export async function loadIn<B extends Backend>(homes: Homes<B>, source: LoadSource, options: LoadOptions): Promise<[B, Handle]> {
  const seed = readSeed(homes, options);
  const path = localPath(source);
  const native = homes.native();
  if (path !== undefined && native !== undefined) {
    const size = options.mmap === true ? Infinity : await sizeOf(path);
    if (size > homes.small) return [native, await native.native.loadFile(path, options.mmap === true, seed)];
  }
  if (options.mmap === true) throw notice(homes.home(0), "unsupported", "mmap");
  return fromChunks(homes, await loadBytes(homes.home(0), source, path), seed);
}

/** @internal For `attach` of a class. */
export function attachIn<B extends Backend>(homes: Homes<B>, handle: SharedHandle): [B, Handle] {
  const native = homes.native();
  if (native === undefined) throw notice(homes.home(0), "unsupported", "attach");
  const token = (handle as { token?: unknown } | null | undefined)?.token;
  if (typeof token !== "number") throw notice(native, "argument_type", "handle", "what share() gave", typeName(handle));
  return [native, native.native.attach(token)];
}

/** @internal Key, value, key, value … of an object or a `Map` of texts. */
export function flatMetadata(backend: Backend, metadata: unknown): string[] {
  const refuse = (expected: string, got: string) => notice(backend, "argument_type", "metadata", expected, got);
  if (typeof metadata !== "object" || metadata === null) throw refuse("an object of texts", typeName(metadata));
  const texts = (metadata instanceof Map ? [...metadata] : Object.entries(metadata)).flat();
  for (const text of texts) {
    if (typeof text !== "string") throw refuse("texts", typeName(text));
    if (!isWellFormed(text)) throw refuse("well-formed text", "a lone surrogate");
  }
  return texts as string[];
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await process.getBuiltinModule("node:fs/promises").stat(path)).size;
  } catch {
    return 0; // the read that follows says what is wrong
  }
}

function notFilterBytes(backend: Backend, value: unknown): Error {
  const got = ArrayBuffer.isView(value) ? `${typeName(value)} (wrap its buffer in a Uint8Array)` : typeName(value);
  return notice(backend, "argument_type", "data", "a Uint8Array or an ArrayBuffer", got);
}

/** @internal */
export function loose(backend: Backend, field: string, value: unknown): LooseInteger {
  if (typeof value === "number" || typeof value === "bigint") return value;
  throw notice(backend, "argument_type", field, "an integer", typeName(value));
}

function readSeed(homes: Homes<Backend>, options: { seed?: unknown } | undefined): LooseInteger | undefined {
  if (typeof options !== "object" || options === null) {
    throw notice(homes.home(0), "argument_type", "options", "an object", typeName(options));
  }
  return options.seed === undefined ? undefined : loose(homes.home(0), "seed", options.seed);
}

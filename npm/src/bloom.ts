/**
 * `BloomFilter`: methods that check what only JavaScript can get wrong and hand the rest to a backend. The
 * class decides nothing about filters; sizes, answers, bytes and error sentences are the core's.
 */
import { type Backend, Fact, type Handle, type LooseInteger } from "./backend.js";
import { feed, gather, KEEP, type Keys } from "./batch.js";
import { type Explanation, unpackExplanation } from "./explanation.js";
import { BRAND, type Foreign, isMemoryError, notFilter, Place, together } from "./filter.js";
import { type KeyHash, readHash, writeHash } from "./keyhash.js";
import { asBytes, isWellFormed, type Key, notice, typeName, writeKey } from "./keys.js";
import { loadBytes, type LoadOptions, type LoadSource, localPath, saveBytes, type SharedHandle } from "./io.js";
import { home, nativeBackend, SMALL } from "./runtime.js";

/** The layout of the bits; `"auto"` takes the fastest that keeps the promised rate. */
export type Layout = "line" | "pair" | "classic";

/** What a filter is made for, except its capacity. */
export interface BuildOptions {
  /** The promised false-positive rate at capacity, 1e-9 to 0.5. Default 0.01. */
  fpr?: number;
  /** Makes another hash of the same keys, 0 to 2^64 − 1; filters merge only with equal seeds. Default 0. */
  seed?: number | bigint;
  /** Default `"auto"`. */
  layout?: "auto" | Layout;
  /** Texts that travel with the filter, at most 64 KiB in all: for instance the rule by which keys were normalised. */
  metadata?: Readonly<Record<string, string>> | ReadonlyMap<string, string>;
}

/** What a filter is made for. */
export interface BloomFilterOptions extends BuildOptions {
  /** How many distinct keys the filter is sized for, 1 to 2^48. More keys than that fit, at a higher rate. */
  capacity: number | bigint;
}

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

const DEFAULT_FPR = 0.01;

/** @internal A filter that exists already, on its way into the class. */
class Adopted {
  constructor(
    readonly backend: Backend,
    readonly handle: Handle,
  ) {}
}

/**
 * A set of keys that answers "no" for certain and "probably" at a rate that is promised when it is made.
 *
 * ```js
 * const filter = new BloomFilter({ capacity: 1_000, fpr: 0.01 });
 * filter.add("alice");  // true: the key was new
 * filter.has("alice");  // true
 * filter.has("bob");    // false, or with a chance of 1 in 100 true
 * ```
 *
 * A key cannot be taken out again. The same keys give the same bytes in Rust, Python and every JavaScript runtime.
 */
export class BloomFilter {
  readonly #place: Place;

  /**
   * An empty filter.
   *
   * @param options `capacity` is required; the other parameters have defaults.
   * @throws ArgumentError for a number out of range; FilterMemoryError when there is no memory for this capacity.
   *
   * ```js
   * new BloomFilter({ capacity: 1e6, fpr: 1e-4, metadata: { rule: "lower-case" } });
   * ```
   */
  constructor(options: BloomFilterOptions);
  constructor(options: unknown) {
    if (options instanceof Adopted) {
      this.#place = new Place(options.backend, options.handle);
      return;
    }
    const { capacity, fpr, seed, layout, metadata } = checkOptions(options, true);
    let backend = home(bytesFor(Number(capacity), fpr));
    let handle: Handle;
    try {
      handle = backend.create(capacity, fpr, seed, layout, metadata);
    } catch (error) {
      // What wasm has no room for, the addon may have.
      const native = nativeBackend();
      if (native === undefined || native === backend || !isMemoryError(error)) throw error;
      backend = native;
      handle = backend.create(capacity, fpr, seed, layout, metadata);
    }
    this.#place = new Place(backend, handle);
  }

  static #adopt(backend: Backend, handle: Handle): BloomFilter {
    return new BloomFilter(new Adopted(backend, handle) as never);
  }

  /** @internal For this package's own functions. */
  static _adopt(backend: Backend, handle: Handle): BloomFilter {
    return BloomFilter.#adopt(backend, handle);
  }

  /** @internal Where a value lives if it is a filter of this copy; otherwise what it offers to be read by. */
  static _placeOf(value: unknown, field: string): Place | Foreign {
    if (typeof value === "object" && value !== null) {
      if (#place in value) return value.#place;
      if ((value as Record<symbol, unknown>)[BRAND] !== undefined && typeof (value as Foreign).toBytes === "function") {
        return value as Foreign;
      }
    }
    throw notFilter(field, value);
  }

  /** Checks the receiver: `BloomFilter.prototype.has.call(somethingElse)` gets a helpful error. */
  static #of(value: BloomFilter): Place {
    if (typeof value === "object" && value !== null && #place in value) return value.#place;
    throw notFilter("this", value);
  }

  /**
   * A filter just large enough for these keys: its capacity is the number of distinct ones.
   * Cost: 16 bytes a key while it works.
   *
   * @param keys Any iterable of keys, or a typed array of integers.
   * @param options The promised rate, the seed and so on.
   * @throws KeyTypeError with `index` for a value that is no key.
   *
   * ```js
   * const filter = BloomFilter.build(["alice", "bob"], { fpr: 0.001 });
   * ```
   */
  static build(keys: Keys, options: BuildOptions = {}): BloomFilter {
    const { fpr, seed, layout, metadata } = checkOptions(options, false);
    const length = (keys as { length?: unknown } | undefined)?.length;
    const backend = home(typeof length === "number" ? length * 16 : 0);
    let builder = backend.builderNew(seed);
    try {
      feed(backend, keys, {
        packed: (count) => backend.builderPush(builder, count),
        ints: (count) => backend.builderPushInts(builder, count),
      });
      const finished = builder;
      builder = 0;
      return BloomFilter.#adopt(backend, backend.builderFinish(finished, fpr, layout, metadata));
    } finally {
      if (builder !== 0) backend.builderFree(builder);
    }
  }

  /**
   * Reads what `toBytes` wrote, here or in any other language. The bytes are checked wholly and copied.
   *
   * @param bytes A `Uint8Array` (or `Buffer`) or an `ArrayBuffer`.
   * @param options The seed, if it was withheld.
   * @throws FormatError for anything that is not exactly one whole, undamaged filter.
   */
  static fromBytes(bytes: Uint8Array | ArrayBuffer, options: FromBytesOptions = {}): BloomFilter {
    const source = asBytes(bytes);
    if (source === undefined) throw notFilterBytes(bytes);
    return BloomFilter.#fromChunks([source], readSeed(options));
  }

  static #fromChunks(chunks: Uint8Array[], seed: LooseInteger | undefined): BloomFilter {
    const backend = home(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
    return BloomFilter.#adopt(backend, backend.fromBytes(chunks, seed));
  }

  /**
   * Reads a filter from a URL, a `Response`, a stream, or in Node a file.
   *
   * @param source A URL (text or `URL`), a `Response`, a `ReadableStream` of bytes; in Node also a path.
   * @param options The seed, if it was withheld; `mmap: true` (Node with the addon) maps a file instead of reading it: it opens at once, is
   * read-only and shared by all processes, and its body is not checked until `verify()`.
   * @throws FilterIOError when the download or the file fails, FormatError when the bytes are not a filter.
   *
   * ```js
   * const filter = await BloomFilter.load("/names.tepal");
   * ```
   */
  static async load(source: LoadSource, options: LoadOptions = {}): Promise<BloomFilter> {
    const seed = readSeed(options);
    const path = localPath(source);
    const native = nativeBackend();
    if (path !== undefined && native?.native !== undefined) {
      const size = options.mmap === true ? Infinity : await sizeOf(path);
      if (size > SMALL) {
        return BloomFilter.#adopt(native, await native.native.loadFile(path, options.mmap === true, seed));
      }
    }
    if (options.mmap === true) throw notice(home(0), "unsupported", "mmap");
    return BloomFilter.#fromChunks(await loadBytes(home(0), source, path), seed);
  }

  /**
   * The filter behind a handle from `share()`: the same bits, in this thread.
   *
   * @throws StateError (`ERR_FREED`) when no thread holds that filter any more; UnsupportedError without the native addon.
   */
  static attach(handle: SharedHandle): BloomFilter {
    const native = nativeBackend();
    if (native?.native === undefined) throw notice(home(0), "unsupported", "attach");
    const token = (handle as { token?: unknown } | null | undefined)?.token;
    if (typeof token !== "number") {
      throw notice(native, "argument_type", "handle", "what share() gave", typeName(handle));
    }
    return BloomFilter.#adopt(native, native.native.attach(token));
  }

  // ---- keys

  /**
   * Adds a key.
   *
   * @returns true if it was new: the answer of `has` just before. Among threads at most one is told so.
   * @throws KeyTypeError for a value that is no key.
   */
  add(key: Key): boolean {
    const place = BloomFilter.#of(this);
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
    const place = BloomFilter.#of(this);
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
    const place = BloomFilter.#of(this);
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
    const place = BloomFilter.#of(this);
    return place.pinned((backend) =>
      gather(backend, keys, {
        packed: (count) => backend.hasMany(place.open(), count),
        ints: (count) => backend.hasInts(place.open(), count),
      }),
    );
  }

  /** Adds the keys of all iterables. */
  update(...iterables: Keys[]): void {
    const place = BloomFilter.#of(this);
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
    const { backend, handle } = this.#opened();
    const length = writeKey(backend, key, 0);
    backend.keyHash(handle, length);
    const hash = readHash(backend);
    if (length > KEEP) backend.reserve(0);
    return hash;
  }

  /** `add` by hash. @throws MismatchError (`ERR_SEED_DIFFERS`) for a hash made with another seed. */
  addHash(hash: KeyHash): boolean {
    const { backend, handle } = this.#opened();
    writeHash(backend, hash);
    return backend.addHash(handle) === 1;
  }

  /** `has` by hash. @throws MismatchError (`ERR_SEED_DIFFERS`) for a hash made with another seed. */
  hasHash(hash: KeyHash): boolean {
    const { backend, handle } = this.#opened();
    writeHash(backend, hash);
    return backend.hasHash(handle) === 1;
  }

  /** Which lines and bits a key asks for, which of them are set, and the chance that a yes is false. */
  explain(key: Key): Explanation {
    const { backend, handle } = this.#opened();
    const length = writeKey(backend, key, 0);
    const packed = backend.explain(handle, length);
    if (length > KEEP) backend.reserve(0);
    return unpackExplanation(packed);
  }

  // ---- whole filters

  /** Takes all keys out. */
  clear(): void {
    const { backend, handle } = this.#opened();
    backend.clear(handle);
  }

  /** A deep copy; a copy of a read-only filter can be changed. */
  clone(): BloomFilter {
    const { backend, handle } = this.#opened();
    return BloomFilter.#adopt(backend, backend.clone(handle));
  }

  /**
   * A new filter with the keys of both: equal to the one that all keys had been added to.
   *
   * @throws MismatchError unless layout, seed and probes are equal and one size divides the other.
   */
  union(other: BloomFilter): BloomFilter {
    return this.#combine(other, (backend, a, b) => backend.union(a, b));
  }

  /** A new filter that has what both have: every common key, but the promised rate holds no more. @throws as `union`. */
  intersection(other: BloomFilter): BloomFilter {
    return this.#combine(other, (backend, a, b) => backend.intersection(a, b));
  }

  /** Adds the keys of another filter, whose size must be a multiple of this one's. */
  unionWith(other: BloomFilter): void {
    together(BloomFilter.#of(this), BloomFilter._placeOf(other, "other"), (backend, a, b) => backend.unionWith(a, b));
  }

  /** Keeps what another filter also has. */
  intersectWith(other: BloomFilter): void {
    together(BloomFilter.#of(this), BloomFilter._placeOf(other, "other"), (backend, a, b) => backend.intersectWith(a, b));
  }

  /** Whether parameters and bits are the same. Metadata may differ. */
  equals(other: BloomFilter): boolean {
    return together(BloomFilter.#of(this), BloomFilter._placeOf(other, "other"), (backend, a, b) => backend.equals(a, b));
  }

  #combine(other: BloomFilter, work: (backend: Backend, a: Handle, b: Handle) => Handle): BloomFilter {
    return together(BloomFilter.#of(this), BloomFilter._placeOf(other, "other"), (backend, a, b) =>
      BloomFilter.#adopt(backend, work(backend, a, b)),
    );
  }

  /** A new filter of 1/`factor` the size with the same keys. @throws ArgumentError (`ERR_FACTOR`) unless the factor divides the size. */
  fold(factor: number | bigint): BloomFilter {
    const { backend, handle } = this.#opened();
    return BloomFilter.#adopt(backend, backend.fold(handle, loose(backend, "factor", factor)));
  }

  /** A new, smaller filter with the same keys, for at least `capacity` keys at the promised rate: the smallest that folding can reach. */
  shrinkTo(capacity: number | bigint): BloomFilter {
    const { backend, handle } = this.#opened();
    return BloomFilter.#adopt(backend, backend.shrinkTo(handle, loose(backend, "capacity", capacity)));
  }

  // ---- bytes, files, threads

  /** The filter as bytes, readable in every language: a copy of your own. */
  toBytes(options: ToBytesOptions = {}): Uint8Array {
    const { backend, handle } = this.#opened();
    return backend.toBytes(handle, options.withholdSeed === true);
  }

  /**
   * Writes the filter to a file, in Node. Atomic: a temporary file beside it, flushed to disk, then renamed; if that fails, the old file stays.
   *
   * @throws FilterIOError with the system's error as `cause`; UnsupportedError where there are no files.
   */
  async save(path: string | URL, options: ToBytesOptions = {}): Promise<void> {
    const { backend, handle } = this.#opened();
    const file = localPath(path);
    if (file === undefined) {
      if (typeof path === "string" || path instanceof URL) throw notice(backend, "unsupported", "save (files)");
      throw notice(backend, "argument_type", "path", "a path", typeName(path));
    }
    const withhold = options.withholdSeed === true;
    const native = nativeBackend();
    if (native?.native === undefined) return saveBytes(backend, file, backend.toBytes(handle, withhold));
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
    const { backend, handle } = this.#opened();
    backend.verify(handle);
  }

  /**
   * A handle that can be posted to another Node worker, where `BloomFilter.attach(handle)` opens this same filter: no copy, safe to use from
   * all at once. Keep the filter until the other has attached.
   *
   * @throws UnsupportedError in browsers and wherever there is no native addon: post `toBytes()` there.
   */
  share(): SharedHandle {
    const place = BloomFilter.#of(this);
    place.open();
    const native = place.toNative("share");
    return { kind: "tepal.shared", token: native.native.share(place.open()) };
  }

  /** Gives the memory back at once, rather than when the garbage collector comes by. Using the filter afterwards is `ERR_FREED`. */
  free(): void {
    BloomFilter.#of(this).end();
  }

  /** `using filter = …` frees at the end of the block. */
  [Symbol.dispose](): void {
    this.free();
  }

  // ---- facts

  /** How many distinct keys the filter was sized for. */
  get capacity(): number {
    return this.#fact(Fact.capacity);
  }
  /** The promised false-positive rate at capacity. */
  get fpr(): number {
    return this.#fact(Fact.fpr);
  }
  /** The seed of the hash. */
  get seed(): bigint {
    const { backend, handle } = this.#opened();
    return backend.seed(handle);
  }
  /** The layout that `"auto"` became. */
  get layout(): Layout {
    const { backend, handle } = this.#opened();
    return backend.layout(handle) as Layout;
  }
  /** Bits tested per key. */
  get numProbes(): number {
    return this.#fact(Fact.numProbes);
  }
  /** Size of the body in bits. */
  get numBits(): number {
    return this.#fact(Fact.numBits);
  }
  /** Size of the body in lines of 64 bytes. */
  get numLines(): number {
    return this.#fact(Fact.numLines);
  }
  /** Length of `toBytes()`, in bytes. */
  get byteLength(): number {
    return this.#fact(Fact.byteLength);
  }
  /** The texts that travel with the filter, sorted by key. */
  get metadata(): Readonly<Record<string, string>> {
    const { backend, handle } = this.#opened();
    const flat = backend.metadata(handle);
    const pairs: [string, string][] = [];
    for (let i = 0; i < flat.length; i += 2) pairs.push([flat[i] as string, flat[i + 1] as string]);
    return Object.freeze(Object.fromEntries(pairs));
  }
  /** Whether the filter is mapped from a file and cannot be changed. */
  get readOnly(): boolean {
    return this.#fact(Fact.readOnly) === 1;
  }
  /** Share of bits that are set. Reads the whole body. */
  get fillRatio(): number {
    return this.#fact(Fact.fillRatio);
  }
  /** About how many distinct keys were added: an estimate from the bits. Reads the whole body. */
  get estimatedCount(): number {
    return this.#fact(Fact.estimatedCount);
  }
  /** The false-positive rate as the bits are now. Reads the whole body. */
  get estimatedFpr(): number {
    return this.#fact(Fact.estimatedFpr);
  }
  /** `estimatedCount / capacity`: above 1 the promise holds no more. Reads the whole body. */
  get saturation(): number {
    return this.#fact(Fact.saturation);
  }

  #fact(which: Fact): number {
    const { backend, handle } = this.#opened();
    return backend.fact(handle, which);
  }

  #opened(): { backend: Backend; handle: Handle } {
    const place = BloomFilter.#of(this);
    place.open();
    return place;
  }

  /** The facts that cost nothing, for logs. Not the bits: that is `toBytes()`. */
  toJSON(): Record<string, unknown> {
    return {
      type: "BloomFilter",
      capacity: this.capacity,
      fpr: this.fpr,
      seed: this.seed.toString(),
      layout: this.layout,
      numProbes: this.numProbes,
      numBits: this.numBits,
      byteLength: this.byteLength,
      metadata: this.metadata,
    };
  }

  /** What `console.log` shows in Node. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    if (!(#place in this)) return "BloomFilter.prototype";
    const { handle, backend } = this.#place;
    if (handle === 0) return "BloomFilter { freed }";
    const seed = this.seed === 0n ? "" : `, seed: ${this.seed}n`;
    const mode = this.readOnly ? ", read-only" : "";
    return `BloomFilter { capacity: ${this.capacity}, fpr: ${this.fpr}, layout: '${this.layout}'${seed}, ${this.byteLength} bytes, ${backend.name}${mode} }`;
  }
}

// Where the runtime has no Symbol.dispose yet, the method above got a nonsense name.
if (Symbol.dispose === undefined) delete (BloomFilter.prototype as unknown as Record<string, unknown>)["undefined"];
Object.defineProperty(BloomFilter.prototype, BRAND, { value: "BloomFilter" });
Object.defineProperty(BloomFilter.prototype, Symbol.toStringTag, { value: "BloomFilter", configurable: true });

/** About how many bytes a filter takes: only to choose where it lives. */
function bytesFor(capacity: number, fpr: number): number {
  return (capacity * Math.max(1, -Math.log2(fpr)) * 1.6) / 8;
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await process.getBuiltinModule("node:fs/promises").stat(path)).size;
  } catch {
    return 0; // the read that follows says what is wrong
  }
}

function notFilterBytes(value: unknown): Error {
  const got = ArrayBuffer.isView(value) ? `${typeName(value)} (wrap its buffer in a Uint8Array)` : typeName(value);
  return notice(home(0), "argument_type", "data", "a Uint8Array or an ArrayBuffer", got);
}

function loose(backend: Backend, field: string, value: unknown): LooseInteger {
  if (typeof value === "number" || typeof value === "bigint") return value;
  throw notice(backend, "argument_type", field, "an integer", typeName(value));
}

function readSeed(options: { seed?: unknown } | undefined): LooseInteger | undefined {
  if (typeof options !== "object" || options === null) {
    throw notice(home(0), "argument_type", "options", "an object", typeName(options));
  }
  return options.seed === undefined ? undefined : loose(home(0), "seed", options.seed);
}

interface Checked {
  capacity: LooseInteger;
  fpr: number;
  seed: LooseInteger;
  layout: string;
  metadata: string[];
}

/** Only types: the core checks the values. */
function checkOptions(options: unknown, withCapacity: boolean): Checked {
  const backend = home(0);
  const refuse = (field: string, expected: string, got: string) => notice(backend, "argument_type", field, expected, got);
  if (typeof options !== "object" || options === null) {
    throw refuse("options", "an object such as { capacity: 1000, fpr: 0.01 }", typeName(options));
  }
  const given = options as Record<string, unknown>;
  for (const name of Object.keys(given)) {
    const known = withCapacity ? ["capacity", "fpr", "seed", "layout", "metadata"] : ["fpr", "seed", "layout", "metadata"];
    if (!known.includes(name)) throw refuse("options", `only ${known.join(", ")}`, JSON.stringify(name));
  }
  const { capacity, fpr = DEFAULT_FPR, seed = 0, layout = "auto", metadata = {} } = given;
  if (typeof fpr !== "number") throw refuse("fpr", "a number", typeName(fpr));
  if (typeof layout !== "string") throw refuse("layout", "a text", typeName(layout));
  if (typeof metadata !== "object" || metadata === null) throw refuse("metadata", "an object of texts", typeName(metadata));
  const pairs = metadata instanceof Map ? [...metadata] : Object.entries(metadata);
  const texts = pairs.flat();
  for (const text of texts) {
    if (typeof text !== "string") throw refuse("metadata", "texts", typeName(text));
    if (!isWellFormed(text)) throw refuse("metadata", "well-formed text", "a lone surrogate");
  }
  return {
    capacity: withCapacity ? loose(backend, "capacity", capacity) : 0,
    fpr,
    seed: loose(backend, "seed", seed),
    layout,
    metadata: texts as string[],
  };
}

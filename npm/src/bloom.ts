/**
 * `BloomFilter`: methods that check what only JavaScript can get wrong and hand the rest to a backend. The
 * class decides nothing about filters; sizes, answers, bytes and error sentences are the core's. What every class of filter has is in `filter.ts`.
 */
import { Fact, type BloomBackend, type Handle, type LooseInteger } from "./backend.js";
import { feed, KEEP, type Keys } from "./batch.js";
import { type Explanation, unpackExplanation } from "./explanation.js";
import { Adopted, attachIn, Filter, flatMetadata, type FromBytesOptions, fromBytesIn, loadIn, loose } from "./filter.js";
import type { LoadOptions, LoadSource, SharedHandle } from "./io.js";
import { type Key, notice, typeName, writeKey } from "./keys.js";
import { isMemoryError } from "./place.js";
import { bloom } from "./runtime.js";

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

const DEFAULT_FPR = 0.01;

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
export class BloomFilter extends Filter<BloomBackend> {
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
    super(options instanceof Adopted ? (options as Adopted<BloomBackend>) : create(options));
  }

  /** @internal For this package's own functions. */
  static _adopt(backend: BloomBackend, handle: Handle): BloomFilter {
    return new BloomFilter(new Adopted(bloom, backend, handle) as never);
  }

  /** @internal */
  _like(backend: BloomBackend, handle: Handle): this {
    return BloomFilter._adopt(backend, handle) as this;
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
    const backend = bloom.home(typeof length === "number" ? length * 16 : 0);
    let builder = backend.builderNew(seed);
    try {
      feed(backend, keys, {
        packed: (count) => backend.builderPush(builder, count),
        ints: (count) => backend.builderPushInts(builder, count),
      });
      const finished = builder;
      builder = 0;
      return BloomFilter._adopt(backend, backend.builderFinish(finished, fpr, layout, metadata));
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
    return BloomFilter._adopt(...fromBytesIn(bloom, bytes, options));
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
    return BloomFilter._adopt(...(await loadIn(bloom, source, options)));
  }

  /**
   * The filter behind a handle from `share()`: the same bits, in this thread.
   *
   * @throws StateError (`ERR_FREED`) when no thread holds that filter any more; UnsupportedError without the native addon.
   */
  static attach(handle: SharedHandle): BloomFilter {
    return BloomFilter._adopt(...attachIn(bloom, handle));
  }

  /** Which lines and bits a key asks for, which of them are set, and the chance that a yes is false. */
  explain(key: Key): Explanation {
    const { backend, handle } = this._opened();
    const length = writeKey(backend, key, 0);
    const packed = backend.explain(handle, length);
    if (length > KEEP) backend.reserve(0);
    return unpackExplanation(packed);
  }

  /** A new filter that has what both have: every common key, but the promised rate holds no more. @throws as `union`. */
  intersection(other: BloomFilter): BloomFilter {
    return this._combine(other, (backend, a, b) => backend.intersection(a, b));
  }

  /** Keeps what another filter also has. */
  intersectWith(other: BloomFilter): void {
    this._together(other, (backend, a, b) => backend.intersectWith(a, b));
  }

  /** A new filter of 1/`factor` the size with the same keys. @throws ArgumentError (`ERR_FACTOR`) unless the factor divides the size. */
  fold(factor: number | bigint): BloomFilter {
    const { backend, handle } = this._opened();
    return BloomFilter._adopt(backend, backend.fold(handle, loose(backend, "factor", factor)));
  }

  /** A new, smaller filter with the same keys, for at least `capacity` keys at the promised rate: the smallest that folding can reach. */
  shrinkTo(capacity: number | bigint): BloomFilter {
    const { backend, handle } = this._opened();
    return BloomFilter._adopt(backend, backend.shrinkTo(handle, loose(backend, "capacity", capacity)));
  }

  // ---- facts

  /** How many distinct keys the filter was sized for. */
  get capacity(): number {
    return this._fact(Fact.capacity);
  }
  /** The promised false-positive rate at capacity. */
  get fpr(): number {
    return this._fact(Fact.fpr);
  }
  /** The seed of the hash. */
  get seed(): bigint {
    const { backend, handle } = this._opened();
    return backend.seed(handle);
  }
  /** The layout that `"auto"` became. */
  get layout(): Layout {
    const { backend, handle } = this._opened();
    return backend.layout(handle) as Layout;
  }
  /** Bits tested per key. */
  get numProbes(): number {
    return this._fact(Fact.numProbes);
  }
  /** Size of the body in bits. */
  get numBits(): number {
    return this._fact(Fact.numBits);
  }
  /** Size of the body in lines of 64 bytes. */
  get numLines(): number {
    return this._fact(Fact.numLines);
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

  /** @internal */
  _describe(): string {
    const seed = this.seed === 0n ? "" : `, seed: ${this.seed}n`;
    return `capacity: ${this.capacity}, fpr: ${this.fpr}, layout: '${this.layout}'${seed}, ${this.byteLength} bytes`;
  }
}

function create(options: unknown): Adopted<BloomBackend> {
  const { capacity, fpr, seed, layout, metadata } = checkOptions(options, true);
  const backend = bloom.home(bytesFor(Number(capacity), fpr));
  try {
    return new Adopted(bloom, backend, backend.create(capacity, fpr, seed, layout, metadata));
  } catch (error) {
    // What wasm has no room for, the addon may have.
    const native = bloom.native();
    if (native === undefined || native === backend || !isMemoryError(error)) throw error;
    return new Adopted(bloom, native, native.create(capacity, fpr, seed, layout, metadata));
  }
}

/** About how many bytes a filter takes: only to choose where it lives. */
function bytesFor(capacity: number, fpr: number): number {
  return (capacity * Math.max(1, -Math.log2(fpr)) * 1.6) / 8;
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
  const backend = bloom.home(0);
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
  return {
    capacity: withCapacity ? loose(backend, "capacity", capacity) : 0,
    fpr,
    seed: loose(backend, "seed", seed),
    layout,
    metadata: flatMetadata(backend, metadata),
  };
}

/**
 * `ScalableBloomFilter`: a filter that grows with its keys. As `BloomFilter` it decides nothing; even the defaults are the core's.
 */
import { Fact, type Handle, type LooseInteger, type ScalableBackend } from "./backend.js";
import type { Keys } from "./batch.js";
import type { Layout } from "./bloom.js";
import { Adopted, attachIn, Filter, flatMetadata, type FromBytesOptions, fromBytesIn, loadIn, loose } from "./filter.js";
import type { LoadOptions, LoadSource, SharedHandle } from "./io.js";
import { asBytes, notice, typeName } from "./keys.js";
import { scalable } from "./runtime.js";

/** Whose hash, probes and level sizes a filter has. Guava's and Spark's can only be read. */
export type Scheme = "tepal" | "valkey" | "redisbloom" | "guava" | "spark-v1" | "spark-v2";

/** What a scalable filter is made for. What is not given is the scheme's default: that of the server, for a server's scheme. */
export interface ScalableOptions {
  /** How many keys the first level takes, 1 to 2^48. Default 1000 (servers' schemes: 100). */
  capacity?: number | bigint;
  /** The promised false-positive rate, 1e-9 to 0.5. Default 0.01. */
  fpr?: number;
  /** How many times the keys of one level the next one takes; `null`: it does not grow, and refuses new keys when full. Default 4 (servers: 2). */
  expansion?: number | bigint | null;
  /** The rate of a level divided by that of the one before, between 0 and 1; `null`: the flat head. Default `null` (servers: 0.5). */
  tightening?: number | null;
  /** The most bytes in memory; `null`: no limit. Default `null` (valkey: 128 MiB). */
  maxBytes?: number | bigint | null;
  /** Scheme `tepal`: an integer from 0 to 2^64 − 1, default 0. Scheme `valkey`: 32 bytes, default valkey-bloom's own. */
  seed?: number | bigint | Uint8Array;
  /** Default `"tepal"`. */
  scheme?: Scheme;
  /** Texts that travel with the filter, at most 64 KiB in all. */
  metadata?: Readonly<Record<string, string>> | ReadonlyMap<string, string>;
  /** A number of keys that the filter must be able to grow to: else making it is `ERR_SCALE_TO`. */
  validateScaleTo?: number | bigint;
}

/** The fields of BF.INFO. */
export interface Info {
  capacity: number;
  size: number;
  filterCount: number;
  insertedCount: number;
  fpr: number;
  expansion: number | null;
  tightening: number | null;
  maxScaledCapacity: number;
}

/** One level of a scalable filter. */
export interface LevelFacts {
  capacity: number;
  insertedCount: number;
  fpr: number;
  numBits: number;
  numProbes: number;
  /** `null` for the schemes of servers, which put bits anywhere. */
  layout: Layout | null;
  estimatedFpr: number;
}

/** Totals over all scalable filters of this process. */
export interface Metrics {
  totalMemoryBytes: number;
  numObjects: number;
  numFiltersAcrossObjects: number;
  numItemsAcrossObjects: number;
  capacityAcrossObjects: number;
}

/**
 * A Bloom filter that grows: for when nobody knows how many keys will come. The promised rate holds at any size.
 *
 * ```js
 * const filter = new ScalableBloomFilter({ capacity: 100, fpr: 0.01 });
 * for (let i = 0; i < 10_000; i++) filter.add(i);
 * filter.filterCount; // the levels it has grown to
 * ```
 *
 * `add` and `addMany` throw CapacityError where the filter cannot grow (`ERR_FULL`, `ERR_MEMORY_LIMIT`); `addMany` then tells `index`, the
 * first key that was not added, and `answers`, those of the keys before it.
 */
export class ScalableBloomFilter extends Filter<ScalableBackend> {
  /**
   * An empty filter.
   *
   * @throws ArgumentError for an option out of range.
   *
   * ```js
   * new ScalableBloomFilter({ scheme: "valkey" }); // as BF.ADD of a new key makes it
   * ```
   */
  constructor(options?: ScalableOptions);
  constructor(options: unknown = {}) {
    super(options instanceof Adopted ? (options as Adopted<ScalableBackend>) : create(options));
  }

  static #adopt(backend: ScalableBackend, handle: Handle): ScalableBloomFilter {
    return new ScalableBloomFilter(new Adopted(scalable, backend, handle) as never);
  }

  /** @internal */
  _like(backend: ScalableBackend, handle: Handle): this {
    return ScalableBloomFilter.#adopt(backend, handle) as this;
  }

  /** A filter of these keys that can still grow. */
  static build(keys: Keys, options: ScalableOptions = {}): ScalableBloomFilter {
    const filter = new ScalableBloomFilter(options);
    filter.update(keys);
    return filter;
  }

  /** Reads what `toBytes` wrote, in any language. @throws FormatError for anything that is not one whole, undamaged scalable filter. */
  static fromBytes(bytes: Uint8Array | ArrayBuffer, options: FromBytesOptions = {}): ScalableBloomFilter {
    return ScalableBloomFilter.#adopt(...fromBytesIn(scalable, bytes, options));
  }

  /** Reads a filter from a URL, a `Response`, a stream, or in Node a file: as `BloomFilter.load`. */
  static async load(source: LoadSource, options: LoadOptions = {}): Promise<ScalableBloomFilter> {
    return ScalableBloomFilter.#adopt(...(await loadIn(scalable, source, options)));
  }

  /** The filter behind a handle from `share()`: as `BloomFilter.attach`. */
  static attach(handle: SharedHandle): ScalableBloomFilter {
    return ScalableBloomFilter.#adopt(...attachIn(scalable, handle));
  }

  // ---- the formats of others

  /** A filter from all chunks of BF.SCANDUMP, in order, each with its iterator. @throws FormatError (`ERR_FOREIGN`) */
  static fromRedisbloom(chunks: Iterable<{ iterator: number | bigint; chunk: Uint8Array }>): ScalableBloomFilter {
    const all = [...chunks];
    const iterators = all.map(({ iterator }) => Number(iterator));
    return imported("redisbloom", iterators, all.map(({ chunk }) => chunk));
  }

  /** A filter from a payload of valkey-bloom: of BF.LOAD or of DUMP. */
  static fromValkey(bytes: Uint8Array | ArrayBuffer): ScalableBloomFilter {
    return imported("valkey", [0], [bytes]);
  }

  /** A read-only filter from what Guava's `writeTo` wrote; text is `stringFunnel(UTF_8)`, an integer `longFunnel`. */
  static fromGuava(bytes: Uint8Array | ArrayBuffer): ScalableBloomFilter {
    return imported("guava", [0], [bytes]);
  }

  /** A read-only filter from what Spark's `writeTo` wrote, version 1 or 2. */
  static fromSpark(bytes: Uint8Array | ArrayBuffer): ScalableBloomFilter {
    return imported("spark", [0], [bytes]);
  }

  /** @internal */
  static _imported(format: Parameters<ScalableBackend["imported"]>[0], iterators: number[], chunks: Uint8Array[]): ScalableBloomFilter {
    const backend = scalable.home(0);
    return ScalableBloomFilter.#adopt(backend, backend.imported(format, iterators, chunks));
  }

  /** What BF.LOADCHUNK of RedisBloom takes, in order. @throws UnsupportedError unless the scheme is `redisbloom` */
  toRedisbloom(): { iterator: number; chunk: Uint8Array }[] {
    const { backend, handle } = this._opened();
    const flat = backend.exported(handle, "redisbloom");
    const chunks: { iterator: number; chunk: Uint8Array }[] = [];
    for (let i = 0; i < flat.length; i += 2) chunks.push({ iterator: flat[i] as number, chunk: flat[i + 1] as Uint8Array });
    return chunks;
  }

  /** A payload for BF.LOAD of valkey-bloom. @throws UnsupportedError unless the scheme is `valkey` */
  toValkeyLoad(): Uint8Array {
    const { backend, handle } = this._opened();
    return backend.exported(handle, "valkey-load")[1] as Uint8Array;
  }

  /** A payload for RESTORE of a Valkey with valkey-bloom. @throws UnsupportedError unless the scheme is `valkey` */
  toValkeyDump(): Uint8Array {
    const { backend, handle } = this._opened();
    return backend.exported(handle, "valkey-dump")[1] as Uint8Array;
  }

  // ---- facts of growth

  /** How many keys fit before the filter grows again. */
  get capacity(): number {
    return this._fact(Fact.capacity);
  }
  /** The capacity it was made with. */
  get initialCapacity(): number {
    return this._fact(Fact.initialCapacity);
  }
  /** The promised false-positive rate. */
  get fpr(): number {
    return this._fact(Fact.fpr);
  }
  /** The seed: an integer, or the 32 bytes of scheme `valkey`. */
  get seed(): bigint | Uint8Array {
    const { backend, handle } = this._opened();
    const bytes = backend.seed(handle);
    return this.scheme === "valkey" ? bytes : new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true);
  }
  /** Whose hash, probes and level sizes it has. */
  get scheme(): Scheme {
    const { backend, handle } = this._opened();
    return backend.scheme(handle) as Scheme;
  }
  /** Keys of a level divided by those of the one before; `null`: it does not grow. */
  get expansion(): number | null {
    return this._fact(Fact.expansion) || null;
  }
  /** Rate of a level divided by that of the one before; `null`: the flat head. */
  get tightening(): number | null {
    return this._fact(Fact.tightening) || null;
  }
  /** The most bytes in memory; `null`: no limit. */
  get maxBytes(): number | null {
    return this._fact(Fact.maxBytes) || null;
  }
  /** How many levels it has. */
  get filterCount(): number {
    return this._fact(Fact.filterCount);
  }
  /** How many keys were new. */
  get insertedCount(): number {
    return this._fact(Fact.insertedCount);
  }
  /** Bytes in memory, as valkey-bloom counts them. */
  get size(): number {
    return this._fact(Fact.size);
  }
  /** How many keys it can grow to hold. */
  get maxScaledCapacity(): number {
    return this._fact(Fact.maxScaledCapacity);
  }
  /** Bits of all levels. */
  get numBits(): number {
    return this._fact(Fact.numBits);
  }

  /** Facts about each level, the oldest first. Reads all levels. */
  get levels(): LevelFacts[] {
    const { backend, handle } = this._opened();
    const bytes = backend.levels(handle);
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    const all: LevelFacts[] = [];
    for (let at = 0; at < bytes.length; at += 56) {
      const number = (i: number) => view.getFloat64(at + 8 * i, true);
      const layout = String.fromCharCode(...bytes.subarray(at + 48, at + 56).filter((byte) => byte !== 0));
      all.push({
        capacity: number(0),
        insertedCount: number(1),
        fpr: number(2),
        numBits: number(3),
        numProbes: number(4),
        layout: (layout || null) as Layout | null,
        estimatedFpr: number(5),
      });
    }
    return all;
  }

  /** The fields of BF.INFO together. */
  info(): Info {
    const { capacity, size, filterCount, insertedCount, fpr, expansion, tightening, maxScaledCapacity } = this;
    return { capacity, size, filterCount, insertedCount, fpr, expansion, tightening, maxScaledCapacity };
  }

  /** @throws ArgumentError (`ERR_SCALE_TO`) if the filter cannot grow to hold so many keys. */
  validateScaleTo(keys: number | bigint): void {
    const { backend, handle } = this._opened();
    backend.validateScaleTo(handle, loose(backend, "validateScaleTo", keys));
  }

  /** The facts that cost little, for logs. Not the bits: that is `toBytes()`. */
  toJSON(): Record<string, unknown> {
    const { seed, scheme, initialCapacity, maxBytes, byteLength, metadata } = this;
    const text = typeof seed === "bigint" ? seed.toString() : Array.from(seed, (byte) => byte.toString(16).padStart(2, "0")).join("");
    return { type: "ScalableBloomFilter", scheme, ...this.info(), initialCapacity, maxBytes, seed: text, byteLength, metadata };
  }

  /** @internal */
  _describe(): string {
    const { scheme, initialCapacity, fpr, filterCount, insertedCount, byteLength } = this;
    return `scheme: '${scheme}', initialCapacity: ${initialCapacity}, fpr: ${fpr}, filterCount: ${filterCount}, insertedCount: ${insertedCount}, ${byteLength} bytes`;
  }
}

/** Totals over all scalable filters of this process (in wasm: of this copy of the package). */
export function metrics(): Metrics {
  const bytes = scalable.home(0).metrics();
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const [total, objects, filters, items, capacity] = [0, 8, 16, 24, 32].map((at) => view.getFloat64(at, true)) as [number, number, number, number, number];
  return {
    totalMemoryBytes: total,
    numObjects: objects,
    numFiltersAcrossObjects: filters,
    numItemsAcrossObjects: items,
    capacityAcrossObjects: capacity,
  };
}

function imported(format: Parameters<ScalableBackend["imported"]>[0], iterators: number[], chunks: unknown[]): ScalableBloomFilter {
  const sources = chunks.map((chunk) => {
    const source = asBytes(chunk);
    if (source === undefined) throw notice(scalable.home(0), "argument_type", "data", "a Uint8Array or an ArrayBuffer", typeName(chunk));
    return source;
  });
  return ScalableBloomFilter._imported(format, iterators, sources);
}

const OPTIONS = ["capacity", "fpr", "expansion", "tightening", "maxBytes", "seed", "validateScaleTo"];

/** Only types: the core checks the values and has the defaults. */
function create(options: unknown): Adopted<ScalableBackend> {
  const backend = scalable.home(0);
  const refuse = (field: string, expected: string, got: string) => notice(backend, "argument_type", field, expected, got);
  if (typeof options !== "object" || options === null) throw refuse("options", "an object such as { capacity: 1000, fpr: 0.01 }", typeName(options));
  const given = options as Record<string, unknown>;
  const known = [...OPTIONS, "scheme", "metadata"];
  for (const name of Object.keys(given)) {
    if (!known.includes(name)) throw refuse("options", `only ${known.join(", ")}`, JSON.stringify(name));
  }
  const { scheme = "tepal", metadata = {} } = given;
  if (typeof scheme !== "string") throw refuse("scheme", "a text", typeName(scheme));
  const values = OPTIONS.map((name): LooseInteger | Uint8Array | null | undefined => {
    const value = given[name];
    if (value === undefined) return undefined;
    if (value === null && ["expansion", "tightening", "maxBytes"].includes(name)) return null;
    if (name === "seed" && asBytes(value) !== undefined) return asBytes(value);
    if ((name === "fpr" || name === "tightening") && typeof value !== "number") throw refuse(name, "a number", typeName(value));
    return loose(backend, name, value);
  });
  return new Adopted(scalable, backend, backend.create(scheme, values, flatMetadata(backend, metadata)));
}

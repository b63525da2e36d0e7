/**
 * The one seam between the TypeScript face and the compiled core. The native addon and the wasm module both provide
 * `Operations`; nothing above this file knows which of the two it talks to. All operations are synchronous unless they return a
 * promise, take and give plain numbers, and never look at a JavaScript key: keys are bytes that the face has
 * already written into the arena.
 */

/** A filter (or a builder) inside a backend. 0 is never a handle. Only valid in the backend, and the thread, that gave it. */
export type Handle = number;

/**
 * Memory that the face writes and the backend reads, so that no key crosses the border as a JavaScript value.
 * The object lives as long as the backend; its fields are replaced by `reserve` and when wasm memory grows (a view of
 * length 0 is a detached one: call `reserve`).
 */
export interface Arena {
  /** Keys. A single key starts at 0; the keys of a batch follow each other without gaps. At least 64 KiB. */
  bytes: Uint8Array;
  /** The same memory as `bytes`, for integers. */
  view: DataView;
  /** Byte lengths of the keys of a batch; its length is the most keys that one batch may have. */
  lengths: Uint32Array;
  /** Answers of a batch, one byte a key, 0 or 1; `keyHash` puts its 24 bytes here. */
  out: Uint8Array;
}

/** What only a binding can notice; the sentence comes from the core. */
export type Notice =
  | "key_type" // a: type name
  | "key_range"
  | "key_unsafe_integer"
  | "key_fraction"
  | "key_surrogate"
  | "argument_type" // a: field, b: what is expected, c: what came (a and b are constants of the face: intern them)
  | "single_key" // a: type name of what came where many keys were expected
  | "read_only"
  | "freed"
  | "unsupported" // a: what
  | "io"; // a: what was tried, b: the reason

/** Which number `fact` returns. The last four read the whole body. */
export const Fact = {
  capacity: 0,
  fpr: 1,
  numProbes: 2,
  numBits: 3,
  numLines: 4,
  byteLength: 5,
  readOnly: 6, // 0 or 1
  fillRatio: 7,
  estimatedCount: 8,
  estimatedFpr: 9,
  saturation: 10,
  // Of scalable filters; 0 where there is none.
  initialCapacity: 11,
  expansion: 12,
  tightening: 13,
  maxBytes: 14,
  filterCount: 15,
  insertedCount: 16,
  size: 17,
  maxScaledCapacity: 18,
} as const;
/** An index of `Fact`. */
export type Fact = (typeof Fact)[keyof typeof Fact];

/**
 * Makes the exception for an error of the core: `error_class` is `Class::name()`, e.g. "key_type"; `errno` is the operating system's number, if
 * it has one. Does not throw it.
 */
export type MakeError = (error_class: string, code: string, message: string, errno?: number) => Error;

/** A whole number from a user, unchecked: the core's `arg::*_f64` or `*_i128` decides (a bigint beyond i128 saturates). */
export type LooseInteger = number | bigint;

/**
 * What the core does for every class of filter. An operation that fails throws what `MakeError` made of the core's error (a
 * promise rejects with it). "In the arena" means: the first `length` bytes of `arena.bytes`, or `count` keys there whose
 * lengths are the first `count` of `arena.lengths`, or, for `…Ints`, `count` times 8 bytes (little-endian u64).
 */
export interface Operations {
  /** The version of the core. */
  version(): string;
  /** The error for a `Notice`, made by `MakeError` (returned, not thrown). */
  notice(kind: Notice, a: string, b: string, c: string): Error;

  // ---- making and ending
  /** Reads a serialized filter whose bytes are the chunks in order; copies, verifies all. */
  fromBytes(chunks: Uint8Array[], seed: LooseInteger | undefined): Handle;
  /** A writable deep copy. */
  clone(filter: Handle): Handle;
  /** Ends a filter; 0 and an ended handle are ignored. */
  free(filter: Handle): void;

  // ---- one key in the arena (hot: 0 or 1, no allocation)
  add(filter: Handle, length: number): number;
  has(filter: Handle, length: number): number;
  /** Hashes the key; leaves hi, lo and seed (each u64, little-endian) in `arena.out`. */
  keyHash(filter: Handle, length: number): void;
  /** The key's hash: hi, lo, seed (as `keyHash` left them) in the first 24 bytes of `arena.bytes`; checked by `check_hash`. */
  addHash(filter: Handle): number;
  hasHash(filter: Handle): number;

  // ---- many keys in the arena; answers in `arena.out`. Where a key is refused, `arena.lengths[0]` is how many were done before.
  addMany(filter: Handle, count: number): void;
  hasMany(filter: Handle, count: number): void;
  addInts(filter: Handle, count: number): void;
  hasInts(filter: Handle, count: number): void;
  /** `count` parts in the arena become the bytes of one compound key. */
  compound(count: number): Uint8Array;

  // ---- facts
  fact(filter: Handle, which: Fact): number;
  /** Flat: key, value, key, value … */
  metadata(filter: Handle): string[];

  // ---- whole filters
  clear(filter: Handle): void;
  union(a: Handle, b: Handle): Handle;
  unionWith(filter: Handle, other: Handle): void;
  equals(a: Handle, b: Handle): boolean;
  /** A copy that JavaScript owns. */
  toBytes(filter: Handle, withholdSeed: boolean): Uint8Array;
  verify(filter: Handle): void;
}

/** What only `BloomFilter` has. */
export interface BloomOperations {
  /** A new empty filter. `metadata` is flat: key, value, key, value …; `layout` is a name for `LayoutChoice::from_name`. */
  create(capacity: LooseInteger, fpr: number, seed: LooseInteger, layout: string, metadata: string[]): Handle;
  /** Explains the key; the answer is packed as `explanation.ts` unpacks it: see there. */
  explain(filter: Handle, length: number): Uint8Array;
  // ---- a builder collects hashes and makes the filter that fits them
  builderNew(seed: LooseInteger): Handle;
  builderPush(builder: Handle, count: number): void;
  builderPushInts(builder: Handle, count: number): void;
  /** Makes the filter and ends the builder, whether or not it succeeds. */
  builderFinish(builder: Handle, fpr: number, layout: string, metadata: string[]): Handle;
  builderFree(builder: Handle): void;

  seed(filter: Handle): bigint;
  layout(filter: Handle): string;
  intersection(a: Handle, b: Handle): Handle;
  unionAll(filters: Handle[]): Handle;
  intersectWith(filter: Handle, other: Handle): void;
  fold(filter: Handle, factor: LooseInteger): Handle;
  shrinkTo(filter: Handle, capacity: LooseInteger): Handle;
}

/** What only `ScalableBloomFilter` has. */
export interface ScalableOperations {
  /**
   * A new empty filter. `options`: capacity, fpr, expansion, tightening, maxBytes, seed (an integer or 32 bytes), validateScaleTo; `undefined`
   * takes the scheme's default, `null` is none. `metadata` as for `BloomOperations`.
   */
  create(scheme: string, options: (LooseInteger | Uint8Array | null | undefined)[], metadata: string[]): Handle;
  /** All 32 bytes. */
  seed(filter: Handle): Uint8Array;
  scheme(filter: Handle): string;
  /** Six doubles a level (capacity, inserted, fpr, bits, probes, estimated fpr) and eight bytes of the layout's name. */
  levels(filter: Handle): Uint8Array;
  validateScaleTo(filter: Handle, keys: LooseInteger): void;
  /** Iterator and chunk in turn; a format without chunks is one, of iterator 0. */
  exported(filter: Handle, format: "redisbloom" | "valkey-load" | "valkey-dump"): (number | Uint8Array)[];
  imported(format: "redisbloom" | "valkey" | "guava" | "spark", iterators: number[], chunks: Uint8Array[]): Handle;
  /** Five doubles: bytes, filters, levels, keys, capacity. */
  metrics(): Uint8Array;
}

/** What the addon has beyond `Operations`: files and threads. */
export interface NativeOperations extends Operations {
  /**
   * Called once per thread (environment), before anything else, and again by `reserve` with new memory. The addon
   * keeps references to the four and never touches them outside a call.
   */
  init(bytes: Uint8Array, lengths: Uint32Array, out: Uint8Array, make_error: MakeError): void;
  /** `add` with handle and length as the first two doubles of `arena.out`; leaves 0 or 1 in its first byte. */
  addNow(): void;
  /** `has` in the same way. */
  hasNow(): void;
  /**
   * A token for the filter that `attach` takes in any thread of this process. It keeps the filter alive only while some
   * thread holds a handle to it. The same filter gives the same token.
   */
  share(filter: Handle): number;
  /** The filter behind a token: the same bits, not a copy. `ERR_FREED` when it is gone. */
  attach(token: number): Handle;
  /** Reads a file away from the main thread; `mmap` maps it (read-only, body not verified) instead of copying. */
  loadFile(path: string, mmap: boolean, seed: LooseInteger | undefined): Promise<Handle>;
  /** Writes atomically, away from the main thread: a temporary file beside it, flush to disk, rename. On failure the old file stays. */
  saveFile(filter: Handle, path: string, withholdSeed: boolean): Promise<void>;
}

/** A backend as the face sees it. */
export interface Backend extends Operations {
  readonly name: "native" | "wasm";
  readonly arena: Arena;
  /** Makes `arena.bytes` at least `size` bytes long and all views valid; a later, smaller `reserve` may shrink it. Contents are lost. */
  reserve(size: number): void;
  /** Files and threads, where there are any. */
  readonly native?: NativeOperations;
}

/** The backends of the two classes. */
export type BloomBackend = Backend & BloomOperations;
export type ScalableBackend = Backend & ScalableOperations;
/** A backend that has files and threads. */
export type Native<B extends Backend> = B & { readonly native: NativeOperations };

/**
 * What the package exports, whatever it runs on. The entry points add nothing but a runtime.
 */
import { BloomFilter } from "./bloom.js";
import { KEEP } from "./batch.js";
import { Filter, type FromBytesOptions } from "./filter.js";
import { firstBytes, loadBytes, type LoadOptions, type LoadSource, localPath } from "./io.js";
import { asBytes, type Key, notice, typeName, writeKey } from "./keys.js";
import { Place } from "./place.js";
import { bloom } from "./runtime.js";
import { ScalableBloomFilter } from "./scalable.js";

export type { IntegerArray, Keys } from "./batch.js";
export {
  BloomFilter,
  type BloomFilterOptions,
  type BuildOptions,
  type Layout,
} from "./bloom.js";
export {
  ArgumentError,
  CapacityError,
  FilterIOError,
  FilterMemoryError,
  FormatError,
  isTepalError,
  KeyTypeError,
  MismatchError,
  StateError,
  TepalError,
  type TepalErrorFields,
  UnsupportedError,
} from "./errors.js";
export type { ExplainedBit, ExplainedLine, Explanation } from "./explanation.js";
export type { LoadOptions, LoadSource, SharedHandle } from "./io.js";
export type { Filter, FromBytesOptions, ToBytesOptions } from "./filter.js";
export { KeyHash } from "./keyhash.js";
export type { Key } from "./keys.js";
export { type Info, type LevelFacts, type Metrics, metrics, ScalableBloomFilter, type ScalableOptions, type Scheme } from "./scalable.js";

/** The version of the package. */
export const version = "0.1.0";

/**
 * One key of several parts. Each part keeps its borders: `key("ab", "c")` and `key("a", "bc")` differ. The same parts give the same
 * key in every language.
 *
 * @throws KeyTypeError for a part that is no key.
 *
 * ```js
 * filter.add(key("user", 42));
 * ```
 */
export function key(...parts: Key[]): Uint8Array {
  const backend = bloom.home(0);
  const pieces: Uint8Array[] = [];
  for (const part of parts) {
    const length = writeKey(backend, part, 0);
    backend.arena.lengths[0] = length;
    pieces.push(backend.compound(1));
    if (length > KEEP) backend.reserve(0);
  }
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

/**
 * The union of any number of filters, as a new one.
 *
 * @throws ArgumentError (`ERR_EMPTY`) for none; MismatchError for filters that do not belong together.
 */
export function unionAll(filters: Iterable<BloomFilter>): BloomFilter {
  if (typeof (filters as Iterable<BloomFilter> | undefined)?.[Symbol.iterator] !== "function") {
    throw notice(bloom.home(0), "argument_type", "filters", "an iterable of filters", typeName(filters));
  }
  const places = [...filters].map((filter) => Filter._placeOf(bloom, filter, "filters"));
  // Meet where the first one in the addon is, else where the first one lives.
  const own = places.filter((place) => place instanceof Place);
  const backend = (own.find((place) => place.backend.name === "native") ?? own[0])?.backend ?? bloom.home(0);
  const copies: number[] = [];
  try {
    const handles = places.map((place) => {
      if (place instanceof Place && place.backend === backend) return place.open();
      const bytes = place instanceof Place ? place.backend.toBytes(place.open(), false) : place.toBytes();
      const copy = backend.fromBytes([bytes], undefined);
      copies.push(copy);
      return copy;
    });
    return BloomFilter._adopt(backend, backend.unionAll(handles));
  } finally {
    for (const copy of copies) backend.free(copy);
  }
}

/** Where a header names its class (FORMAT.md, section 1.1), and what it says there for scalable filters. */
const KIND = 10;
const SCALABLE = 2;

/** The class that a header names; what is no filter at all goes to `BloomFilter`, which says so. */
function classOf(bytes: Uint8Array | undefined): typeof BloomFilter | typeof ScalableBloomFilter {
  return bytes?.[KIND] === SCALABLE ? ScalableBloomFilter : BloomFilter;
}

/** Reads a filter of any class, told by its bytes: see `BloomFilter.fromBytes`. */
export function fromBytes(bytes: Uint8Array | ArrayBuffer, options?: FromBytesOptions): BloomFilter | ScalableBloomFilter {
  return classOf(asBytes(bytes)).fromBytes(bytes, options);
}

/** Loads a filter of any class, told by its bytes: see `BloomFilter.load`. */
export async function load(source: LoadSource, options: LoadOptions = {}): Promise<BloomFilter | ScalableBloomFilter> {
  const path = localPath(source);
  if (path !== undefined) return classOf(await firstBytes(path)).load(source, options);
  if (options.mmap === true) throw notice(bloom.home(0), "unsupported", "mmap");
  const chunks = await loadBytes(bloom.home(0), source, path);
  const whole = new Uint8Array(await new Blob(chunks as BlobPart[]).arrayBuffer());
  return fromBytes(whole, options.seed === undefined ? {} : { seed: options.seed });
}

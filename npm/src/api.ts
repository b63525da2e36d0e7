/**
 * What the package exports, whatever it runs on. The entry points add nothing but a runtime.
 */
import { BloomFilter, type FromBytesOptions } from "./bloom.js";
import { KEEP } from "./batch.js";
import { Place } from "./filter.js";
import type { LoadOptions, LoadSource } from "./io.js";
import { type Key, notice, typeName, writeKey } from "./keys.js";
import { home } from "./runtime.js";

export type { IntegerArray, Keys } from "./batch.js";
export {
  BloomFilter,
  type BloomFilterOptions,
  type BuildOptions,
  type FromBytesOptions,
  type Layout,
  type ToBytesOptions,
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
export { KeyHash } from "./keyhash.js";
export type { Key } from "./keys.js";

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
  const backend = home(0);
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
    throw notice(home(0), "argument_type", "filters", "an iterable of filters", typeName(filters));
  }
  const places = [...filters].map((filter) => BloomFilter._placeOf(filter, "filters"));
  // Meet where the first one in the addon is, else where the first one lives.
  const own = places.filter((place) => place instanceof Place);
  const backend = (own.find((place) => place.backend.name === "native") ?? own[0])?.backend ?? home(0);
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

/** Reads a filter of any class: see `BloomFilter.fromBytes`. */
export function fromBytes(bytes: Uint8Array | ArrayBuffer, options?: FromBytesOptions): BloomFilter {
  return BloomFilter.fromBytes(bytes, options);
}

/** Loads a filter of any class: see `BloomFilter.load`. */
export function load(source: LoadSource, options?: LoadOptions): Promise<BloomFilter> {
  return BloomFilter.load(source, options);
}

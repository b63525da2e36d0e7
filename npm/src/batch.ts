/**
 * Many keys at once. Keys are taken from the user in pieces, packed into the arena, and the backend works on a piece at a
 * time. The order is kept: the outcome equals that of a loop over single keys. User code (iterators, getters) only runs while a piece is
 * gathered, never while the arena is in use, so a callback may use the same filter.
 */
import type { Backend } from "./backend.js";
import { annotate, CapacityError, FilterMemoryError } from "./errors.js";
import { arrayKind, asBytes, type Key, notice, typeName, writeKey } from "./keys.js";

/** Keys for a batch: any iterable of keys, or a typed array of integers. A bare string or `Uint8Array` is refused: it is one key. */
export type Keys = Iterable<Key> | IntegerArray;

/** Typed arrays whose elements are keys by value (not by their bytes: 1 in an `Int32Array` is the key `1`). */
export type IntegerArray = BigUint64Array | BigInt64Array | Int32Array | Uint32Array | Int16Array | Uint16Array | Int8Array;

/** What the backend does with a piece: `packed` for keys with lengths, `ints` for 8 bytes each. */
export interface Sink {
  packed(count: number): void;
  ints(count: number): void;
  /** Called after each piece, when the first `count` of `arena.out` are its answers. */
  answers?(count: number): void;
}

/** Feeds all keys to the sink. A refused key throws with its `index`, after everything before it was fed. */
export function feed(backend: Backend, keys: Keys, sink: Sink): void {
  if (typeof keys === "string" || asBytes(keys) !== undefined) {
    throw notice(backend, "single_key", typeName(keys));
  }
  if (ArrayBuffer.isView(keys) && isIntegerArray(keys)) {
    feedIntegers(backend, keys, sink);
    return;
  }
  if (typeof (keys as Iterable<Key> | undefined)?.[Symbol.iterator] !== "function") {
    throw notice(backend, "argument_type", "keys", "an iterable of keys", typeName(keys));
  }
  const most = backend.arena.lengths.length;
  let piece: unknown[] = [];
  let first = 0;
  const flush = () => {
    const taken = piece;
    piece = [];
    feedPiece(backend, taken, first, sink);
    first += taken.length;
  };
  try {
    if (Array.isArray(keys)) {
      for (let i = 0; i < keys.length; i++) {
        if (piece.push(keys[i]) === most) flush();
      }
    } else {
      for (const key of keys as Iterable<Key>) {
        if (piece.push(key) === most) flush();
      }
    }
  } finally {
    // Also when the user's iterator throws: what it gave before is in.
    flush();
  }
}

function feedPiece(backend: Backend, piece: readonly unknown[], first: number, sink: Sink): void {
  const { arena } = backend;
  let count = 0;
  let at = 0;
  let start = first;
  const flush = () => {
    if (count === 0) return;
    run(backend, sink, "packed", count, start);
    start += count;
    count = at = 0;
  };
  for (let i = 0; i < piece.length; i++) {
    let length: number;
    try {
      length = writeKey(backend, piece[i], at);
      if (length < 0) {
        flush();
        length = writeKey(backend, piece[i], 0);
      }
    } catch (error) {
      flush();
      throw annotate(error as Error, "index", first + i);
    }
    arena.lengths[count++] = length;
    at += length;
  }
  flush();
  if (arena.bytes.length > KEEP) backend.reserve(0);
}

/** A bigger arena than this is given back after use. */
export const KEEP = 1 << 20;

function isIntegerArray(keys: ArrayBufferView): keys is IntegerArray {
  return /^(Big)?(Uint|Int)(8|16|32|64)Array$/.test(arrayKind.call(keys) as string);
}

const LITTLE = /* @__PURE__ */ new Uint8Array(/* @__PURE__ */ new Uint16Array([1]).buffer)[0] === 1;

function feedIntegers(backend: Backend, keys: IntegerArray, sink: Sink): void {
  const { arena } = backend;
  const most = Math.min(arena.lengths.length, arena.bytes.length >> 3);
  for (let first = 0; first < keys.length; first += most) {
    const piece = keys.subarray(first, first + most);
    const count = piece.length;
    if (piece.BYTES_PER_ELEMENT === 8 && LITTLE) {
      // The elements are already the bytes of the keys.
      arena.bytes.set(new Uint8Array(piece.buffer, piece.byteOffset, piece.byteLength));
    } else {
      for (let i = 0; i < count; i++) {
        const key = piece[i] as number | bigint;
        if (typeof key === "bigint") {
          arena.view.setBigUint64(i * 8, key, true);
        } else {
          arena.view.setInt32(i * 8, key, true);
          arena.view.setInt32(i * 8 + 4, key < 0 ? -1 : 0, true);
        }
      }
    }
    run(backend, sink, "ints", count, first);
  }
}

/** One piece through the sink. Where the filter takes no more, the answers before that are told, and the error gets its `index`. */
function run(backend: Backend, sink: Sink, how: "packed" | "ints", count: number, first: number): void {
  try {
    sink[how](count);
  } catch (error) {
    if (!(error instanceof CapacityError || error instanceof FilterMemoryError)) throw error;
    const done = backend.arena.lengths[0] as number;
    sink.answers?.(done);
    throw annotate(error, "index", first + done);
  }
  sink.answers?.(count);
}

/** Runs a batch and gathers its answers, one byte a key. */
export function gather(backend: Backend, keys: Keys, sink: Omit<Sink, "answers">): Uint8Array {
  // Only where it is what it says: an array or a typed array.
  let all = new Uint8Array(Array.isArray(keys) || ArrayBuffer.isView(keys) ? (keys as unknown[]).length : 0);
  let filled = 0;
  const take = () => (filled === all.length ? all : all.slice(0, filled));
  const whole: Sink = {
    packed: sink.packed,
    ints: sink.ints,
    answers(count) {
      if (filled + count > all.length) {
        const more = new Uint8Array(Math.max(filled + count, all.length * 2));
        more.set(all);
        all = more;
      }
      all.set(backend.arena.out.subarray(0, count), filled);
      filled += count;
    },
  };
  try {
    feed(backend, keys, whole);
  } catch (error) {
    if (error instanceof CapacityError || error instanceof FilterMemoryError) annotate(error, "answers", take());
    throw error;
  }
  return take();
}

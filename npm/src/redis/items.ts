/**
 * Keys of a filter as what goes to the server: the same bytes that a local filter hashes.
 */
import { type Key, type Keys, KeyTypeError, key as compound } from "../api.js";
import { asBytes, isWellFormed, typeName } from "../keys.js";
import { annotate, argumentError } from "./refusals.js";

/** key() writes each part with its length, eight bytes, before it. */
const LENGTH = 8;

/** One key: text (which clients write as UTF-8), integers as eight bytes, bytes as they are, copied. */
export function itemOf(key: Key): string | Uint8Array {
  if (typeof key === "string" && isWellFormed(key)) return key;
  if (Number.isSafeInteger(key)) return integer(key as number);
  return compound(key).subarray(LENGTH);
}

/** The common case by itself: a third of the time. */
function integer(key: number): Uint8Array {
  const bytes = Buffer.allocUnsafe(8);
  bytes.writeUInt32LE(key >>> 0, 0);
  bytes.writeInt32LE(Math.floor(key / 2 ** 32), 4);
  return bytes;
}

/** Many keys. A refused one throws with its `index`. */
export function* itemsOf(keys: Keys): Generator<string | Uint8Array, void> {
  if (typeof keys === "string" || asBytes(keys) !== undefined) {
    throw argumentError("keys", "several keys (an array or another iterable)", `${typeName(keys)}; for one key call add, or put it into an array`);
  }
  if (typeof (keys as Iterable<Key> | undefined)?.[Symbol.iterator] !== "function") {
    throw argumentError("keys", "an iterable of keys", typeName(keys));
  }
  let index = 0;
  for (const key of keys as Iterable<Key>) {
    let item: string | Uint8Array;
    try {
      item = itemOf(key);
    } catch (error) {
      throw error instanceof KeyTypeError ? annotate(error, "index", index) : error;
    }
    index++;
    yield item;
  }
}

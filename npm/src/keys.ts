/**
 * Keys become bytes, written into a backend's arena: text as UTF-8, an integer as 8 little-endian bytes modulo 2^64, bytes as
 * themselves. Everything else is refused with the core's sentence. No user code runs while a key is written, so
 * nothing can overwrite the arena in between. Keys never appear in an error.
 */
import type { Arena, Backend, Notice } from "./backend.js";

/**
 * What a key can be: text (its UTF-8 bytes), an integer from −2^63 to 2^64 − 1 (a `number` only if it is a safe
 * integer, else a `bigint`), or bytes. Equal bytes are equal keys: `"a"` and `new Uint8Array([97])` are one key.
 */
export type Key = string | number | bigint | Uint8Array | ArrayBuffer;

const encoder = /* @__PURE__ */ new TextEncoder();
/** Up to this length the loop is faster than `encodeInto` (Node 20: they meet between 60 and 80 characters). */
const LOOP_LIMIT = 64;
const MIN_INT = -(2n ** 63n);
const MAX_INT = 2n ** 64n - 1n;

/**
 * Writes one key at the offset `at` of the arena and gives its length in bytes. The arena grows when `at` is 0; otherwise
 * −1 says that there is no room. Split so that the path of short ASCII text is small enough for the engine to inline.
 */
export function writeKey(backend: Backend, key: unknown, at: number): number {
  if (typeof key !== "string") return writeOther(backend, key, at);
  const length = writeAscii(backend.arena, key, at);
  return length < 0 ? writeText(backend, key, at) : length;
}

/** Short ASCII text; −1 for any other, or where there is no room. */
function writeAscii(arena: Arena, key: string, at: number): number {
  const { view, bytes } = arena;
  const length = key.length;
  if (length > LOOP_LIMIT || at + LOOP_LIMIT + 4 > bytes.length) return -1;
  // Four characters to a store (a byte to a store took 15 % longer); the last may write zeros behind the key. One test for all at the end.
  let seen = 0;
  let i = 0;
  for (; i + 4 <= length; i += 4) {
    const a = key.charCodeAt(i);
    const b = key.charCodeAt(i + 1);
    const c = key.charCodeAt(i + 2);
    const d = key.charCodeAt(i + 3);
    seen |= a | b | c | d;
    view.setInt32(at + i, a | (b << 8) | (c << 16) | (d << 24), true);
  }
  let rest = 0;
  for (let j = i, shift = 0; j < length; j++, shift += 8) {
    const unit = key.charCodeAt(j);
    seen |= unit;
    rest |= unit << shift;
  }
  view.setInt32(at + i, rest, true);
  return seen < 128 ? length : -1;
}

/** Everything but text. */
function writeOther(backend: Backend, key: unknown, at: number): number {
  if (typeof key === "number") {
    if (!Number.isSafeInteger(key)) {
      throw notice(backend, Number.isInteger(key) ? "key_unsafe_integer" : "key_fraction");
    }
    if (!room(backend, at, 8)) return -1;
    const { view } = backend.arena;
    view.setUint32(at, key >>> 0, true);
    view.setInt32(at + 4, Math.floor(key / 2 ** 32), true);
    return 8;
  }
  if (typeof key === "bigint") {
    if (key < MIN_INT || key > MAX_INT) throw notice(backend, "key_range");
    if (!room(backend, at, 8)) return -1;
    backend.arena.view.setBigUint64(at, key, true);
    return 8;
  }
  const source = asBytes(key);
  if (source === undefined) throw notice(backend, "key_type", typeName(key));
  if (!room(backend, at, source.length)) return -1;
  backend.arena.bytes.set(source, at);
  return source.length;
}

/** Text of any length and script. */
function writeText(backend: Backend, key: string, at: number): number {
  if (!isWellFormed(key)) throw notice(backend, "key_surrogate");
  // Three bytes a UTF-16 unit are the most; only beyond the arena is it worth counting exactly.
  const most = key.length * 3;
  if (at + most > backend.arena.bytes.length && !room(backend, at, most < 1 << 16 ? most : utf8Length(key))) return -1;
  return encoder.encodeInto(key, backend.arena.bytes.subarray(at)).written;
}

/** The bytes that `key` has in UTF-8. `key` is well formed. */
function utf8Length(key: string): number {
  let length = key.length;
  for (let i = 0; i < key.length; i++) {
    const unit = key.charCodeAt(i);
    // A surrogate pair is two units and four bytes: one more for each.
    if (unit > 0x7f) length += unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 1 : 2;
  }
  return length;
}

function room(backend: Backend, at: number, length: number): boolean {
  if (at + length <= backend.arena.bytes.length) return true;
  if (at > 0) return false;
  backend.reserve(length);
  return true;
}

const getter = (prototype: object, name: PropertyKey) =>
  (Object.getOwnPropertyDescriptor(prototype, name) as { get(this: unknown): unknown }).get;
/** Ask the engine what a value is: unlike `instanceof` they work across realms, and no property can fool them. */
export const arrayKind = /* @__PURE__ */ getter(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag);
const bufferLength = /* @__PURE__ */ getter(ArrayBuffer.prototype, "byteLength");

/** Bytes that are a key: a `Uint8Array` (so also a `Buffer`) or an `ArrayBuffer`, of any realm. */
export function asBytes(value: unknown): Uint8Array | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (arrayKind.call(value) === "Uint8Array") return value as Uint8Array;
  if (Object.prototype.toString.call(value) !== "[object ArrayBuffer]") return undefined;
  try {
    bufferLength.call(value);
    return new Uint8Array(value as ArrayBuffer);
  } catch {
    return undefined; // not one, or detached
  }
}

const lone = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;

/** Whether a text has no lone surrogate, that is, has a UTF-8 form. */
export function isWellFormed(text: string): boolean {
  const method = (text as { isWellFormed?(): boolean }).isWellFormed;
  return method === undefined ? !lone.test(text) : method.call(text);
}

/** The name of a value's type, for an error: `"undefined"`, `"boolean"`, `"Date"`. */
export function typeName(value: unknown): string {
  if (value === null) return "null";
  if (typeof value !== "object") return typeof value;
  try {
    const name: unknown = value.constructor?.name;
    return typeof name === "string" && name !== "" && name !== "Object" ? name : "object";
  } catch {
    return "object";
  }
}

/** The core's error for what only this language can notice. */
export function notice(backend: Backend, kind: Notice, a = "", b = "", c = ""): Error {
  return backend.notice(kind, a, b, c);
}

// Keys: which values are one, which are equal, and what is said about the rest.
import assert from "node:assert/strict";
import { test } from "node:test";
import vm from "node:vm";
import { BloomFilter, key, KeyTypeError } from "tepal";
import { failsWith } from "./helpers.mjs";

const filter = new BloomFilter({ capacity: 1000, fpr: 1e-6 });
const hash = (value) => filter.keyHash(value).hex;
const bytes = (...values) => Uint8Array.from(values);
const utf8 = (text) => new TextEncoder().encode(text);

test("text is its UTF-8, whatever its length and script", () => {
  for (const text of ["", "a", "é", "日本", "😀", "a".repeat(63), "a".repeat(64), "a".repeat(65), `${"a".repeat(63)}é`, "é".repeat(40_000), "😀".repeat(30_000)]) {
    assert.equal(hash(text), hash(utf8(text)), `${text.length} units`);
    assert.equal(hash(text), hash(utf8(text).buffer));
    assert.equal(hash(text), hash(Buffer.from(text)));
  }
  const rope = ["x", "y"].map((part) => part.repeat(20)).reduce((a, b) => a + b);
  assert.equal(hash(rope), hash(utf8(rope)));
});

test("keys of 100 MB work, and memory for them is given back", () => {
  const text = "x".repeat(100_000_000);
  assert.equal(filter.add(text), true);
  assert.equal(filter.has(text), true);
  assert.equal(filter.has(text.slice(1)), false);
  const long = `${"é".repeat(10_000_000)}!`;
  assert.equal(hash(long), hash(utf8(long)));
  assert.equal(filter.hasMany(["a", text, "b"]).join(""), "010");
  assert.equal(filter.add("after"), true);
});

test("integers are eight bytes, modulo 2^64, as number or bigint", () => {
  assert.equal(hash(1), hash(bytes(1, 0, 0, 0, 0, 0, 0, 0)));
  assert.equal(hash(-1), hash(bytes(255, 255, 255, 255, 255, 255, 255, 255)));
  assert.equal(hash(-1), hash(2n ** 64n - 1n));
  assert.equal(hash(0), hash(-0));
  for (const value of [0, 1, -1, 255, 2 ** 31, -(2 ** 31), 2 ** 32, -(2 ** 32), 2 ** 32 + 1, -(2 ** 32) - 1, 2 ** 53 - 1, -(2 ** 53) + 1]) {
    assert.equal(hash(value), hash(BigInt(value)), String(value));
    const eight = new Uint8Array(8);
    new DataView(eight.buffer).setBigInt64(0, BigInt(value), true);
    assert.equal(hash(value), hash(eight), String(value));
  }
  assert.notEqual(hash(1), hash("1"));
});

test("bytes may lie anywhere: a view, a Buffer, another realm", () => {
  const whole = bytes(9, 1, 2, 3, 9);
  assert.equal(hash(whole.subarray(1, 4)), hash(bytes(1, 2, 3)));
  assert.equal(hash(Buffer.from([1, 2, 3])), hash(bytes(1, 2, 3).buffer));
  assert.equal(hash(vm.runInNewContext("Uint8Array.from([1, 2, 3])")), hash(bytes(1, 2, 3)));
  assert.equal(hash(vm.runInNewContext("Uint8Array.from([1, 2, 3]).buffer")), hash(bytes(1, 2, 3)));
  const shared = new Uint8Array(new SharedArrayBuffer(3));
  shared.set([1, 2, 3]);
  assert.equal(hash(shared), hash(bytes(1, 2, 3)));
});

test("what is no key is refused with what to do instead, and never shown", () => {
  const cases = [
    [undefined, "ERR_KEY_TYPE", /undefined/],
    [null, "ERR_KEY_TYPE", /null/],
    [true, "ERR_KEY_TYPE", /boolean/],
    [1.5, "ERR_KEY_TYPE", /float/],
    [Number.NaN, "ERR_KEY_TYPE", /float/],
    [Infinity, "ERR_KEY_TYPE", /float/],
    [2 ** 53, "ERR_KEY_RANGE", /BigInt/],
    [-(2 ** 60), "ERR_KEY_RANGE", /BigInt/],
    [2n ** 64n, "ERR_KEY_RANGE", /2\^64/],
    [-(2n ** 63n) - 1n, "ERR_KEY_RANGE", /-2\^63/],
    ["\ud800secret", "ERR_KEY_SURROGATE", /surrogate/],
    [`${"x".repeat(100)}\udc00`, "ERR_KEY_SURROGATE", /surrogate/],
    [["secret"], "ERR_KEY_TYPE", /Array/],
    [{ secret: 1 }, "ERR_KEY_TYPE", /object/],
    [new Date(), "ERR_KEY_TYPE", /Date/],
    [new Map(), "ERR_KEY_TYPE", /Map/],
    [new Uint16Array(2), "ERR_KEY_TYPE", /Uint16Array/],
    [new DataView(new ArrayBuffer(2)), "ERR_KEY_TYPE", /DataView.*contiguous/],
    [new SharedArrayBuffer(2), "ERR_KEY_TYPE", /SharedArrayBuffer/],
    [Symbol("secret"), "ERR_KEY_TYPE", /symbol/],
    [() => 1, "ERR_KEY_TYPE", /function/],
    [new String("secret"), "ERR_KEY_TYPE", /String/],
    [Object.create(null), "ERR_KEY_TYPE", /object/],
    [{ [Symbol.toStringTag]: "ArrayBuffer" }, "ERR_KEY_TYPE", /object/],
    [filter.keyHash("a"), "ERR_KEY_TYPE", /KeyHash/],
  ];
  for (const [value, code, says] of cases) {
    for (const call of ["add", "has", "keyHash", "explain"]) {
      const error = failsWith(code, () => filter[call](value));
      assert.ok(error instanceof KeyTypeError && error instanceof TypeError);
      assert.match(error.message, says);
      assert.doesNotMatch(error.message, /secret/);
    }
    assert.equal(failsWith(code, () => filter.addMany(["fine", value])).index, 1);
    assert.equal(failsWith(code, () => filter.hasMany(new Set(["fine", value]))).index, 1);
    assert.equal(failsWith(code, () => BloomFilter.build(["a", "b", value])).index, 2);
    failsWith(code, () => key("a", value));
  }
  assert.equal(filter.has("fine"), true);
});

test("a detached buffer is refused or empty, never read", () => {
  const buffer = new ArrayBuffer(8);
  structuredClone(buffer, { transfer: [buffer] });
  failsWith("ERR_KEY_TYPE", () => filter.has(buffer));
});

test("parts keep their borders", () => {
  assert.deepEqual(key("ab", "c"), bytes(2, 0, 0, 0, 0, 0, 0, 0, 97, 98, 1, 0, 0, 0, 0, 0, 0, 0, 99));
  assert.notDeepEqual(key("ab", "c"), key("a", "bc"));
  assert.deepEqual(key(1, bytes(7)), bytes(8, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 7));
  assert.deepEqual(key(), bytes());
  assert.equal(key("x".repeat(2_000_000)).length, 2_000_008);
});

test("add and has take one argument, as callbacks of map", () => {
  const f = new BloomFilter({ capacity: 100 });
  assert.deepEqual(["a", "b", "a"].map(f.add, f), [true, true, false]);
  assert.deepEqual(["a", "x"].map(f.has, f), [true, false]);
  assert.deepEqual(["a", "x"].filter(f.has, f), ["a"]);
});

test("a hash knows its seed", () => {
  const a = new BloomFilter({ capacity: 100, seed: 1 });
  const b = new BloomFilter({ capacity: 5000, seed: 1n });
  const other = new BloomFilter({ capacity: 100 });
  const h = a.keyHash("x");
  assert.equal(b.addHash(h), true);
  assert.equal(b.addHash(h), false);
  assert.equal(b.has("x"), true);
  assert.equal(a.hasHash(h), false);
  assert.ok(h.equals(b.keyHash("x")) && !h.equals(other.keyHash("x")));
  assert.match(h.hex, /^[0-9a-f]{32}$/);
  assert.deepEqual(JSON.parse(JSON.stringify(h)), { hash: h.hex, seed: "1" });
  assert.equal(b.hasHash(structuredClone(h)), true);
  failsWith("ERR_SEED_DIFFERS", () => other.hasHash(h));
  failsWith("ERR_SEED_DIFFERS", () => other.addHash(h));
  for (const no of [undefined, null, "x", {}, 5n]) failsWith("ERR_ARGUMENT_TYPE", () => a.hasHash(no));
});

// Batches equal loops, in order, whatever holds the keys and whatever goes wrong in the middle.
import assert from "node:assert/strict";
import { test } from "node:test";
import { BloomFilter } from "tepal";
import { failsWith, random } from "./helpers.mjs";

const make = (more = {}) => new BloomFilter({ capacity: 20_000, ...more });
const mixed = (n, seed) => {
  const next = random(seed);
  return Array.from({ length: n }, (_, i) => {
    const kind = next();
    if (kind < 0.5) return `key-${Math.floor(next() * n)}`;
    if (kind < 0.6) return `schlüssel-${i}`;
    if (kind < 0.7) return Math.floor((next() - 0.5) * 2 ** 50);
    if (kind < 0.8) return BigInt(i) << 30n;
    if (kind < 0.9) return Uint8Array.of(i, i >> 8);
    return "x".repeat(Math.floor(next() * 3000));
  });
};

test("a batch equals a loop, for every length around the pieces", () => {
  for (const n of [0, 1, 2, 63, 64, 65, 4095, 4096, 4097, 10_000]) {
    const keys = mixed(n, n);
    const [loop, batch, iterated] = [make(), make(), make()];
    const expected = Uint8Array.from(keys, (k) => Number(loop.add(k)));
    assert.deepEqual(batch.addMany(keys), expected);
    assert.deepEqual(iterated.addMany(new Set(keys).values()).length, new Set(keys).size);
    assert.deepEqual(batch.toBytes(), loop.toBytes());
    assert.deepEqual(iterated.toBytes(), loop.toBytes());
    assert.deepEqual(batch.hasMany(keys), new Uint8Array(n).fill(1));
    assert.deepEqual(batch.hasMany((function* () { yield* keys; })()), new Uint8Array(n).fill(1));
    const strangers = mixed(n, n + 7).map((k) => (typeof k === "string" ? `not ${k}` : k));
    assert.deepEqual(batch.hasMany(strangers), Uint8Array.from(strangers, (k) => Number(loop.has(k))));
  }
});

test("typed arrays are integers, of every width", () => {
  for (const [type, values] of [
    [BigUint64Array, [0n, 1n, 2n ** 64n - 1n]],
    [BigInt64Array, [0n, -1n, -(2n ** 63n)]],
    [Uint32Array, [0, 1, 2 ** 32 - 1]],
    [Int32Array, [0, -1, -(2 ** 31)]],
    [Uint16Array, [0, 65535]],
    [Int16Array, [0, -1]],
    [Int8Array, [0, -1, 127]],
    [Float64Array, [0, -1, 2 ** 53 - 1]],
  ]) {
    const [batch, loop] = [make(), make()];
    batch.addMany(type.from(values));
    for (const value of values) loop.add(value);
    assert.deepEqual(batch.toBytes(), loop.toBytes(), type.name);
    assert.deepEqual(batch.hasMany(type.from(values)), new Uint8Array(values.length).fill(1), type.name);
  }
  const many = Uint32Array.from({ length: 20_000 }, (_, i) => i * 3);
  const f = make();
  assert.equal(f.addMany(many).length, 20_000);
  assert.ok(many.every((k) => f.has(k)));
  assert.equal(failsWith("ERR_KEY_TYPE", () => f.addMany(Float64Array.of(1, 1.5))).index, 1);
});

test("one key is not many", () => {
  for (const keys of ["abc", new Uint8Array(3), Buffer.from("abc"), new ArrayBuffer(3)]) {
    for (const call of ["addMany", "hasMany", "update"]) {
      assert.match(failsWith("ERR_ARGUMENT_TYPE", () => make()[call](keys)).message, /one key/);
    }
    failsWith("ERR_ARGUMENT_TYPE", () => BloomFilter.build(keys));
  }
  for (const keys of [undefined, null, 5, {}, { length: 3 }, Symbol.iterator]) {
    failsWith("ERR_ARGUMENT_TYPE", () => make().addMany(keys));
  }
});

test("before a bad key everything is in, behind it nothing", () => {
  for (const at of [0, 1, 100, 4095, 4096, 9000]) {
    const keys = Array.from({ length: 10_000 }, (_, i) => `k${i}`);
    keys[at] = undefined;
    const f = make({ fpr: 1e-6 });
    assert.equal(failsWith("ERR_KEY_TYPE", () => f.addMany(keys)).index, at);
    keys.forEach((k, i) => {
      if (k !== undefined) assert.equal(f.has(k), i < at);
    });
    assert.equal(failsWith("ERR_KEY_TYPE", () => f.addMany(keys.values())).index, at);
  }
  const holes = ["a", , "b"];
  assert.equal(failsWith("ERR_KEY_TYPE", () => make().addMany(holes)).index, 1);
});

test("an iterator may fail, use the filter, free it, or lie", () => {
  const f = make({ fpr: 1e-6 });
  assert.throws(() => f.addMany((function* () { yield "a"; throw new Error("mine"); })()), /^Error: mine$/);
  assert.equal(f.has("a"), true);

  const g = make({ fpr: 1e-6 });
  const answers = g.addMany((function* () {
    for (let i = 0; i < 6000; i++) {
      g.has("x".repeat(60_000));
      if (i % 1000 === 0) g.addMany([`inner${i}`]);
      yield `outer${i}`;
    }
  })());
  assert.equal(answers.length, 6000);
  assert.ok(answers.every((a) => a === 1) && g.has("inner5000") && g.has("outer5999"));

  const dying = make();
  failsWith("ERR_FREED", () => dying.addMany((function* () { yield "a"; dying.free(); yield "b"; })()));

  const growing = ["a", "b"];
  const proxy = new Proxy(growing, { get(target, name) { g.has("y"); return target[name]; } });
  assert.deepEqual(make().addMany(proxy), Uint8Array.of(1, 1));
});

test("update takes many iterables", () => {
  const f = make();
  assert.equal(f.update(["a"], new Set(["b"]), Uint32Array.of(7)), undefined);
  assert.deepEqual(f.hasMany(["a", "b", 7]), Uint8Array.of(1, 1, 1));
  f.update();
});

test("build sizes itself and equals a filter made for as many", () => {
  const keys = mixed(5000, 3);
  const built = BloomFilter.build(keys, { fpr: 1e-3, seed: 9, metadata: { a: "b" } });
  const distinct = new BloomFilter({ capacity: built.capacity, fpr: 1e-3, seed: 9 });
  distinct.update(keys);
  assert.ok(built.equals(distinct));
  assert.deepEqual({ ...built.metadata }, { a: "b" });
  assert.equal(BloomFilter.build([]).capacity, 1);
  assert.equal(BloomFilter.build(["a", "a"]).capacity, 1);
  assert.equal(BloomFilter.build(Uint32Array.of(1, 2, 2)).capacity, 2);
  assert.equal(BloomFilter.build((function* () { yield 1; yield 2n; })()).capacity, 2);
  failsWith("ERR_FPR_RANGE", () => BloomFilter.build(["a"], { fpr: 2 }));
  failsWith("ERR_SEED_RANGE", () => BloomFilter.build(["a"], { seed: -1 }));
  failsWith("ERR_ARGUMENT_TYPE", () => BloomFilter.build(["a"], { capacity: 5 }));
});

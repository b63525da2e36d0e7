// One suite for filters here and filters in a server: whoever changes one for the other changes one line (and awaits).
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import * as tepal from "tepal";
import { RemoteBloomFilter } from "tepal/redis";
import { CLIENTS, connected, failsWith, startServers } from "./helpers.mjs";

let servers;
before(async () => {
  servers = await startServers();
});
after(() => servers.stop());

const remote = (kind, server) => async (t) => {
  if (servers[server] === null) {
    t.skip("no valkey-bloom module here (TEPAL_VALKEY_BLOOM)");
    return undefined;
  }
  const { client } = await connected(t, kind, servers[server]);
  let made = 0;
  return (options) => RemoteBloomFilter.open(client, `filter-${++made}`, options);
};
const local = (scheme) => () => async (options) => new tepal.ScalableBloomFilter({ scheme, ...options });

/** Whose filters: gives a function that makes them. */
const MAKERS = {
  "local redisbloom": local("redisbloom"),
  "local valkey": local("valkey"),
  ...Object.fromEntries(Object.keys(CLIENTS).map((kind, i) => [`${kind} to RedisBloom`, remote(kind, i % 2 ? "valkey" : "redis")])),
  "ioredis 6 to valkey-bloom": remote("ioredis 6", "valkey_bloom"),
  "node-redis 6 to valkey-bloom": remote("node-redis 6", "valkey_bloom"),
  "node-redis 6, RESP3 to valkey-bloom": remote("node-redis 6, RESP3, numbers as strings", "valkey_bloom"),
};

const numbers = (from, to) => Array.from({ length: to - from }, (_, i) => from + i);
const all = (answers, value) => answers.every((answer) => answer === value);

for (const [name, maker] of Object.entries(MAKERS)) {
  describe(name, () => {
    const test = (what, work) =>
      it(what, async (t) => {
        const make = await maker(t);
        if (make !== undefined) await work(make);
      });

    test("one key", async (make) => {
      const seen = await make({ capacity: 1_000 });
      assert.equal(await seen.has("alice"), false);
      assert.equal(await seen.add("alice"), true);
      assert.equal(await seen.add("alice"), false);
      assert.equal(await seen.has("alice"), true);
      assert.equal(await seen.has("bob"), false);
    });

    test("a key is its bytes", async (make) => {
      const seen = await make({ capacity: 1_000, fpr: 1e-6 });
      await seen.update(["Größe", 1, 2n ** 63n, tepal.key("ad", 17), -5, new Uint8Array([0, 255, 10, 13]), ""]);
      for (const same of [Buffer.from("Größe"), 1n, -(2n ** 63n), tepal.key("ad", 17n), -5n, new Uint8Array([0, 255, 10, 13]).buffer, ""]) {
        assert.equal(await seen.has(same), true);
      }
      for (const other of ["1", new Uint8Array([1]), tepal.key("ad1", 7), "grösse"]) assert.equal(await seen.has(other), false);
    });

    test("what is no key", async (make) => {
      const seen = await make({ capacity: 1_000 });
      for (const [wrong, code] of [
        [1.5, "ERR_KEY_TYPE"],
        [null, "ERR_KEY_TYPE"],
        [true, "ERR_KEY_TYPE"],
        [2n ** 64n, "ERR_KEY_RANGE"],
        ["\ud800", "ERR_KEY_SURROGATE"],
        [["a"], "ERR_KEY_TYPE"],
      ]) {
        for (const call of ["add", "has"]) assert.equal((await failsWith(code, async () => seen[call](wrong))).index, undefined);
        assert.equal((await failsWith(code, async () => seen.addMany(["before", wrong, "after"]))).index, 1);
      }
      assert.deepEqual([await seen.has("before"), await seen.has("after")], [true, false]);
      for (const wrong of ["alice", Buffer.from("alice"), new ArrayBuffer(3), 7, null, undefined]) {
        for (const call of ["addMany", "hasMany"]) await failsWith("ERR_ARGUMENT_TYPE", async () => seen[call](wrong));
      }
      assert.equal(await seen.has("alice"), false);
    });

    test("many keys", async (make) => {
      const seen = await make({ capacity: 100_000, fpr: 1e-6 });
      const keys = numbers(0, 40_000).map((i) => `key-${i}`);
      const answers = await seen.addMany(keys);
      assert.ok(answers instanceof Uint8Array);
      assert.equal(answers.length, 40_000);
      assert.ok(all(answers, 1));
      assert.ok(all(await seen.addMany(keys), 0));
      assert.ok(all(await seen.hasMany(keys.toReversed()), 1));
      const mixed = function* () {
        for (const key of keys) yield* [key, `not ${key}`];
      };
      assert.deepEqual(await seen.hasMany(mixed()), Uint8Array.from({ length: 80_000 }, (_, i) => 1 - (i % 2)));
      assert.equal((await seen.addMany([])).length + (await seen.hasMany(new Set())).length, 0);
    });

    test("the same key twice in a batch", async (make) => {
      assert.deepEqual([...(await (await make({ capacity: 100 })).addMany(["a", "b", "a"]))], [1, 1, 0]);
    });

    test("columns of integers", async (make) => {
      const seen = await make({ capacity: 10_000, fpr: 1e-6 });
      assert.ok(all(await seen.addMany(Uint32Array.from(numbers(0, 3_000))), 1));
      assert.ok(all(await seen.hasMany(BigInt64Array.from(numbers(0, 3_000), BigInt)), 1));
      assert.ok(all(await seen.hasMany(numbers(0, 3_000)), 1));
    });

    test("an iterator that throws: what it gave before is in", async (make) => {
      const seen = await make({ capacity: 10_000 });
      const keys = function* () {
        for (let i = 0; i < 1_500; i++) yield `key-${i}`;
        throw new RangeError("enough");
      };
      await assert.rejects(async () => seen.update(keys()), { name: "RangeError", message: "enough" });
      assert.ok(all(await seen.hasMany(numbers(0, 1_500).map((i) => `key-${i}`)), 1));
    });

    test("growing", async (make) => {
      const seen = await make({ capacity: 100, fpr: 1e-6 });
      const facts = async () => [await seen.filterCount, await seen.capacity, await seen.initialCapacity, await seen.insertedCount];
      await seen.update(numbers(0, 100));
      assert.deepEqual(await facts(), [1, 100, 100, 100]);
      await seen.add(100);
      assert.deepEqual(await facts(), [2, 300, 100, 101]);
      await seen.update(numbers(0, 200), new Set(numbers(200, 301)));
      assert.deepEqual(await facts(), [3, 700, 100, 301]);
      assert.ok(all(await seen.hasMany(numbers(0, 301)), 1));
    });

    test("expansion", async (make) => {
      const seen = await make({ capacity: 100, fpr: 1e-6, expansion: 4 });
      await seen.update(numbers(0, 101));
      assert.deepEqual([await seen.expansion, await seen.capacity], [4, 500]);
    });

    test("full", async (make) => {
      const seen = await make({ capacity: 3_000, fpr: 1e-9, expansion: null });
      const error = await failsWith("ERR_FULL", async () => seen.addMany(["twice", "twice", ...numbers(0, 5_000)]));
      assert.ok(error instanceof tepal.CapacityError);
      // "twice" took one place, so that 2,999 numbers found room.
      assert.equal(error.index, 3_001);
      assert.deepEqual([...error.answers], [1, 0, ...new Array(2_999).fill(1)]);
      assert.deepEqual([await seen.expansion, await seen.filterCount, await seen.insertedCount], [null, 1, 3_000]);
      assert.equal((await failsWith("ERR_FULL", async () => seen.add("new"))).index, undefined);
      assert.equal(await seen.has("new"), false);
      assert.equal(await seen.add("twice"), false);
      assert.equal((await seen.hasMany(numbers(0, 5_000))).reduce((sum, one) => sum + one), 2_999);
    });

    test("facts", async (make) => {
      const seen = await make({ capacity: 1_000, fpr: 0.001 });
      await seen.update(numbers(0, 10));
      const info = await seen.info();
      for (const [fact, value] of Object.entries(info)) assert.equal(await seen[fact], value, fact);
      const { size, maxScaledCapacity, ...rest } = info;
      assert.deepEqual(rest, { capacity: 1_000, filterCount: 1, insertedCount: 10, fpr: 0.001, expansion: 2, tightening: 0.5 });
      assert.ok(size > 1_000 && size < 10_000);
      assert.ok(maxScaledCapacity === null || maxScaledCapacity > 1_000);
      assert.match(await seen.scheme, /^(redisbloom|valkey)$/);
      assert.equal(typeof JSON.stringify(seen), "string");
      seen.free();
    });

    test("defaults", async (make) => {
      const seen = await make({});
      assert.deepEqual([await seen.capacity, await seen.fpr, await seen.expansion], [100, 0.01, 2]);
    });

    test("arguments out of range", async (make) => {
      for (const [wrong, code] of [
        [{ capacity: 0 }, "ERR_CAPACITY_ZERO"],
        [{ capacity: 1.5 }, "ERR_CAPACITY_RANGE"],
        [{ fpr: 0 }, "ERR_FPR_RANGE"],
        [{ fpr: 1 }, "ERR_FPR_RANGE"],
        [{ capacity: "many" }, "ERR_ARGUMENT_TYPE"],
        [{ fpr: "low" }, "ERR_ARGUMENT_TYPE"],
        [{ expansion: "fast" }, "ERR_ARGUMENT_TYPE"],
      ]) {
        assert.ok((await failsWith(code, () => make(wrong))) instanceof tepal.ArgumentError);
      }
    });
  });
}

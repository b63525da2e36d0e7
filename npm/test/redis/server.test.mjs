// What is asked of a server as a whole, servers that fail or hang, and what only a remote filter has.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { after, before, describe, test } from "node:test";
import * as tepal from "tepal";
import { doctor, RemoteBloomFilter, serverDefaults, serverInfo } from "tepal/redis";
import { CLIENTS, connected, failsWith, startServers } from "./helpers.mjs";

let servers;
before(async () => {
  servers = await startServers();
});
after(() => servers.stop());

for (const kind of Object.keys(CLIENTS)) {
  describe(kind, () => {
    test("what a server says of itself", async (t) => {
      const { client } = await connected(t, kind, servers.redis);
      assert.deepEqual(await serverDefaults(client), {
        capacity: 100, fpr: 0.01, expansion: 2, tightening: null, maxBytes: null, randomSeed: null, defrag: null,
      });
      assert.match((await failsWith("ERR_UNSUPPORTED", () => serverInfo(client))).message, /valkey-bloom/);
      if (servers.valkey_bloom === null) return;
      const valkey = await connected(t, kind, servers.valkey_bloom);
      const filter = await RemoteBloomFilter.open(valkey.client, "seen");
      await filter.update(["a", "b"]);
      const info = await serverInfo(valkey.client);
      assert.deepEqual(
        [info.numObjects, info.numFiltersAcrossObjects, info.numItemsAcrossObjects, info.capacityAcrossObjects],
        [1, 1, 2, 100],
      );
      assert.deepEqual([typeof info.totalMemoryBytes, typeof info.defragHits, typeof info.defragMisses], ["number", "number", "number"]);
      const defaults = await serverDefaults(valkey.client);
      assert.deepEqual([defaults.tightening, defaults.maxBytes, defaults.randomSeed], [0.5, 134217728, true]);
    });

    test("a server that hangs is waited for as long as said", async (t) => {
      const { client } = await connected(t, kind, servers.redis);
      const filter = await RemoteBloomFilter.open(client, "seen", { timeoutMs: 150 });
      process.kill(servers.pids.redis, "SIGSTOP");
      try {
        for (const call of [() => filter.add("a"), () => filter.hasMany(["a"]), () => filter.info(), () => serverDefaults(client, { timeoutMs: 150 })]) {
          const start = performance.now();
          assert.ok((await failsWith("ERR_IO", call, "ETIMEDOUT")) instanceof tepal.FilterIOError);
          const took = performance.now() - start;
          assert.ok(took > 100 && took < 2_000, `${took} ms`);
        }
      } finally {
        process.kill(servers.pids.redis, "SIGCONT");
      }
      // What was sent is done when it goes on.
      assert.equal(await new RemoteBloomFilter(client, "seen").has("a"), true);
    });

    test("the doctor", async (t) => {
      const { client, raw } = await connected(t, kind, servers.redis);
      await raw("SET", "text", "x");
      const filter = new RemoteBloomFilter(client, "small", { capacity: 100 });
      await filter.update(Array.from({ length: 5_000 }, (_, i) => i));
      await RemoteBloomFilter.open(client, Buffer.from([0xff, 0xfe]), { capacity: 100_000, expansion: null });
      const report = await doctor(client);
      assert.deepEqual(report.filters.map(({ key }) => key), ["small", Buffer.from([0xff, 0xfe])]);
      const [small, empty] = report.filters;
      assert.deepEqual([small.scheme, small.filterCount, small.capacity, small.promisedFpr], ["redisbloom", 6, 6_300, 0.01]);
      assert.equal(small.insertedCount, await filter.insertedCount);
      // Half, a quarter … of the promise: RedisBloom's levels keep it together.
      assert.ok(small.compoundFpr < 0.01 && small.compoundFpr > 0.009);
      assert.match(small.findings.join(), /a rebuild for the [\d,]+ keys that are in saves [\d,]+ bytes/);
      assert.ok(empty.findings.includes("has no keys"));
      assert.match(String(report), /^key +scheme +levels/);
      assert.match(String(report), /2 filters; rebuilding all would save [\d,]+ bytes$/);
      assert.deepEqual((await doctor(client, { match: "nothing*" })).filters, []);
    });
  });
}

describe("a remote filter", () => {
  test("what it cannot do says so, and every other method of a local one is there", async (t) => {
    const { client } = await connected(t, "ioredis 6", servers.redis);
    const remote = new RemoteBloomFilter(client, "seen");
    let refused = 0;
    const local = tepal.ScalableBloomFilter.prototype;
    for (const name of [local, Object.getPrototypeOf(local)].flatMap(Object.getOwnPropertyNames)) {
      if (name === "constructor" || name.startsWith("_")) continue;
      assert.ok(name in remote, name);
      if (!Object.hasOwn(Object.getPrototypeOf(RemoteBloomFilter.prototype), name)) continue;
      refused++;
      const error = await failsWith("ERR_UNSUPPORTED", () => (typeof remote[name] === "function" ? remote[name]() : undefined));
      assert.match(error.message, /pull\(\)/);
    }
    assert.ok(refused > 20);
  });

  test("is compared with what is there", async (t) => {
    const { client, raw } = await connected(t, "node-redis 6", servers.redis);
    const open = (options) => RemoteBloomFilter.open(client, "seen", options);
    await failsWith("ERR_IO", () => open({ create: false }), "ENOENT");
    await open({ capacity: 500, fpr: 0.001, expansion: 3 });
    await open({});
    await open({ capacity: 500n, fpr: 0.001, expansion: 3, tightening: 0.5, create: false });
    for (const [wrong, code] of [
      [{ capacity: 501 }, "ERR_CAPACITY_DIFFERS"],
      [{ fpr: 0.002 }, "ERR_FPR_DIFFERS"],
      [{ expansion: null }, "ERR_EXPANSION_DIFFERS"],
      [{ tightening: 0.6 }, "ERR_TIGHTENING_DIFFERS"],
    ]) {
      assert.ok((await failsWith(code, () => open(wrong))) instanceof tepal.MismatchError);
    }
    await failsWith("ERR_UNSUPPORTED", () => open({ validateScaleTo: 1_000 }));
    await raw("SET", "text", "x");
    await failsWith("ERR_FOREIGN", () => RemoteBloomFilter.open(client, "text"));
  });

  test("that somebody deleted is made again, or missed", async (t) => {
    const { client, raw } = await connected(t, "ioredis 5", servers.valkey);
    const seen = await RemoteBloomFilter.open(client, "seen", { capacity: 500, fpr: 0.001 });
    const strict = await RemoteBloomFilter.open(client, "seen", { create: false });
    await raw("DEL", "seen");
    assert.equal(await seen.has("a"), false);
    for (const call of [() => strict.has("a"), () => strict.hasMany(["a"]), () => strict.add("a")]) await failsWith("ERR_IO", call, "ENOENT");
    assert.equal(await seen.add("a"), true);
    assert.deepEqual([await seen.initialCapacity, await seen.fpr], [500, 0.001]);
    await raw("SET", "seen", "text");
    for (const call of [() => seen.has("a"), () => seen.add("a")]) await failsWith("ERR_FOREIGN", call);
  });

  test("the options of valkey-bloom", async (t) => {
    if (servers.valkey_bloom === null) return t.skip("no valkey-bloom module here (TEPAL_VALKEY_BLOOM)");
    const { client } = await connected(t, "ioredis 6", servers.valkey_bloom);
    const open = (key, options) => RemoteBloomFilter.open(client, key, options);
    const one = await open("one", { capacity: 1_000, tightening: 0.25, seed: new Uint8Array(32), validateScaleTo: 10_000 });
    assert.deepEqual([await one.tightening, await one.scheme], [0.25, "valkey"]);
    await failsWith("ERR_SEED_LENGTH", () => open("two", { seed: new Uint8Array(31) }));
    await failsWith("ERR_SCALE_TO", () => open("three", { validateScaleTo: 26214301 }));
    assert.equal(await (await open("four", { validateScaleTo: 26214300 })).maxScaledCapacity, 26214300);
  });

  test("in CommonJS too, throws the errors of the one tepal", async () => {
    const require = createRequire(import.meta.url);
    const [inner, redis] = [require("tepal"), require("tepal/redis")];
    const error = await failsWith("ERR_ARGUMENT_TYPE", () => new redis.RemoteBloomFilter(null, "seen"));
    assert.ok(error instanceof inner.ArgumentError);
    assert.ok(!(error instanceof tepal.ArgumentError));
  });

  test("a server that is not there, a client that is none", async () => {
    const gone = await CLIENTS["ioredis 6"](1, { maxRetriesPerRequest: 0, retryStrategy: () => null });
    await failsWith("ERR_IO", () => new RemoteBloomFilter(gone.client, "seen").add("a"));
    for (const wrong of [undefined, null, {}, "redis://"]) await failsWith("ERR_ARGUMENT_TYPE", () => new RemoteBloomFilter(wrong, "seen"));
    const prefixed = await CLIENTS["ioredis 6"](1, { keyPrefix: "app:", lazyConnect: true });
    await failsWith("ERR_ARGUMENT_TYPE", () => new RemoteBloomFilter(prefixed.client, "seen"));
    for (const timeoutMs of [0, -1, Number.NaN]) {
      await failsWith("ERR_ARGUMENT_TYPE", () => new RemoteBloomFilter(gone.client, "seen", { timeoutMs }));
    }
  });
});

// Filters into real servers and out again; and what is left when a push is broken off.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import * as tepal from "tepal";
import { pull, push, RemoteBloomFilter } from "tepal/redis";
import { CLIENTS, connected, cutAfter, failsWith, startServers } from "./helpers.mjs";

let servers;
before(async () => {
  servers = await startServers();
});
after(() => servers.stop());

const { ScalableBloomFilter } = tepal;
const keys = (count, prefix = "key") => Array.from({ length: count }, (_, i) => `${prefix}-${i}`);
const full = (count, options) => ScalableBloomFilter.build(keys(count), { scheme: "redisbloom", ...options });

for (const kind of Object.keys(CLIENTS)) {
  describe(kind, () => {
    test("a filter goes to RedisBloom, is asked there, grows there, and comes back to the byte", async (t) => {
      const { client, raw } = await connected(t, kind, servers.redis);
      const seen = full(5_000, { capacity: 1_000 });
      const steps = [];
      await push(client, "seen", seen, { progress: (done, total) => steps.push([done, total]) });
      assert.equal(Number(await raw("BF.EXISTS", "seen", "key-77")), 1);
      assert.equal(Number(await raw("BF.CARD", "seen")), seen.insertedCount);
      assert.equal(Number(await raw("DBSIZE")), 1);
      assert.equal(Number(await raw("TTL", "seen")), -1);
      const last = steps.at(-1);
      assert.equal(last[0], last[1]);
      assert.ok(steps.length > 2 && steps.every(([done], i) => i === 0 || done > steps[i - 1][0]));
      const back = await pull(client, "seen");
      assert.deepEqual(back.toBytes(), seen.toBytes());
      const remote = await RemoteBloomFilter.open(client, "seen", { create: false, capacity: 1_000, expansion: 2 });
      const strangers = keys(20_000, "stranger");
      assert.deepEqual(await remote.hasMany(strangers), seen.hasMany(strangers));
      await remote.update(keys(5_000, "more"));
      seen.update(keys(5_000, "more"));
      assert.deepEqual((await pull(client, "seen")).toBytes(), seen.toBytes());
    });

    test("a key need not be text", async (t) => {
      const { client } = await connected(t, kind, servers.redis);
      const key = Buffer.from([0xff, 0, 0x7b, 0xfe, 0x7d, 13, 10]);
      await push(client, key, full(10));
      assert.equal((await pull(client, new Uint8Array(key))).has("key-3"), true);
    });

    test("a filter goes to valkey-bloom and comes back to the byte", async (t) => {
      if (servers.valkey_bloom === null) return t.skip("no valkey-bloom module here (TEPAL_VALKEY_BLOOM)");
      const { client, raw } = await connected(t, kind, servers.valkey_bloom);
      const seen = full(5_000, { scheme: "valkey", capacity: 1_000 });
      await push(client, "seen", seen, { expire: 100 });
      assert.equal(Number(await raw("BF.EXISTS", "seen", "key-77")), 1);
      assert.equal(Number(await raw("TTL", "seen")), 100);
      assert.deepEqual((await pull(client, "seen")).toBytes(), seen.toBytes());
      await failsWith("ERR_IO", () => push(client, "seen", seen, { overwrite: false }), "EEXIST");
    });
  });
}

describe("push", () => {
  test("replaces a key of any type, or not", async (t) => {
    const { client, raw } = await connected(t, "ioredis 6", servers.redis);
    await raw("SET", "seen", "text", "EX", "1000");
    await failsWith("ERR_IO", () => push(client, "seen", full(10), { overwrite: false }), "EEXIST");
    assert.equal(await raw("GET", "seen"), "text");
    assert.equal(Number(await raw("DBSIZE")), 1);
    await push(client, "seen", full(10), { expire: 50 });
    assert.equal(Number(await raw("TTL", "seen")), 50);
    await push(client, "other", full(10), { overwrite: false });
    assert.equal(Number(await raw("DBSIZE")), 2);
  });

  test("of other schemes, to other servers, of other things is refused", async (t) => {
    const { client, raw } = await connected(t, "node-redis 6", servers.redis);
    await failsWith("ERR_UNSUPPORTED", () => push(client, "seen", new ScalableBloomFilter()));
    await failsWith("ERR_UNSUPPORTED", () => push(client, "seen", new tepal.BloomFilter({ capacity: 10 })));
    await failsWith("ERR_UNSUPPORTED", () => push(client, "seen", full(10, { scheme: "valkey" })));
    for (const wrong of [null, undefined, {}, "filter"]) await failsWith("ERR_ARGUMENT_TYPE", () => push(client, "seen", wrong));
    for (const expire of [0, -1, "1", Number.NaN]) await failsWith("ERR_ARGUMENT_TYPE", () => push(client, "seen", full(10), { expire }));
    await failsWith("ERR_ARGUMENT_TYPE", () => push(client, 7, full(10)));
    assert.equal(Number(await raw("DBSIZE")), 0);
  });

  test("broken off by the connection at any byte leaves the old key, and what it had loaded goes away by itself", async (t) => {
    const { client, raw } = await connected(t, "ioredis 6", servers.redis);
    const old = full(10);
    const large = full(40_000, { capacity: 30_000 });
    const size = large.toRedisbloom().reduce((sum, { chunk }) => sum + chunk.length, 0);
    for (const [at, limit] of [200, 1_000, size >> 1, size - 1_000].entries()) {
      await push(client, "seen", old);
      const kind = at % 2 ? "node-redis 6" : "ioredis 6";
      const port = await cutAfter(t, servers.redis, limit);
      const options = kind === "ioredis 6" ? { maxRetriesPerRequest: 0, retryStrategy: () => null } : { reconnectStrategy: false };
      const broken = await CLIENTS[kind](port, options);
      const error = await failsWith("ERR_IO", () => push(broken.client, "seen", large));
      assert.ok(error instanceof tepal.FilterIOError && error.cause instanceof Error);
      if (kind === "ioredis 6") broken.close();
      assert.deepEqual((await pull(client, "seen")).toBytes(), old.toBytes());
      for (const key of await raw("KEYS", "*loading*")) {
        assert.ok(Number(await raw("TTL", key)) > 3_000, "a temporary key that stays for ever");
        await raw("DEL", key);
      }
    }
  });

  test("refused by the server at the end takes away what it had loaded", async (t) => {
    const { client, raw } = await connected(t, "node-redis 5", servers.redis);
    await push(client, "seen", full(10));
    await raw("ACL", "SETUSER", "limited", "on", ">word", "~*", "+@all", "-rename");
    const limited = await CLIENTS["ioredis 6"](servers.redis, { username: "limited", password: "word" });
    t.after(() => limited.close());
    await failsWith("ERR_IO", () => push(limited.client, "seen", full(500)));
    await raw("ACL", "DELUSER", "limited");
    assert.deepEqual(await raw("KEYS", "*"), ["seen"]);
    assert.equal((await pull(client, "seen")).insertedCount, full(10).insertedCount);
  });
});

describe("pull", () => {
  test("of what is no filter", async (t) => {
    const { client, raw } = await connected(t, "ioredis 5", servers.valkey);
    await failsWith("ERR_IO", () => pull(client, "nothing"), "ENOENT");
    await raw("SET", "text", "x");
    assert.ok((await failsWith("ERR_FOREIGN", () => pull(client, "text"))) instanceof tepal.FormatError);
  });

  test("while somebody writes gives a filter of one moment", async (t) => {
    const { client } = await connected(t, "ioredis 6", servers.redis);
    const writer = await CLIENTS["node-redis 6"](servers.redis);
    t.after(() => writer.close());
    await push(client, "seen", full(10, { capacity: 100 }));
    const remote = new RemoteBloomFilter(writer.client, "seen");
    let writing = true;
    let known = 0;
    const writes = (async () => {
      for (; writing; known += 50) await remote.update(Array.from({ length: 50 }, (_, i) => known + i));
    })();
    try {
      for (let i = 0; i < 10; i++) {
        const before = known;
        const back = await pull(client, "seen");
        // All that was in before is in; and the levels count the keys that the filter counts.
        const members = back.hasMany(Array.from({ length: before }, (_, key) => key));
        assert.ok(members.every((one) => one === 1));
        assert.equal(back.levels.reduce((sum, level) => sum + level.insertedCount, 0), back.insertedCount);
      }
    } finally {
      writing = false;
      await writes;
    }
    assert.ok(known > 0);
  });

  test("a filter built elsewhere (the golden vectors): pushed, asked by the server, pulled, in this backend", async (t) => {
    const { client, raw } = await connected(t, "node-redis 6", servers.redis);
    const golden = await readFile(join(import.meta.dirname, "../../../tests/vectors/v1-scalable/redisbloom-golden.tepal"));
    const seen = ScalableBloomFilter.fromBytes(golden);
    await push(client, "seen", seen);
    for (const key of ["a", "b", "c"]) assert.equal(Number(await raw("BF.EXISTS", "seen", key)), 1);
    assert.deepEqual(Buffer.from((await pull(client, "seen")).toBytes()), Buffer.from(seen.toBytes()));
  });
});

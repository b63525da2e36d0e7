// The class that grows: growth, batches, bytes, refusals, and the numbers and formats of servers. So far it needs the addon.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { BloomFilter, backend, CapacityError, fromBytes, load, metrics, ScalableBloomFilter } from "tepal";
import { failsWith } from "./helpers.mjs";

const only = { skip: backend === "native" ? false : "needs the addon" };
const keys = (n) => Array.from({ length: n }, (_, i) => `key-${i}`);

test("it grows, loses nothing and keeps its rate", only, () => {
  const f = new ScalableBloomFilter({ capacity: 100, fpr: 0.01 });
  for (const key of keys(20_000)) f.add(key);
  assert.ok(keys(20_000).every((key) => f.has(key)));
  assert.ok(f.filterCount > 2 && f.filterCount === f.levels.length && f.capacity >= f.insertedCount);
  assert.ok(f.estimatedFpr <= 0.01, String(f.estimatedFpr));
  const wrong = f.hasMany(Array.from({ length: 20_000 }, (_, i) => `stranger-${i}`)).reduce((sum, yes) => sum + yes, 0);
  assert.ok(wrong < 300, `${wrong} of 20000`);
  assert.equal(f.levels.reduce((sum, level) => sum + level.insertedCount, 0), f.insertedCount);
  f.clear();
  assert.equal(f.filterCount, 1);
});

test("a batch equals a loop", only, () => {
  const [a, b, c] = [1, 2, 3].map(() => new ScalableBloomFilter({ capacity: 50 }));
  const expected = Uint8Array.from(keys(10_000), (key) => Number(a.add(key)));
  assert.deepEqual(b.addMany(keys(10_000)), expected);
  assert.deepEqual(a.toBytes(), b.toBytes());
  c.addMany(Uint32Array.from({ length: 9000 }, (_, i) => i));
  assert.ok(c.has(8999));
});

test("a full filter refuses, and says where", only, () => {
  for (const given of [keys(9000), new Set(keys(9000)), BigUint64Array.from(keys(9000), (_, i) => BigInt(i))]) {
    const f = new ScalableBloomFilter({ capacity: 5000, fpr: 1e-6, expansion: null });
    const error = failsWith("ERR_FULL", () => f.addMany(given));
    assert.ok(error instanceof CapacityError);
    const all = [...given];
    assert.equal(error.answers.length, error.index);
    assert.equal(error.answers.reduce((sum, one) => sum + one, 0), 5000);
    assert.ok(f.has(all[error.index - 1]) && !f.has(all[error.index]));
    failsWith("ERR_FULL", () => f.add("one more"));
  }
});

test("bytes, files, threads and classes", only, async (t) => {
  const directory = mkdtempSync(join(tmpdir(), "tepal-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const path = join(directory, "a.tepal");
  const f = ScalableBloomFilter.build(keys(5000), { capacity: 10, seed: 7n, metadata: { a: "b" } });
  const again = fromBytes(f.toBytes());
  assert.ok(again instanceof ScalableBloomFilter && again.equals(f));
  assert.deepEqual([again.seed, { ...again.metadata }], [7n, { a: "b" }]);
  await f.save(path);
  for (const other of [await load(path), await ScalableBloomFilter.load(path, { mmap: true }), ScalableBloomFilter.attach(f.share()), f.clone(), f.union(f)]) {
    assert.ok(other instanceof ScalableBloomFilter && other.equals(f));
  }
  const mapped = await ScalableBloomFilter.load(path, { mmap: true });
  mapped.verify();
  failsWith("ERR_READ_ONLY", () => mapped.addMany(["new"]));
  failsWith("ERR_KIND", () => BloomFilter.fromBytes(f.toBytes()));
  failsWith("ERR_ARGUMENT_TYPE", () => f.union(new BloomFilter({ capacity: 1 })));
  failsWith("ERR_SEED_DIFFERS", () => f.union(new ScalableBloomFilter({ capacity: 10 })));
  assert.ok(fromBytes(new BloomFilter({ capacity: 1 }).toBytes()) instanceof BloomFilter);
  assert.ok(metrics().numItemsAcrossObjects >= 5000);
});

test("valkey's numbers, and the formats of servers", only, () => {
  const v = new ScalableBloomFilter({ scheme: "valkey" });
  assert.deepEqual(v.info(), {
    capacity: 100, size: 384, filterCount: 1, insertedCount: 0, fpr: 0.01, expansion: 2, tightening: 0.5, maxScaledCapacity: 26_214_300,
  });
  assert.equal(v.maxBytes, 128 * 2 ** 20);
  assert.equal(v.seed.length, 32);
  v.addMany(keys(1000));
  for (const bytes of [v.toValkeyLoad(), v.toValkeyDump()]) assert.ok(ScalableBloomFilter.fromValkey(bytes).equals(v));
  const r = ScalableBloomFilter.build(keys(1000), { scheme: "redisbloom" });
  assert.ok(ScalableBloomFilter.fromRedisbloom(r.toRedisbloom()).equals(r));
  failsWith("ERR_UNSUPPORTED", () => r.toValkeyDump());
  failsWith("ERR_UNSUPPORTED", () => v.keyHash("a"));
  const damaged = v.toValkeyDump();
  damaged[30] ^= 1;
  failsWith("ERR_CHECKSUM", () => ScalableBloomFilter.fromValkey(damaged));
});

test("options are refused by name", only, () => {
  for (const [options, code] of [
    [{ capacity: 0 }, "ERR_CAPACITY_ZERO"],
    [{ fpr: 0.9 }, "ERR_FPR_RANGE"],
    [{ expansion: 0 }, "ERR_EXPANSION_RANGE"],
    [{ tightening: 1 }, "ERR_TIGHTENING_RANGE"],
    [{ maxBytes: 0 }, "ERR_MAX_BYTES_RANGE"],
    [{ scheme: "redis" }, "ERR_SCHEME_NAME"],
    [{ scheme: "valkey", seed: new Uint8Array(31) }, "ERR_SEED_LENGTH"],
    [{ capacity: 100, maxBytes: 10_000, validateScaleTo: 1e9 }, "ERR_SCALE_TO"],
    [{ capacity: "1" }, "ERR_ARGUMENT_TYPE"],
    [{ expand: 2 }, "ERR_ARGUMENT_TYPE"],
    [5, "ERR_ARGUMENT_TYPE"],
  ]) failsWith(code, () => new ScalableBloomFilter(options));
  failsWith("ERR_SCALE_TO", () => new ScalableBloomFilter({ maxBytes: 5000 }).validateScaleTo(1e12));
});

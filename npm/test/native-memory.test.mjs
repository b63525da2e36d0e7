/**
 * Memory: filters beyond 4 GiB, and none that stays behind when a thread ends or the collector could have it.
 */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { isMainThread, Worker, workerData } from "node:worker_threads";
import { BloomFilter, backend } from "tepal";

const only = { skip: backend === "native" ? false : "needs the addon" };
const MIB = 2 ** 20;
const resident = () => process.memoryUsage.rss() / MIB;

if (!isMainThread && workerData?.path) {
  // Ends without freeing.
  await BloomFilter.load(workerData.path);
  await BloomFilter.load(workerData.path);
} else {
  const path = join(fs.mkdtempSync(join(tmpdir(), "tepal-")), "32-mib.tepal");
  test.after(() => fs.rmSync(join(path, ".."), { recursive: true }));
  test.before(async () => {
    if (backend !== "native") return;
    const filter = new BloomFilter({ capacity: 26_000_000 });
    filter.add("a");
    assert.ok(filter.byteLength > 30 * MIB);
    await filter.save(path);
    filter.free();
  });

  test("a filter of more than 4 GiB reaches all of it, and takes only the memory it uses", only, (t) => {
    let filter;
    try {
      filter = new BloomFilter({ capacity: 4_500_000_000, fpr: 0.01 });
    } catch (error) {
      assert.equal(error.code, "ERR_OUT_OF_MEMORY");
      t.skip("this machine does not give 5 GiB");
      return;
    }
    assert.ok(filter.byteLength > 2 ** 32);
    const before = resident();
    const COUNT = 150; // a page of 2 MiB each at most
    const keys = Array.from({ length: COUNT }, (_, i) => `key ${i}`);
    const fresh = filter.addMany(keys);
    assert.ok(fresh.every((is) => is === 1));
    assert.ok(filter.hasMany(keys).every((is) => is === 1));
    const strangers = filter.hasMany(keys.map((key) => `not ${key}`));
    assert.ok(strangers.every((is) => is === 0));
    assert.ok(resident() - before < 500, "memory that was never used was taken");
    const offsets = keys.map((key) => Number(filter.explain(key).lines[0].bodyOffset));
    // Were an address cut to 32 bits, nothing would be found up there.
    const above = offsets.filter((offset) => offset >= 2 ** 32).length;
    const expected = (COUNT * (filter.byteLength - 2 ** 32)) / filter.byteLength;
    assert.ok(Math.abs(above - expected) < 5 * Math.sqrt(expected), `${above} keys above 4 GiB, expected ${expected}`);
    assert.ok(Math.max(...offsets) < filter.byteLength);
    filter.free();
  });

  test("10^12 keys are refused, not fatal", only, () => {
    // A filter of that size is 1.2 TB: an error wherever memory is not promised beyond reason.
    try {
      new BloomFilter({ capacity: 1e12 }).free();
    } catch (error) {
      assert.equal(error.code, "ERR_OUT_OF_MEMORY");
    }
  });

  test("the filters of a worker end with it", only, async () => {
    const run = () =>
      new Promise((resolve) => new Worker(new URL(import.meta.url), { workerData: { path } }).once("exit", resolve));
    await run();
    const before = resident();
    for (let i = 0; i < 12; i++) assert.equal(await run(), 0);
    const grown = resident() - before;
    assert.ok(grown < 200, `${grown} MiB stayed behind of 24 filters of 32 MiB`);
  });

  test("the collector knows how much a filter holds", only, async () => {
    const before = resident();
    for (let i = 0; i < 60; i++) assert.ok((await BloomFilter.load(path)).has("a"));
    const grown = resident() - before;
    assert.ok(grown < 1000, `${grown} MiB stayed behind of 60 filters of 32 MiB`);
  });
}

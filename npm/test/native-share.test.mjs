/**
 * One filter in several threads: `share()` gives a cloneable handle, `attach(handle)` opens the same bits elsewhere.
 * Eight workers add the same keys at the same moments; without the core's locks two of them would both be told "new".
 */
import assert from "node:assert/strict";
import test from "node:test";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { BloomFilter, backend } from "tepal";

const WORKERS = 8;
const ROUNDS = 100; // each with a filter of its own, small enough that the workers fight for its lines
const KEYS = 2048; // a round
const FPR = 0.01;
const only = { skip: backend === "native" ? false : "needs the addon" };

const keysOf = (round) => Array.from({ length: KEYS }, (_, i) => `key-${round * KEYS + i}`);

/** Waits until all workers are here, so that they start a round together. */
function meet(gate, round) {
  if (Atomics.add(gate, round, 1) === WORKERS - 1) Atomics.notify(gate, round);
  for (;;) {
    const here = Atomics.load(gate, round);
    if (here === WORKERS) return;
    Atomics.wait(gate, round, here, 1);
  }
}

/** What a worker does, by name. */
const jobs = {
  hammer({ handles, gate, many }) {
    const fresh = new Uint8Array(ROUNDS * KEYS);
    for (let round = 0; round < ROUNDS; round++) {
      const keys = keysOf(round);
      const filter = BloomFilter.attach(handles[round]);
      meet(gate, round);
      if (many) fresh.set(filter.addMany(keys), round * KEYS);
      else for (const [i, key] of keys.entries()) fresh[round * KEYS + i] = Number(filter.add(key));
      filter.free();
    }
    return fresh;
  },
  attach({ handle, key }) {
    return BloomFilter.attach(handle).add(key);
  },
  async file({ path, mine }) {
    for (let i = 0; i < 20; i++) {
      const other = await BloomFilter.load(path, { mmap: i % 2 === 0 });
      other.verify();
      assert.ok(other.has("in all"));
      other.free();
      const filter = new BloomFilter({ capacity: 50_000 });
      filter.addMany(["in all", mine]);
      await filter.save(path);
      filter.free();
    }
    return true;
  },
  save({ path }) {
    const filter = new BloomFilter({ capacity: 20_000_000 });
    for (let i = 0; i < 3; i++) void filter.save(path).then(() => filter.save(path));
    void BloomFilter.load(path);
    parentPort.postMessage("started");
    return new Promise(() => {});
  },
  spin({ handle }) {
    const filter = BloomFilter.attach(handle);
    filter.add(0);
    parentPort.postMessage("started");
    for (let i = 0; ; i = (i + 1) % 1000) filter.add(i);
  },
};

if (!isMainThread && jobs[workerData?.job]) {
  parentPort.postMessage(await jobs[workerData.job](workerData));
} else {
  const run = (data) =>
    new Promise((resolve, reject) => {
      const worker = new Worker(new URL(import.meta.url), { workerData: data });
      let answer;
      worker.on("message", (message) => (answer = message));
      worker.on("error", reject);
      worker.on("exit", () => resolve(answer));
    });

  for (const many of [false, true]) {
    test(`eight workers add the same keys, ${many ? "by the batch" : "one by one"}`, only, async () => {
      const n = ROUNDS * KEYS;
      const filters = Array.from({ length: ROUNDS }, () => new BloomFilter({ capacity: KEYS, fpr: FPR }));
      const handles = filters.map((filter) => filter.share());
      const gate = new Int32Array(new SharedArrayBuffer(4 * ROUNDS));
      const answers = await Promise.all(Array.from({ length: WORKERS }, () => run({ job: "hammer", handles, gate, many })));
      const times = new Uint8Array(n);
      for (const fresh of answers) for (let i = 0; i < n; i++) times[i] += fresh[i];
      const twice = times.filter((count) => count > 1).length;
      assert.equal(twice, 0, `${twice} of ${n} keys were new twice`);
      const fresh = times.reduce((sum, count) => sum + count, 0);
      assert.ok(fresh >= (1 - FPR) * n - 3 * Math.sqrt(n * FPR * (1 - FPR)), `only ${fresh} of ${n} keys were new`);
      filters.forEach((filter, round) => {
        assert.ok(
          filter.hasMany(keysOf(round)).every((found) => found === 1),
          "a key was lost",
        );
        // The same bits as one thread would have set.
        const alone = new BloomFilter({ capacity: KEYS, fpr: FPR });
        alone.addMany(keysOf(round));
        assert.ok(alone.equals(filter));
      });
    });
  }

  test("a handle is plain data, and the same each time", only, () => {
    const filter = new BloomFilter({ capacity: 10 });
    const handle = filter.share();
    assert.deepEqual(structuredClone(handle), handle);
    assert.deepEqual(filter.share(), handle);
    const again = BloomFilter.attach(handle);
    assert.deepEqual(again.share(), handle);
    assert.equal(again.add("a"), true);
    assert.equal(filter.has("a"), true);
  });

  test("a shared filter lives as long as somebody holds it, and no longer", only, async () => {
    const filter = new BloomFilter({ capacity: 10 });
    const handle = filter.share();
    assert.equal(await run({ job: "attach", handle, key: "a" }), true);
    // The worker is gone without a word; the filter is here.
    assert.equal(filter.has("a"), true);
    const second = BloomFilter.attach(handle);
    filter.free();
    assert.equal(second.has("a"), true);
    second.free();
    assert.throws(() => BloomFilter.attach(handle), { code: "ERR_FREED" });
  });

  test("a token that was never given is refused", only, () => {
    const handle = new BloomFilter({ capacity: 10 }).share();
    assert.throws(() => BloomFilter.attach({ ...handle, token: handle.token + 1 }), { code: "ERR_FREED" });
  });

  test("a worker may be terminated in the middle of an add", only, async () => {
    const filter = new BloomFilter({ capacity: 1_000_000 });
    for (let i = 0; i < 3; i++) {
      const worker = new Worker(new URL(import.meta.url), { workerData: { job: "spin", handle: filter.share() } });
      await new Promise((resolve) => worker.once("message", resolve));
      await worker.terminate();
      assert.equal(filter.add(`after ${i}`), true);
      assert.equal(filter.has(0), true);
    }
  });

  test("a worker may be terminated while it saves and loads", only, async (t) => {
    const { mkdtempSync, rmSync } = await import("node:fs");
    const { tmpdir } = await import("node:os");
    const { join } = await import("node:path");
    const directory = mkdtempSync(join(tmpdir(), "tepal-"));
    t.after(() => rmSync(directory, { recursive: true }));
    const path = join(directory, "one.tepal");
    const first = new BloomFilter({ capacity: 10 });
    await first.save(path);
    for (let i = 0; i < 4; i++) {
      const worker = new Worker(new URL(import.meta.url), { workerData: { job: "save", path } });
      await new Promise((resolve) => worker.once("message", resolve));
      await new Promise((resolve) => setTimeout(resolve, i * 10));
      await worker.terminate();
      (await BloomFilter.load(path)).free(); // whole
    }
  });

  test("eight workers save and load one file: it is whole at every moment", only, async (t) => {
    const { mkdtempSync, readdirSync, rmSync } = await import("node:fs");
    const { tmpdir } = await import("node:os");
    const { join } = await import("node:path");
    const directory = mkdtempSync(join(tmpdir(), "tepal-"));
    t.after(() => rmSync(directory, { recursive: true }));
    const path = join(directory, "one.tepal");
    const first = new BloomFilter({ capacity: 50_000 });
    first.add("in all");
    await first.save(path);
    const done = await Promise.all(Array.from({ length: WORKERS }, (_, i) => run({ job: "file", path, mine: `worker ${i}` })));
    assert.ok(done.every((answer) => answer === true));
    assert.deepEqual(readdirSync(directory), ["one.tepal"]);
    assert.equal((await BloomFilter.load(path)).estimatedCount, 2);
  });
}

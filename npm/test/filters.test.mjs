// The class as a whole: arguments, facts, combining, the end of a filter, and what strangers do to it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import * as tepal from "tepal";
import { failsWith } from "./helpers.mjs";

const { BloomFilter, TepalError, ArgumentError, FormatError, MismatchError, StateError, UnsupportedError, isTepalError, unionAll } = tepal;
const make = (options = {}, keys = []) => {
  const filter = new BloomFilter({ capacity: 1000, ...options });
  filter.addMany(keys);
  return filter;
};

test("facts", () => {
  const f = make({ fpr: 0.001, seed: 7, metadata: { rule: "lower", __proto__x: "1" } }, ["a", "b"]);
  assert.equal(f.capacity, 1000);
  assert.equal(f.fpr, 0.001);
  assert.equal(f.seed, 7n);
  assert.equal(f.layout, "line");
  assert.equal(f.numBits, f.numLines * 512);
  assert.equal(f.byteLength, f.toBytes().length);
  assert.equal(f.readOnly, false);
  assert.equal(f.estimatedCount, 2);
  assert.ok(f.fillRatio > 0 && f.estimatedFpr < 0.001 && Math.abs(f.saturation - 0.002) < 1e-4);
  assert.deepEqual({ ...f.metadata }, { __proto__x: "1", rule: "lower" });
  assert.ok(Object.isFrozen(f.metadata));
  assert.deepEqual({ ...make({ metadata: new Map([["a", "b"]]) }).metadata }, { a: "b" });
  const json = JSON.parse(JSON.stringify(f));
  assert.equal(json.type, "BloomFilter");
  assert.equal(json.seed, "7");
  assert.match(inspect(f), /^BloomFilter \{ capacity: 1000, fpr: 0\.001, layout: 'line', seed: 7n, \d+ bytes, (native|wasm) \}$/);
  assert.equal(Object.prototype.toString.call(f), "[object BloomFilter]");
  inspect(BloomFilter.prototype); // asks no getter
  assert.equal(make().fpr, 0.01);
});

test("arguments are refused by name", () => {
  const cases = [
    [undefined, "ERR_ARGUMENT_TYPE"],
    [1000, "ERR_ARGUMENT_TYPE"],
    [{}, "ERR_ARGUMENT_TYPE"],
    [{ capacity: "5" }, "ERR_ARGUMENT_TYPE"],
    [{ capacity: 5, errorRate: 0.1 }, "ERR_ARGUMENT_TYPE"],
    [{ capacity: 0 }, "ERR_CAPACITY_ZERO"],
    [{ capacity: -1 }, "ERR_CAPACITY_RANGE"],
    [{ capacity: 1.5 }, "ERR_CAPACITY_RANGE"],
    [{ capacity: Number.NaN }, "ERR_CAPACITY_RANGE"],
    [{ capacity: Infinity }, "ERR_CAPACITY_RANGE"],
    [{ capacity: 2 ** 63 }, "ERR_CAPACITY_RANGE"],
    [{ capacity: 2n ** 200n }, "ERR_CAPACITY_RANGE"],
    [{ capacity: -(2n ** 200n) }, "ERR_CAPACITY_RANGE"],
    [{ capacity: 5, fpr: "0.1" }, "ERR_ARGUMENT_TYPE"],
    [{ capacity: 5, fpr: null }, "ERR_ARGUMENT_TYPE"],
    ...[0, 1, -0.1, Number.NaN, Infinity, 1e-10].map((fpr) => [{ capacity: 5, fpr }, "ERR_FPR_RANGE"]),
    [{ capacity: 5, seed: -1 }, "ERR_SEED_RANGE"],
    [{ capacity: 5, seed: 2 ** 53 }, "ERR_SEED_RANGE"],
    [{ capacity: 5, seed: 2n ** 64n }, "ERR_SEED_RANGE"],
    [{ capacity: 5, seed: "1" }, "ERR_ARGUMENT_TYPE"],
    [{ capacity: 5, layout: "round" }, "ERR_LAYOUT_NAME"],
    [{ capacity: 5, layout: 1 }, "ERR_ARGUMENT_TYPE"],
    [{ capacity: 5, metadata: { "": "x" } }, "ERR_METADATA"],
    [{ capacity: 5, metadata: { x: "y".repeat(70_000) } }, "ERR_METADATA"],
    [{ capacity: 5, metadata: Object.fromEntries(Array.from({ length: 9000 }, (_, i) => [`k${i}`, "v"])) }, "ERR_METADATA"],
    [{ capacity: 5, metadata: { x: 1 } }, "ERR_ARGUMENT_TYPE"],
    [{ capacity: 5, metadata: { x: "\ud800" } }, "ERR_ARGUMENT_TYPE"],
  ];
  for (const [options, code] of cases) {
    const error = failsWith(code, () => new BloomFilter(options));
    assert.ok(error instanceof ArgumentError && error instanceof RangeError && error instanceof TepalError, inspect(options));
    assert.equal(error.name, "ArgumentError");
  }
  // Either the memory is there or it is an error; never the end of the process.
  const error = failsWith("ERR_OUT_OF_MEMORY", () => {
    try {
      new BloomFilter({ capacity: 1e12 });
    } catch (e) {
      throw e.code === "ERR_TOO_LARGE" ? Object.assign(e, { code: "ERR_OUT_OF_MEMORY" }) : e;
    }
  });
  assert.ok(error instanceof RangeError && error instanceof tepal.FilterMemoryError);
  assert.equal(make({ seed: 2n ** 64n - 1n }).seed, 2n ** 64n - 1n);
});

test("union, intersection and their kin", () => {
  const a = make({}, ["a", "both"]);
  const b = make({}, ["b", "both"]);
  const all = make({}, ["a", "b", "both"]);
  assert.ok(a.union(b).equals(all) && b.union(a).equals(all) && !a.equals(all));
  assert.ok(unionAll([a, b, a]).equals(all));
  assert.ok(unionAll(new Set([a])).equals(a));
  assert.ok(a.intersection(b).has("both") && !a.intersection(b).has("a"));
  const c = a.clone();
  c.unionWith(b);
  assert.ok(c.equals(all) && !a.has("b"));
  c.intersectWith(a);
  assert.ok(c.has("a"));
  c.clear();
  assert.equal(c.estimatedCount, 0);
  a.unionWith(a);
  assert.ok(a.union(a).equals(a));
  const wide = make({ capacity: 64_000 }, ["w"]);
  assert.ok(wide.shrinkTo(1000).has("w") && wide.shrinkTo(1000n).byteLength < wide.byteLength);
  assert.ok(wide.fold(2).has("w") && wide.fold(2).numLines * 2 === wide.numLines);
  failsWith("ERR_FACTOR", () => wide.fold(0));
  failsWith("ERR_FACTOR", () => wide.fold(1.5));
  failsWith("ERR_ARGUMENT_TYPE", () => wide.fold("2"));
  failsWith("ERR_CAPACITY_RANGE", () => wide.shrinkTo(1e9));
  failsWith("ERR_SEED_DIFFERS", () => a.union(make({ seed: 1 })));
  const layouts = failsWith("ERR_LAYOUT_DIFFERS", () => a.union(make({ layout: "classic" })));
  assert.ok(layouts instanceof MismatchError);
  failsWith("ERR_EMPTY", () => unionAll([]));
  for (const no of [undefined, null, 5, "x", {}, [], new Map()]) {
    for (const call of ["union", "intersection", "unionWith", "intersectWith", "equals"]) failsWith("ERR_ARGUMENT_TYPE", () => a[call](no));
    failsWith("ERR_ARGUMENT_TYPE", () => unionAll([a, no]));
  }
  failsWith("ERR_ARGUMENT_TYPE", () => unionAll(5));
});

test("a clone by structuredClone is dead, and says so where it can", () => {
  const dead = structuredClone(make());
  assert.match(failsWith("ERR_ARGUMENT_TYPE", () => make().union(dead)).message, /toBytes/);
  failsWith("ERR_ARGUMENT_TYPE", () => BloomFilter.prototype.has.call(dead, "a"));
  failsWith("ERR_ARGUMENT_TYPE", () => BloomFilter.prototype.add.call(undefined, "a"));
  failsWith("ERR_ARGUMENT_TYPE", () => Object.create(make()).has("a"));
});

test("after free everything is ERR_FREED, and free is idempotent", () => {
  const f = make({}, ["a"]);
  const other = make();
  f.free();
  f.free();
  f[Symbol.dispose]();
  const calls = [
    () => f.has("a"), () => f.add("a"), () => f.addMany(["a"]), () => f.hasMany([]), () => f.update(["a"]), () => f.toBytes(), () => f.capacity,
    () => f.seed, () => f.metadata, () => f.clone(), () => f.clear(), () => f.union(other), () => other.union(f), () => other.unionWith(f),
    () => f.equals(other), () => f.fold(1), () => f.explain("a"), () => f.keyHash("a"), () => JSON.stringify(f), () => unionAll([f]), () => f.share(), () => f.verify(),
  ];
  for (const call of calls) assert.ok(failsWith("ERR_FREED", call) instanceof StateError);
  assert.equal(inspect(f), "BloomFilter { freed }");
});

test("bytes round-trip, are one's own, and bad ones are refused", () => {
  const f = make({ metadata: { a: "b" } }, ["a"]);
  const bytes = f.toBytes();
  assert.ok(tepal.fromBytes(bytes).equals(f));
  assert.ok(BloomFilter.fromBytes(bytes.buffer).equals(f));
  assert.ok(BloomFilter.fromBytes(Buffer.from(bytes)).has("a"));
  bytes.fill(0);
  assert.equal(f.has("a"), true);
  const sealed = f.toBytes({ withholdSeed: true });
  assert.ok(failsWith("ERR_SEED_REQUIRED", () => tepal.fromBytes(sealed)) instanceof FormatError);
  failsWith("ERR_SEED_DIFFERS", () => tepal.fromBytes(sealed, { seed: 5 }));
  assert.ok(tepal.fromBytes(sealed, { seed: 0 }).equals(f));
  for (const no of [undefined, null, "text", 5, [1, 2], new Uint16Array(4), new DataView(new ArrayBuffer(4))]) {
    failsWith("ERR_ARGUMENT_TYPE", () => tepal.fromBytes(no));
  }
  failsWith("ERR_TRUNCATED", () => tepal.fromBytes(new Uint8Array()));
  failsWith("ERR_TRUNCATED", () => tepal.fromBytes(f.toBytes().subarray(0, -1)));
  failsWith("ERR_MAGIC", () => tepal.fromBytes(new TextEncoder().encode("<!doctype html>")));
  failsWith("ERR_TRAILING", () => tepal.fromBytes(Uint8Array.of(...f.toBytes(), 0)));
  failsWith("ERR_ARGUMENT_TYPE", () => tepal.fromBytes(f.toBytes(), null));
});

test("explain agrees with has", () => {
  const f = make({}, ["a"]);
  const why = f.explain("a");
  assert.equal(why.contained, true);
  assert.equal(why.hash, f.keyHash("a").hex);
  assert.equal(why.lines.length, 1);
  assert.equal(why.lines[0].words.length, 8);
  assert.equal(why.lines[0].bits.length, f.numProbes);
  for (const { lane, bit, set } of why.lines[0].bits) assert.equal((why.lines[0].words[lane] >> BigInt(bit)) & 1n, set ? 1n : 0n);
  assert.equal(f.explain("b").contained, f.has("b"));
  assert.ok(why.falsePositiveChance >= 0 && why.falsePositiveChance <= 1);
});

test("load reads responses and streams, in pieces of any size", async () => {
  const f = make({}, ["a"]);
  const bytes = f.toBytes();
  const stream = (size) => new ReadableStream({
    start(controller) {
      for (let i = 0; i < bytes.length; i += size) controller.enqueue(bytes.slice(i, i + size));
      controller.close();
    },
  });
  assert.ok((await tepal.load(new Response(bytes))).equals(f));
  assert.ok((await tepal.load(Promise.resolve(new Response(bytes)))).equals(f));
  for (const size of [1, 7, 64, 100_000]) assert.ok((await tepal.load(stream(size))).equals(f));
  assert.ok((await tepal.load(`data:application/octet-stream;base64,${Buffer.from(bytes).toString("base64")}`)).equals(f));
  const io = { code: "ERR_IO", name: "FilterIOError" };
  await assert.rejects(tepal.load(new Response("no", { status: 404 })), io);
  await assert.rejects(tepal.load(new ReadableStream({ start: (c) => c.error(new Error("cut")) })), (e) => e.code === "ERR_IO" && e.cause.message === "cut");
  await assert.rejects(tepal.load(new ReadableStream({ start: (c) => { c.enqueue("text"); c.close(); } })), io);
  await assert.rejects(tepal.load("http://127.0.0.1:1/none"), io);
  await assert.rejects(tepal.load(new Response(bytes.slice(0, 100))), { code: "ERR_TRUNCATED" });
  await assert.rejects(tepal.load(new Response()), { code: "ERR_TRUNCATED" });
  for (const no of [undefined, null, 5, {}]) await assert.rejects(tepal.load(no), { code: "ERR_ARGUMENT_TYPE" });
  await assert.rejects(tepal.load("/no/such/file"), (e) => e.code === "ERR_IO" && e.cause.code === "ENOENT");
});

test("errors are told apart by brand, across copies of the package", () => {
  const error = failsWith("ERR_CAPACITY_ZERO", () => make({ capacity: 0 }));
  assert.ok(isTepalError(error) && !isTepalError(new Error("x")) && !isTepalError(null) && !isTepalError("x"));
  assert.ok(error instanceof TepalError && !(error instanceof FormatError) && !(new Error("x") instanceof TepalError));
  class Stranger extends Error {}
  Object.defineProperty(Stranger.prototype, Symbol.for("tepal.error"), { value: true });
  assert.ok(new Stranger() instanceof TepalError && !(new Stranger() instanceof FormatError));
});

test("a filter of another copy of the package can be merged", async () => {
  const other = await import("tepal/wasm");
  const theirs = new other.BloomFilter({ capacity: 1000 });
  theirs.add("x");
  const mine = make({}, ["a"]);
  mine.unionWith(theirs);
  assert.ok(mine.has("x") && mine.union(theirs).equals(mine) && unionAll([theirs, mine]).equals(mine));
  assert.ok(theirs.union(mine).has("a"));
});

test("without the addon there are no threads and no maps", { skip: tepal.backend === "native" ? "has the addon" : false }, async () => {
  assert.ok(failsWith("ERR_UNSUPPORTED", () => make().share()) instanceof UnsupportedError);
  failsWith("ERR_UNSUPPORTED", () => BloomFilter.attach({ kind: "tepal.shared", token: 1 }));
  await assert.rejects(tepal.load("x", { mmap: true }), { code: "ERR_UNSUPPORTED" });
});

test("memory of forgotten filters comes back", { skip: globalThis.gc ? false : "needs --expose-gc" }, async () => {
  for (let i = 0; i < 300; i++) {
    new BloomFilter({ capacity: 10_000_000 }); // 12.5 MB each: 3.7 GB unless some are collected
    if (i % 10 === 9) {
      globalThis.gc();
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }
});

/**
 * The seam below the face: whatever an operation of the addon is given, it answers or throws; the process lives.
 * Goes past the package to the addon itself, since the face passes no such things.
 */
import assert from "node:assert/strict";
import * as fs from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { backend } from "tepal";

const only = { skip: backend === "native" ? false : "needs the addon" };

/** The addon: of this checkout, or of the installed platform package. */
function findAddon() {
  const require = createRequire(import.meta.url);
  const name = `${process.platform}-${process.arch}${{ linux: "-gnu", win32: "-msvc" }[process.platform] ?? ""}`;
  try {
    return require(`../native/tepal.${name}.node`);
  } catch {
    return require(`@tepal/${name}`);
  }
}

class Refusal extends Error {
  constructor(kind, code, message, errno) {
    super(message);
    Object.assign(this, { kind, code, errno });
  }
}

function open() {
  const addon = findAddon().open();
  const arena = { bytes: new Uint8Array(1 << 16), lengths: new Uint32Array(4096), out: new Uint8Array(4096) };
  addon.init(arena.bytes, arena.lengths, arena.out, (...error) => new Refusal(...error));
  return { addon, arena };
}

/** A generator that gives the same numbers in every run. */
function numbers(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test("operations answer or throw, whatever they are given", only, async (t) => {
  const directory = fs.mkdtempSync(join(tmpdir(), "tepal-"));
  t.after(() => fs.rmSync(directory, { recursive: true }));
  const { addon, arena } = open();
  const next = numbers(1);
  const pick = (list) => list[next(list.length)];
  const filters = [addon.create(100, 0.01, 0, "auto", []), addon.create(100, 0.01, 7n, "classic", ["a", "b"])];
  const strange = [
    undefined,
    null,
    true,
    -1,
    0,
    1,
    3,
    24,
    4096,
    4097,
    1e9,
    2 ** 31,
    2 ** 53,
    -(2 ** 63),
    Number.NaN,
    0.01,
    1.5,
    Number.POSITIVE_INFINITY,
    7n,
    -1n,
    1n << 63n,
    1n << 64n,
    1n << 200n,
    -(1n << 200n),
    "",
    "auto",
    "pair",
    "key_type",
    "\ud800",
    join(directory, "a"),
    join(directory, "a\0b"),
    {},
    [],
    [1],
    ["a"],
    ["a", "b"],
    [arena.bytes],
    Symbol("s"),
    () => 1,
    new Uint8Array(0),
    arena.bytes.subarray(5),
    new Float64Array(3),
    new DataView(new ArrayBuffer(9)),
    new Date(),
  ];
  const names = Object.keys(addon).filter((name) => name !== "init");
  assert.ok(names.length > 35);
  const outcomes = { answered: 0, refused: 0, broken: 0 };
  const pending = [];
  for (let i = 0; i < 60_000; i++) {
    for (let j = 0; j < 5; j++) arena.lengths[next(4096)] = next(3) === 0 ? next(2 ** 32) : next(20);
    const name = pick(names);
    const values = Array.from({ length: next(6) }, () => (next(3) === 0 ? pick(filters) : pick(strange)));
    // So that a lucky capacity does not fill the machine.
    if (typeof values[0] === "number" && values[0] > 1e6 && /create|shrink/.test(name)) continue;
    try {
      const answer = addon[name](...values);
      outcomes.answered++;
      if (answer instanceof Promise)
        pending.push(
          answer.then(
            () => undefined,
            (error) => error,
          ),
        );
      else if (/create|clone|fromBytes|union$|intersection|unionAll|fold|shrinkTo|builder|attach/.test(name)) {
        if (typeof answer === "number" && filters.push(answer) > 20) addon.free(filters.splice(next(20), 1)[0]);
      }
    } catch (error) {
      if (error instanceof Refusal) outcomes.refused++;
      else {
        assert.ok(error instanceof TypeError && error.code === "ERR_INTERNAL", `${name}: ${error}`);
        assert.doesNotMatch(error.message, /panic/, name);
        outcomes.broken++;
      }
    }
  }
  for (const error of await Promise.all(pending)) assert.ok(error === undefined || error instanceof Refusal, String(error));
  for (const [outcome, times] of Object.entries(outcomes)) assert.ok(times > 1000, `${outcome}: ${times}`);
});

test("without init an operation throws", only, () => {
  const addon = findAddon().open();
  assert.throws(() => addon.has(1, 5), { code: "ERR_INTERNAL" });
  assert.throws(() => addon.create(0, 0.01, 0, "auto", []), { code: "ERR_INTERNAL" });
});

test("init refuses what is no arena, and keeps the old one", only, () => {
  const { addon, arena } = open();
  const make = (...error) => new Refusal(...error);
  assert.throws(() => addon.init(arena.bytes, arena.out, arena.out, make), { code: "ERR_INTERNAL" });
  assert.throws(() => addon.init(arena.bytes, arena.lengths, {}, make), { code: "ERR_INTERNAL" });
  assert.throws(() => addon.init(), { code: "ERR_INTERNAL" });
  const filter = addon.create(10, 0.01, 0, "auto", []);
  assert.equal(addon.add(filter, 3), 1);
});

test("instances do not know each other's handles", only, () => {
  const [{ addon: a }, { addon: b, arena }] = [open(), open()];
  const filter = a.create(10, 0.01, 0, "auto", []);
  assert.throws(() => b.has(filter, 3), { code: "ERR_FREED" });
  const attached = b.attach(a.share(filter));
  assert.equal(b.add(attached, 3), 1);
  assert.equal(a.add(filter, 3), 0, "the same bits");
  arena.bytes[0] = 1;
  assert.equal(b.add(attached, 3), 1);
  assert.equal(a.add(filter, 3), 0, "an arena of its own: the key is still the old one");
});

test("an ended handle never means another filter", only, () => {
  const { addon } = open();
  const seen = new Set();
  for (let i = 0; i < 3000; i++) {
    const filter = addon.create(10, 0.01, 0, "auto", []);
    assert.ok(!seen.has(filter));
    seen.add(filter);
    addon.free(filter);
    addon.free(filter);
    assert.throws(() => addon.has(filter, 1), { code: "ERR_FREED" });
  }
});

test("an exception from the maker of exceptions comes through", only, () => {
  const { addon, arena } = open();
  addon.init(arena.bytes, arena.lengths, arena.out, () => {
    throw new Error("mine");
  });
  assert.throws(() => addon.create(0, 0.01, 0, "auto", []), { message: "mine" });
});

test("an error of the operating system carries its number", only, async () => {
  const { addon } = open();
  await assert.rejects(addon.loadFile("/no/such/file", false, undefined), { kind: "io", code: "ERR_IO", errno: 2 });
});

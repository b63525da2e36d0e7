// The golden vectors of scalable filters and of other libraries' payloads (tests/vectors/README.md), on the backend of this run.
// The steps are those of tests/cross; only what a package's own test adds stands here.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import * as tepal from "tepal";
import { run } from "../../tests/cross/steps.mjs";

const folder = join(import.meta.dirname, "../../tests/vectors/v1-scalable");
const json = async (name) => JSON.parse(await readFile(join(folder, name), "utf8"));
const [manifest, malformed, foreign, errors] = await Promise.all(["manifest.json", "malformed.json", "foreign.json", "errors.json"].map(json));

// Scripts read the folder, and what they wrote before.
function memory() {
  const written = new Map();
  return {
    mmap: false,
    written,
    read: async (name) => written.get(name) ?? readFile(join(folder, name)),
    write: async (name, bytes) => void written.set(name, Buffer.from(bytes)),
  };
}

const NEAR = new Set(["fill_ratio", "estimated_count", "estimated_fpr", "saturation"]);

function sameFacts(found, expected, name) {
  for (const [fact, value] of Object.entries(expected)) {
    if (NEAR.has(fact)) assert.ok(Math.abs(found[fact] - value) <= manifest.tolerance * Math.abs(value), `${name} ${fact}`);
    else if (fact === "max_scaled_capacity") assert.equal(Number(found[fact]), Number(value), `${name} ${fact}`);
    else assert.deepEqual(found[fact], value, `${name} ${fact}`);
  }
}

test("every file is built again to the byte, and read with its facts and answers", async () => {
  assert.ok(manifest.files.length >= 60);
  for (const entry of manifest.files) {
    const golden = await readFile(join(folder, entry.file));
    const files = memory();
    const outcomes = await run(tepal, entry.steps, files);
    assert.deepEqual(outcomes, entry.steps.map((step) => step.new ?? step.refused ?? null), entry.file);
    assert.ok(golden.equals(files.written.get(entry.file)), `${entry.file}: other bytes`);
    const seed = entry.open_seed;
    const steps = [
      { op: "load_scalable", id: "f", file: entry.file, seed },
      { op: "facts", id: "f" },
      { op: "ask", id: "f", keys: entry.present },
      { op: "ask", id: "f", keys: entry.asked.keys },
      { op: "ask_many", id: "f", keys: entry.asked.keys },
      { op: "save", id: "f", file: "again", withhold_seed: seed !== undefined },
    ];
    const [, facts, present, ...asked] = await run(tepal, steps, files);
    sameFacts(facts, entry.facts, entry.file);
    assert.ok(!present.includes("0"), `${entry.file}: a key is lost`);
    assert.deepEqual(asked.slice(0, 2), [entry.asked.answers, entry.asked.answers], entry.file);
    assert.ok(golden.equals(files.written.get("again")), `${entry.file}: writes other bytes than it read`);
  }
});

test("every malformed file has its code", async () => {
  assert.ok(malformed.length >= 120);
  for (const { file, code, seed } of malformed) {
    assert.deepEqual(await run(tepal, [{ op: "load_scalable", id: "f", file, seed }], memory()), [{ error: code }], file);
  }
});

test("payloads of other libraries are read, refused and written", async () => {
  for (const entry of foreign.read) {
    const steps = [
      { ...entry, id: "f" },
      { op: "facts", id: "f" },
      { op: "ask", id: "f", keys: entry.present },
      { op: "ask_many", id: "f", keys: entry.asked.keys },
    ];
    const [, facts, present, asked] = await run(tepal, steps, memory());
    sameFacts(facts, entry.facts, entry.name);
    assert.ok(!present.includes("0") && asked === entry.asked.answers, entry.name);
  }
  for (const entry of foreign.refused) {
    assert.deepEqual(await run(tepal, [{ ...entry, id: "f" }], memory()), [{ error: entry.code }], entry.name);
  }
  for (const { file, ...payloads } of foreign.written) {
    for (const [op, payload] of Object.entries(payloads)) {
      const steps = [
        { op: "load_scalable", id: "f", file },
        { op, id: "f" },
        { op: op === "to_redisbloom" ? "from_redisbloom" : "from_valkey", id: "g", hex: payload, chunks: payload },
        { op: "equal", id: "f", other: "g" },
      ];
      assert.deepEqual(await run(tepal, steps, memory()), [null, payload, null, true], `${file} ${op}`);
    }
  }
});

test("every mistake has its code", async () => {
  for (const { steps, code, not } of errors) {
    if (not?.includes("js")) continue;
    const outcomes = await run(tepal, steps, memory());
    assert.equal(outcomes.length, steps.length, JSON.stringify(steps));
    assert.deepEqual(outcomes.at(-1), { error: code }, JSON.stringify(steps));
  }
});

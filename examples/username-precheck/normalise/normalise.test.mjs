/** The rule, on the table that the Python twin is tested on too, and on every code point there is. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fold, handle, RULE } from "./normalise.mjs";

const table = JSON.parse(readFileSync(new URL("ascii-lower-v1.json", import.meta.url), "utf8"));

test("the table is this rule", () => {
  assert.equal(table.rule, RULE);
  assert.ok(table.cases.length > 60);
});

test("every case of the table", () => {
  for (const { text, name, refused, character } of table.cases) {
    const expected = refused ? { refused, ...(character === undefined ? {} : { character }) } : { name };
    assert.equal(fold(text), name, JSON.stringify(text));
    assert.deepEqual(handle(text), expected, JSON.stringify(text));
  }
});

test("no code point but A to Z changes, none but a handle's own passes", () => {
  for (let code = 0; code < 0x110000; code++) {
    const character = String.fromCodePoint(code);
    const expected = code >= 65 && code <= 90 ? String.fromCodePoint(code + 32) : character;
    if (fold(`x${character}x`) !== `x${expected}x`) assert.fail(`fold changes U+${code.toString(16)}`);
    const passes = handle(`x${character}x`).name !== undefined;
    if (passes !== /^[A-Za-z0-9-]$/.test(character)) assert.fail(`handle and U+${code.toString(16)}`);
  }
});

test("a pasted novel is refused at once", () => {
  const started = performance.now();
  assert.deepEqual(handle("a".repeat(5_000_000)), { refused: "too_long" });
  assert.deepEqual(handle(`${" ".repeat(1_000_000)}x${" ".repeat(1_000_000)}`), { name: "x" });
  assert.ok(performance.now() - started < 2000);
});

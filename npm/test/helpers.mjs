// What several tests share.
import assert from "node:assert/strict";
import { isTepalError } from "tepal";

/** Runs `work`, which must fail with this code; gives the error. */
export function failsWith(code, work) {
  try {
    work();
  } catch (error) {
    assert.ok(isTepalError(error), `a stranger came: ${error?.stack}`);
    assert.equal(error.code, code, error.message);
    return error;
  }
  assert.fail(`no error, ${code} expected`);
}

/** A small generator of numbers in [0, 1) that is the same in every run. */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * What the server proves before it serves: every name is found, strangers are taken for members as seldom as promised,
 * and the file's hash is the one that Python wrote into the manifest. Takes a fraction of a second for 665,921 names.
 */
import { createHash } from "node:crypto";

const CHUNK = 16_384;
const SYLLABLES = [..."bdfgklmnprstvz"].flatMap((consonant) => [..."aeiou"].map((vowel) => consonant + vowel));

/**
 * Distinct made-up names, none of them in `known`.
 * @param {number} count
 * @param {Set<string>} known
 */
export function strangers(count, known) {
  const made = [];
  let state = 0x9e3779b9;
  const next = () => {
    // xorshift32: the same strangers in every run
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return SYLLABLES[(state >>> 0) % SYLLABLES.length];
  };
  for (let number = 0; made.length < count; number++) {
    const name = `${next()}${next()}${next()}-${number.toString(36)}`;
    if (!known.has(name)) made.push(name);
  }
  return made;
}

/**
 * @param {import("tepal").BloomFilter} filter
 * @param {readonly string[]} names
 */
function countYes(filter, names) {
  let yes = 0;
  for (let at = 0; at < names.length; at += CHUNK) {
    for (const answer of filter.hasMany(names.slice(at, at + CHUNK))) yes += answer;
  }
  return yes;
}

/**
 * @param {import("tepal").BloomFilter} filter
 * @param {readonly string[]} names
 * @param {Buffer} file
 * @param {number} [count] how many strangers to ask
 */
export function selfCheck(filter, names, file, count = 1_000_000) {
  const sha256 = createHash("sha256").update(file).digest("hex");
  const unknown = strangers(count, new Set(names));
  const started = performance.now();
  const found = countYes(filter, names);
  const yes = countYes(filter, unknown);
  const seconds = (performance.now() - started) / 1000;
  return {
    sha256,
    missed: names.length - found,
    strangers: count,
    rate: yes / count,
    seconds,
    keysPerSecond: (names.length + count) / seconds,
  };
}

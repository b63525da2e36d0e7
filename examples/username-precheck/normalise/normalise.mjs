/**
 * The rule "ascii-lower-v1": what a name looks like before it becomes a key, here for server and page.
 * `build/precheck/normalise.py` is its twin; both are tested on `ascii-lower-v1.json`, and on every code point.
 * It folds ASCII and nothing else. NFKC with case folding, Python's way, and NFKC with toLowerCase, JavaScript's, differ
 * on hundreds of code points; a name that is folded differently on two sides is a name that is missed.
 */

export const RULE = "ascii-lower-v1";
export const LONGEST = 39;

/**
 * @typedef {{ name: string, refused?: undefined }} Accepted
 * @typedef {{ name?: undefined, refused: "empty" | "character" | "too_long", character?: string }} Refused
 */

/**
 * Folds a text to the key that the filter holds.
 * @param {string} text
 * @returns {string}
 */
export function fold(text) {
  return text
    .replace(/^[ \t\n\r]+/, "")
    .replace(/[ \t\n\r]+$/, "")
    .replace(/[A-Z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 32));
}

/**
 * The name that a text stands for, or why it cannot be a handle.
 * @param {string} text
 * @returns {Accepted | Refused}
 */
export function handle(text) {
  const name = fold(text);
  if (name === "") return { refused: "empty" };
  const stranger = /[^a-z0-9-]/u.exec(name);
  if (stranger) return { refused: "character", character: stranger[0] };
  if (name.length > LONGEST) return { refused: "too_long" };
  return { name };
}

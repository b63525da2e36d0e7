/**
 * Numbers, sizes and ages as the page says them. Pure functions, no page.
 */

const whole = new Intl.NumberFormat("en");

export const count = (n: number): string => whole.format(n);

/** "1 request", "2 requests". */
export const plural = (n: number, word: string): string => `${count(n)} ${word}${n === 1 ? "" : "s"}`;

const SMALL = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight"];

/** A small number in letters: of eight bits, "three" are empty. */
export const inLetters = (n: number): string => SMALL[n] ?? count(n);

export function bytes(n: number): string {
  if (n < 1000) return `${n} bytes`;
  return n < 1e6 ? `${count(Math.round(n / 1000))} KB` : `${(n / 1e6).toFixed(1)} MB`;
}

export function percent(rate: number, digits = 2): string {
  return `${(100 * rate).toFixed(digits)} %`;
}

/** How long ago: "a moment ago", "12 seconds ago", "3 minutes ago", "2 days ago". */
export function ago(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 5) return "a moment ago";
  const steps = [
    [60, "second", 1],
    [3600, "minute", 60],
    [86_400, "hour", 3600],
    [Number.POSITIVE_INFINITY, "day", 86_400],
  ] as const;
  for (const [below, unit, length] of steps) {
    if (seconds < below) return `${plural(Math.floor(seconds / length), unit)} ago`;
  }
  return "long ago";
}

/** A span of time as short as a look-up, or as long as a request. */
export function span(milliseconds: number): string {
  if (milliseconds < 0.01) return "under 0.01 ms";
  return milliseconds < 10 ? `${milliseconds.toFixed(2)} ms` : `${Math.round(milliseconds)} ms`;
}

/** A character so that one can see it: invisible ones by their code point. */
export function show(character: string): string {
  const code = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
  if (character === " ") return "a space";
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(character) ? `“${character}”` : code;
}

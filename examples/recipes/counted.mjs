// What the recipes stand on: rows that count what they are asked, and one way to print the outcome; as counted.py.
// (A set in memory plays the database, since SQLite comes with Node only from 22.5 on.)

/** Rows of text, each at most once. `queries` counts the look-ups: what a filter in front of it saves. */
export class Table {
  #rows = new Set();
  queries = 0;

  constructor(rows = []) {
    for (const row of rows) this.add(...row);
  }

  has(...row) {
    this.queries += 1;
    return this.#rows.has(JSON.stringify(row));
  }

  add(...row) {
    this.#rows.add(JSON.stringify(row));
  }

  /** All rows: what a filter is rebuilt from. */
  *[Symbol.iterator]() {
    for (const row of this.#rows) yield JSON.parse(row);
  }
}

export const thousands = (n) => n.toLocaleString("en-US");

/** What one form of a recipe cost, beside asking the database each time. */
export function outcome({ form, asked, queries, wrong, of, mistake }) {
  const share = (100 * (1 - queries / asked)).toFixed(1);
  const avoided = `${thousands(queries)} of ${thousands(asked)} queries, ${share}% avoided`;
  return `${`${form}:`.padEnd(8)}${avoided}; ${mistake}: ${thousands(wrong)} of ${thousands(of)}`;
}

/** Numbers below 2^16 that look random and are the same in every language (a linear congruential generator). */
export function draws(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 16;
  };
}

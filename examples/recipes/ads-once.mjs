// An advertisement or a promotional e-mail, shown once to each user: ads_once.py in JavaScript, with the same figures.

import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { BloomFilter, key, ScalableBloomFilter } from "tepal";
import { draws, outcome, Table, thousands } from "./counted.mjs";

const [USERS, ADS, REQUESTS, FPR] = [5_000, 60, 100_000, 0.01];

/** `add` answers true for a pair that is new: one call asks and remembers. */
export function deny(seen, requests, show) {
  for (const [user, ad] of requests) {
    if (seen.add(key(user, ad))) show(user, ad);
  }
}

/** A pair that is new needs no question; one that the filter claims is looked up. */
export function verify(seen, shown, requests, show) {
  for (const [user, ad] of requests) {
    if (seen.add(key(user, ad)) || !shown.has(user, ad)) {
      shown.add(user, ad);
      show(user, ad);
    }
  }
}

/** At start, from the table: a filter that is older than its table forgets what was shown since. */
export function rebuild(shown) {
  const seen = new ScalableBloomFilter({ fpr: FPR });
  for (const [user, ad] of shown) seen.add(key(user, ad));
  return seen;
}

/** Who would be shown what, some users far more often than others. */
export function* requests() {
  const next = draws(1);
  for (let i = 0; i < REQUESTS; i++) {
    const [a, b, c] = [next(), next(), next()];
    yield [`user-${Math.floor(((a % USERS) * (b % USERS)) / USERS)}`, `ad-${c % ADS}`];
  }
}

function main() {
  const wanted = new Map();
  for (const pair of requests()) wanted.set(pair.join(), pair);
  console.log(`${thousands(REQUESTS)} requests by ${thousands(USERS)} users for ${ADS} ads, ${100 * FPR}% promised`);

  const seen = new ScalableBloomFilter({ fpr: FPR });
  let shown = [];
  deny(seen, requests(), (...pair) => shown.push(pair.join()));
  assert.equal(new Set(shown).size, shown.length, "shown twice");
  const cost = { asked: REQUESTS, of: wanted.size, mistake: "ads never seen" };
  const lost = wanted.size - shown.length;
  console.log(outcome({ form: "deny", queries: 0, wrong: lost, ...cost }));
  assert.ok(lost <= FPR * wanted.size);

  const table = new Table();
  shown = [];
  verify(new ScalableBloomFilter({ fpr: FPR }), table, requests(), (...pair) => shown.push(pair.join()));
  assert.deepEqual(shown.sort(), [...wanted.keys()].sort(), "each exactly once");
  console.log(outcome({ form: "verify", queries: table.queries, wrong: 0, ...cost }));
  const again = rebuild(table);
  assert.ok([...wanted.values()].every(([user, ad]) => again.has(key(user, ad))));

  // What the same costs as one filter per user: as files of tepal, and as a server keeps them by default.
  const users = new Set([...wanted.values()].map(([user]) => user)).size;
  const oneFile = new BloomFilter({ capacity: ADS, fpr: FPR }).toBytes().length;
  const oneKey = new ScalableBloomFilter({ fpr: FPR, scheme: "valkey" }).size;
  const bytes = seen.toBytes().length;
  console.log(`bytes:  ${thousands(bytes)} in one filter of compound keys (${seen.filterCount} levels)`);
  console.log(`        ${thousands(oneFile * users)} in ${thousands(users)} files of ${oneFile}, one per user`);
  const keys = `${thousands(users)} keys of ${oneKey} in valkey-bloom`;
  console.log(`        ${thousands(oneKey * users)} in ${keys}, one per user`);
  assert.ok(bytes < oneFile * users && oneFile < oneKey);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) main();

// Filters that grow: tepal beside bloom-filters' ScalableBloomFilter; scripts/bench.sh runs it where both are installed.
//
//   node growing.mjs tepal|tepal/wasm [keys=10000000] [rounds=11] [seconds=60]
//
// bloom-filters counts all bits of a level before each addition, so that filling takes the square of the keys: it gets as many
// keys as it takes in SECONDS of processor time, and the table says how many. tepal fills both that far and to the end.
// Otherwise as in bench.mjs: flat strings made anew for each pass, a loop a library, processor time, medians of the rounds;
// additions are the whole fill, growth included. A library that loses a key ends the run.
import { readFileSync } from "node:fs";
import bloomFilters from "bloom-filters";

const FPR = 0.01;
const KEY = 20;
const INITIAL = 1000;
const CHUNK = 100_000;
const SECONDS = Number(process.argv[5] ?? 60); // what bloom-filters gets
const ASKED = 20_000; // keys of a round of lookups
const n = Number(process.argv[3] ?? 10_000_000);
const rounds = Number(process.argv[4] || 11);
const tepal = await import(process.argv[2] ?? "tepal");
const version = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8")).dependencies["bloom-filters"];

const bytes = Buffer.alloc(KEY);

/** Flat strings: a prefix of five letters and fifteen digits for each index. */
function fresh(prefix, indices) {
  return Array.from(indices, (i) => {
    bytes.latin1Write(prefix + String((i * 982_451_653) % 1e15).padStart(15, "0"));
    return bytes.latin1Slice(0, KEY);
  });
}

const range = (begin, end) => Array.from({ length: end - begin }, (_, i) => begin + i);

function timed(work) {
  const begin = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(begin);
  return [(user + system) * 1000, result];
}

function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

/** Fills a filter up to `most` keys or for so many seconds: how many keys it took, and ns a key. */
function fill(add, most, seconds, chunk) {
  let [ns, count] = [0, 0];
  while (count < most && ns < seconds * 1e9) {
    const keys = fresh("user:", range(count, Math.min(most, count + chunk)));
    ns += timed(() => add(keys))[0];
    count += keys.length;
  }
  return { count, add: ns / count };
}

/** ns a key for members and for strangers, and how many strangers it claims. */
function ask(name, has, count) {
  const [hits, misses] = [[], []];
  let found = 0;
  for (let round = 0; round < rounds; round++) {
    const members = fresh("user:", Array.from({ length: ASKED }, (_, i) => ((i + round * ASKED) * 7919) % count));
    const strangers = fresh("nope:", range(round * ASKED, (round + 1) * ASKED));
    const [hit, yes] = timed(() => has(members));
    if (yes !== ASKED) throw new Error(`${name} lost a key`);
    const [miss, no] = timed(() => has(strangers));
    hits.push(hit / ASKED);
    misses.push(miss / ASKED);
    found += no;
  }
  return { hit: median(hits), miss: median(misses), rate: found / rounds / ASKED };
}

const rival = bloomFilters.ScalableBloomFilter.create(INITIAL, FPR);
const theirs = {
  name: `bloom-filters ${version}`,
  ...fill(
    (keys) => {
      for (const key of keys) rival.add(key);
    },
    n,
    SECONDS,
    1000,
  ),
};
Object.assign(
  theirs,
  ask(
    theirs.name,
    (keys) => {
      let found = 0;
      for (const key of keys) if (rival.has(key)) found++;
      return found;
    },
    theirs.count,
  ),
);
theirs.bits = rival._filters.reduce((sum, filter) => sum + filter.size, 0);
theirs.capacity = rival.capacity();

function own(most) {
  const filter = new tepal.ScalableBloomFilter({ capacity: INITIAL, fpr: FPR });
  const row = {
    name: `tepal, ${tepal.backend}`,
    ...fill(
      (keys) => {
        for (const key of keys) filter.add(key);
      },
      most,
      Infinity,
      Math.min(CHUNK, most),
    ),
  };
  Object.assign(
    row,
    ask(
      row.name,
      (keys) => {
        let found = 0;
        for (const key of keys) if (filter.has(key)) found++;
        return found;
      },
      row.count,
    ),
  );
  [row.bits, row.capacity] = [filter.numBits, filter.capacity];
  filter.free();
  return row;
}

own(theirs.count); // not counted: the compiler is at work
const same = own(theirs.count);
const rows = [same, theirs, own(n)];
console.log(`\n### Node ${process.versions.node}, from ${INITIAL.toLocaleString("en")} keys, 1 %\n`);
console.log("ns a key, median of the rounds; in brackets how many times faster tepal is with as many keys\n");
console.log("| | keys | add | has, hit | has, miss | observed rate | bits a key | when full |");
console.log("| --- | --- | --- | --- | --- | --- | --- | --- |");
for (const row of rows) {
  const cells = ["add", "hit", "miss"].map((column) => {
    const ns = row[column].toFixed(0);
    return row === theirs ? `${ns} (${(row[column] / same[column]).toFixed(1)})` : ns;
  });
  const bits = [row.bits / row.count, row.bits / Number(row.capacity)].map((b) => b.toFixed(2));
  console.log(
    `| ${row.name} | ${row.count.toLocaleString("en")} | ${cells.join(" | ")} | ${(row.rate * 100).toFixed(2)} % | ${bits.join(" | ")} |`,
  );
}

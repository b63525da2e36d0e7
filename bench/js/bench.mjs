// tepal beside bloomfilter and bloom-filters in one process; scripts/bench.sh runs it where all three are installed.
//
//   node bench.mjs tepal|tepal/wasm [keys=20000] [rounds=61]
//
// A process a backend of tepal: with both in one process they would share call sites, as they never do for a user.
// What keeps it fair: every filter is made for the same number of keys and the same rate; every timed pass gets strings of
// its own, flat (a string put together with + or `${}` is a tree until its first use), in a shuffled order; every library has
// its own loop, so that no call site serves two; the libraries take turns; processor time, medians of the rounds after a
// warm-up. Sizes are what each writes to be read again. A library that loses a key ends the run.
import { readFileSync } from "node:fs";
import bloomFilters from "bloom-filters";
import { BloomFilter as Bloomfilter } from "bloomfilter";

const FPR = 0.01;
const KEY = 20;
const SLOW = 20_000; // keys in a pass of a library that needs microseconds for one
const WARM = 8; // rounds that are not counted: the compiler is at work
const n = Number(process.argv[3] ?? 20_000);
const rounds = Number(process.argv[4] || 61);
const tepal = await import(process.argv[2] ?? "tepal");

const libraries = {
  [`tepal, ${tepal.backend}`]: {
    make: () => new tepal.BloomFilter({ capacity: n, fpr: FPR }),
    bytes: (filter) => filter.toBytes().length,
    add: (filter, keys) => {
      for (const key of keys) filter.add(key);
    },
    has: (filter, keys) => {
      let found = 0;
      for (const key of keys) if (filter.has(key)) found++;
      return found;
    },
    addMany: (filter, keys) => filter.addMany(keys),
    hasMany: (filter, keys) => filter.hasMany(keys),
  },
  bloomfilter: {
    make: () => Bloomfilter.withTargetError(n, FPR),
    bytes: (filter) => JSON.stringify(filter).length,
    add: (filter, keys) => {
      for (const key of keys) filter.add(key);
    },
    has: (filter, keys) => {
      let found = 0;
      for (const key of keys) if (filter.test(key)) found++;
      return found;
    },
  },
  "bloom-filters": {
    slow: true,
    make: () => bloomFilters.BloomFilter.create(n, FPR),
    bytes: (filter) => JSON.stringify(filter.saveAsJSON()).length,
    add: (filter, keys) => {
      for (const key of keys) filter.add(key);
    },
    has: (filter, keys) => {
      let found = 0;
      for (const key of keys) if (filter.has(key)) found++;
      return found;
    },
  },
};

const columns = { add: "add", hit: "has, hit", miss: "has, miss", addMany: "addMany", hasMany: "hasMany" };

/** `count` flat strings that no library has seen: `user:` or `nope:` and fifteen digits, in an order of a fixed generator. */
function fresh(count, prefix, seed) {
  const order = Uint32Array.from({ length: count }, (_, i) => i);
  let state = seed * 2 + 1;
  for (let i = count - 1; i > 0; i--) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const j = state % (i + 1);
    [order[i], order[j]] = [order[j], order[i]];
  }
  const bytes = Buffer.alloc(KEY);
  return Array.from(order, (i) => {
    bytes.latin1Write(prefix + String(i * 982_451_653).padStart(15, "0"));
    return bytes.latin1Slice(0, KEY);
  });
}

function timed(work) {
  const begin = process.cpuUsage();
  const result = work();
  const { user, system } = process.cpuUsage(begin);
  return [(user + system) * 1000, result];
}

const times = new Map();
const facts = new Map();

function round(name, seed) {
  const library = libraries[name];
  const count = library.slow ? Math.min(n, SLOW) : n;
  const note = (column, keys, work) => {
    const [ns, result] = timed(() => work(filter, keys));
    const key = `${name}/${column}`;
    times.set(key, [...(times.get(key) ?? []), ns / keys.length]);
    return result;
  };
  let filter = library.make();
  // A slow library's filter gets its other keys once, outside the clock, so that its misses meet a full filter.
  if (library.slow && count < n) library.add(filter, fresh(n, "user:", 0));
  note("add", fresh(count, "user:", seed), library.add);
  if (note("hit", fresh(count, "user:", seed + 1), library.has) !== count) throw new Error(`${name} lost a key`);
  const strangers = fresh(count, "nope:", seed);
  facts.set(name, { rate: note("miss", strangers, library.has) / count, bits: (library.bytes(filter) * 8) / n });
  if (!library.addMany) return;
  filter.free();
  filter = library.make();
  note("addMany", fresh(count, "user:", seed), library.addMany);
  if (note("hasMany", fresh(count, "user:", seed + 1), library.hasMany).includes(0)) throw new Error(`${name} lost a key`);
  filter.free();
}

const names = Object.keys(libraries);
const versions = Object.entries(JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8")).dependencies);
for (let i = -WARM; i < rounds; i++) {
  if (i === 0) times.clear();
  for (let j = 0; j < names.length; j++) {
    const name = names[(i + WARM + j) % names.length];
    if (libraries[name].slow && (i < 0 || i >= (n > SLOW ? 1 : 3))) continue;
    round(name, i + WARM);
  }
}

const median = (key) => {
  const values = times.get(key)?.toSorted((a, b) => a - b);
  return values?.[values.length >> 1];
};
const others = versions.map(([name, version]) => `${name} ${version}`).join(", ");
console.log(`\n### Node ${process.versions.node}, ${n.toLocaleString("en")} keys, 1 % (${others})\n`);
console.log("ns a key, median of the rounds; in brackets how many times faster tepal is\n");
console.log(`| | ${Object.values(columns).join(" | ")} | observed rate | bits a key, serialized |`);
console.log(`| --- |${" --- |".repeat(Object.keys(columns).length + 2)}`);
for (const name of names) {
  const cells = Object.keys(columns).map((column) => {
    const ns = median(`${name}/${column}`);
    if (ns === undefined) return "–";
    const ratio = (ns / median(`${names[0]}/${column}`)).toFixed(2);
    return name === names[0] ? ns.toFixed(0) : `${ns.toFixed(0)} (${ratio})`;
  });
  const { rate, bits } = facts.get(name);
  console.log(`| ${name} | ${cells.join(" | ")} | ${(rate * 100).toFixed(2)} % | ${bits.toFixed(2)} |`);
}

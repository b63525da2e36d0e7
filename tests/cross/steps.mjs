// JavaScript's interpreter of the steps in tests/vectors/README.md, for any module that looks like `tepal`: the addon, wasm
// in Node, wasm in a browser. Files are read and written by the caller's `files`. No import, so that a page can load it.

const unhex = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));

// An integer as a user would write it: a number while it is safe, else a bigint.
function integer(text) {
  const number = Number(text);
  return Number.isSafeInteger(number) && !Object.is(number, -0) ? number : BigInt(text);
}

const float = (text) => (/inf|nan/.test(text) ? { inf: Infinity, "-inf": -Infinity, nan: Number.NaN }[text] : Number(text));

function key(tepal, item) {
  const [[kind, value]] = Object.entries(item);
  switch (kind) {
    case "text":
    case "bool":
      return value;
    case "null":
      return null;
    case "int":
      return integer(value);
    case "float":
      return float(value);
    case "hex":
      return unhex(value);
    case "repeat":
      return unhex(value[0].repeat(value[1]));
    case "parts":
      return tepal.key(...value.map((part) => key(tepal, part)));
    case "surrogate":
      return String.fromCharCode(parseInt(value, 16));
    default:
      throw new Error(`unknown kind of key: ${kind}`);
  }
}

function keys(tepal, step) {
  return step.keys.flatMap((item) => {
    if (item.ints) {
      const [from, to] = item.ints.map(BigInt);
      return Array.from({ length: Number(to - from) }, (_, i) => integer(String(from + BigInt(i))));
    }
    if (item.texts) {
      const [prefix, from, to] = item.texts;
      return Array.from({ length: to - from }, (_, i) => `${prefix}${from + i}`);
    }
    return [key(tepal, item)];
  });
}

function loose(item) {
  return item === null || typeof item !== "object" ? item : key(undefined, item);
}

// What a step leaves out stays out: defaults are the package's.
function options(step) {
  const made = {};
  for (const name of ["capacity", "fpr", "layout"]) if (name in step) made[name] = loose(step[name]);
  if ("seed" in step) made.seed = typeof step.seed === "string" ? BigInt(step.seed) : loose(step.seed);
  if ("metadata" in step) {
    const text = (value) => (typeof value === "string" ? value : value.repeat[0].repeat(value.repeat[1]));
    made.metadata = Object.fromEntries(Object.entries(step.metadata).map(([name, value]) => [name, text(value)]));
  }
  return made;
}

// A seed is a decimal string, bytes, or whatever a mistaken caller gives.
function scalableOptions(step) {
  const names = { max_bytes: "maxBytes", validate_scale_to: "validateScaleTo" };
  const made = options(step);
  for (const name of ["scheme", "expansion", "tightening", "max_bytes", "validate_scale_to"]) {
    if (name in step) made[names[name] ?? name] = loose(step[name]);
  }
  return made;
}

const digits = (answers) => Array.from(answers, (answer) => Number(answer)).join("");

function facts(f) {
  return {
    capacity: f.capacity,
    fpr: f.fpr,
    seed: String(f.seed),
    layout: f.layout,
    num_probes: f.numProbes,
    num_lines: f.numLines,
    num_bits: f.numBits,
    byte_len: f.byteLength,
    metadata: f.metadata,
    fill_ratio: f.fillRatio,
    estimated_count: f.estimatedCount,
    estimated_fpr: f.estimatedFpr,
    saturation: f.saturation,
  };
}

const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

// As the vectors have it: none where the scheme has none.
function scalableSeed({ scheme, seed }) {
  if (scheme === "tepal") return String(seed);
  if (scheme === "valkey") return hex(seed);
  return scheme === "spark-v2" ? String(typeof seed === "bigint" ? BigInt.asIntN(32, seed) : new DataView(seed.buffer, seed.byteOffset).getInt32(0, true)) : null;
}

function scalableFacts(f) {
  const levels = f.levels.map((v) => [v.capacity, v.insertedCount, v.fpr, v.numBits, v.numProbes, v.layout ?? null]);
  return {
    scheme: f.scheme,
    capacity: f.capacity,
    initial_capacity: f.initialCapacity,
    fpr: f.fpr,
    seed: scalableSeed(f),
    expansion: f.expansion ?? null,
    tightening: f.tightening ?? null,
    max_bytes: f.maxBytes ?? null,
    filter_count: f.filterCount,
    inserted_count: f.insertedCount,
    size: f.size,
    byte_len: f.byteLength,
    max_scaled_capacity: String(BigInt(f.maxScaledCapacity)), // above 2^53 the nearest number
    num_bits: f.numBits,
    metadata: f.metadata,
    levels,
    fill_ratio: f.fillRatio,
    estimated_count: f.estimatedCount,
    estimated_fpr: f.estimatedFpr,
    saturation: f.saturation,
  };
}

// The answers up to a refusal, and its code.
function refused(tepal, work) {
  const answers = [];
  try {
    work(answers);
  } catch (error) {
    if (!tepal.isTepalError(error)) throw error;
    return { new: digits(error.answers ?? answers), code: error.code };
  }
  throw new Error("nothing was refused");
}

function explained(why) {
  const bits = (line) => line.bits.map((b) => [b.lane, b.bit, b.set]);
  return [why.hash, why.contained, why.falsePositiveChance, why.lines.map((line) => [line.line, line.bodyOffset, bits(line)])];
}

const makers = {
  new: (tepal, step) => new tepal.BloomFilter(options(step)),
  build: (tepal, step) => tepal.BloomFilter.build(keys(tepal, step), options(step)),
  copy: (_, step, get) => get(step.from).clone(),
  fold: (_, step, get) => get(step.from).fold(loose(step.factor)),
  shrink_to: (_, step, get) => get(step.from).shrinkTo(loose(step.capacity)),
  union: (_, step, get) => get(step.of[0]).union(get(step.of[1])),
  intersection: (_, step, get) => get(step.of[0]).intersection(get(step.of[1])),
  union_all: (tepal, step, get) => tepal.unionAll(step.of.map(get)),
  load: (tepal, step, _, files) => load(tepal.BloomFilter, step, files),
  load_scalable: (tepal, step, _, files) => load(tepal.ScalableBloomFilter, step, files),
  new_scalable: (tepal, step) => new tepal.ScalableBloomFilter(scalableOptions(step)),
  from_valkey: (tepal, step) => tepal.ScalableBloomFilter.fromValkey(unhex(step.hex)),
  from_guava: (tepal, step) => tepal.ScalableBloomFilter.fromGuava(unhex(step.hex)),
  from_spark: (tepal, step) => tepal.ScalableBloomFilter.fromSpark(unhex(step.hex)),
  from_redisbloom: (tepal, step) =>
    tepal.ScalableBloomFilter.fromRedisbloom(step.chunks.map(([iterator, chunk]) => ({ iterator, chunk: unhex(chunk) }))),
};

async function load(kind, step, files) {
  const seed = step.seed == null ? {} : { seed: BigInt(step.seed) };
  if (step.lazy && files.mmap) return kind.load(step.file, { mmap: true, ...seed });
  return kind.fromBytes(await files.read(step.file), seed);
}

const actions = {
  add: (f, step, tepal) => digits(keys(tepal, step).map((k) => f.add(k))),
  add_many: (f, step, tepal) => digits(f.addMany(keys(tepal, step))),
  add_until_refused: (f, step, tepal) =>
    refused(tepal, (answers) => {
      for (const k of keys(tepal, step)) answers.push(f.add(k));
    }),
  add_many_until_refused: (f, step, tepal) => refused(tepal, () => f.addMany(keys(tepal, step))),
  validate_scale_to: (f, step) => void f.validateScaleTo(loose(step.keys)),
  to_valkey_load: (f) => hex(f.toValkeyLoad()),
  to_valkey_dump: (f) => hex(f.toValkeyDump()),
  to_redisbloom: (f) => f.toRedisbloom().map(({ iterator, chunk }) => [Number(iterator), hex(chunk)]),
  ask: (f, step, tepal) => digits(keys(tepal, step).map((k) => f.has(k))),
  ask_many: (f, step, tepal) => digits(f.hasMany(keys(tepal, step))),
  hash: (f, step, tepal) => keys(tepal, step).map((k) => f.keyHash(k).hex),
  ask_hash_of: (f, step, tepal, get) => f.hasHash(get(step.other).keyHash(keys(tepal, step)[0])),
  explain: (f, step, tepal) => keys(tepal, step).map((k) => explained(f.explain(k))),
  equal: (f, step, _, get) => f.equals(get(step.other)),
  facts: (f) => ("filterCount" in f ? scalableFacts(f) : facts(f)),
  size: (f) => [f.numProbes, f.numLines],
  verify: (f) => void f.verify(),
  clear: (f) => void f.clear(),
  union_with: (f, step, _, get) => void f.unionWith(get(step.other)),
  intersect_with: (f, step, _, get) => void f.intersectWith(get(step.other)),
  save: async (f, step, _tepal, _get, files) => void (await files.write(step.file, f.toBytes({ withholdSeed: step.withhold_seed ?? false }))),
};

/** Runs one script and returns the outcomes of its steps; `{"error": code}` is the last one if a step fails. */
export async function run(tepal, steps, files) {
  const filters = new Map();
  const get = (name) => filters.get(name);
  const outcomes = [];
  try {
    for (const step of steps) {
      if (step.op in makers) {
        filters.set(step.id, await makers[step.op](tepal, step, get, files));
        outcomes.push(null);
      } else {
        outcomes.push((await actions[step.op](get(step.id), step, tepal, get, files)) ?? null);
      }
    }
  } catch (error) {
    if (!tepal.isTepalError(error)) throw error;
    outcomes.push({ error: error.code });
  } finally {
    for (const filter of filters.values()) filter.free();
  }
  return outcomes;
}

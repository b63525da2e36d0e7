// Compiled strictly against the installed package, as ESM and as CommonJS: the types that users see.
import { BloomFilter, backend, fromBytes, isTepalError, type Key, type KeyHash, key, load, ScalableBloomFilter, TepalError, unionAll, version } from "tepal";
import * as slim from "tepal/slim";
import * as wasm from "tepal/wasm";

using filter = new BloomFilter({ capacity: 100, fpr: 0.01, seed: 1n, layout: "auto", metadata: { a: "b" } });
const added: boolean = filter.add("a");
const many: Uint8Array = filter.addMany(["a", 1, 2n, new Uint8Array(1)]);
filter.hasMany(BigUint64Array.of(1n));
filter.update(new Set(["a"]), Uint32Array.of(1));
const hash: KeyHash = filter.keyHash("a");
const there: boolean = filter.hasHash(hash) || ["a"].map(filter.has, filter)[0] === true;
const keys: Key[] = ["a", key("a", 1)];
const whole: BloomFilter = unionAll([filter, BloomFilter.build(keys, { fpr: 0.1 })]).union(BloomFilter.fromBytes(filter.toBytes()));
const capacity: number = whole.capacity;
const seed: bigint = whole.seed;
const rule: string | undefined = whole.metadata["a"];
const loaded: Promise<BloomFilter | ScalableBloomFilter> = load(new Response());
const which: "native" | "wasm" = backend;
try {
  filter.explain("a").lines[0]?.bits[0]?.lane;
} catch (error) {
  if (isTepalError(error)) console.log(error.code, error.index);
  if (error instanceof TepalError) console.log(error.code);
}
// @ts-expect-error a float in a string's place
filter.add({});
// @ts-expect-error capacity is required
new BloomFilter({ fpr: 0.1 });
// @ts-expect-error no such option
new BloomFilter({ capacity: 1, errorRate: 0.1 });
void slim.init("x");
new wasm.BloomFilter({ capacity: 1 });
const growing: ScalableBloomFilter = new ScalableBloomFilter({ scheme: "valkey", expansion: null }).clone();
const either: BloomFilter | ScalableBloomFilter = fromBytes(growing.toBytes());
// @ts-expect-error another class
growing.union(filter);
console.log(either, growing.info().maxScaledCapacity, added, many, there, capacity, seed, rule, loaded, which, version);

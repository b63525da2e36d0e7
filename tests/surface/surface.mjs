// What the installed npm package shows, as JSON: the module's members, each class's (static ones too), each plain object's.
// TEPAL_PACKAGE is a folder in whose node_modules it is installed. Names that start with _ are the package's own business.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const installed = createRequire(pathToFileURL(`${process.env.TEPAL_PACKAGE}/`));
const tepal = installed("tepal");
const SYMBOLS = { dispose: "@@dispose", custom: "@@inspect", toStringTag: "@@toStringTag", filter: "@@brand" };
const NOISE = new Set(["constructor", "length", "name", "prototype"]);

const named = (key) => (typeof key === "symbol" ? (SYMBOLS[key.description.split(".").at(-1)] ?? String(key)) : key);
const seen = (...objects) =>
  [...new Set(objects.flatMap((object) => Reflect.ownKeys(object).map(named)))].filter((key) => !NOISE.has(key) && !key.startsWith("_")).sort();

// A class has what its base class has.
const lineage = (type) => (type === Function.prototype || type === null ? [] : [type.prototype, type, ...lineage(Object.getPrototypeOf(type))]);

const filter = tepal.BloomFilter.build(["a"]);
const scalable = tepal.ScalableBloomFilter.build(["a"]);
const why = filter.explain("a");
console.log(
  JSON.stringify({
    module: Object.keys(tepal).sort(),
    BloomFilter: seen(...lineage(tepal.BloomFilter)),
    ScalableBloomFilter: seen(...lineage(tepal.ScalableBloomFilter)),
    LevelFacts: seen(scalable.levels[0]),
    Info: seen(scalable.info()),
    Metrics: seen(tepal.metrics()),
    redis: Object.keys(installed("tepal/redis")).sort(),
    KeyHash: seen(tepal.KeyHash.prototype, tepal.KeyHash, filter.keyHash("a")),
    Explanation: seen(why),
    ExplainedLine: seen(why.lines[0]),
    ExplainedBit: seen(why.lines[0].bits[0]),
  }),
);

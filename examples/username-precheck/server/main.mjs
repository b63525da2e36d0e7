/**
 * `node server/main.mjs --data DIR --site DIR --database FILE [--port 8080] [--host 127.0.0.1]`
 * Opens what Python built, fills the database once, proves the filter in this run, and prints the address. Without
 * `--port`, a free port is taken when 8080 is not.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";
import { backend, BloomFilter, version } from "tepal";
import { RULE } from "../normalise/normalise.mjs";
import { Gate } from "./gate.mjs";
import { selfCheck } from "./selfcheck.mjs";
import { createServer } from "./server.mjs";
import { asset, readSite } from "./site.mjs";
import { Store } from "./store.mjs";

const { values: options } = parseArgs({
  options: {
    data: { type: "string", default: ".cache/data" },
    site: { type: "string", default: ".cache/site" },
    database: { type: "string", default: ".cache/handles.sqlite" },
    host: { type: "string", default: "127.0.0.1" },
    port: { type: "string" },
  },
});
const whole = new Intl.NumberFormat("en");

const manifest = JSON.parse(readFileSync(join(options.data, "manifest.json"), "utf8"));
if (manifest.rule !== RULE) throw new Error(`the filter's names follow the rule ${manifest.rule}, this server's ${RULE}`);
const filterPath = join(options.data, manifest.file);
const filterFile = readFileSync(filterPath);
const packedList = readFileSync(join(options.data, `${manifest.list.file}.gz`));
const list = gunzipSync(packedList);
const names = list.toString("utf8").trimEnd().split("\n");

const snapshot = await BloomFilter.load(filterPath);
if (snapshot.metadata.normalise !== RULE) throw new Error("the filter's metadata names another rule than its manifest");

const store = new Store(options.database);
const first = new Gate(snapshot, []);
const fillStarted = performance.now();
if (store.fill(manifest.sha256, () => names, (name) => first.lineOf(name))) {
  const seconds = (performance.now() - fillStarted) / 1000;
  console.log(`database     ${whole.format(names.length)} names behind a unique index, filled in ${seconds.toFixed(1)} s`);
}
const gate = new Gate(snapshot, store.claims().map((claim) => claim.name));

const assets = readSite(options.site);
assets.set(`/${manifest.file}`, asset(manifest.file, filterFile));
assets.set(`/${manifest.list.file}`, asset(manifest.list.file, list, packedList));

const { server, api } = createServer({ assets, gate, store });

// A delta that is empty shows nothing: at the very first start the demo itself claims two names, and the page says so.
if (store.claims().length === 0) for (const name of manifest.examples.free.slice(-2)) api.claim(name);
api.stats.claimed = 0;

const checked = selfCheck(snapshot, names, filterFile);
if (checked.missed > 0) throw new Error(`${checked.missed} names are missed: the filter and the list do not belong together`);
if (checked.sha256 !== manifest.sha256) throw new Error("the filter's SHA-256 is not the one that Python wrote down");
const mistaken = manifest.examples.mistaken.find((/** @type {string} */ name) => !store.find(name).taken);
const published = {
  ...manifest,
  node: { sha256: checked.sha256, version, backend, keysPerSecond: Math.round(checked.keysPerSecond) },
  ...(mistaken ? { mistaken: { name: mistaken, owners: api.owners(mistaken) } } : {}),
};
assets.set("/manifest.json", asset("manifest.json", Buffer.from(JSON.stringify(published))));

server.on("listening", () => {
  const address = server.address();
  const port = typeof address === "object" ? address?.port : address;
  console.log(
    `filter       ${whole.format(names.length)} names, ${whole.format(filterFile.length)} bytes, sha256 ${checked.sha256.slice(0, 16)}…\n` +
      `measured     0 of ${whole.format(names.length)} names missed; ${(100 * checked.rate).toFixed(3)} % of ` +
      `${whole.format(checked.strangers)} strangers taken for members (promised ${100 * manifest.promisedRate} %)\n` +
      `speed        ${checked.seconds.toFixed(2)} s for both, ${(checked.keysPerSecond / 1e6).toFixed(1)} million keys a second ` +
      `(${backend}, in Node ${process.versions.node})\n` +
      `address      http://${options.host === "127.0.0.1" ? "localhost" : options.host}:${port}/`,
  );
});
server.on("error", (/** @type {NodeJS.ErrnoException} */ error) => {
  if (error.code === "EADDRINUSE" && options.port === undefined && !server.listening) {
    server.listen(0, options.host);
    return;
  }
  console.error(`cannot listen on ${options.host}: ${error.message}`);
  process.exitCode = 1;
  store.close();
});
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, () => {
    server.close(() => store.close());
    server.closeAllConnections();
  });
}
server.listen(Number(options.port ?? 8080), options.host);

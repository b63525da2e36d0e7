// Is this URL on the list of malicious ones? malicious_urls.py in JavaScript, with the same figures.
//
// In a browser or a worker the filter would come from load(url), and only what it claims would be sent to the server.

import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { BloomFilter } from "tepal";
import { draws, outcome, Table, thousands } from "./counted.mjs";

const [LISTED, VISITS, FPR] = [20_000, 50_000, 0.01];
const [HOSTS, PATHS] = [3, 4]; // at most so many of each

/** What a list may say of a URL, from the most to the least specific. Both sides must make them alike. */
export function expressions(url) {
  const { hostname, pathname, search } = new URL(url);
  const labels = hostname.replace(/\.+$/, "").split(".");
  const places = labels.slice(0, Math.min(HOSTS, Math.max(1, labels.length - 1)));
  const hosts = places.map((_, i) => labels.slice(i).join("."));
  const folders = pathname.split("/").slice(1, -1);
  const above = ["", ...folders].map((_, i) => ["", ...folders.slice(0, i), ""].join("/"));
  const paths = [...new Set([pathname + search, pathname, ...above])].slice(0, PATHS);
  return hosts.flatMap((host) => paths.map((path) => host + path));
}

/** The URLs that are stopped. */
export function deny(listed, urls) {
  return urls.filter((url) => listed.hasMany(expressions(url)).includes(1));
}

/** The URLs that are stopped: some expression is claimed by the filter and confirmed by the list. */
export function verify(listed, table, urls) {
  return urls.filter((url) => expressions(url).some((one) => listed.has(one) && table.has(one)));
}

/** A third of it whole hosts, the rest folders and pages. */
function theList() {
  const paths = ["/", "/login/", "/files/invoice.html"];
  return Array.from({ length: LISTED }, (_, i) => `bad${i}.example${paths[i % 3]}`);
}

function goodUrls() {
  const next = draws(5);
  return Array.from({ length: VISITS }, (_, i) => {
    const a = next();
    return `https://www.shop${i}.example/catalogue/${a % 100}/item.html?page=${a}`;
  });
}

function badUrls() {
  const pages = ["/anything?at=all", "/login/form.html", "/files/invoice.html?x=1"];
  const places = Array.from({ length: LISTED / 100 }, (_, i) => 100 * i);
  return places.map((i) => `http://cdn.BAD${i}.example${pages[i % 3]}#top`);
}

function main() {
  const [listed, good, bad] = [theList(), goodUrls(), badUrls()];
  const all = [...good, ...bad];
  const table = new Table(listed.map((one) => [one]));
  const asked = all.reduce((sum, url) => sum + expressions(url).length, 0);
  const counts = [`${thousands(all.length)} URLs`, `${bad.length} of them bad`].join(", ");
  console.log(`${counts}; ${thousands(asked)} expressions asked; ${thousands(LISTED)} listed`);
  let wrong = 0;
  const rates = { "the filter": FPR, "a URL": FPR / (HOSTS * PATHS) };
  for (const [name, fpr] of Object.entries(rates)) {
    const filter = BloomFilter.build(listed, { fpr });
    console.log(`1 in 100 for ${name}, ${thousands(filter.toBytes().length)} bytes:`);
    const stopped = new Set(deny(filter, all));
    const through = bad.filter((url) => !stopped.has(url));
    assert.deepEqual(through, [], "a bad URL came through");
    wrong = stopped.size - bad.length;
    const cost = { asked, of: good.length, mistake: "good URLs stopped" };
    console.log(outcome({ form: "deny", queries: 0, wrong, ...cost }));
    table.queries = 0;
    assert.deepEqual(verify(filter, table, all), bad);
    console.log(outcome({ form: "verify", queries: table.queries, wrong: 0, ...cost }));
  }
  assert.ok(wrong <= FPR * good.length);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) main();

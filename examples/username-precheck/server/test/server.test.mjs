/**
 * The server, in this process, with a filter of a few thousand names and a database in memory: what it answers, what it
 * refuses, and that two claims of one name have one winner.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { BloomFilter, fromBytes } from "tepal";
import { RULE } from "../../normalise/normalise.mjs";
import { Gate } from "../gate.mjs";
import { selfCheck, strangers } from "../selfcheck.mjs";
import { createServer } from "../server.mjs";
import { asset } from "../site.mjs";
import { Store } from "../store.mjs";

const NAMES = Array.from({ length: 4000 }, (_, i) => `user-${i}`).sort();
const NOW = 1_700_000_000_000;

/** @type {Store} */
let store;
/** @type {Gate} */
let gate;
/** @type {ReturnType<typeof createServer>} */
let made;
let base = "";
/** A name that the filter takes for a member. */
let mistaken = "";
let free = "";

before(async () => {
  const snapshot = BloomFilter.build(NAMES, { fpr: 0.01, layout: "line", metadata: { normalise: RULE } });
  gate = new Gate(snapshot, []);
  store = new Store(":memory:");
  store.fill("first", () => NAMES, (name) => gate.lineOf(name));
  for (let i = 0; !mistaken || !free; i++) {
    if (gate.ask(`stranger-${i}`) === "no") free ||= `stranger-${i}`;
    else mistaken ||= `stranger-${i}`;
  }
  const page = Buffer.from(`<!doctype html>${" ".repeat(2000)}`);
  const assets = new Map([
    ["/index.html", asset("index.html", page)],
    ["/assets/app.ABCD1234.js", asset("app.ABCD1234.js", page)],
    ["/usernames.0123456789abcdef.tepal", asset("usernames.0123456789abcdef.tepal", Buffer.from(snapshot.toBytes()))],
  ]);
  made = createServer({ assets, gate, store, now: () => NOW });
  await new Promise((resolve) => made.server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = made.server.address();
  base = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
});

after(() => {
  made.server.close();
  made.server.closeAllConnections();
  store.close();
});

/** @param {string} name */
const check = async (name) => (await fetch(`${base}/api/check?name=${encodeURIComponent(name)}`)).json();
/** @param {unknown} body */
const claim = (body) =>
  fetch(`${base}/api/claim`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

test("every name is taken; a stranger never reaches the database", async () => {
  const asked = { ...made.api.stats };
  assert.deepEqual(await check("user-7"), { name: "user-7", taken: true, claimedAt: null, filter: "snapshot" });
  assert.deepEqual(await check(" USER-7\n"), { name: "user-7", taken: true, claimedAt: null, filter: "snapshot" });
  assert.deepEqual(await check(free), { name: free, taken: false, claimedAt: null, filter: "no" });
  assert.equal(made.api.stats.databaseAsked, asked.databaseAsked + 2);
  assert.equal(made.api.stats.keptFromDatabase, asked.keptFromDatabase + 1);
  for (const name of NAMES) assert.ok(made.api.look(name).taken);
});

test("a mistaken name is corrected, and told whose bits it met", async () => {
  const answer = await check(mistaken);
  assert.equal(answer.taken, false);
  assert.equal(answer.filter, "snapshot");
  assert.equal(answer.owners.bits.length, 8);
  const byLine = new Map(NAMES.map((name) => [name, gate.lineOf(name)]));
  for (const { set, names } of answer.owners.bits) {
    assert.ok(set);
    assert.ok(names.length > 0, "a set bit has an owner");
    for (const name of names) assert.equal(byLine.get(name), answer.owners.line);
  }
});

test("the unique index gives a name once", async () => {
  const name = "wanted-by-two";
  const answers = await Promise.all([claim({ name }), claim({ name: " WANTED-by-two" }), claim({ name })]);
  assert.deepEqual(answers.map((answer) => answer.status).sort(), [201, 409, 409]);
  const loser = answers.find((answer) => answer.status === 409);
  assert.deepEqual(await loser?.json(), { code: "NAME_TAKEN", name, claimedAt: NOW });
  assert.equal((await check(name)).filter, "delta");
  assert.equal((await check(name)).claimedAt, NOW);
  assert.deepEqual(await (await claim({ name: "user-1" })).json(), { code: "NAME_TAKEN", name: "user-1", claimedAt: null });
});

test("a claimed name is in the delta, and its tag changes", async () => {
  const first = await fetch(`${base}/delta.tepal`);
  const etag = first.headers.get("etag") ?? "";
  assert.equal(first.headers.get("cache-control"), "no-cache");
  assert.equal((await fetch(`${base}/delta.tepal`, { headers: { "if-none-match": etag } })).status, 304);
  assert.equal((await claim({ name: "in-the-delta" })).status, 201);
  const second = await fetch(`${base}/delta.tepal`, { headers: { "if-none-match": etag } });
  assert.equal(second.status, 200);
  const delta = fromBytes(new Uint8Array(await second.arrayBuffer()));
  assert.ok(delta.has("in-the-delta"));
  assert.equal(delta.metadata.normalise, RULE);
});

test("a full delta grows and forgets nobody", () => {
  const names = Array.from({ length: 9000 }, (_, i) => `late-${i}`);
  const own = new Gate(gate.snapshot, []);
  /** @type {string[]} */
  const added = [];
  for (const name of names) {
    added.push(name);
    own.add(name, () => added);
  }
  assert.ok(names.every((name) => own.ask(name) !== "no"));
  const delta = fromBytes(new Uint8Array(own.packedDelta().bytes));
  assert.ok(delta.saturation <= 1);
});

test("bad input has a status and a code", async () => {
  /** @type {[string, RequestInit, number, string][]} */
  const cases = [
    ["/api/check", {}, 400, "NAME_MISSING"],
    ["/api/check?name=", {}, 422, "NAME_REFUSED"],
    ["/api/check?name=%C3%9F", {}, 422, "NAME_REFUSED"],
    [`/api/check?name=${"a".repeat(40)}`, {}, 422, "NAME_REFUSED"],
    ["/api/slow-twin?name=a&ms=81", {}, 400, "DELAY_UNKNOWN"],
    ["/api/nothing", {}, 404, "NOT_FOUND"],
    ["/nothing", {}, 404, "NOT_FOUND"],
    ["/../server/main.mjs", {}, 404, "NOT_FOUND"],
    ["/", { method: "POST" }, 405, "METHOD_NOT_ALLOWED"],
    ["/api/claim", { method: "POST", body: "name=a" }, 415, "JSON_EXPECTED"],
    ["/api/claim", { method: "POST", body: "{", headers: { "content-type": "application/json" } }, 400, "JSON_MALFORMED"],
    ["/api/claim", { method: "POST", body: "null", headers: { "content-type": "application/json" } }, 400, "NAME_MISSING"],
    ["/api/claim", { method: "POST", body: '{"name":7}', headers: { "content-type": "application/json" } }, 400, "NAME_MISSING"],
    ["/api/claim", { method: "POST", body: '{"name":"me@example.com"}', headers: { "content-type": "application/json" } }, 422, "NAME_REFUSED"],
    ["/api/claim", { method: "POST", body: JSON.stringify("x".repeat(2000)), headers: { "content-type": "application/json" } }, 413, "BODY_TOO_LONG"],
  ];
  for (const [path, options, status, code] of cases) {
    const response = await fetch(base + path, options);
    assert.equal(response.status, status, path);
    assert.equal((await response.json()).code, code, path);
  }
});

test("hashed files are kept for ever, the page is asked for again, both packed", async () => {
  const page = await fetch(base, { headers: { "accept-encoding": "gzip" } });
  assert.equal(page.headers.get("cache-control"), "no-cache");
  assert.equal(page.headers.get("content-encoding"), "gzip");
  assert.match((await page.text()).slice(0, 20), /^<!doctype html>/);
  const script = await fetch(`${base}/assets/app.ABCD1234.js`);
  assert.match(script.headers.get("cache-control") ?? "", /immutable/);
  const filter = await fetch(`${base}/usernames.0123456789abcdef.tepal`, { headers: { "accept-encoding": "gzip" } });
  assert.equal(filter.headers.get("content-encoding"), null);
  assert.match(filter.headers.get("cache-control") ?? "", /immutable/);
  const head = await fetch(base, { method: "HEAD" });
  assert.equal(head.status, 200);
  assert.equal(await head.text(), "");
});

test("the policy allows wasm, except where it is to be seen without", async () => {
  const allowed = (await fetch(base)).headers.get("content-security-policy") ?? "";
  const blocked = (await fetch(`${base}/?wasm=blocked`)).headers.get("content-security-policy") ?? "";
  assert.match(allowed, /script-src 'self' 'wasm-unsafe-eval'/);
  assert.match(blocked, /script-src 'self';/);
  assert.doesNotMatch(allowed + blocked, /'unsafe-inline'|'unsafe-eval'|\*/);
});

test("the slow twin is slow, and right", async () => {
  const started = performance.now();
  const answer = await (await fetch(`${base}/api/slow-twin?name=user-1&ms=80`)).json();
  assert.deepEqual(answer, { name: "user-1", taken: true });
  assert.ok(performance.now() - started >= 79);
});

test("a snapshot is filled once; a new one keeps the claims", () => {
  const own = new Store(":memory:");
  const line = (/** @type {string} */ name) => gate.lineOf(name);
  assert.equal(own.fill("a", () => ["ann", "bob"], line), true);
  assert.equal(own.claim("cleo", 0, NOW), true);
  assert.equal(own.fill("a", () => assert.fail("is there already"), line), false);
  assert.equal(own.fill("b", () => ["ann", "cleo"], line), true);
  assert.deepEqual([own.find("ann").taken, own.find("bob").taken], [true, false]);
  assert.deepEqual(own.claims(), [{ name: "cleo", claimedAt: NOW }]);
  own.close();
});

test("the self-check finds what is wrong", () => {
  const file = Buffer.from(gate.snapshot.toBytes());
  const good = selfCheck(gate.snapshot, NAMES, file, 20_000);
  assert.equal(good.missed, 0);
  assert.ok(good.rate > 0 && good.rate < 0.013, `${good.rate}`);
  assert.match(good.sha256, /^[0-9a-f]{64}$/);
  assert.ok(selfCheck(gate.snapshot, [...NAMES, free], file, 10).missed > 0);
  const made = strangers(10_000, new Set(NAMES));
  assert.equal(new Set(made).size, made.length);
});

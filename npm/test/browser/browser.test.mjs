// The browser build in Debian's Chromium: golden vectors, workers, downloads, a policy that forbids wasm. No server but this one, on loopback.
// TEPAL_PACKAGE names a folder where the package is installed; without it dist/ of this checkout is served.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";

const root = join(import.meta.dirname, "../../..");
const folders = {
  "/dist/": process.env.TEPAL_PACKAGE ? join(process.env.TEPAL_PACKAGE, "node_modules/tepal/dist") : join(root, "npm/dist"),
  "/vectors/": join(root, "tests/vectors/v1"),
  "/cross/": join(root, "tests/cross"),
};
const types = { ".mjs": "text/javascript", ".wasm": "application/wasm", ".json": "application/json", ".html": "text/html" };
const wanted = [];

async function answer(request, response) {
  const { pathname, searchParams } = new URL(request.url, "http://x");
  wanted.push(pathname);
  const policy = searchParams.get("csp");
  if (policy) response.setHeader("content-security-policy", policy);
  if (pathname === "/") return response.setHeader("content-type", "text/html").end("<!doctype html><meta charset=utf-8><title>tepal</title>");
  if (pathname === "/worker.mjs") {
    return response.setHeader("content-type", "text/javascript").end(`
      import { BloomFilter } from "/dist/browser.mjs";
      onmessage = ({ data }) => { const f = BloomFilter.fromBytes(data); postMessage([f.has("a"), f.has("b")]); };`);
  }
  const [prefix, folder] = Object.entries(folders).find(([name]) => pathname.startsWith(name)) ?? [];
  if (folder === undefined || pathname.includes("..")) return response.writeHead(404).end();
  const body = await readFile(join(folder, pathname.slice(prefix.length)));
  return response.setHeader("content-type", types[extname(pathname)] ?? "application/octet-stream").end(body);
}

let server, browser, origin;
before(async () => {
  server = createServer((request, response) => answer(request, response).catch(() => response.writeHead(404).end()));
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  origin = `http://127.0.0.1:${server.address().port}`;
  const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args });
});
after(async () => {
  await browser?.close();
  server?.close();
});

async function inPage(work, { query = "", argument } = {}) {
  const page = await browser.newPage();
  try {
    await page.goto(`${origin}/${query}`);
    return await page.evaluate(work, argument);
  } finally {
    await page.close();
  }
}

test("every golden file is made, read and answered alike", async () => {
  const failures = await inPage(async () => {
    const tepal = await import("/dist/browser.mjs");
    const { run } = await import("/cross/steps.mjs");
    const bytesOf = async (name) => new Uint8Array(await (await fetch(`/vectors/${name}`)).arrayBuffer());
    const hex = async (bytes) => Array.from(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)), (b) => b.toString(16).padStart(2, "0")).join("");
    const failures = [];
    const { files } = await (await fetch("/vectors/manifest.json")).json();
    for (const entry of files) {
      const written = {};
      const outcomes = await run(tepal, entry.steps, { write: async (name, bytes) => { written[name] = bytes; } });
      const [made] = Object.values(written);
      if (!made || (await hex(made)) !== entry.sha256) failures.push([entry.file, "made", outcomes.at(-1)]);
      const golden = await bytesOf(entry.file);
      const ask = [{ op: "load", id: "f", file: entry.file, seed: entry.open_seed }, { op: "ask_many", id: "f", keys: entry.present }, { op: "ask", id: "f", keys: entry.asked.keys }, { op: "facts", id: "f" }];
      const read = await run(tepal, ask, { read: async () => golden });
      const [, present, asked, facts] = read;
      if (facts === undefined) {
        failures.push([entry.file, "read", read]);
        continue;
      }
      if (/0/.test(present) || present.length === 0 !== (entry.present.length === 0) || asked !== entry.asked.answers) failures.push([entry.file, "answers", present]);
      for (const [name, value] of Object.entries(entry.facts)) {
        const near = typeof value === "number" && Math.abs(facts[name] - value) <= 1e-9 * Math.abs(value);
        if (!near && JSON.stringify(facts[name]) !== JSON.stringify(value)) failures.push([entry.file, name, facts[name], value]);
      }
    }
    for (const { file, code, seed } of await (await fetch("/vectors/malformed.json")).json()) {
      const bytes = await bytesOf(file);
      try {
        tepal.BloomFilter.fromBytes(bytes, seed === undefined ? {} : { seed: BigInt(seed) });
        failures.push([file, "was read"]);
      } catch (error) {
        if (error.code !== code) failures.push([file, String(error), code]);
      }
    }
    if (files.length < 20) failures.push(["manifest", files.length]);
    return failures;
  });
  assert.deepEqual(failures, []);
});

test("load streams a download; asking makes no request", async () => {
  const [facts, missing] = await inPage(async () => {
    const { BloomFilter, load } = await import("/dist/browser.mjs");
    const f = await load("/vectors/line-1000.tepal");
    const g = await load(fetch(new URL("/vectors/line-1000.tepal", location.href)));
    const before = performance.getEntriesByType("resource").length;
    for (let i = 0; i < 1000; i++) f.has(`stranger-${i}`);
    const after = performance.getEntriesByType("resource").length;
    const missing = await load("/vectors/none.tepal").catch((e) => [e.code, e.name]);
    return [[f.equals(g), f instanceof BloomFilter, after - before], missing];
  });
  assert.deepEqual(facts, [true, true, 0]);
  assert.deepEqual(missing, ["ERR_IO", "FilterIOError"]);
});

test("filters that grow, and those of servers where a page asks for them", async () => {
  const outcome = await inPage(async () => {
    const { fromBytes, ScalableBloomFilter } = await import("/dist/browser.mjs");
    const f = new ScalableBloomFilter({ capacity: 100 });
    f.update(Array(20_000).keys());
    const copy = fromBytes(f.toBytes());
    const refused = await import("/dist/browser.mjs").then(() => { try { return new ScalableBloomFilter({ scheme: "valkey" }); } catch (e) { return e.code; } });
    const { ScalableBloomFilter: WithSchemes } = await import("/dist/schemes.mjs");
    const v = new WithSchemes({ scheme: "valkey" });
    v.add("a");
    return [f.filterCount, f.hasMany(Array(20_000).keys()).every((yes) => yes === 1), copy.equals(f), refused, WithSchemes.fromValkey(v.toValkeyDump()).has("a"), v.size];
  });
  assert.deepEqual(outcome, [5, true, true, "ERR_UNSUPPORTED", true, 384]);
});

test("what a page cannot do says so", async () => {
  const codes = await inPage(async () => {
    const { BloomFilter, load, backend } = await import("/dist/browser.mjs");
    const f = new BloomFilter({ capacity: 10 });
    const code = async (work) => { try { await work(); return "none"; } catch (e) { return e.code; } };
    return [backend, await code(() => f.share()), await code(() => f.save("x")), await code(() => load("/x", { mmap: true })), await code(() => BloomFilter.attach({ token: 1 })), await code(() => f.union(structuredClone(f)))];
  });
  assert.deepEqual(codes, ["wasm", "ERR_UNSUPPORTED", "ERR_UNSUPPORTED", "ERR_UNSUPPORTED", "ERR_UNSUPPORTED", "ERR_ARGUMENT_TYPE"]);
});

test("a worker asks a filter that the page has sent as bytes", async () => {
  const answers = await inPage(async () => {
    const { BloomFilter } = await import("/dist/browser.mjs");
    const bytes = BloomFilter.build(["a"], { fpr: 1e-6 }).toBytes();
    const worker = new Worker("/worker.mjs", { type: "module" });
    const answer = new Promise((resolve, reject) => { worker.onmessage = (e) => resolve(e.data); worker.onerror = (e) => reject(new Error(e.message)); });
    worker.postMessage(bytes, [bytes.buffer]);
    return await answer;
  });
  assert.deepEqual(answers, [true, false]);
});

test("a policy without wasm-unsafe-eval: the error says what to add; with it all is well", async () => {
  const work = async () => {
    const { BloomFilter, isTepalError } = await import("/dist/browser.mjs");
    try {
      return new BloomFilter({ capacity: 10 }).add("a");
    } catch (error) {
      return [isTepalError(error), error.name, error.code, error.message.includes("wasm-unsafe-eval"), error.cause?.name];
    }
  };
  const policy = (value) => ({ query: `?csp=${encodeURIComponent(value)}` });
  assert.deepEqual(await inPage(work, policy("script-src 'self'")), [true, "UnsupportedError", "ERR_UNSUPPORTED", true, "CompileError"]);
  assert.equal(await inPage(work, policy("script-src 'self' 'wasm-unsafe-eval'")), true);
});

test("the slim entry fetches its module", async () => {
  const codes = await inPage(async () => {
    const { BloomFilter, init } = await import("/dist/slim.mjs");
    let code = "none";
    try { new BloomFilter({ capacity: 10 }); } catch (e) { code = e.code; }
    await init("/dist/tepal.wasm");
    return [code, new BloomFilter({ capacity: 10 }).add("a")];
  });
  assert.deepEqual(codes, ["ERR_UNSUPPORTED", true]);
});

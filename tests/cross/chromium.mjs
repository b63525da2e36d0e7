// Chromium's adapter: node tests/cross/chromium.mjs SCRIPT.json RESULT.json
// The package's browser build runs in a page; this program serves it, and the files that the scripts name.
// TEPAL_PACKAGE as in node.mjs; CHROMIUM is the browser; playwright-core comes from npm/node_modules.
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

const [script, result] = process.argv.slice(2);
const here = import.meta.dirname;
const installed = createRequire(pathToFileURL(`${process.env.TEPAL_PACKAGE ?? process.cwd()}/`));
const tools = createRequire(pathToFileURL(join(here, "../../npm/")));
const { chromium } = tools("playwright-core");

const scripts = JSON.parse(await readFile(script, "utf8"));
const named = new Set(scripts.flat().flatMap((step) => step.file ?? []));
const modules = {
  "/tepal.mjs": join(dirname(installed.resolve("tepal/package.json")), "dist/schemes.mjs"), // the browser entry with the schemes of others
  "/steps.mjs": join(here, "steps.mjs"),
};

async function answer(request, response) {
  const url = new URL(request.url, "http://localhost");
  const file = url.searchParams.get("file");
  if (url.pathname === "/") return response.setHeader("content-type", "text/html").end("<!doctype html><title>tepal</title>");
  if (url.pathname in modules) return response.setHeader("content-type", "text/javascript").end(await readFile(modules[url.pathname]));
  if (url.pathname !== "/file" || !named.has(file)) return response.writeHead(404).end();
  if (request.method !== "PUT") return response.end(await readFile(file));
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  await writeFile(file, Buffer.concat(chunks));
  return response.end();
}

const server = createServer((request, response) => {
  answer(request, response).catch((error) => response.writeHead(500).end(String(error)));
});
await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
try {
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  const outcomes = await page.evaluate(async (scripts) => {
    const tepal = await import("/tepal.mjs");
    const { run } = await import("/steps.mjs");
    if (tepal.backend !== "wasm") throw new Error("a browser has wasm");
    const at = (name) => `/file?file=${encodeURIComponent(name)}`;
    const sure = async (sent) => {
      const response = await sent;
      if (!response.ok) throw new Error(await response.text());
      return response;
    };
    const files = {
      mmap: false,
      read: async (name) => new Uint8Array(await (await sure(fetch(at(name)))).arrayBuffer()),
      write: async (name, bytes) => void (await sure(fetch(at(name), { method: "PUT", body: bytes }))),
    };
    const outcomes = [];
    for (const steps of scripts) outcomes.push(await run(tepal, steps, files));
    return JSON.stringify(outcomes);
  }, scripts);
  await writeFile(result, outcomes);
} finally {
  await browser.close();
  server.close();
}

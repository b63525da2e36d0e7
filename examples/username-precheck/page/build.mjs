/**
 * `node page/build.mjs OUT`: bundles the page with esbuild and gives every file a name with its hash, so that caches may
 * keep it for ever. The worker is bundled first, because the page has to know its name; the service worker last, because it
 * has to know all.
 */
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const out = process.argv[2] ?? "";
if (out === "") throw new Error("usage: node page/build.mjs OUT");

rmSync(out, { recursive: true, force: true });
mkdirSync(join(out, "assets"), { recursive: true });

/**
 * @param {string} entry
 * @param {Record<string, string | string[]>} define
 */
async function bundle(entry, define = {}, entryNames = "assets/[name].[hash]") {
  const result = await build({
    entryPoints: [join(here, entry)],
    outdir: out,
    entryNames,
    bundle: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    minify: true,
    metafile: true,
    legalComments: "none",
    define: Object.fromEntries(Object.entries(define).map(([name, value]) => [name, JSON.stringify(value)])),
  });
  const [file] = Object.keys(result.metafile?.outputs ?? {});
  if (!file) throw new Error(`esbuild made nothing of ${entry}`);
  return basename(file);
}

const worker = `/assets/${await bundle("src/check.worker.ts")}`;
const main = `/assets/${await bundle("src/main.ts", { CHECK_WORKER: worker })}`;
const style = `/assets/${await bundle("style.css")}`;

const page = readFileSync(join(here, "index.html"), "utf8").replace("/style.css", style).replace("/main.js", main);
writeFileSync(join(out, "index.html"), page);
const statics = ["icon.svg", "tepal.webmanifest"];
for (const name of statics) cpSync(join(here, name), join(out, name));

const version = createHash("sha256").update(page).update(worker).digest("hex").slice(0, 12);
const shell = [worker, main, style, ...statics.map((name) => `/${name}`)];
await bundle("src/sw.ts", { SHELL: shell, VERSION: version }, "sw");

// Builds dist/: one self-contained file per entry point and module system, the raw wasm, and the declarations twice
// (.d.ts and .d.cts). Needs build/wasm/, which scripts/wasm.sh of the repository makes.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";
import { build } from "esbuild";

const root = join(import.meta.dirname, "..");
process.chdir(root);
rmSync("dist", { recursive: true, force: true });
rmSync("build/types", { recursive: true, force: true });
mkdirSync("dist", { recursive: true });

// One module a class, and one with the schemes of servers and other libraries.
const modules = ["tepal", "tepal-scalable", "tepal-schemes"].map((name) => {
  const wasm = readFileSync(`build/wasm/${name}.wasm`);
  writeFileSync(`dist/${name}.wasm`, wasm);
  return { size: String(wasm.length), packed: JSON.stringify(deflateRawSync(wasm, { level: 9, memLevel: 9 }).toString("base64")) };
});

// Where an entry's runtime gets the module of ScalableBloomFilter from; inline unless it has a file of its own there.
const moduleOf = (entry) => ({
  name: "module-of",
  setup: ({ onResolve }) =>
    onResolve({ filter: /\/module\/inline\.js$/ }, () => {
      const own = join(root, `src/module/${entry === "node" ? "schemes" : entry}.ts`);
      return { path: existsSync(own) ? own : join(root, "src/module/inline.ts") };
    }),
});

const bundle = (entry, outfile, format, more = {}) =>
  build({
    entryPoints: [`src/entry/${entry}.ts`],
    outfile: `dist/${outfile}`,
    bundle: true,
    format,
    target: "es2022",
    legalComments: "none",
    define: {
      TEPAL_WASM_PACKED: modules[0].packed,
      TEPAL_WASM_SIZE: modules[0].size,
      TEPAL_SCALABLE_PACKED: modules[1].packed,
      TEPAL_SCALABLE_SIZE: modules[1].size,
      TEPAL_SCHEMES_PACKED: modules[2].packed,
      TEPAL_SCHEMES_SIZE: modules[2].size,
      ...(format === "cjs" ? { "import.meta.url": "TEPAL_FILE" } : {}),
    },
    // The runtimes of these two compile the file themselves.
    external: ["./tepal.wasm", "./tepal.wasm?module", "./tepal-schemes.wasm", "./tepal-schemes.wasm?module"],
    plugins: [moduleOf(entry)],
    ...(format === "cjs" ? { banner: { js: "var TEPAL_FILE = __filename;" } } : {}),
    logLevel: "warning",
    ...more,
  });

// An entry beside the main one imports it, so that there is one set of classes.
const tepalOutside = {
  name: "tepal-outside",
  setup: ({ onResolve }) => onResolve({ filter: /\/api\.js$/ }, () => ({ path: "tepal", external: true, sideEffects: false })),
};

// Whitespace stays: without it esbuild drops the marks by which bundlers drop what a page does not use.
await Promise.all([
  bundle("browser", "browser.mjs", "esm", { minifySyntax: true }),
  bundle("browser", "browser.cjs", "cjs", { minifySyntax: true, banner: {} }),
  bundle("node", "node.mjs", "esm", { platform: "node" }),
  bundle("node", "node.cjs", "cjs", { platform: "node" }),
  bundle("workerd", "workerd.mjs", "esm"),
  bundle("edge", "edge.mjs", "esm"),
  bundle("slim", "slim.mjs", "esm"),
  bundle("slim", "slim.cjs", "cjs", { banner: {} }),
  bundle("schemes", "schemes.mjs", "esm", { minifySyntax: true }),
  bundle("schemes", "schemes.cjs", "cjs", { minifySyntax: true, banner: {} }),
  bundle("redis", "redis.mjs", "esm", { platform: "node", plugins: [tepalOutside] }),
  bundle("redis", "redis.cjs", "cjs", { platform: "node", plugins: [tepalOutside], banner: {} }),
]);

execFileSync("node_modules/.bin/tsc", ["-p", "."], { stdio: "inherit" });
mkdirSync("dist/types");
const declarations = readdirSync("build/types", { recursive: true }).filter((name) => name.endsWith(".d.ts"));
for (const name of declarations) {
  if (/^(wasm|wasm-scalable|runtime|inline|inflate|place|module.(inline|schemes|workerd|edge|slim)|entry.(workerd|edge|node))\.d\.ts$/.test(name)) continue;
  const text = readFileSync(join("build/types", name), "utf8");
  mkdirSync(join("dist/types", name, ".."), { recursive: true });
  writeFileSync(join("dist/types", name), text);
  writeFileSync(join("dist/types", name.replace(/\.d\.ts$/, ".d.cts")), text.replaceAll(/(from "\.[^"]*)\.js"/g, '$1.cjs"'));
}

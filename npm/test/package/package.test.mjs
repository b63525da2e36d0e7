// The package as a user gets it: what is in the tarball, that every way of importing it works, and that its types hold.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { build } from "esbuild";

const npm = join(import.meta.dirname, "../..");
const dist = join(npm, "../dist");
const tarballs = readdirSync(dist).filter((name) => name.endsWith(".tgz")).map((name) => join(dist, name));
const main = tarballs.find((name) => /\/tepal-\d[^/]*\.tgz$/.test(name));
const run = (program, args, options) => execFileSync(program, args, { encoding: "utf8", ...options });

const home = mkdtempSync(join(tmpdir(), "tepal-package-"));
process.on("exit", () => rmSync(home, { recursive: true, force: true }));
writeFileSync(join(home, "package.json"), '{ "private": true }');
run("npm", ["install", "--offline", "--no-save", "--no-audit", "--no-fund", ...tarballs], { cwd: home, stdio: ["ignore", "pipe", "pipe"] });
const node = (args, env = {}) => run(process.execPath, args, { cwd: home, env: { ...process.env, TEPAL_BACKEND: undefined, ...env } }).trim();
const say = 'const f = new BloomFilter({ capacity: 10 }); f.add("a"); console.log(backend, f.has("a"), f.has("b"));';

test("the tarball has what it needs and nothing else", () => {
  const names = run("tar", ["-tzf", main]).trim().split("\n").map((name) => name.replace("package/", ""));
  for (const name of ["package.json", "README.md", "LICENSE-MIT", "dist/node.mjs", "dist/tepal.wasm", "dist/tepal-scalable.wasm", "dist/tepal-schemes.wasm", "dist/types/bloom.d.ts"]) assert.ok(names.includes(name), name);
  assert.deepEqual(names.filter((name) => !/^(package\.json|README\.md|LICENSE-(MIT|APACHE)|dist\/[a-z-]+\.(mjs|cjs|wasm)|dist\/types\/[a-z/-]+\.d\.c?ts)$/.test(name)), []);
  const manifest = JSON.parse(readFileSync(join(home, "node_modules/tepal/package.json"), "utf8"));
  assert.equal(manifest.dependencies, undefined);
  assert.equal(manifest.version, manifest.optionalDependencies?.["@tepal/linux-x64-gnu"] ?? manifest.version);
});

test("ESM and CommonJS, native and wasm", () => {
  const esm = ["--input-type=module", "-e", `import { BloomFilter, backend } from "tepal"; ${say}`];
  const cjs = ["-e", `const { BloomFilter, backend } = require("tepal"); ${say}`];
  const native = existsSync(join(home, "node_modules/@tepal")) ? "native" : "wasm";
  for (const args of [esm, cjs]) {
    assert.equal(node(args), `${native} true false`);
    assert.equal(node(args, { TEPAL_BACKEND: native }), `${native} true false`);
    assert.equal(node(args, { TEPAL_FORCE_WASM: "1" }), "wasm true false");
  }
  assert.equal(node(["--input-type=module", "-e", `import { BloomFilter, backend } from "tepal/wasm"; ${say}`]), "wasm true false");
  assert.equal(node(["-e", `const { BloomFilter, backend } = require("tepal/wasm"); ${say}`]), "wasm true false");
  const slim = `import { BloomFilter, backend, init, isTepalError } from "tepal/slim"; import { readFileSync } from "node:fs";
    try { new BloomFilter({ capacity: 1 }) } catch (e) { console.log(e.code) }
    await init(readFileSync(new URL(import.meta.resolve("tepal/tepal.wasm")))); ${say}`;
  assert.equal(node(["--input-type=module", "-e", slim]), "ERR_UNSUPPORTED\nwasm true false");
});

test("filters that grow: in every entry, with the schemes of servers where they are", () => {
  const say = 'const f = new ScalableBloomFilter({ capacity: 10 }); f.update(Array(1000).keys()); console.log(f.has(999), f.filterCount);';
  const valkey = 'try { console.log(new ScalableBloomFilter({ scheme: "valkey" }).size) } catch (e) { console.log(e.code) }';
  for (const [entry, size] of [["tepal", "384"], ["tepal/wasm", "ERR_UNSUPPORTED"], ["tepal/schemes", "384"]]) {
    for (const env of [{}, { TEPAL_FORCE_WASM: "1" }]) {
      assert.equal(node(["--input-type=module", "-e", `import { ScalableBloomFilter } from "${entry}"; ${say} ${valkey}`], env), `true 5\n${size}`);
      assert.equal(node(["-e", `const { ScalableBloomFilter } = require("${entry}"); ${say} ${valkey}`], env), `true 5\n${size}`);
    }
  }
  const slim = `import { ScalableBloomFilter, init } from "tepal/slim"; import { readFileSync } from "node:fs";
    const module = (name) => readFileSync(new URL(import.meta.resolve("tepal/" + name)));
    await init(module("tepal.wasm")); ${valkey}
    await init(module("tepal.wasm"), module("tepal-schemes.wasm")); ${valkey} ${say}`;
  assert.equal(node(["--input-type=module", "-e", slim]), "ERR_UNSUPPORTED\n384\ntrue 5");
});

test("importing costs nothing: no wasm is compiled before the first filter", () => {
  for (const name of ["tepal", "tepal/wasm"]) {
    const code = `WebAssembly.Module = class { constructor() { throw new Error("compiled") } }; await import("${name}"); console.log("quiet")`;
    assert.equal(node(["--input-type=module", "-e", code]), "quiet");
  }
});

test("where wasm is forbidden the error says what to add", () => {
  const code = `WebAssembly.Module = class { constructor() { throw new WebAssembly.CompileError("blocked by CSP") } };
    const { BloomFilter } = await import("tepal/wasm");
    for (let i = 0; i < 2; i++) try { new BloomFilter({ capacity: 1 }) } catch (e) { console.log(e.code, e.name, /wasm-unsafe-eval/.test(e.message), e.cause.message) }`;
  const line = "ERR_UNSUPPORTED UnsupportedError true blocked by CSP";
  assert.equal(node(["--input-type=module", "-e", code]), `${line}\n${line}`);
});

test("a bundler takes the browser entry, without a word of Node", async () => {
  for (const format of ["esm", "iife"]) {
    const bundled = await build({ stdin: { contents: `import { BloomFilter, backend } from "tepal"; ${say}`, resolveDir: home }, bundle: true, minify: true, format, platform: "browser", write: false });
    assert.deepEqual(bundled.warnings, []);
    const file = join(home, `bundle.${format === "esm" ? "mjs" : "cjs"}`);
    writeFileSync(file, bundled.outputFiles[0].text);
    assert.equal(node([file]), "wasm true false");
  }
  // For Node, too, the addon stays outside.
  const bundled = await build({ stdin: { contents: `import { BloomFilter, backend } from "tepal"; ${say}`, resolveDir: home }, bundle: true, format: "esm", platform: "node", write: false });
  assert.deepEqual(bundled.warnings, []);
});

test("types hold under strict, as ESM and CommonJS", () => {
  symlinkSync(join(npm, "node_modules/@types"), join(home, "node_modules/@types"));
  const files = ["use.mts", "use.cts"].map((name) => join(home, name));
  for (const file of files) cpSync(join(import.meta.dirname, "use.mts"), file);
  const flags = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--target", "es2022", "--module", "nodenext", "--lib", "es2022,dom,esnext.disposable", "--skipLibCheck", "false"];
  try {
    run(join(npm, "node_modules/.bin/tsc"), [...flags, ...files], { cwd: home });
  } catch (error) {
    assert.fail(error.stdout);
  }
});

test("publint and attw have nothing to say", () => {
  const bin = (name) => join(npm, "node_modules/.bin", name);
  run(bin("publint"), ["--strict", join(home, "node_modules/tepal")]);
  // A file of wasm has no types; the old resolution of Node 10 knows no subpaths.
  run(bin("attw"), [main, "--profile", "node16", "--exclude-entrypoints", "./tepal.wasm", "./tepal-scalable.wasm", "./tepal-schemes.wasm"]);
});

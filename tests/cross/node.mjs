// Node's adapter: node tests/cross/node.mjs BACKEND SCRIPT.json RESULT.json
// BACKEND is "native", "wasm", or "both" as a user has it (small filters in wasm); TEPAL_PACKAGE is a folder in whose node_modules the package is installed.
import { createRequire } from "node:module";
import { readFile, writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { run } from "./steps.mjs";

const [backend, script, result] = process.argv.slice(2);
if (backend === "native") process.env.TEPAL_FORCE_NATIVE = "1";
if (backend === "wasm") process.env.TEPAL_FORCE_WASM = "1";
const from = createRequire(pathToFileURL(`${process.env.TEPAL_PACKAGE ?? process.cwd()}/`));
const tepal = await import(pathToFileURL(from.resolve("tepal")).href);
if ((tepal.backend === "wasm") !== (backend === "wasm")) throw new Error(`this is the ${tepal.backend} backend, not ${backend}`);

const files = { read: readFile, write: writeFile, mmap: backend !== "wasm" };
const outcomes = [];
for (const steps of JSON.parse(await readFile(script, "utf8"))) outcomes.push(await run(tepal, steps, files));
await writeFile(result, JSON.stringify(outcomes));

// Runs the one test suite on the backends named: node scripts/test.mjs native wasm. Needs dist/, and native the addon; or TEPAL_PACKAGE, where the package is installed.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const files = readdirSync(join(root, "test"))
  .filter((name) => name.endsWith(".test.mjs"))
  .map((name) => join("test", name));
const [backends, only] = [
  process.argv.slice(2).filter((name) => /^(native|wasm|mixed)$/.test(name)),
  process.argv.slice(2).filter((name) => !/^(native|wasm|mixed)$/.test(name)),
];
let failed = false;
for (const backend of backends) {
  console.log(`# tepal on ${backend}`);
  // "mixed" is what users have: small filters in wasm, the rest in the addon.
  const env = { ...process.env, ...(backend === "mixed" ? {} : { TEPAL_BACKEND: backend }), TEPAL_TEST: backend };
  const flags = ["--expose-gc", "--import", join(root, "scripts/installed.mjs"), "--test", "--test-reporter", "spec"];
  const run = spawnSync(process.execPath, [...flags, ...(only.length ? only : files)], { cwd: root, env, stdio: "inherit" });
  failed ||= run.status !== 0;
}
process.exit(failed ? 1 : 0);

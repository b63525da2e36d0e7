/**
 * Entry for Node: the addon of this platform's package if it loads, and wasm inside this file. Which filter lives where is
 * the runtime's business. For tests, TEPAL_BACKEND=wasm (or TEPAL_FORCE_WASM=1) leaves the addon out and TEPAL_BACKEND=native leaves wasm out.
 */
import { type Addon, backendName, install } from "../runtime.js";

const only = process.env["TEPAL_BACKEND"];

function addon(): Addon | undefined {
  if (only === "wasm" || process.env["TEPAL_FORCE_WASM"]) return undefined;
  const { platform, arch } = process;
  const abis = platform === "linux" ? ["-gnu", "-musl"] : platform === "win32" ? ["-msvc"] : [""];
  // Names that no bundler can follow; a checkout has its addon beside dist/.
  const names = abis
    .map((abi) => `${platform}-${arch}${abi}`)
    .flatMap((name) => [`@tepal/${name}`, `../native/tepal.${name}.node`]);
  const find = process.getBuiltinModule("node:module").createRequire(import.meta.url);
  const reasons: unknown[] = [];
  for (const name of names) {
    try {
      return find(name) as Addon;
    } catch (reason) {
      reasons.push(reason);
    }
  }
  if (only === "native") throw new AggregateError(reasons, "tepal: no native addon loads here");
  return undefined;
}

install({ addon: addon(), addonOnly: only === "native" });

export * from "../api.js";

/** What does the work: "native" or "wasm". */
export const backend: "native" | "wasm" = backendName();

/**
 * Entry for Node: the addon of this platform's package if it loads, and wasm inside this file. Which filter lives where is
 * the runtime's business. TEPAL_FORCE_WASM=1 leaves the addon out, TEPAL_FORCE_NATIVE=1 insists on it: both are for tests.
 */
import type { NativeOperations } from "../backend.js";
import { inlined } from "../inline.js";
import { backendName, install } from "../runtime.js";

function addon(): NativeOperations | undefined {
  if (process.env["TEPAL_FORCE_WASM"]) return undefined;
  const { platform, arch } = process;
  const abis = platform === "linux" ? ["-gnu", "-musl"] : platform === "win32" ? ["-msvc"] : [""];
  // Names that no bundler can follow; a checkout has its addon beside this file.
  const names = ["./tepal.node", ...abis.map((abi) => `@tepal/${platform}-${arch}${abi}`)];
  const find = process.getBuiltinModule("node:module").createRequire(import.meta.url);
  const reasons: unknown[] = [];
  for (const name of names) {
    try {
      return find(name) as NativeOperations;
    } catch (reason) {
      reasons.push(reason);
    }
  }
  if (process.env["TEPAL_FORCE_NATIVE"]) throw new AggregateError(reasons, "tepal: no native addon loads here");
  return undefined;
}

install({ module: inlined, addon: addon(), addonOnly: Boolean(process.env["TEPAL_FORCE_NATIVE"]) });

export * from "../api.js";

/** What does the work: "native" or "wasm". */
export const backend: "native" | "wasm" = backendName();

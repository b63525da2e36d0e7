/** Entry for Vercel's edge runtime: as for Workers, with its way to name a module. */
// @ts-expect-error the bundler makes a WebAssembly.Module of it
import compiled from "./tepal.wasm?module";
import { backendName, install } from "../runtime.js";

install({ module: () => compiled as WebAssembly.Module });

export * from "../api.js";

/** What does the work: "native" or "wasm". */
export const backend: "native" | "wasm" = backendName();

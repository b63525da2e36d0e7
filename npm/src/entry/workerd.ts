/** Entry for Cloudflare Workers, which compile no bytes at run time: the module is imported, ready compiled. */
// @ts-expect-error the runtime makes a WebAssembly.Module of it
import compiled from "./tepal.wasm";
import { backendName, install } from "../runtime.js";

install({ module: () => compiled as WebAssembly.Module });

export * from "../api.js";

/** What does the work: "native" or "wasm". */
export const backend: "native" | "wasm" = backendName();

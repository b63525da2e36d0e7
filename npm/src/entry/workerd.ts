/** Entry for Cloudflare Workers, which compile no bytes at run time: the module is imported, ready compiled. */
import { backendName } from "../runtime.js";

export * from "../api.js";

/** What does the work: "native" or "wasm". */
export const backend: "native" | "wasm" = backendName();

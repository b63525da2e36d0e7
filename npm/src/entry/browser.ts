/** Entry for browsers, Deno and anything unknown: wasm inside this file, compiled when the first filter is made. */
import { backendName } from "../runtime.js";

export * from "../api.js";

/** What does the work: "native" or "wasm". */
export const backend: "native" | "wasm" = backendName();

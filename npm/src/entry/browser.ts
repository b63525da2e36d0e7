/** Entry for browsers, Deno and anything unknown: wasm inside this file, compiled when the first filter is made. */
import { inlined } from "../inline.js";
import { backendName, install } from "../runtime.js";

install({ module: inlined });

export * from "../api.js";

/** What does the work: "native" or "wasm". */
export const backend: "native" | "wasm" = backendName();

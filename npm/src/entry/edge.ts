/** Entry for Vercel's edge runtime: as for Workers, with its way to name a module. */
import { backendName } from "../runtime.js";

export * from "../api.js";

/** What does the work: "native" or "wasm". */
export const backend: "native" | "wasm" = backendName();

/** Cloudflare Workers: the module is imported, ready compiled. */
// @ts-expect-error the runtime makes a WebAssembly.Module of it
import compiled from "./tepal-scalable.wasm";

/** The module, compiled. */
export function scalableModule(): WebAssembly.Module {
  return compiled as WebAssembly.Module;
}

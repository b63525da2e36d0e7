/** Vercel's edge runtime: as for Workers, with its way to name a module. */
// @ts-expect-error the bundler makes a WebAssembly.Module of it
import compiled from "./tepal-scalable.wasm?module";

/** The module, compiled. */
export function scalableModule(): WebAssembly.Module {
  return compiled as WebAssembly.Module;
}

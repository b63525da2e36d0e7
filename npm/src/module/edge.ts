/** Vercel's edge runtime: as for Workers, with its way to name a module. */
// @ts-expect-error the runtime makes a WebAssembly.Module of it
import bloom from "./tepal.wasm?module";
// @ts-expect-error as above
import scalable from "./tepal-schemes.wasm?module";

/** The module of `BloomFilter`. */
export function bloomModule(): WebAssembly.Module {
  return bloom as WebAssembly.Module;
}

/** The module of `ScalableBloomFilter`. */
export function scalableModule(): WebAssembly.Module {
  return scalable as WebAssembly.Module;
}

/** Cloudflare Workers compile no bytes at run time: the modules are imported, ready compiled. */
// @ts-expect-error the runtime makes a WebAssembly.Module of it
import bloom from "./tepal.wasm";
// @ts-expect-error as above
import scalable from "./tepal-schemes.wasm";

/** The module of `BloomFilter`. */
export function bloomModule(): WebAssembly.Module {
  return bloom as WebAssembly.Module;
}

/** The module of `ScalableBloomFilter`. */
export function scalableModule(): WebAssembly.Module {
  return scalable as WebAssembly.Module;
}

/** Entry without the module inside: `init` fetches or takes it, before the first filter. */
import { provide } from "../module/slim.js";
import { backendName } from "../runtime.js";

/** Where a module is: a URL, a `Response`, its bytes, or compiled. */
export type ModuleSource = string | URL | Response | Promise<Response> | BufferSource | WebAssembly.Module;

/**
 * Makes the package ready.
 *
 * @param source The module of `BloomFilter`: the file `tepal/tepal.wasm`.
 * @param scalable The module of `ScalableBloomFilter`, if it is used: the file `tepal/tepal-scalable.wasm`, or `tepal/tepal-schemes.wasm` for the schemes of servers and other libraries.
 */
export async function init(source: ModuleSource, scalable?: ModuleSource): Promise<void> {
  provide({ bloom: await compile(source), scalable: scalable === undefined ? undefined : await compile(scalable) });
}

async function compile(source: ModuleSource): Promise<WebAssembly.Module> {
  if (source instanceof WebAssembly.Module) return source;
  const from = typeof source === "string" || source instanceof URL ? await fetch(source) : await source;
  return WebAssembly.compile(from instanceof Response ? await from.arrayBuffer() : (from as BufferSource));
}

export * from "../api.js";

/** What does the work: "native" or "wasm". */
export const backend: "native" | "wasm" = backendName();

/** Entry without the module inside: `init` fetches or takes it, before the first filter. */
import { UnsupportedError } from "../errors.js";
import { backendName, install } from "../runtime.js";

let compiled: WebAssembly.Module | undefined;

install({
  module() {
    if (compiled === undefined) {
      throw new UnsupportedError("ERR_UNSUPPORTED", "tepal/slim: call `await init(url)` before the first filter");
    }
    return compiled;
  },
});

/**
 * Makes the package ready. The file is `tepal/tepal.wasm`.
 *
 * @param source Where the module is: a URL, a `Response`, its bytes, or a compiled module.
 */
export async function init(source: string | URL | Response | Promise<Response> | BufferSource | WebAssembly.Module): Promise<void> {
  if (source instanceof WebAssembly.Module) {
    compiled = source;
    return;
  }
  const from = typeof source === "string" || source instanceof URL ? await fetch(source) : await source;
  compiled = await WebAssembly.compile(from instanceof Response ? await from.arrayBuffer() : (from as BufferSource));
}

export * from "../api.js";

/** What does the work: "native" or "wasm". */
export const backend: "native" | "wasm" = backendName();

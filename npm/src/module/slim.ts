/** Without a module inside: `init` provides it. */
import { UnsupportedError } from "../errors.js";

let compiled: WebAssembly.Module | undefined;

/** Takes the compiled module. */
export function provideScalable(module: WebAssembly.Module): void {
  compiled = module;
}

/** The module, compiled. `ERR_UNSUPPORTED` before `init`. */
export function scalableModule(): WebAssembly.Module {
  if (compiled === undefined) {
    throw new UnsupportedError("ERR_UNSUPPORTED", "tepal/slim: call `await init(url, scalableUrl)` before the first ScalableBloomFilter");
  }
  return compiled;
}

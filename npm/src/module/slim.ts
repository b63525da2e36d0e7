/** Without modules inside: `init` provides them. */
import { UnsupportedError } from "../errors.js";

let bloom: WebAssembly.Module | undefined;
let scalable: WebAssembly.Module | undefined;

/** Takes the compiled modules. */
export function provide(modules: { bloom: WebAssembly.Module; scalable?: WebAssembly.Module | undefined }): void {
  bloom = modules.bloom;
  scalable = modules.scalable ?? scalable;
}

function provided(module: WebAssembly.Module | undefined, call: string): WebAssembly.Module {
  if (module === undefined) throw new UnsupportedError("ERR_UNSUPPORTED", `tepal/slim: call \`await ${call}\` before the first filter`);
  return module;
}

/** The module of `BloomFilter`. `ERR_UNSUPPORTED` before `init`. */
export function bloomModule(): WebAssembly.Module {
  return provided(bloom, "init(url)");
}

/** The module of `ScalableBloomFilter`. `ERR_UNSUPPORTED` before `init` with a second source. */
export function scalableModule(): WebAssembly.Module {
  return provided(scalable, "init(url, scalableUrl)");
}

/**
 * Where the modules come from: inside the file, `ScalableBloomFilter`'s without the schemes of servers and other libraries. The classes
 * import this themselves, not through an entry, so that a bundler that drops a class drops its module. Entries for other runtimes get
 * another file of this folder (scripts/build.mjs).
 */
import { unpack } from "../inline.js";

export { inlined as bloomModule } from "../inline.js";

declare const TEPAL_SCALABLE_PACKED: string;
declare const TEPAL_SCALABLE_SIZE: number;

/** The module of `ScalableBloomFilter`, compiled. Callers ask once. */
export function scalableModule(): WebAssembly.Module {
  return unpack(TEPAL_SCALABLE_PACKED, TEPAL_SCALABLE_SIZE);
}

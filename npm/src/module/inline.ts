/**
 * Where the module of `ScalableBloomFilter` comes from: inside the file. The class imports this itself, not through an entry, so that a
 * bundler that drops the class drops the module with it. Entries for other runtimes get another file of this folder (scripts/build.mjs).
 */
import { unpack } from "../inline.js";

declare const TEPAL_SCALABLE_PACKED: string;
declare const TEPAL_SCALABLE_SIZE: number;

/** The module, compiled. Callers ask once. */
export function scalableModule(): WebAssembly.Module {
  return unpack(TEPAL_SCALABLE_PACKED, TEPAL_SCALABLE_SIZE);
}

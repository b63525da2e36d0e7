/** The modules, `ScalableBloomFilter`'s with the schemes of servers and other libraries, inside the file: for Node, where size is no matter, and for `tepal/schemes`. */
import { unpack } from "../inline.js";

export { inlined as bloomModule } from "../inline.js";

declare const TEPAL_SCHEMES_PACKED: string;
declare const TEPAL_SCHEMES_SIZE: number;

/** The module of `ScalableBloomFilter`, compiled. Callers ask once. */
export function scalableModule(): WebAssembly.Module {
  return unpack(TEPAL_SCHEMES_PACKED, TEPAL_SCHEMES_SIZE);
}

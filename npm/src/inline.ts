/** The wasm module inside the package: deflated, as base64. The build replaces the names. */
import { inflate } from "./inflate.js";

declare const TEPAL_WASM_PACKED: string;
declare const TEPAL_WASM_SIZE: number;

/** Unpacks and compiles, synchronously. Callers do so once. */
export function inlined(): WebAssembly.Module {
  const packed = Uint8Array.from(atob(TEPAL_WASM_PACKED), (character) => character.charCodeAt(0));
  return new WebAssembly.Module(inflate(packed, TEPAL_WASM_SIZE) as Uint8Array<ArrayBuffer>);
}

/** The wasm module inside the package: deflated, as base64. The build replaces the names. */
import { inflate } from "./inflate.js";

declare const TEPAL_WASM_PACKED: string;
declare const TEPAL_WASM_SIZE: number;

/** Unpacks and compiles, synchronously. Callers do so once. */
export function inlined(): WebAssembly.Module {
  return unpack(TEPAL_WASM_PACKED, TEPAL_WASM_SIZE);
}

/** The module that was deflated to this text and has this many bytes. */
export function unpack(base64: string, size: number): WebAssembly.Module {
  const packed = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return new WebAssembly.Module(inflate(packed, size) as Uint8Array<ArrayBuffer>);
}

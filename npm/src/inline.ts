/** The wasm module as text inside the package; the build replaces the name by the text. */
declare const TEPAL_WASM_BASE64: string;

/** Decodes and compiles, synchronously. Callers do so once. */
export function inlined(): WebAssembly.Module {
  const text = atob(TEPAL_WASM_BASE64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return new WebAssembly.Module(bytes);
}

/**
 * What this copy of the package runs on. Each entry point installs a runtime; nothing is compiled before a filter is.
 *
 * Where there is a native addon, both backends serve: a call into the addon costs several times a call into wasm, so
 * single keys on small filters are quicker in wasm; the addon has prefetching batches, memory beyond 4 GB, files
 * and threads. A filter lives in one of them and moves when it has to; its user sees one class.
 */
import type { Backend, BloomBackend, BloomOperations, Handle, Native, NativeOperations, ScalableBackend, ScalableOperations } from "./backend.js";
import { makeError } from "./errors.js";
import { bloomModule, scalableModule } from "./module/inline.js";
import { wasmBackend } from "./wasm.js";
import { scalableWasm } from "./wasm-scalable.js";

/** What the addon exports: fresh operations for each copy of the package. */
export interface Addon {
  open(): NativeOperations & BloomOperations;
  openScalable(): NativeOperations & ScalableOperations;
}

/** What an entry point knows. */
export interface Installation {
  /** The addon, if this runtime has one. */
  addon?: Addon | undefined;
  /** For tests: everything in the addon, nothing in wasm. */
  addonOnly?: boolean;
}

/** Filters up to this many bytes live in wasm even where there is an addon: single calls cost the same, larger ones gain by native batches. */
export const SMALL = 1 << 25;

let installation: Installation | undefined;

/** Called by the entry point, once; where there is no addon, nothing needs to be installed. */
export function install(what: Installation): void {
  installation = what;
}

/** "native" or "wasm". */
export function backendName(): "native" | "wasm" {
  return installation?.addon === undefined ? "wasm" : "native";
}

/** Those of some class that is in use. */
let homes: Homes<Backend> | undefined;

/** A backend of any class, for an error about what is no filter at all. */
export function anyHome(): Backend {
  return (homes as Homes<Backend>).home(0);
}

/** Where the filters of one class live. Each backend is made when it is first needed. */
export class Homes<B extends Backend> {
  #wasm: B | undefined;
  #native: Native<B> | undefined;
  readonly #makeWasm: () => B;
  readonly #open: (addon: Addon) => NativeOperations;

  /** @param kind The class's name. @param small Filters up to this many bytes live in wasm even where there is an addon. */
  constructor(
    readonly kind: string,
    makeWasm: () => B,
    open: (addon: Addon) => NativeOperations,
    readonly small: number,
  ) {
    this.#makeWasm = makeWasm;
    homes ??= this as unknown as Homes<Backend>;
    this.#open = open;
  }

  /** The backend for a filter of about so many bytes. */
  home(bytes: number): B {
    const native = this.native();
    if (native !== undefined && (bytes > this.small || installation?.addonOnly)) return native;
    this.#wasm ??= this.#makeWasm();
    return this.#wasm;
  }

  /** The addon as a backend, where there is one. */
  native(): Native<B> | undefined {
    const addon = installation?.addon;
    if (addon !== undefined) this.#native ??= nativeOver(this.#open(addon)) as unknown as Native<B>;
    return this.#native;
  }
}

/** The homes of `BloomFilter`. */
export const bloom = /* @__PURE__ */ new Homes<BloomBackend>(
  "BloomFilter",
  () => wasmBackend(bloomModule),
  (addon) => addon.open(),
  SMALL,
);

const MOST = 4096;
const ROOM = 1 << 16;

function nativeOver(addon: NativeOperations): Backend {
  const lengths = new Uint32Array(MOST);
  const out = new Uint8Array(MOST);
  const arena = { bytes: new Uint8Array(0), view: new DataView(new ArrayBuffer(0)), lengths, out };
  const reserve = (size: number) => {
    arena.bytes = new Uint8Array(Math.max(size, ROOM));
    arena.view = new DataView(arena.bytes.buffer);
    addon.init(arena.bytes, lengths, out, makeError);
  };
  reserve(0);
  // A call that passes no value takes 25 ns where one with two numbers and an answer takes 38.
  const now = new Float64Array(out.buffer, 0, 2);
  const { addNow, hasNow } = addon;
  const own = {
    name: "native",
    arena,
    reserve,
    native: addon,
    add(filter: Handle, length: number): number {
      now[0] = filter;
      now[1] = length;
      addNow();
      return out[0] as number;
    },
    has(filter: Handle, length: number): number {
      now[0] = filter;
      now[1] = length;
      hasNow();
      return out[0] as number;
    },
  } as const;
  return { ...addon, ...own }; // a literal: its methods are found by shape, not by name
}

/** The homes of `ScalableBloomFilter`: the addon where there is one, however small the filter. */
export const scalable = /* @__PURE__ */ new Homes<ScalableBackend>(
  "ScalableBloomFilter",
  () => scalableWasm(scalableModule),
  (addon) => addon.openScalable(),
  -1,
);

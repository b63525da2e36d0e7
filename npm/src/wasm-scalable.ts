/** `ScalableBloomFilter`'s modules, with and without the schemes of servers: a page fetches none unless it uses that class. */
import type { Handle, LooseInteger, ScalableBackend } from "./backend.js";
import { type Exports, instantiate, ROOM, Wasm } from "./wasm.js";

interface ScalableExports extends Exports, Record<ScalableOnly, (...numbers: number[]) => number> {
  /** Only in the module with the schemes of others. */
  exported?(filter: Handle, format: number): number;
  imported?(length: number, format: number): number;
}
type ScalableOnly = "levels" | "metrics" | "scheme" | "seed" | "set_none" | "set_seed" | "validate_scale_to";

/** The places of the options of `create` among the module's slots: capacity, fpr, expansion, tightening, maxBytes, seed, validateScaleTo. */
const SLOTS = [0, 2, 3, 4, 5, 1, 6];
const EXPORTED = ["redisbloom", "valkey-load", "valkey-dump"];
const IMPORTED = ["redisbloom", "valkey", "guava", "spark"];
/** Iterator (i64) and length (u32) stand before each piece of a foreign filter. */
const PIECE = 12;

/** A backend over the module for `ScalableBloomFilter`. */
export function scalableWasm(provide: () => WebAssembly.Module): ScalableBackend {
  return new ScalableWasm(instantiate<ScalableExports>(provide));
}

class ScalableWasm extends Wasm<ScalableExports> implements ScalableBackend {
  constructor(wasm: ScalableExports) {
    super(wasm);
    // An insertion may be refused, and may make the memory grow.
    this.add = (filter, length) => {
      const answer = this._answer(wasm.add(filter, length));
      this._settle();
      return answer;
    };
  }

  create(scheme: string, options: (LooseInteger | Uint8Array | null | undefined)[], metadata: string[]): Handle {
    options.forEach((value, i) => {
      const slot = SLOTS[i] as number;
      if (value === null) {
        this._wasm.set_none(slot);
      } else if (typeof value === "object") {
        this.arena.bytes.set(value.subarray(0, 64)); // more than 32 bytes are refused, however many
        this._wasm.set_seed(Math.min(value.length, 64));
        this._settle();
      } else {
        this._loose(slot, value);
      }
    });
    return this._handle(this._wasm.create(this._texts([scheme, ...metadata])) >>> 0);
  }

  override addHash(filter: Handle): number {
    const answer = super.addHash(filter);
    this._settle();
    return answer;
  }

  seed(filter: Handle): Uint8Array {
    this._wasm.seed(filter);
    return this._result();
  }

  scheme(filter: Handle): string {
    this._wasm.scheme(filter);
    return this._text();
  }

  levels(filter: Handle): Uint8Array {
    this._wasm.levels(filter);
    return this._result();
  }

  validateScaleTo(filter: Handle, keys: LooseInteger): void {
    this._loose(0, keys);
    this._done(this._wasm.validate_scale_to(filter));
  }

  exported(filter: Handle, format: string): (number | Uint8Array)[] {
    const { exported } = this._wasm;
    if (exported === undefined) throw this.#withoutSchemes();
    this._done(exported(filter, EXPORTED.indexOf(format)));
    const packed = this._result();
    const view = new DataView(packed.buffer);
    const pieces: (number | Uint8Array)[] = [];
    for (let at = 0; at < packed.length; ) {
      const end = at + PIECE + view.getUint32(at + 8, true);
      pieces.push(Number(view.getBigInt64(at, true)), packed.slice(at + PIECE, end));
      at = end;
    }
    return pieces;
  }

  imported(format: string, iterators: number[], chunks: Uint8Array[]): Handle {
    const { imported } = this._wasm;
    if (imported === undefined) throw this.#withoutSchemes();
    const size = chunks.reduce((sum, chunk) => sum + PIECE + chunk.length, 0);
    if (size > this._size) this.reserve(size);
    const { bytes, view } = this.arena;
    let at = 0;
    chunks.forEach((chunk, i) => {
      view.setBigInt64(at, BigInt(Math.trunc(iterators[i] as number) || 0), true);
      view.setUint32(at + 8, chunk.length, true);
      bytes.set(chunk, at + PIECE);
      at += PIECE + chunk.length;
    });
    try {
      return this._handle(imported(size, IMPORTED.indexOf(format)) >>> 0);
    } finally {
      if (size > ROOM) this.reserve(0);
    }
  }

  #withoutSchemes(): Error {
    return this.notice("unsupported", "the formats of servers and other libraries, unless imported from tepal/schemes", "", "");
  }

  metrics(): Uint8Array {
    this._wasm.metrics();
    return this._result();
  }
}

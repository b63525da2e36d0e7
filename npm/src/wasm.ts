/**
 * The core as WebAssembly: what both modules have, and `BloomFilter`'s. A module is compiled when it is first needed, synchronously, and
 * everything above works with plain numbers: pointers, lengths, answers. Only this file and `wasm-scalable.ts` call the exports; a pointer
 * they pass is one they were given.
 */
import type { Arena, Backend, BloomBackend, Fact, Handle, LooseInteger, Notice } from "./backend.js";
import { makeError, annotate, UnsupportedError } from "./errors.js";

/** What every module of bindings/wasm exports; most of it takes numbers and gives one. */
export interface Exports extends Record<Common, (...numbers: number[]) => number> {
  memory: WebAssembly.Memory;
  set_bigint(slot: number, low: bigint, high: bigint): void;
}
type Common =
  | "add" | "add_hash" | "add_ints" | "add_many" | "clear" | "compound" | "copy" | "create" | "equals" | "fact" | "free" | "from_bytes"
  | "has" | "has_hash" | "has_ints" | "has_many" | "key_hash" | "lengths_at" | "metadata" | "notice" | "out_at" | "out_of_memory"
  | "reserve" | "result_at" | "result_end" | "result_len" | "set_number" | "to_bytes" | "union" | "union_with" | "version";

/** What only `BloomFilter`'s module exports. */
interface BloomExports extends Exports, Record<BloomOnly, (...numbers: number[]) => number> {
  seed(of: Handle): bigint;
}
type BloomOnly =
  | "builder_finish" | "builder_free" | "builder_new" | "builder_push" | "builder_push_ints" | "explain" | "fold" | "intersect_with"
  | "intersection" | "layout" | "shrink_to" | "union_all";

const CSP =
  "WebAssembly: this page or runtime does not allow it to compile; " +
  "with a Content-Security-Policy, add 'wasm-unsafe-eval' to script-src";

/** The exports of the module that `provide` gives; called once. `ERR_UNSUPPORTED` where WebAssembly is not allowed. */
export function instantiate<E extends Exports>(provide: () => WebAssembly.Module): E {
  try {
    return new WebAssembly.Instance(provide()).exports as unknown as E;
  } catch (error) {
    if (error instanceof UnsupportedError) throw error;
    throw annotate(new UnsupportedError("ERR_UNSUPPORTED", CSP), "cause", error);
  }
}

/** A backend over the module for `BloomFilter`. */
export function wasmBackend(provide: () => WebAssembly.Module): BloomBackend {
  return new BloomWasm(instantiate<BloomExports>(provide));
}

const encoder = /* @__PURE__ */ new TextEncoder();
const decoder = /* @__PURE__ */ new TextDecoder();
const FAILED = 2;
const MOST = 4096;
export const ROOM = 1 << 16;

/** The order in which the modules number them. */
const NOTICES: readonly Notice[] = [
  "key_type", "key_range", "key_unsafe_integer", "key_fraction", "key_surrogate", "argument_type", "single_key", "read_only", "freed", "io",
  "unsupported",
];

/** What both classes need of their modules. */
export abstract class Wasm<E extends Exports> implements Backend {
  readonly name = "wasm";
  readonly arena = {} as Arena;
  protected readonly _wasm: E;
  /** Hot exports, so that a call is one load and one jump. */
  add: (filter: Handle, length: number) => number;
  readonly has: (filter: Handle, length: number) => number;
  private _base = 0;
  protected _size = ROOM;

  constructor(wasm: E) {
    this._wasm = wasm;
    this.add = wasm.add;
    this.has = wasm.has;
    this.reserve(0);
  }

  reserve(size: number): void {
    this._base = this._wasm.reserve(size) >>> 0;
    const failed = this._base === 0;
    if (failed) this._base = this._wasm.reserve(0) >>> 0;
    this._size = failed ? ROOM : Math.max(size, ROOM);
    this._views();
    if (failed) throw this._error(() => this._wasm.out_of_memory(size));
  }

  /** Views on memory die when it grows: each call that may allocate ends here. */
  protected _views(): void {
    const { arena } = this;
    const { buffer } = this._wasm.memory;
    arena.bytes = new Uint8Array(buffer, this._base, this._size);
    arena.view = new DataView(buffer, this._base, this._size);
    arena.lengths = new Uint32Array(buffer, this._wasm.lengths_at(), MOST);
    arena.out = new Uint8Array(buffer, this._wasm.out_at(), MOST);
  }

  protected _settle(): void {
    if (this.arena.bytes.length === 0) this._views();
  }

  /** The result buffer, copied out. */
  protected _result(): Uint8Array {
    const at = this._wasm.result_at() >>> 0;
    const bytes = new Uint8Array(this._wasm.memory.buffer, at, this._wasm.result_len() >>> 0).slice();
    this._wasm.result_end();
    this._settle();
    return bytes;
  }

  protected _text(): string {
    return decoder.decode(this._result());
  }

  protected _error(leave?: () => void): Error {
    leave?.();
    const [errorClass, code, message] = this._text().split("\0") as [string, string, string];
    return makeError(errorClass, code, message);
  }

  protected _handle(pointer: number): Handle {
    if (pointer === 0) throw this._error();
    this._settle();
    return pointer;
  }

  protected _done(ok: number): void {
    if (ok === 0) throw this._error();
    this._settle();
  }

  protected _answer(answer: number): number {
    if (answer === FAILED) throw this._error();
    return answer;
  }

  /** Puts texts into the arena, each with its length in front. */
  protected _texts(texts: readonly string[]): number {
    const all = texts.map((text) => encoder.encode(text));
    const size = all.reduce((sum, text) => sum + 4 + text.length, 0);
    if (size > this._size) this.reserve(size);
    const { bytes, view } = this.arena;
    let at = 0;
    for (const text of all) {
      view.setUint32(at, text.length, true);
      bytes.set(text, at + 4);
      at += 4 + text.length;
    }
    return texts.length;
  }

  protected _loose(slot: number, value: LooseInteger | undefined): void {
    if (value === undefined) return;
    if (typeof value === "number") {
      this._wasm.set_number(slot, value);
      return;
    }
    const most = 2n ** 127n - 1n;
    const clamped = value > most ? most : value < -most ? -most : value;
    this._wasm.set_bigint(slot, BigInt.asUintN(64, clamped), clamped >> 64n);
  }

  version(): string {
    this._wasm.version();
    return this._text();
  }

  /** Leaves the arena as it was: a batch under way has its keys there. */
  notice(kind: Notice, a: string, b: string, c: string): Error {
    const { arena } = this;
    const texts = [a, b, c].map((text) => text.slice(0, 2000));
    const bytes = arena.bytes.slice(0, 12 + 3 * texts.join("").length);
    this._texts(texts);
    const error = this._error(() => this._wasm.notice(NOTICES.indexOf(kind)));
    arena.bytes.set(bytes);
    return error;
  }

  fromBytes(chunks: Uint8Array[], seed: LooseInteger | undefined): Handle {
    const size = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    if (size > this._size) this.reserve(size);
    let at = 0;
    for (const chunk of chunks) {
      this.arena.bytes.set(chunk, at);
      at += chunk.length;
    }
    this._loose(1, seed);
    try {
      return this._handle(this._wasm.from_bytes(size) >>> 0);
    } finally {
      if (size > ROOM) this.reserve(0);
    }
  }

  clone(filter: Handle): Handle {
    return this._handle(this._wasm.copy(filter) >>> 0);
  }

  free(filter: Handle): void {
    this._wasm.free(filter);
  }

  keyHash(filter: Handle, length: number): void {
    this._done(this._wasm.key_hash(filter, length));
  }

  addHash(filter: Handle): number {
    return this._answer(this._wasm.add_hash(filter));
  }

  hasHash(filter: Handle): number {
    return this._answer(this._wasm.has_hash(filter));
  }

  addMany(filter: Handle, count: number): void {
    this._done(this._wasm.add_many(filter, count));
  }

  hasMany(filter: Handle, count: number): void {
    this._done(this._wasm.has_many(filter, count));
  }

  addInts(filter: Handle, count: number): void {
    this._done(this._wasm.add_ints(filter, count));
  }

  hasInts(filter: Handle, count: number): void {
    this._done(this._wasm.has_ints(filter, count));
  }

  compound(count: number): Uint8Array {
    this._wasm.compound(count);
    return this._result();
  }

  fact(filter: Handle, which: Fact): number {
    return this._wasm.fact(filter, which);
  }

  metadata(filter: Handle): string[] {
    this._wasm.metadata(filter);
    const packed = this._result();
    const view = new DataView(packed.buffer);
    const texts: string[] = [];
    for (let at = 0; at < packed.length; ) {
      const end = at + 4 + view.getUint32(at, true);
      texts.push(decoder.decode(packed.subarray(at + 4, end)));
      at = end;
    }
    return texts;
  }

  clear(filter: Handle): void {
    this._done(this._wasm.clear(filter));
  }

  union(a: Handle, b: Handle): Handle {
    return this._handle(this._wasm.union(a, b) >>> 0);
  }

  unionWith(filter: Handle, other: Handle): void {
    this._done(this._wasm.union_with(filter, other));
  }

  equals(a: Handle, b: Handle): boolean {
    return this._wasm.equals(a, b) === 1;
  }

  toBytes(filter: Handle, withholdSeed: boolean): Uint8Array {
    this._done(this._wasm.to_bytes(filter, withholdSeed ? 1 : 0));
    return this._result();
  }

  verify(): void {
    // Whatever lives here was verified when it was read.
  }
}

class BloomWasm extends Wasm<BloomExports> implements BloomBackend {
  private _options(layout: string, metadata: string[]): number {
    return this._texts([layout, ...metadata]);
  }

  create(capacity: LooseInteger, fpr: number, seed: LooseInteger, layout: string, metadata: string[]): Handle {
    const count = this._options(layout, metadata);
    this._loose(0, capacity);
    this._loose(1, seed);
    return this._handle(this._wasm.create(count, fpr) >>> 0);
  }

  explain(filter: Handle, length: number): Uint8Array {
    this._wasm.explain(filter, length);
    return this._result();
  }

  builderNew(seed: LooseInteger): Handle {
    this._loose(1, seed);
    return this._handle(this._wasm.builder_new() >>> 0);
  }

  builderPush(builder: Handle, count: number): void {
    this._done(this._wasm.builder_push(builder, count));
  }

  builderPushInts(builder: Handle, count: number): void {
    this._done(this._wasm.builder_push_ints(builder, count));
  }

  builderFinish(builder: Handle, fpr: number, layout: string, metadata: string[]): Handle {
    return this._handle(this._wasm.builder_finish(builder, this._options(layout, metadata), fpr) >>> 0);
  }

  builderFree(builder: Handle): void {
    this._wasm.builder_free(builder);
  }

  seed(filter: Handle): bigint {
    return BigInt.asUintN(64, this._wasm.seed(filter));
  }

  layout(filter: Handle): string {
    this._wasm.layout(filter);
    return this._text();
  }

  intersection(a: Handle, b: Handle): Handle {
    return this._handle(this._wasm.intersection(a, b) >>> 0);
  }

  unionAll(filters: Handle[]): Handle {
    if (filters.length * 8 > this._size) this.reserve(filters.length * 8);
    filters.forEach((filter, i) => {
      this.arena.view.setBigUint64(i * 8, BigInt(filter), true);
    });
    return this._handle(this._wasm.union_all(filters.length) >>> 0);
  }

  intersectWith(filter: Handle, other: Handle): void {
    this._done(this._wasm.intersect_with(filter, other));
  }

  fold(filter: Handle, factor: LooseInteger): Handle {
    this._loose(0, factor);
    return this._handle(this._wasm.fold(filter) >>> 0);
  }

  shrinkTo(filter: Handle, capacity: LooseInteger): Handle {
    this._loose(0, capacity);
    return this._handle(this._wasm.shrink_to(filter) >>> 0);
  }
}

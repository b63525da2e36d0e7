/**
 * The core as WebAssembly. The module is compiled when it is first needed, synchronously, and everything above works with
 * plain numbers: pointers, lengths, answers. Only this file calls the exports; a pointer it passes is one it was given.
 */
import type { Arena, BloomBackend, Fact, Handle, LooseInteger, Notice } from "./backend.js";
import { makeError, annotate, UnsupportedError } from "./errors.js";

/** What bindings/wasm exports; most of it takes numbers and gives one. */
interface Exports extends Record<Plain, (...numbers: number[]) => number> {
  memory: WebAssembly.Memory;
  seed(filter: Handle): bigint;
  set_bigint(slot: number, low: bigint, high: bigint): void;
}
type Plain =
  | "add" | "add_hash" | "add_ints" | "add_many" | "builder_finish" | "builder_free" | "builder_new"
  | "builder_push" | "builder_push_ints" | "clear" | "compound" | "copy" | "create" | "equals" | "explain" | "fact"
  | "fold" | "free" | "from_bytes" | "has" | "has_hash" | "has_ints" | "has_many" | "intersect_with"
  | "intersection" | "key_hash" | "layout" | "lengths_at" | "metadata" | "notice" | "out_at" | "out_of_memory"
  | "reserve" | "result_at" | "result_end" | "result_len" | "set_number" | "shrink_to" | "to_bytes" | "union"
  | "union_all" | "union_with" | "version";

const CSP =
  "WebAssembly: this page or runtime does not allow it to compile; " +
  "with a Content-Security-Policy, add 'wasm-unsafe-eval' to script-src";

/** A backend over the module that `provide` gives; called once. `ERR_UNSUPPORTED` where WebAssembly is not allowed. */
export function wasmBackend(provide: () => WebAssembly.Module): BloomBackend {
  let wasm: Exports;
  try {
    wasm = new WebAssembly.Instance(provide()).exports as unknown as Exports;
  } catch (error) {
    if (error instanceof UnsupportedError) throw error;
    throw annotate(new UnsupportedError("ERR_UNSUPPORTED", CSP), "cause", error);
  }
  return new Wasm(wasm);
}

const encoder = /* @__PURE__ */ new TextEncoder();
const decoder = /* @__PURE__ */ new TextDecoder();
const FAILED = 2;
const MOST = 4096;
const ROOM = 1 << 16;

class Wasm implements BloomBackend {
  readonly name = "wasm";
  readonly arena = {} as Arena;
  readonly #wasm: Exports;
  /** Hot exports, so that a call is one load and one jump. */
  readonly add: (filter: Handle, length: number) => number;
  readonly has: (filter: Handle, length: number) => number;
  #base = 0;
  #size = ROOM;

  constructor(wasm: Exports) {
    this.#wasm = wasm;
    this.add = wasm.add;
    this.has = wasm.has;
    this.reserve(0);
  }

  reserve(size: number): void {
    this.#base = this.#wasm.reserve(size) >>> 0;
    const failed = this.#base === 0;
    if (failed) this.#base = this.#wasm.reserve(0) >>> 0;
    this.#size = failed ? ROOM : Math.max(size, ROOM);
    this.#views();
    if (failed) throw this.#error(() => this.#wasm.out_of_memory(size));
  }

  /** Views on memory die when it grows: each call that may allocate ends here. */
  #views(): void {
    const { arena } = this;
    const { buffer } = this.#wasm.memory;
    arena.bytes = new Uint8Array(buffer, this.#base, this.#size);
    arena.view = new DataView(buffer, this.#base, this.#size);
    arena.lengths = new Uint32Array(buffer, this.#wasm.lengths_at(), MOST);
    arena.out = new Uint8Array(buffer, this.#wasm.out_at(), MOST);
  }

  #settle(): void {
    if (this.arena.bytes.length === 0) this.#views();
  }

  /** The result buffer, copied out. */
  #result(): Uint8Array {
    const at = this.#wasm.result_at() >>> 0;
    const bytes = new Uint8Array(this.#wasm.memory.buffer, at, this.#wasm.result_len() >>> 0).slice();
    this.#wasm.result_end();
    this.#settle();
    return bytes;
  }

  #text(): string {
    return decoder.decode(this.#result());
  }

  #error(leave?: () => void): Error {
    leave?.();
    const [errorClass, code, message] = this.#text().split("\0") as [string, string, string];
    return makeError(errorClass, code, message);
  }

  #handle(pointer: number): Handle {
    if (pointer === 0) throw this.#error();
    this.#settle();
    return pointer;
  }

  #done(ok: number): void {
    if (ok === 0) throw this.#error();
    this.#settle();
  }

  #answer(answer: number): number {
    if (answer === FAILED) throw this.#error();
    return answer;
  }

  /** Puts texts into the arena, each with its length in front. */
  #texts(texts: readonly string[]): number {
    const all = texts.map((text) => encoder.encode(text));
    const size = all.reduce((sum, text) => sum + 4 + text.length, 0);
    if (size > this.#size) this.reserve(size);
    const { bytes, view } = this.arena;
    let at = 0;
    for (const text of all) {
      view.setUint32(at, text.length, true);
      bytes.set(text, at + 4);
      at += 4 + text.length;
    }
    return texts.length;
  }

  #options(layout: string, metadata: string[]): number {
    return this.#texts([layout, ...metadata]);
  }

  #loose(slot: number, value: LooseInteger | undefined): void {
    if (value === undefined) return;
    if (typeof value === "number") {
      this.#wasm.set_number(slot, value);
      return;
    }
    const most = 2n ** 127n - 1n;
    const clamped = value > most ? most : value < -most ? -most : value;
    this.#wasm.set_bigint(slot, BigInt.asUintN(64, clamped), clamped >> 64n);
  }

  version(): string {
    this.#wasm.version();
    return this.#text();
  }

  /** Leaves the arena as it was: a batch under way has its keys there. */
  notice(kind: Notice, a: string, b: string, c: string): Error {
    const { arena } = this;
    const texts = [kind, a, b, c].map((text) => text.slice(0, 2000));
    const bytes = arena.bytes.slice(0, 16 + 3 * texts.join("").length);
    this.#texts(texts);
    const error = this.#error(() => this.#wasm.notice());
    arena.bytes.set(bytes);
    return error;
  }

  create(capacity: LooseInteger, fpr: number, seed: LooseInteger, layout: string, metadata: string[]): Handle {
    const count = this.#options(layout, metadata);
    this.#loose(0, capacity);
    this.#loose(1, seed);
    return this.#handle(this.#wasm.create(count, fpr) >>> 0);
  }

  fromBytes(chunks: Uint8Array[], seed: LooseInteger | undefined): Handle {
    const size = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    if (size > this.#size) this.reserve(size);
    let at = 0;
    for (const chunk of chunks) {
      this.arena.bytes.set(chunk, at);
      at += chunk.length;
    }
    this.#loose(1, seed);
    try {
      return this.#handle(this.#wasm.from_bytes(size) >>> 0);
    } finally {
      if (size > ROOM) this.reserve(0);
    }
  }

  clone(filter: Handle): Handle {
    return this.#handle(this.#wasm.copy(filter) >>> 0);
  }

  free(filter: Handle): void {
    this.#wasm.free(filter);
  }

  keyHash(filter: Handle, length: number): void {
    this.#wasm.key_hash(filter, length);
  }

  addHash(filter: Handle): number {
    return this.#answer(this.#wasm.add_hash(filter));
  }

  hasHash(filter: Handle): number {
    return this.#answer(this.#wasm.has_hash(filter));
  }

  explain(filter: Handle, length: number): Uint8Array {
    this.#wasm.explain(filter, length);
    return this.#result();
  }

  addMany(filter: Handle, count: number): void {
    this.#wasm.add_many(filter, count);
  }

  hasMany(filter: Handle, count: number): void {
    this.#wasm.has_many(filter, count);
  }

  addInts(filter: Handle, count: number): void {
    this.#wasm.add_ints(filter, count);
  }

  hasInts(filter: Handle, count: number): void {
    this.#wasm.has_ints(filter, count);
  }

  compound(count: number): Uint8Array {
    this.#wasm.compound(count);
    return this.#result();
  }

  builderNew(seed: LooseInteger): Handle {
    this.#loose(1, seed);
    return this.#handle(this.#wasm.builder_new() >>> 0);
  }

  builderPush(builder: Handle, count: number): void {
    this.#done(this.#wasm.builder_push(builder, count));
  }

  builderPushInts(builder: Handle, count: number): void {
    this.#done(this.#wasm.builder_push_ints(builder, count));
  }

  builderFinish(builder: Handle, fpr: number, layout: string, metadata: string[]): Handle {
    return this.#handle(this.#wasm.builder_finish(builder, this.#options(layout, metadata), fpr) >>> 0);
  }

  builderFree(builder: Handle): void {
    this.#wasm.builder_free(builder);
  }

  fact(filter: Handle, which: Fact): number {
    return this.#wasm.fact(filter, which);
  }

  seed(filter: Handle): bigint {
    return BigInt.asUintN(64, this.#wasm.seed(filter));
  }

  layout(filter: Handle): string {
    this.#wasm.layout(filter);
    return this.#text();
  }

  metadata(filter: Handle): string[] {
    this.#wasm.metadata(filter);
    const packed = this.#result();
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
    this.#wasm.clear(filter);
  }

  union(a: Handle, b: Handle): Handle {
    return this.#handle(this.#wasm.union(a, b) >>> 0);
  }

  intersection(a: Handle, b: Handle): Handle {
    return this.#handle(this.#wasm.intersection(a, b) >>> 0);
  }

  unionAll(filters: Handle[]): Handle {
    if (filters.length * 8 > this.#size) this.reserve(filters.length * 8);
    filters.forEach((filter, i) => {
      this.arena.view.setBigUint64(i * 8, BigInt(filter), true);
    });
    return this.#handle(this.#wasm.union_all(filters.length) >>> 0);
  }

  unionWith(filter: Handle, other: Handle): void {
    this.#done(this.#wasm.union_with(filter, other));
  }

  intersectWith(filter: Handle, other: Handle): void {
    this.#done(this.#wasm.intersect_with(filter, other));
  }

  equals(a: Handle, b: Handle): boolean {
    return this.#wasm.equals(a, b) === 1;
  }

  fold(filter: Handle, factor: LooseInteger): Handle {
    this.#loose(0, factor);
    return this.#handle(this.#wasm.fold(filter) >>> 0);
  }

  shrinkTo(filter: Handle, capacity: LooseInteger): Handle {
    this.#loose(0, capacity);
    return this.#handle(this.#wasm.shrink_to(filter) >>> 0);
  }

  toBytes(filter: Handle, withholdSeed: boolean): Uint8Array {
    this.#done(this.#wasm.to_bytes(filter, withholdSeed ? 1 : 0));
    return this.#result();
  }

  verify(): void {
    // Whatever lives here was verified when it was read.
  }
}

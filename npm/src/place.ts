/**
 * What every filter is, whatever its class: a handle in a backend, which can move from wasm to the addon and ends once.
 * Handles are private to this file's friends: a filter shows methods, never memory.
 */
import { type Backend, Fact, type Handle, type Native } from "./backend.js";
import { isTepalError } from "./errors.js";
import { notice, typeName } from "./keys.js";
import type { Homes } from "./runtime.js";

/** The brand that filters of every copy of the package share. */
export const BRAND = Symbol.for("tepal.filter");

interface Held {
  readonly backend: Pick<Backend, "free">;
  readonly handle: Handle;
}

let ends: FinalizationRegistry<Held> | undefined;

function watch(owner: object, held: Held): void {
  if (typeof FinalizationRegistry === "undefined") return;
  ends ??= new FinalizationRegistry((held) => held.backend.free(held.handle));
  ends.register(owner, held, owner);
}

/** Where a filter lives. `handle` is 0 after the end. */
export class Place<B extends Backend = Backend> {
  readonly homes: Homes<B>;
  backend: B;
  handle: Handle;
  /** Batches under way, during which user code may run: the filter may end meanwhile, but not move. */
  pins = 0;

  constructor(homes: Homes<B>, backend: B, handle: Handle) {
    this.homes = homes;
    this.backend = backend;
    this.handle = handle;
    watch(this, { backend, handle });
  }

  /** The handle; `ERR_FREED` after the end. */
  open(): Handle {
    if (this.handle === 0) throw notice(this.backend, "freed");
    return this.handle;
  }

  end(): void {
    const { backend, handle } = this;
    if (handle === 0) return;
    this.handle = 0;
    ends?.unregister(this);
    backend.free(handle);
  }

  /** Runs a batch on the backend of now. */
  pinned<T>(work: (backend: B) => T): T {
    this.open();
    this.pins++;
    try {
      return work(this.backend);
    } finally {
      this.pins--;
    }
  }

  /** Moves into the addon; `ERR_UNSUPPORTED` where there is none. */
  toNative(what: string): Native<B> {
    const native = this.homes.native();
    if (native === undefined) throw notice(this.backend, "unsupported", what);
    if (this.backend !== native) {
      if (this.pins > 0) throw notice(this.backend, "unsupported", `${what}, while a batch on this filter is under way`);
      const handle = native.fromBytes([this.backend.toBytes(this.open(), false)], undefined);
      this.end();
      this.backend = native;
      this.handle = handle;
      watch(this, { backend: native, handle });
    }
    return native;
  }
}

/** A filter of another copy of this package, or of this one: enough of it to read it. */
export interface Foreign {
  toBytes(): Uint8Array;
}

/** Runs `work` with the handles of both filters in one backend; a filter from elsewhere is copied for the time. */
export function together<B extends Backend, T>(mine: Place<B>, other: Place<B> | Foreign, work: (backend: B, a: Handle, b: Handle) => T): T {
  const a = mine.open();
  const { backend } = mine;
  if (other instanceof Place && other.backend === backend) return work(backend, a, other.open());
  // The addon takes filters of any size, wasm does not: meet there.
  const native = mine.homes.native();
  const bytes = other instanceof Place ? other.backend.toBytes(other.open(), false) : other.toBytes();
  if (native !== undefined && bytes.length > backend.fact(a, Fact.byteLength) && backend !== native) {
    mine.toNative("a filter of this size");
    return together(mine, other, work);
  }
  const b = backend.fromBytes([bytes], undefined);
  try {
    return work(backend, a, b);
  } finally {
    backend.free(b);
  }
}

/** What a value that should be a filter is called when it is not one. */
export function notFilter(backend: Backend, field: string, value: unknown): Error {
  const clone = typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
  const got = clone ? "a plain object (structuredClone and postMessage do not copy a filter: send its toBytes())" : typeName(value);
  return notice(backend, "argument_type", field, "a filter", got);
}

/** Whether an error says that there is not enough memory: then the addon may still have it. */
export function isMemoryError(error: unknown): boolean {
  return isTepalError(error) && (error.code === "ERR_OUT_OF_MEMORY" || error.code === "ERR_TOO_LARGE");
}

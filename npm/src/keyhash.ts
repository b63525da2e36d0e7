/**
 * `KeyHash`: a key hashed once, with the seed it was hashed with. Plain data, so unlike a filter it may be cloned and kept.
 */
import type { Backend } from "./backend.js";
import { notice, typeName } from "./keys.js";

/** The 128-bit hash of a key under a seed; made by `filter.keyHash(key)`, for every filter of that seed. */
export class KeyHash {
  /** High 64 bits. */
  readonly hi: bigint;
  /** Low 64 bits. */
  readonly lo: bigint;
  /** The seed. */
  readonly seed: bigint;

  /** @internal */
  constructor(hi: bigint, lo: bigint, seed: bigint) {
    this.hi = hi;
    this.lo = lo;
    this.seed = seed;
  }

  /** 32 lower-case hexadecimal digits. */
  get hex(): string {
    const word = (value: bigint) => value.toString(16).padStart(16, "0");
    return word(this.hi) + word(this.lo);
  }

  /** Same hash and same seed. */
  equals(other: KeyHash): boolean {
    return this.hi === other.hi && this.lo === other.lo && this.seed === other.seed;
  }

  /** The digits and the seed. */
  toJSON(): { hash: string; seed: string } {
    return { hash: this.hex, seed: this.seed.toString() };
  }
}

/** What `backend.keyHash` left. */
export function readHash(backend: Backend): KeyHash {
  const { out } = backend.arena;
  const view = new DataView(out.buffer, out.byteOffset, 24);
  return new KeyHash(view.getBigUint64(0, true), view.getBigUint64(8, true), view.getBigUint64(16, true));
}

/** Puts a hash where `addHash` and `hasHash` look for it. */
export function writeHash(backend: Backend, hash: KeyHash): void {
  const { hi, lo, seed } = (hash ?? {}) as Partial<KeyHash>;
  if (typeof hi !== "bigint" || typeof lo !== "bigint" || typeof seed !== "bigint") {
    throw notice(backend, "argument_type", "hash", "a KeyHash (from keyHash)", typeName(hash));
  }
  const { view } = backend.arena;
  view.setBigUint64(0, hi, true);
  view.setBigUint64(8, lo, true);
  view.setBigUint64(16, seed, true);
}

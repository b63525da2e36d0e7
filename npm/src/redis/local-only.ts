/**
 * What a local filter can do and the BF.* commands cannot.
 */
import { unsupported } from "./refusals.js";

const METHODS = [
  "union", "unionWith", "equals", "clone", "clear", "keyHash", "addHash", "hasHash", "toBytes", "save", "share", "verify",
  "validateScaleTo", "toRedisbloom", "toValkeyLoad", "toValkeyDump",
] as const;
const FACTS = [
  "seed", "maxBytes", "byteLength", "numBits", "fillRatio", "estimatedCount", "estimatedFpr", "saturation", "metadata",
  "readOnly", "levels",
] as const;

/** All of them throw `ERR_UNSUPPORTED`, which says what to do instead. */
type LocalOnlyType = abstract new () => { [M in (typeof METHODS)[number]]: (...args: unknown[]) => never } & {
  readonly [F in (typeof FACTS)[number]]: never;
};

function refuse(name: string): never {
  throw unsupported(`${name}: expected a local filter, got one that is in a server; pull() makes a local copy of it`);
}

function make(): LocalOnlyType {
  abstract class LocalOnly {}
  for (const name of METHODS) Object.defineProperty(LocalOnly.prototype, name, { value: () => refuse(name) });
  for (const name of FACTS) Object.defineProperty(LocalOnly.prototype, name, { get: () => refuse(name) });
  return LocalOnly as LocalOnlyType;
}

/** The base of `RemoteBloomFilter`. */
export const LocalOnly: LocalOnlyType = /* @__PURE__ */ make();

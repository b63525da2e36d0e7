/**
 * What a server says about its Bloom filters as a whole: INFO BF and the configuration.
 */
import { FormatError } from "../api.js";
import { isError, link, pairs, type RedisClient, type Reply, text, type WaitOptions } from "./link.js";
import { refusal, unsupported } from "./refusals.js";

/** The types of keys that are Bloom filters, as TYPE calls them, and their schemes. */
export const TYPES: ReadonlyMap<string, RemoteScheme> = new Map([
  ["MBbloom--", "redisbloom"],
  ["bloomfltr", "valkey"],
]);

/** What kind of filter a server has. */
export type RemoteScheme = "redisbloom" | "valkey";

/** What INFO BF says of all filters of a valkey-bloom server, under the names of `metrics()`. */
export interface ServerInfo {
  totalMemoryBytes: number;
  numObjects: number;
  numFiltersAcrossObjects: number;
  numItemsAcrossObjects: number;
  capacityAcrossObjects: number;
  defragHits: number;
  defragMisses: number;
}

/** What a filter becomes about which nothing is said. null: this server has no such setting. */
export interface ServerDefaults {
  capacity: number;
  fpr: number;
  /** null: non-scaling. */
  expansion: number | null;
  tightening: number | null;
  maxBytes: number | null;
  randomSeed: boolean | null;
  defrag: boolean | null;
}

/**
 * What INFO BF says of all filters of a valkey-bloom server.
 *
 * @throws UnsupportedError when the server has no such section (RedisBloom); FilterIOError when it cannot be asked.
 *
 * ```js
 * const { numObjects, totalMemoryBytes } = await serverInfo(client);
 * ```
 */
export async function serverInfo(client: RedisClient, options: WaitOptions = {}): Promise<ServerInfo> {
  const [reply] = await link(client, undefined, options).send(["INFO", "BF"]);
  if (isError(reply)) throw refusal(reply);
  const found = parseInfo(text(reply));
  if (found === undefined) throw unsupported("server: expected valkey-bloom, whose INFO has a section BF, got a server without it");
  return found;
}

/** `bf_bloom_num_objects:3` and its like become `numObjects`. */
export function parseInfo(said: string): ServerInfo | undefined {
  const found: Record<string, number> = {};
  for (const [, name, value] of said.matchAll(/^bf_bloom_(\w+):(\d+)\s*$/gm)) {
    found[(name as string).replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())] = Number(value);
  }
  return Object.keys(found).length === 0 ? undefined : (found as unknown as ServerInfo);
}

/**
 * What a filter becomes about which nothing is said: from the settings bf.* of valkey-bloom, bf-* of Redis 8, or the load
 * arguments of RedisBloom. Where nobody may read them, what both modules do unconfigured.
 *
 * @throws UnsupportedError when the server has no such module; FilterIOError when it cannot be asked.
 *
 * ```js
 * (await serverDefaults(client)).capacity; // 100
 * ```
 */
export async function serverDefaults(client: RedisClient, options: WaitOptions = {}): Promise<ServerDefaults> {
  const [valkey, redis8, modules] = await link(client, undefined, options).send(...ASK_DEFAULTS);
  return readDefaults(valkey, redis8, modules);
}

/** The commands whose replies `readDefaults` takes. */
export const ASK_DEFAULTS = [
  ["CONFIG", "GET", "bf.*"],
  ["CONFIG", "GET", "bf-*"],
  ["MODULE", "LIST"],
] as const;

/** The defaults, from whichever of the replies has them. */
export function readDefaults(valkey: Reply, redis8: Reply, modules: Reply): ServerDefaults {
  for (const config of [valkey, redis8]) {
    if (isError(config)) continue;
    const found = pairs(config);
    if (found.size > 0) return parseConfig(new Map([...found].map(([name, value]) => [name, text(value)])));
  }
  // Managed servers let nobody ask.
  if (isError(modules)) return parseConfig(new Map());
  for (const one of (modules as Reply[]).map(pairs)) {
    if (text(one.get("name")) !== "bf") continue;
    const words = ((one.get("args") ?? []) as Reply[]).map((word) => text(word).toLowerCase());
    return parseConfig(pairs(words) as Map<string, string>);
  }
  throw unsupported("server: expected one with the module bf (RedisBloom, valkey-bloom), got one without it");
}

/** The settings under the names of valkey-bloom, of Redis 8 and of RedisBloom's load arguments. */
function parseConfig(config: ReadonlyMap<string, string>): ServerDefaults {
  const first = (...names: string[]) => names.map((name) => config.get(name)).find((value) => value !== undefined);
  const number = (value: string | undefined) => (value === undefined ? null : Number(value));
  const flag = (value: string | undefined) => (value === undefined ? null : /^(yes|true|1)$/i.test(value));
  return {
    capacity: Number(first("bf.bloom-capacity", "bf-initial-size", "initial_size") ?? 100),
    fpr: Number(first("bf.bloom-fp-rate", "bf-error-rate", "error_rate") ?? 0.01),
    expansion: Number(first("bf.bloom-expansion", "bf-expansion-factor") ?? 2) || null,
    tightening: number(first("bf.bloom-tightening-ratio")),
    maxBytes: number(first("bf.bloom-memory-usage-limit")),
    randomSeed: flag(first("bf.bloom-use-random-seed")),
    defrag: flag(first("bf.bloom-defrag-enabled")),
  };
}

/** The scheme of a key's type; `ERR_FOREIGN` when it is no Bloom filter. */
export function schemeOf(type: string): RemoteScheme {
  const scheme = TYPES.get(type);
  if (scheme === undefined) throw new FormatError("ERR_FOREIGN", `key: expected a Bloom filter, got a key of type ${type}`);
  return scheme;
}

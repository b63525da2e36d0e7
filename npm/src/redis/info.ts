/**
 * What a server says about one filter.
 */
import { parseHeader } from "./header.js";
import { isError, type Link, pairs, type Reply, text } from "./link.js";
import { missing, refusal } from "./refusals.js";
import { type RemoteScheme, schemeOf } from "./server.js";

/** The fields of BF.INFO, as `info()` of a local filter has them. */
export interface RemoteInfo {
  capacity: number;
  size: number;
  filterCount: number;
  insertedCount: number;
  fpr: number;
  /** null: non-scaling. */
  expansion: number | null;
  /** null: non-scaling. */
  tightening: number | null;
  /** null: non-scaling, or this server does not say. */
  maxScaledCapacity: number | null;
}

/** BF.INFO; what RedisBloom leaves out of it stands in the header of its dump. */
export async function readInfo(server: Link, key: Uint8Array): Promise<RemoteInfo> {
  const [reply] = await server.send(["BF.INFO", key]);
  if (isError(reply)) throw refusal(reply);
  // The names differ in their capitals between servers and versions.
  const fields = new Map([...pairs(reply)].map(([name, value]) => [name.toLowerCase(), value]));
  const number = (name: string): number => {
    const value = fields.get(name);
    const known = value !== null && value !== undefined && text(value) !== "";
    return known ? Number(text(value)) : 0;
  };
  const expansion = Math.max(0, number("expansion rate")) || null;
  const found: RemoteInfo = {
    capacity: number("capacity"),
    size: number("size"),
    filterCount: number("number of filters"),
    insertedCount: number("number of items inserted"),
    fpr: number("error rate"),
    expansion,
    tightening: null,
    maxScaledCapacity: null,
  };
  if (fields.has("error rate")) {
    // valkey-bloom
    if (expansion !== null) {
      found.tightening = number("tightening ratio");
      found.maxScaledCapacity = number("max scaled capacity");
    }
    return found;
  }
  const [dump] = await server.send(["BF.SCANDUMP", key, 0]);
  if (isError(dump)) throw refusal(dump);
  const header = parseHeader((dump as Reply[])[1]);
  found.fpr = header.fpr;
  found.tightening = header.scaling ? 0.5 : null;
  return found;
}

/** The first level's capacity. valkey-bloom tells the sum only, from which it follows. */
export async function readInitialCapacity(server: Link, key: Uint8Array): Promise<number> {
  const [dump] = await server.send(["BF.SCANDUMP", key, 0]);
  if (!isError(dump)) return parseHeader((dump as Reply[])[1]).levels[0].capacity;
  return firstCapacity(await readInfo(server, key));
}

/** The capacity of the first of levels that each are `expansion` times as large as the one before. */
export function firstCapacity({ capacity, filterCount, expansion }: RemoteInfo): number {
  let parts = 0;
  for (let level = 0; level < filterCount; level++) parts += (expansion ?? 1) ** level;
  return Math.floor(capacity / parts);
}

/** The scheme of the filter, told by the type of its key. */
export async function readScheme(server: Link, key: Uint8Array): Promise<RemoteScheme> {
  const [type] = await server.send(["TYPE", key]);
  if (isError(type)) throw refusal(type);
  if (text(type) === "none") throw missing();
  return schemeOf(text(type));
}

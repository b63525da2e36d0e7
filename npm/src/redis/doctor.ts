/**
 * The doctor: what the Bloom filters of a server are, beside what their owners were promised.
 */
import { parseHeader } from "./header.js";
import { firstCapacity, readInfo } from "./info.js";
import { type Command, isError, type Link, link, nameOf, type RedisClient, type Reply, text, type WaitOptions } from "./link.js";
import { isMissing, refusal } from "./refusals.js";
import { type RemoteScheme, TYPES } from "./server.js";
import { fetchFilter } from "./transfer.js";

/** A saving is worth a word from this share of the filter, and from this many bytes. */
const WORTH_SHARE = 0.1;
const WORTH_BYTES = 1024;
/** From so many levels on, asking them all is what a lookup spends its time with. */
const MANY_LEVELS = 8;
const SCAN_COUNT = 1000;

/** How the doctor looks. */
export interface DoctorOptions extends WaitOptions {
  /** Which keys, a pattern as in SCAN. Default `"*"`. Walking through millions of keys takes a while; it holds nobody up. */
  match?: string;
  /** Also fetch every filter and measure its rate as it is now. Default false. */
  deep?: boolean;
  /** Clients of the server's replicas, by the names that they have in the report. */
  replicas?: Readonly<Record<string, RedisClient>>;
}

/** One filter of a server. */
export interface FilterReport {
  /** Its key; as bytes if it is not UTF-8. */
  readonly key: string | Uint8Array;
  readonly scheme: RemoteScheme;
  /** Its levels, the keys that all of them are made for, and those that are in. */
  readonly filterCount: number;
  readonly capacity: number;
  readonly insertedCount: number;
  /** The rate it was made with, and what all its levels together come to when each is full. */
  readonly promisedFpr: number;
  readonly compoundFpr: number;
  /** The rate as its bits are now; null: not measured (`deep: false`). */
  readonly estimatedFpr: number | null;
  /** The bytes of its bits, and of those of a non-scaling filter for the keys that are in, at the promised rate. */
  readonly byteLength: number;
  readonly rebuildByteLength: number;
  /** The keys that each replica says are in, by the replica's name. */
  readonly replicas: Readonly<Record<string, number>>;
  /** What its owner should know, in sentences; none: nothing to say. */
  readonly findings: readonly string[];
}

/** All filters that were looked at; as text, a table. */
export class Report {
  /** @internal */
  constructor(readonly filters: readonly FilterReport[]) {}

  /** The table, then the findings, for people. */
  toString(): string {
    return [...table(this.filters)].join("\n");
  }
}

/**
 * Looks at the Bloom filters of a server and says what nobody told their owner: for each the rate that was promised and the one
 * that all levels together may reach, the bytes that a rebuild for the keys that are in would save, and copies on replicas
 * that are missing or empty.
 *
 * @param client A client of ioredis or node-redis, for one server.
 * @throws FilterIOError when a server cannot be asked.
 *
 * ```js
 * const report = await doctor(client, { replicas: { eu: replica } });
 * console.log(String(report));
 * for (const { key, findings } of report.filters) console.log(key, findings);
 * ```
 */
export async function doctor(client: RedisClient, options: DoctorOptions = {}): Promise<Report> {
  const { match = "*", deep = false, replicas = {} } = options;
  const found = await examine(link(client, undefined, options), match, deep);
  for (const [name, replica] of Object.entries(replicas)) {
    const counts = await countAll(link(replica, undefined, options), found);
    for (const [i, one] of found.entries()) one.replicas[name] = counts[i] as number;
  }
  found.sort((a, b) => Buffer.compare(a.bytes, b.bytes));
  return new Report(
    found.map(({ bytes, ...facts }) => {
      const one = { ...facts, key: nameOf(bytes), findings: [] };
      return { ...one, findings: [...findings(one)] };
    }),
  );
}

type Found = Omit<FilterReport, "key" | "findings" | "replicas"> & { readonly bytes: Buffer; readonly replicas: Record<string, number> };

/** Walks through the keys; a filter that goes away meanwhile is left out. */
async function examine(server: Link, match: string, deep: boolean): Promise<Found[]> {
  const found: Found[] = [];
  const seen = new Set<string>();
  let cursor = "0";
  do {
    const [scanned] = await server.send(["SCAN", cursor, "MATCH", match, "COUNT", SCAN_COUNT]);
    if (isError(scanned)) throw refusal(scanned);
    const [next, keys] = scanned as [Reply, (Uint8Array | string)[]];
    cursor = text(next);
    const fresh = keys.map((key) => Buffer.from(key as Uint8Array)).filter((key) => {
      const known = seen.has(key.toString("latin1"));
      seen.add(key.toString("latin1"));
      return !known;
    });
    const types = await server.send(...fresh.map((key): Command => ["TYPE", key]));
    for (const [i, key] of fresh.entries()) {
      const scheme = TYPES.get(text(types[i]));
      if (scheme === undefined) continue;
      try {
        const one = await (scheme === "redisbloom" ? ofRedisbloom : ofValkey)(server, key);
        found.push(deep ? { ...one, estimatedFpr: (await fetchFilter(server, key)).estimatedFpr } : one);
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
    }
  } while (cursor !== "0");
  return found;
}

async function ofRedisbloom(server: Link, bytes: Buffer): Promise<Found> {
  const [dump] = await server.send(["BF.SCANDUMP", bytes, 0]);
  if (isError(dump)) throw refusal(dump);
  const { levels, fpr, byteLength } = parseHeader((dump as Reply[])[1]);
  const insertedCount = levels.reduce((sum, level) => sum + level.insertedCount, 0);
  return {
    bytes,
    scheme: "redisbloom",
    filterCount: levels.length,
    capacity: levels.reduce((sum, level) => sum + level.capacity, 0),
    insertedCount,
    promisedFpr: fpr,
    compoundFpr: compound(levels.map((level) => level.fpr)),
    estimatedFpr: null,
    byteLength,
    rebuildByteLength: optimalBytes(insertedCount, fpr),
    replicas: {},
  };
}

async function ofValkey(server: Link, bytes: Buffer): Promise<Found> {
  const info = await readInfo(server, bytes);
  const { filterCount, capacity, insertedCount, fpr } = info;
  const first = firstCapacity(info);
  const rates = Array.from({ length: filterCount }, (_, level) => fpr * (info.tightening ?? 1) ** level);
  const sizes = rates.map((rate, level) => optimalBytes(first * (info.expansion ?? 1) ** level, rate));
  return {
    bytes,
    scheme: "valkey",
    filterCount,
    capacity,
    insertedCount,
    promisedFpr: fpr,
    compoundFpr: compound(rates),
    estimatedFpr: null,
    byteLength: sizes.reduce((sum, size) => sum + size, 0),
    rebuildByteLength: optimalBytes(insertedCount, fpr),
    replicas: {},
  };
}

/** How many keys a server says are in each; 0 where there is no filter. */
async function countAll(server: Link, filters: readonly Found[]): Promise<number[]> {
  const replies = await server.send(...filters.map(({ bytes }): Command => ["BF.CARD", bytes]));
  return replies.map((reply) => {
    if (isError(reply)) throw refusal(reply);
    return Number(text(reply));
  });
}

/** The rate of levels that are all asked. */
export function compound(rates: readonly number[]): number {
  return -Math.expm1(rates.reduce((sum, rate) => sum + Math.log1p(-rate), 0));
}

/** The bytes of one classic filter for so many keys: both servers size theirs so. */
export function optimalBytes(count: number, fpr: number): number {
  return Math.max(1, Math.ceil((-count * Math.log(fpr)) / Math.LN2 ** 2 / 8));
}

function* findings(one: FilterReport): Generator<string> {
  if (one.compoundFpr > one.promisedFpr * 1.001) {
    yield `promised ${percent(one.promisedFpr)}, but its ${one.filterCount} levels together reach ${percent(one.compoundFpr)}`;
  }
  if (one.estimatedFpr !== null && one.estimatedFpr > one.promisedFpr * 1.1) {
    yield `promised ${percent(one.promisedFpr)}, and is at ${percent(one.estimatedFpr)} now`;
  }
  if (one.insertedCount === 0) yield "has no keys";
  const saving = one.byteLength - one.rebuildByteLength;
  if (saving >= Math.max(WORTH_BYTES, one.byteLength * WORTH_SHARE)) {
    const share = Math.round((saving / one.byteLength) * 100);
    yield `a rebuild for the ${whole(one.insertedCount)} keys that are in saves ${whole(saving)} bytes (${share}%)`;
  }
  if (one.filterCount >= MANY_LEVELS) yield `each lookup asks up to ${one.filterCount} levels; a rebuild has one`;
  for (const [name, count] of Object.entries(one.replicas)) {
    if (count >= one.insertedCount / 2) continue;
    const what = count === 0 ? "is empty" : `has ${whole(count)} of ${whole(one.insertedCount)} keys`;
    yield `its copy on ${name} ${what}: it was loaded in a way that is not replicated; push it again`;
  }
}

function percent(rate: number): string {
  return `${Number((rate * 100).toPrecision(3))} %`;
}

function whole(count: number): string {
  return count.toLocaleString("en-US");
}

function* table(filters: readonly FilterReport[]): Generator<string> {
  const rows = [
    ["key", "scheme", "levels", "keys", "capacity", "promised", "up to", "now", "bytes", "rebuilt"],
    ...filters.map((one) => [
      text(one.key),
      one.scheme,
      String(one.filterCount),
      whole(one.insertedCount),
      whole(one.capacity),
      percent(one.promisedFpr),
      percent(one.compoundFpr),
      one.estimatedFpr === null ? "-" : percent(one.estimatedFpr),
      whole(one.byteLength),
      whole(one.rebuildByteLength),
    ]),
  ];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => (row[column] as string).length))) ?? [];
  for (const row of rows) {
    yield row.map((cell, i) => (i < 2 ? cell.padEnd(widths[i] as number) : cell.padStart(widths[i] as number))).join("  ");
  }
  for (const one of filters) for (const finding of one.findings) yield `${text(one.key)}: ${finding}`;
  const saved = filters.reduce((sum, one) => sum + Math.max(0, one.byteLength - one.rebuildByteLength), 0);
  yield `${whole(filters.length)} filters; rebuilding all would save ${whole(saved)} bytes`;
}

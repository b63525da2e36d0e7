/**
 * Whole filters into a server and out of it.
 *
 * Into RedisBloom: the chunks of BF.LOADCHUNK under a temporary key, then RENAME, so that everybody sees the old filter or the new
 * one, never a half. The temporary key expires by itself should we die before the end. Into valkey-bloom: one RESTORE, which
 * the server runs whole or not at all. Not BF.LOAD: the server replicates and logs that as a BF.INSERT of the payload as one
 * *item*, so that replicas, and the server after a restart, have an empty filter.
 *
 * Out of valkey-bloom: one DUMP. Out of RedisBloom: BF.SCANDUMP, chunk by chunk; see `readChunks` for what happens when others
 * write meanwhile.
 */
import { ScalableBloomFilter } from "../api.js";
import { typeName } from "../keys.js";
import { parseHeader } from "./header.js";
import { type Command, isError, keyOf, type Link, link, type RedisClient, type Reply, text, type WaitOptions } from "./link.js";
import { argumentError, exists, missing, refusal, unsupported } from "./refusals.js";
import { schemeOf } from "./server.js";

/** Is told how many bytes are done, of how many. */
export type Progress = (done: number, total: number) => void;

/** How `push` works. */
export interface PushOptions extends WaitOptions {
  /** Is told how many bytes are done, of how many. */
  progress?: Progress;
  /** false: only if there is no such key. Default true. */
  overwrite?: boolean;
  /** Seconds until the key goes away. Default: never, whatever the key it replaces had, as SET does. */
  expire?: number;
}

/** How `pull` works. */
export interface PullOptions extends WaitOptions {
  /** Is told how many bytes are done, of how many; starts again when the filter is read again. */
  progress?: Progress;
}

interface Chunk {
  iterator: number | bigint;
  chunk: Uint8Array;
}

/** A push that died leaves its temporary key for so long. */
const TEMPORARY_SECONDS = 3600;
/** How often a pull starts again because somebody wrote, before it asks the server to stand still. */
const ATTEMPTS = 3;
/** All chunks at one moment. A script of the server is the only thing that is one moment in a cluster too. */
const READ_AT_ONCE = `
local chunks, iterator = {}, 0
repeat
  local chunk = redis.call('BF.SCANDUMP', KEYS[1], iterator)
  iterator = chunk[1]
  if iterator ~= 0 then chunks[#chunks + 1] = chunk end
until iterator == 0
return chunks
`;

/**
 * Puts a filter into a server, where BF.* commands ask and fill it. All or nothing: until the last command is done everybody sees
 * the old key, and a push that fails leaves it as it was.
 *
 * A filter of scheme `"redisbloom"` goes in chunks of at most 16 MiB to a temporary key, which is renamed at the end; while
 * that lasts the server holds both filters. One of scheme `"valkey"` goes in one RESTORE, which also replicas and the
 * append-only file get right (with BF.LOAD they end up with an empty filter).
 *
 * @param client A client of ioredis or node-redis, for one server or a cluster.
 * @param key Where to put it.
 * @param filter Built with `scheme: "redisbloom"` or `scheme: "valkey"`, as the server wants it.
 * @throws UnsupportedError for a filter of another scheme, or a server without its module; FilterIOError (`ERR_IO`) when the
 * server or the way to it failed (`cause.code` is `"EEXIST"` when the key exists and may not be replaced); FilterMemoryError when the
 * server has no room for it.
 *
 * ```js
 * const seen = ScalableBloomFilter.build(["alice"], { scheme: "redisbloom" });
 * await push(client, "seen", seen, { progress: (done, total) => console.log(done / total) });
 * ```
 */
export async function push(
  client: RedisClient,
  key: string | Uint8Array,
  filter: ScalableBloomFilter,
  options: PushOptions = {},
): Promise<void> {
  const name = keyOf(key);
  const milliseconds = millisecondsOf(options.expire);
  const server = link(client, name, options);
  if (typeof filter?.toBytes !== "function") throw argumentError("filter", "a ScalableBloomFilter", typeName(filter));
  switch (filter.scheme) {
    case "redisbloom":
      return loadChunks(server, name, filter.toRedisbloom(), milliseconds, options);
    case "valkey":
      return restore(server, name, filter.toValkeyDump(), milliseconds, options);
    default:
      throw unsupported(
        `filter: expected one that a server can ask, got scheme "${filter.scheme ?? "tepal"}"; build it as new ScalableBloomFilter({ scheme: "redisbloom" }) for RedisBloom or with scheme: "valkey" for valkey-bloom`,
      );
  }
}

/**
 * Fetches a filter from a server: a local one that answers as the server did at one moment, and can go on growing. What kind it
 * is the key's type tells. From RedisBloom it comes in chunks; when somebody wrote meanwhile it is read again, and at the last
 * in one go inside the server. From valkey-bloom in one DUMP.
 *
 * @param client A client of ioredis or node-redis, for one server or a cluster.
 * @param key Where it is.
 * @throws FilterIOError when there is no such key (`cause.code` is `"ENOENT"`) or the way to the server failed; FormatError
 * (`ERR_FOREIGN`) when the key is no Bloom filter, or a malformed one.
 *
 * ```js
 * const seen = await pull(client, "seen");
 * seen.has("alice"); // true
 * ```
 */
export async function pull(client: RedisClient, key: string | Uint8Array, options: PullOptions = {}): Promise<ScalableBloomFilter> {
  const name = keyOf(key);
  return fetchFilter(link(client, name, options), name, options.progress);
}

/** `pull` over a link. */
export async function fetchFilter(server: Link, key: Uint8Array, progress?: Progress): Promise<ScalableBloomFilter> {
  const [type] = await server.send(["TYPE", key]);
  if (isError(type)) throw refusal(type);
  if (text(type) === "none") throw missing();
  if (schemeOf(text(type)) === "redisbloom") return ScalableBloomFilter.fromRedisbloom(await readChunks(server, key, progress));
  const [payload] = await server.send(["DUMP", key]);
  if (isError(payload)) throw refusal(payload);
  if (payload === null) throw missing();
  const bytes = payload as Uint8Array;
  progress?.(bytes.length, bytes.length);
  return ScalableBloomFilter.fromValkey(bytes);
}

async function loadChunks(
  server: Link,
  key: Buffer,
  chunks: readonly Chunk[],
  milliseconds: number | undefined,
  { progress, overwrite = true }: PushOptions,
): Promise<void> {
  const temporary = temporaryKey(key);
  const total = chunks.reduce((sum, { chunk }) => sum + chunk.length, 0);
  let done = 0;
  let answered = true;
  const send = async (...commands: Command[]) => {
    answered = false;
    const replies = await server.send(...commands);
    answered = true;
    return replies;
  };
  try {
    for (const { iterator, chunk } of chunks) {
      const load: Command = ["BF.LOADCHUNK", temporary, String(iterator), chunk];
      const replies = await send(load, ...(done === 0 ? [["EXPIRE", temporary, TEMPORARY_SECONDS]] : []));
      if (isError(replies[0]) && /unknown command/i.test(replies[0].message)) {
        throw unsupported(
          'server: expected RedisBloom, got a server without BF.LOADCHUNK; for valkey-bloom build the filter with scheme: "valkey"',
        );
      }
      check(replies);
      done += chunk.length;
      progress?.(done, total);
    }
    // In one packet, so that nothing comes between.
    const live: Command = milliseconds === undefined ? ["PERSIST", temporary] : ["PEXPIRE", temporary, milliseconds];
    const replies = await send(live, [overwrite ? "RENAME" : "RENAMENX", temporary, key]);
    check(replies);
    if (!overwrite && Number(text(replies[1])) === 0) throw exists();
  } catch (error) {
    const gone = server.send(["DEL", temporary]).catch(() => {});
    // A server that did not answer is told when it can be; nobody waits for it a second time.
    if (answered) await gone;
    throw error;
  }
}

async function restore(
  server: Link,
  key: Buffer,
  payload: Uint8Array,
  milliseconds: number | undefined,
  { progress, overwrite = true }: PushOptions,
): Promise<void> {
  progress?.(0, payload.length);
  const [reply] = await server.send(["RESTORE", key, milliseconds ?? 0, payload, ...(overwrite ? ["REPLACE"] : [])]);
  if (isError(reply)) {
    const said = reply.message.toLowerCase();
    if (said.includes("busykey") || said.includes("already exists")) throw exists();
    // An older server says of a newer one's payload that version or checksum are wrong.
    if (said.includes("bad data format") || said.includes("version or checksum")) {
      throw unsupported(
        'server: expected valkey-bloom, got a server that does not know its type (or a filter beyond its bf.bloom-memory-usage-limit); for RedisBloom build the filter with scheme: "redisbloom"',
      );
    }
    throw refusal(reply);
  }
  progress?.(payload.length, payload.length);
}

/**
 * All chunks of one moment.
 *
 * BF.SCANDUMP takes many calls, and others may write between them: then keys are in the bits of one chunk and not of the next. So
 * the header, which counts the keys, is read again at the end, and the first chunk with it, which differs if another filter
 * has taken the key's place. When something changed all is read again; at the last attempt by a script inside the server, which
 * holds up everybody else for as long as it takes to copy the filter.
 */
async function readChunks(server: Link, key: Uint8Array, progress: Progress | undefined): Promise<Chunk[]> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const chunks = await readOneByOne(server, key, progress);
    if (chunks !== undefined) return chunks;
  }
  const [read] = await server.send(["EVAL", READ_AT_ONCE, 1, key]);
  if (isError(read)) throw refusal(read);
  const chunks = (read as Reply[]).map(chunkOf);
  const total = chunks.reduce((sum, { chunk }) => sum + chunk.length, 0);
  progress?.(total, total);
  return chunks;
}

/** The chunks; undefined when the filter changed meanwhile. */
async function readOneByOne(server: Link, key: Uint8Array, progress: Progress | undefined): Promise<Chunk[] | undefined> {
  const chunks: Chunk[] = [];
  let done = 0;
  let total = 0;
  for (let at = 0; ; ) {
    const [reply] = await server.send(["BF.SCANDUMP", key, at]);
    if (isError(reply)) {
      if (chunks.length > 0) return undefined; // there is less than there was
      throw refusal(reply);
    }
    const one = chunkOf(reply);
    at = one.iterator;
    if (at === 0) break;
    if (chunks.length === 0) total = one.chunk.length + parseHeader(one.chunk).byteLength;
    chunks.push(one);
    done += one.chunk.length;
    progress?.(Math.min(done, total), total);
  }
  const first = chunks.slice(0, 2);
  const again = await server.send(["BF.SCANDUMP", key, 0], ["BF.SCANDUMP", key, first[0] ? Number(first[0].iterator) : 0]);
  const same = first.every(({ iterator, chunk }, i) => {
    const reply = again[i];
    if (isError(reply)) return false;
    const now = chunkOf(reply);
    return now.iterator === iterator && Buffer.compare(now.chunk, chunk) === 0;
  });
  return same ? chunks : undefined;
}

function chunkOf(reply: Reply): { iterator: number; chunk: Uint8Array } {
  const [iterator, chunk] = reply as [Reply, Uint8Array];
  return { iterator: Number(text(iterator)), chunk };
}

/**
 * A key that nobody has, in the same slot of a cluster and with the same beginning, which permissions ask for. Keys with braces
 * that are no tag (`{}a`, `a}`) have no such neighbour: there a cluster, and only a cluster, refuses the push.
 */
export function temporaryKey(key: Buffer): Buffer {
  const suffix = Buffer.from(`:loading-${crypto.randomUUID()}`);
  const start = key.indexOf("{");
  const tagged = start >= 0 && key.indexOf("}", start) > start + 1;
  return Buffer.concat(tagged ? [key, suffix] : [key, suffix, Buffer.from("{"), key, Buffer.from("}")]);
}

function millisecondsOf(expire: unknown): number | undefined {
  if (expire === undefined) return undefined;
  if (typeof expire !== "number" || !(expire >= 0.001 && expire < 2 ** 53 / 1000)) {
    throw argumentError("expire", "seconds above 0", String(expire));
  }
  return Math.trunc(expire * 1000);
}

function check(replies: readonly Reply[]): void {
  for (const reply of replies) if (isError(reply)) throw refusal(reply);
}

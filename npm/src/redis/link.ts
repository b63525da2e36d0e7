/**
 * The way to a server: what all clients have in common, as one function that sends a few commands and gives their replies.
 * No client library is imported; ioredis (and iovalkey) and node-redis are told apart by what they can do.
 */
import { argumentError, ioError } from "./refusals.js";

/** A command: its name and its arguments. */
export type Command = readonly (string | number | Uint8Array)[];

/** What came back: bytes, text, a number, nothing, several of these, or the server's error (as a value, never thrown). */
export type Reply = unknown;

/** A client of ioredis, iovalkey or node-redis (4 to 6): for one server, a cluster or Sentinel. It stays yours: nothing here connects or closes it. */
export type RedisClient = IoredisClient | NodeRedisClient;

/** What is needed of ioredis. */
export interface IoredisClient {
  callBuffer(command: string, ...args: never[]): Promise<unknown>;
}

/** What is needed of node-redis. */
export interface NodeRedisClient {
  sendCommand(...args: never[]): Promise<unknown>;
}

/** How every function here waits. */
export interface WaitOptions {
  /**
   * Milliseconds to wait for each answer of the server; then `ERR_IO`, with a `cause` whose `code` is `"ETIMEDOUT"`. What was
   * sent by then the server may still do. Default: as long as the client waits.
   */
  timeoutMs?: number;
}

/** Sends commands in this order and gives their replies. */
export interface Link {
  send(...commands: Command[]): Promise<Reply[]>;
}

type Words = (string | Buffer)[];
type Call = (args: Words) => Promise<Reply>;
type Settled = PromiseSettledResult<Reply>;

/** Everything a client might have, to look at. */
interface Anything {
  readonly [name: string]: unknown;
  readonly isCluster?: unknown;
  readonly options?: { readonly keyPrefix?: unknown };
  callBuffer(...args: Words): Promise<Reply>;
  pipeline(): { callBuffer(...args: Words): unknown; exec(): Promise<[Error | null, Reply][] | null> };
  sendCommand(...args: unknown[]): Promise<Reply>;
}

// For node-redis: strings come as bytes and maps flat, as from ioredis. Its version 4 knows the first, later ones the second.
const AS_BYTES = { returnBuffers: true, typeMapping: { 36: Buffer, 61: Buffer, 37: Array } };

/**
 * The link of a client. `key` names the server in a cluster; without one, the question is about one server.
 */
export function link(client: RedisClient, key: Buffer | undefined, { timeoutMs }: WaitOptions = {}): Link {
  if (timeoutMs !== undefined && !(timeoutMs > 0)) throw argumentError("timeoutMs", "milliseconds above 0", String(timeoutMs));
  const run = runner(client as unknown as Anything, key);
  return {
    async send(...commands) {
      if (commands.length === 0) return [];
      return (await within(timeoutMs, run(commands.map((command) => command.map(argument))))).map(replyOf);
    },
  };
}

/** How to have commands done in their order: all at once where a client has one connection, else one after the other. */
function runner(client: Anything, key: Buffer | undefined): (commands: Words[]) => Promise<Settled[]> {
  if (typeof client?.callBuffer === "function") {
    const prefix = client.options?.keyPrefix;
    if (prefix) throw argumentError("client", "one without keyPrefix (put it into the key)", "one that adds it to some commands only");
    if (client.isCluster !== true) return (commands) => pipelined(client, commands);
    if (key === undefined) throw ofOneServer();
    return oneByOne((args) => client.callBuffer(...args));
  }
  if (typeof client?.sendCommand !== "function") {
    throw argumentError("client", "a client of ioredis or node-redis", client === null ? "null" : typeof client);
  }
  if (typeof client["nodeClient"] === "function") {
    if (key === undefined) throw ofOneServer();
    return oneByOne((args) => client.sendCommand(key, false, args, AS_BYTES));
  }
  if (typeof client["acquire"] === "function") {
    return oneByOne((args) => client.sendCommand(false, args, AS_BYTES));
  }
  const call: Call = (args) => client.sendCommand(args, AS_BYTES);
  // A pool takes any of its connections for each command.
  if (typeof client["execute"] === "function" && "idleClients" in client) return oneByOne(call);
  return (commands) => Promise.allSettled(commands.map(call));
}

function ofOneServer(): Error {
  return argumentError("client", "a client of one server", "one of a cluster; ask its nodes one by one");
}

/** Only strings and buffers pass all clients alike. */
function argument(value: string | number | Uint8Array): Words[number] {
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  return Buffer.isBuffer(value) ? value : Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}

/** For ioredis, whose own automatic pipelines do not take callBuffer. */
async function pipelined(client: Anything, commands: Words[]): Promise<Settled[]> {
  const pipeline = client.pipeline();
  for (const command of commands) pipeline.callBuffer(...command);
  const [all] = await Promise.allSettled([pipeline.exec()]);
  if (all.status === "rejected") return [all];
  return (all.value ?? []).map(([reason, value]) =>
    reason === null ? { status: "fulfilled", value } : { status: "rejected", reason },
  );
}

function oneByOne(call: Call): (commands: Words[]) => Promise<Settled[]> {
  return async (commands) => {
    const settled: Settled[] = [];
    for (const command of commands) {
      const [one] = await Promise.allSettled([call(command)]);
      settled.push(one);
      // The next may rest on this one: with the connection lost it is not sent.
      if (one.status === "rejected" && !isErrorReply(one.reason)) break;
    }
    return settled;
  };
}

async function within<T>(milliseconds: number | undefined, work: Promise<T>): Promise<T> {
  if (milliseconds === undefined) return work;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const cause = Object.assign(new Error(`no answer within ${milliseconds} ms`), { code: "ETIMEDOUT" });
      reject(ioError(`server: expected an answer within ${milliseconds} ms, got none`, cause));
    }, milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function replyOf(result: PromiseSettledResult<Reply>): Reply {
  if (result.status === "fulfilled") return result.value;
  const { reason } = result;
  if (isErrorReply(reason)) return reason;
  const said = reason instanceof Error ? `${reason.name}: ${reason.message}` : String(reason);
  throw ioError(`server: expected an answer, got ${said}`, reason);
}

/** Whether a client throws this because the server said so, and not because there is no way to it. */
function isErrorReply(reason: unknown): boolean {
  if (!(reason instanceof Error)) return false;
  if (reason.name === "ReplyError") return true; // ioredis
  for (let type = Object.getPrototypeOf(reason); type !== null; type = Object.getPrototypeOf(type)) {
    if (type.constructor?.name === "ErrorReply") return true; // node-redis
  }
  return false;
}

/** Whether this reply is an error of the server. */
export function isError(reply: Reply): reply is Error {
  return reply instanceof Error;
}

/** A reply as text. */
export function text(reply: Reply): string {
  if (reply instanceof Uint8Array) return Buffer.from(reply.buffer, reply.byteOffset, reply.byteLength).toString();
  return reply instanceof Error ? reply.message : String(reply);
}

/** A reply of names and values: flat, or a map, as the client likes. */
export function pairs(reply: Reply): Map<string, Reply> {
  if (reply instanceof Map) return new Map([...reply].map(([name, value]) => [text(name), value]));
  if (!Array.isArray(reply)) return new Map(Object.entries(reply as object));
  const found = new Map<string, Reply>();
  for (let i = 0; i + 1 < reply.length; i += 2) found.set(text(reply[i]), reply[i + 1]);
  return found;
}

/** A key of the server as bytes. */
export function keyOf(key: unknown): Buffer {
  if (typeof key === "string") return Buffer.from(key);
  if (key instanceof Uint8Array) return Buffer.from(key);
  throw argumentError("key", "the name of a key as a string or a Uint8Array", key === null ? "null" : typeof key);
}

/** A key of the server as text if it is UTF-8, else as bytes. */
export function nameOf(key: Buffer): string | Uint8Array {
  const name = key.toString();
  return Buffer.from(name).equals(key) ? name : key;
}

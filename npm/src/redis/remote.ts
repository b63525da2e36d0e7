/**
 * `RemoteBloomFilter`: BF.* commands for the methods of a local `ScalableBloomFilter`.
 */
import { CapacityError, type Key, type Keys, type TepalErrorFields } from "../api.js";
import { readInfo, readInitialCapacity, readScheme, type RemoteInfo } from "./info.js";
import { itemOf, itemsOf } from "./items.js";
import { type Command, isError, keyOf, type Link, link, nameOf, type RedisClient, type Reply, text, type WaitOptions } from "./link.js";
import { LocalOnly } from "./local-only.js";
import { annotate, ioError, missing, refusal } from "./refusals.js";
import { type RemoteScheme, schemeOf } from "./server.js";
import { checkWanted, insertOptions, openFilter, type Wanted } from "./wanted.js";

/** Keys per command. The server answers nobody else while it works on one: about a millisecond. */
const KEYS_PER_COMMAND = 1000;
/** Commands sent before the replies are waited for. */
const COMMANDS_PER_BATCH = 16;

/** What a filter in a server should be, and how long to wait for it. */
export interface RemoteBloomFilterOptions extends Wanted, WaitOptions {}

/**
 * A Bloom filter that is in a server: the methods of a local `ScalableBloomFilter`, each with `await`, over BF.* commands.
 *
 * `new ScalableBloomFilter({ capacity: 1e4 })` becomes `new RemoteBloomFilter(client, "seen", { capacity: 1e4 })`. Keys are the same
 * bytes as locally. Each call is one round trip; batches send 16,000 keys per round trip. Facts are awaited too and ask the
 * server: `await seen.capacity`. What BF.* cannot do (union, bytes, fill) throws `UnsupportedError`; `pull` makes a local copy
 * that can.
 *
 * The filter is made, or found and compared with the options, by the first call, or by `await RemoteBloomFilter.open(…)`.
 *
 * Two things happen with a server that do not locally: a filter that somebody deleted is made again by the next `add`, as it was
 * asked for (with `create: false` it is an error); and a client that sends again after a lost reply, as ioredis does, may
 * answer false for a key that it has just added itself.
 *
 * ```js
 * const seen = new RemoteBloomFilter(client, "visitors", { capacity: 10_000 });
 * await seen.add("alice"); // true: it was new
 * await seen.has("bob");   // false
 * ```
 */
export class RemoteBloomFilter extends LocalOnly {
  readonly #key: Buffer;
  readonly #server: Link;
  readonly #wanted: Wanted;
  #opened: Promise<void> | undefined;

  /**
   * Sends nothing yet.
   *
   * @param client A client of ioredis or node-redis, for one server or a cluster; it stays yours.
   * @param key Where the filter is.
   * @param options What it should be, `create: false` to open only what is there, `timeoutMs` to wait no longer for an answer.
   * @throws ArgumentError (`ERR_ARGUMENT_TYPE`) for values of wrong types.
   */
  constructor(client: RedisClient, key: string | Uint8Array, options: RemoteBloomFilterOptions = {}) {
    super();
    this.#key = keyOf(key);
    this.#server = link(client, this.#key, options);
    this.#wanted = checkWanted({ ...options });
  }

  /**
   * Makes the filter, or finds it.
   *
   * @throws MismatchError when there is a filter and it is not as asked for (`ERR_CAPACITY_DIFFERS`, `ERR_FPR_DIFFERS` …);
   * FilterIOError when the server cannot be reached or, with `create: false`, has no such filter (`cause.code` is `"ENOENT"`);
   * UnsupportedError when the server has no such module, or not such an option.
   */
  static async open(client: RedisClient, key: string | Uint8Array, options?: RemoteBloomFilterOptions): Promise<RemoteBloomFilter> {
    const filter = new RemoteBloomFilter(client, key, options);
    await filter.#open();
    return filter;
  }

  async #open(): Promise<Link> {
    this.#opened ??= openFilter(this.#server, this.#key, this.#wanted);
    try {
      await this.#opened;
    } catch (error) {
      this.#opened = undefined; // the next call tries again
      throw error;
    }
    return this.#server;
  }

  /**
   * Adds a key.
   *
   * @returns true if it was new.
   * @throws CapacityError (`ERR_FULL`, `ERR_MEMORY_LIMIT`) when the filter cannot take it.
   */
  async add(key: Key): Promise<boolean> {
    return (await this.#single([itemOf(key)], false))[0] === 1;
  }

  /** Whether a key is in. */
  async has(key: Key): Promise<boolean> {
    return (await this.#single([itemOf(key)], true))[0] === 1;
  }

  /**
   * Adds many keys.
   *
   * @returns For each key 1 if it was new, else 0.
   * @throws CapacityError when the filter cannot take all: `index` is the place of the first key that was not added; those
   * before it are in, and `answers` has their answers.
   */
  async addMany(keys: Keys): Promise<Uint8Array> {
    return this.#many(keys, false);
  }

  /** For each of many keys 1 if it is in, else 0. */
  async hasMany(keys: Keys): Promise<Uint8Array> {
    return this.#many(keys, true);
  }

  /** Adds the keys of all iterables. */
  async update(...iterables: Keys[]): Promise<void> {
    for (const keys of iterables) await this.#many(keys, false);
  }

  async #single(items: Iterable<string | Uint8Array>, asks: boolean): Promise<number[]> {
    const answers: number[] = [];
    await this.#inBatches(items, asks, answers, (error) => error);
    return answers;
  }

  async #many(keys: Keys, asks: boolean): Promise<Uint8Array> {
    const answers: number[] = [];
    await this.#inBatches(itemsOf(keys), asks, answers, (error) => {
      annotate(error, "index", answers.length);
      return error instanceof CapacityError ? annotate(error, "answers", Uint8Array.from(answers)) : error;
    });
    return Uint8Array.from(answers);
  }

  /** Asks for all items, many commands at a time, and collects the answers. What comes before a refused key is done. */
  async #inBatches(
    items: Iterable<string | Uint8Array>,
    asks: boolean,
    answers: number[],
    unfinished: <E extends Error & TepalErrorFields>(error: E) => E,
  ): Promise<void> {
    // ioredis sends commands of text alone in a third of the time.
    const key = nameOf(this.#key);
    const head: Command = asks ? ["BF.MEXISTS", key] : ["BF.INSERT", key, ...insertOptions(this.#wanted), "ITEMS"];
    // The first pieces are taken before anything is awaited, so that a wrong argument opens nothing.
    const pieces = inPieces(items);
    for (;;) {
      const { counts, commands, raised } = nextBatch(pieces, head);
      if (commands.length > 0) {
        const server = await this.#open();
        if (asks) {
          // In the same round trip, before the questions: is there a filter at all?
          const [type, ...replies] = await server.send(["TYPE", key], ...commands);
          this.#checkType(type);
          collect(replies, counts, answers, unfinished);
        } else {
          collect(await server.send(...commands), counts, answers, unfinished);
        }
      }
      if (raised !== undefined) throw raised.error;
      if (commands.length < COMMANDS_PER_BATCH) break;
    }
  }

  /** A key that is missing, or no filter, contains nothing, says the server. Who opened a filter that was there wants to know that it went. */
  #checkType(type: Reply): void {
    if (isError(type)) throw refusal(type);
    if (text(type) !== "none") schemeOf(text(type));
    else if (this.#wanted.create === false) throw missing();
  }

  /** All fields of BF.INFO at one moment. */
  async info(): Promise<RemoteInfo> {
    return readInfo(await this.#open(), this.#key);
  }

  async #fact<N extends keyof RemoteInfo>(name: N): Promise<RemoteInfo[N]> {
    return (await this.info())[name];
  }

  /** How many keys all levels so far are made for. */
  get capacity(): Promise<number> {
    return this.#fact("capacity");
  }

  /** How many keys the first level is made for. */
  get initialCapacity(): Promise<number> {
    return this.#open().then((server) => readInitialCapacity(server, this.#key));
  }

  /** The rate that the filter was made with. */
  get fpr(): Promise<number> {
    return this.#fact("fpr");
  }

  /** How many times larger each level is than the one before; null: non-scaling. */
  get expansion(): Promise<number | null> {
    return this.#fact("expansion");
  }

  /** By what each level's rate is multiplied for the next; null: non-scaling. */
  get tightening(): Promise<number | null> {
    return this.#fact("tightening");
  }

  /** How many levels there are. */
  get filterCount(): Promise<number> {
    return this.#fact("filterCount");
  }

  /** How many adds answered true: BF.CARD. */
  get insertedCount(): Promise<number> {
    return this.#fact("insertedCount");
  }

  /** Its bytes, as the server counts them. */
  get size(): Promise<number> {
    return this.#fact("size");
  }

  /** How many keys it can grow to hold within the server's limits; null where the server does not say. */
  get maxScaledCapacity(): Promise<number | null> {
    return this.#fact("maxScaledCapacity");
  }

  /** `"redisbloom"` or `"valkey"`: what the server is. */
  get scheme(): Promise<RemoteScheme> {
    return this.#open().then((server) => readScheme(server, this.#key));
  }

  /** Which filter this is, for logs; asks nothing. */
  toJSON(): Record<string, unknown> {
    return { type: "RemoteBloomFilter", key: this.#key.toString() };
  }

  /** Does nothing, as there is nothing to free here; the client stays open. */
  free(): void {}

  /** As `free()`: for `using`. */
  [Symbol.dispose](): void {}

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return `RemoteBloomFilter { key: ${JSON.stringify(this.#key.toString())} }`;
  }
}

// Where the runtime has no Symbol.dispose yet, the method above got a nonsense name.
if (Symbol.dispose === undefined) delete (RemoteBloomFilter.prototype as unknown as Record<string, unknown>)["undefined"];

interface Pieces {
  /** Up to so many items; fewer when they end or `raised` says why. */
  take(most: number): (string | Uint8Array)[];
  raised: { error: unknown } | undefined;
}

/** Takes items one by one; when the user's iterator, or a refused key, throws, what came before is still given. */
function inPieces(items: Iterable<string | Uint8Array>): Pieces {
  const iterator = items[Symbol.iterator]();
  const pieces: Pieces = {
    raised: undefined,
    take(most) {
      const taken: (string | Uint8Array)[] = [];
      try {
        while (taken.length < most) {
          const { done, value } = iterator.next();
          if (done) break;
          taken.push(value);
        }
      } catch (error) {
        pieces.raised = { error };
      }
      return taken;
    },
  };
  return pieces;
}

function nextBatch(pieces: Pieces, head: Command): { commands: Command[]; counts: number[]; raised: Pieces["raised"] } {
  const commands: Command[] = [];
  const counts: number[] = [];
  while (commands.length < COMMANDS_PER_BATCH && pieces.raised === undefined) {
    const part = pieces.take(KEYS_PER_COMMAND);
    if (part.length === 0) break;
    commands.push([...head, ...part]);
    counts.push(part.length);
  }
  return { commands, counts, raised: pieces.raised };
}

function collect(
  replies: readonly Reply[],
  counts: readonly number[],
  answers: number[],
  unfinished: <E extends Error & TepalErrorFields>(error: E) => E,
): void {
  for (const [i, reply] of replies.entries()) {
    const parts: readonly Reply[] = Array.isArray(reply) ? reply : [reply];
    for (const part of parts) {
      if (isError(part)) throw unfinished(refusal(part));
      answers.push(part === true || text(part) === "1" ? 1 : 0);
    }
    if (parts.length !== counts[i]) {
      throw unfinished(ioError("server: expected an answer for every key, got fewer", new Error("a short reply")));
    }
  }
}

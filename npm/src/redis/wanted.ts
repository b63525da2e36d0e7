/**
 * What a filter in a server was asked to be: made if it is missing, compared if it is there.
 */
import { ArgumentError, MismatchError } from "../api.js";
import { asBytes, typeName } from "../keys.js";
import { readInfo, readInitialCapacity, type RemoteInfo } from "./info.js";
import { type Command, isError, type Link } from "./link.js";
import { argumentError, missing, refusal, unsupported } from "./refusals.js";
import { ASK_DEFAULTS, readDefaults } from "./server.js";

/** What a filter in a server should be; what is left out is the server's default. */
export interface Wanted {
  /** How many keys the first level is made for. */
  capacity?: number | bigint;
  /** The promised rate. */
  fpr?: number;
  /** How many times larger each level is than the one before; null: non-scaling. */
  expansion?: number | null;
  /** By what each level's rate is multiplied for the next (valkey-bloom). */
  tightening?: number;
  /** 32 bytes that make the hash (valkey-bloom). */
  seed?: Uint8Array;
  /** How many keys it must be able to grow to within the server's limits (valkey-bloom). */
  validateScaleTo?: number | bigint;
  /** false: open the filter that is there, never make one (NOCREATE). Default true. */
  create?: boolean;
}

/** Types only; ranges are the server's affair. */
export function checkWanted(wanted: Wanted): Wanted {
  whole("capacity", wanted.capacity);
  if (Number(wanted.capacity) === 0) throw new ArgumentError("ERR_CAPACITY_ZERO", "capacity: expected an integer from 1, got 0");
  if (wanted.expansion !== null) whole("expansion", wanted.expansion);
  whole("validateScaleTo", wanted.validateScaleTo);
  rate("fpr", wanted.fpr);
  rate("tightening", wanted.tightening);
  if (wanted.seed !== undefined && asBytes(wanted.seed) === undefined) throw argumentError("seed", "32 bytes", typeName(wanted.seed));
  return wanted;
}

function whole(name: string, value: unknown): void {
  if (value === undefined || typeof value === "bigint" || Number.isInteger(value)) return;
  const message = `${name}: expected an integer, got ${typeof value === "number" ? value : typeName(value)}`;
  throw new ArgumentError(typeof value === "number" && name === "capacity" ? "ERR_CAPACITY_RANGE" : "ERR_ARGUMENT_TYPE", message);
}

function rate(name: string, value: unknown): void {
  if (value !== undefined && typeof value !== "number") throw argumentError(name, "a number", typeName(value));
}

/** As options of BF.INSERT, which makes a filter that is missing, unless told not to. */
export function insertOptions(wanted: Wanted): Command {
  if (wanted.create === false) return ["NOCREATE"];
  const options: (string | Uint8Array)[] = [];
  const add = (name: string, value: number | bigint | undefined) => value !== undefined && options.push(name, String(value));
  add("CAPACITY", wanted.capacity);
  add("ERROR", wanted.fpr);
  add("TIGHTENING", wanted.tightening);
  if (wanted.seed !== undefined) options.push("SEED", asBytes(wanted.seed) as Uint8Array);
  return [...options, ...scaling(wanted)];
}

function scaling({ expansion }: Wanted): Command {
  if (expansion === undefined) return [];
  return expansion === null ? ["NONSCALING"] : ["EXPANSION", expansion];
}

/** Makes the filter, or finds it and compares it with what is wanted. */
export async function openFilter(server: Link, key: Uint8Array, wanted: Wanted): Promise<void> {
  const [exists] = await server.send(["EXISTS", key]);
  if (isError(exists)) throw refusal(exists);
  if (Number(exists) === 0) {
    if (wanted.create === false) throw missing();
    if (await make(server, key, wanted)) return;
  }
  compare(await readInfo(server, key), wanted);
  if (wanted.capacity === undefined) return;
  const initial = await readInitialCapacity(server, key);
  if (Number(wanted.capacity) !== initial) throw differs("capacity", wanted.capacity, initial);
}

/** Makes it; false when somebody else did meanwhile. */
async function make(server: Link, key: Uint8Array, wanted: Wanted): Promise<boolean> {
  const scaleTo = wanted.validateScaleTo === undefined ? [] : ["VALIDATESCALETO", String(wanted.validateScaleTo)];
  // valkey-bloom knows this, and makes a filter of its defaults where nothing is said. RedisBloom wants an item.
  let [reply] = await server.send(["BF.INSERT", key, ...insertOptions(wanted), ...scaleTo]);
  if (isError(reply) && /wrong number of arguments/i.test(reply.message)) {
    const [valkey, redis8, modules] = await server.send(...ASK_DEFAULTS);
    const known = readDefaults(valkey, redis8, modules);
    const reserve: Command = ["BF.RESERVE", key, wanted.fpr ?? known.fpr, String(wanted.capacity ?? known.capacity), ...scaling(wanted)];
    [reply] = await server.send(reserve);
    if (isError(reply) && reply.message.includes("item exists")) return false;
  }
  if (isError(reply)) throw refusal(reply);
  return true;
}

/** A filter that is there stays as it is; somebody who wanted another one should know. */
function compare(found: RemoteInfo, wanted: Wanted): void {
  if (wanted.fpr !== undefined && wanted.fpr !== found.fpr) throw differs("fpr", wanted.fpr, found.fpr);
  if (wanted.expansion !== undefined && wanted.expansion !== found.expansion) {
    throw differs("expansion", wanted.expansion, found.expansion);
  }
  if (wanted.tightening !== undefined && found.tightening !== null && wanted.tightening !== found.tightening) {
    throw differs("tightening", wanted.tightening, found.tightening);
  }
  if (wanted.validateScaleTo === undefined) return;
  const limit = found.maxScaledCapacity;
  if (limit === null) throw unsupported("validateScaleTo: expected a server that knows how far a filter can grow, got one without");
  if (limit < Number(wanted.validateScaleTo)) {
    throw new ArgumentError("ERR_SCALE_TO", `validateScaleTo: expected at most ${limit}, got ${wanted.validateScaleTo}`);
  }
}

function differs(name: string, want: unknown, have: unknown): Error {
  return new MismatchError(`ERR_${name.toUpperCase()}_DIFFERS`, `${name}: expected ${want} as asked for, got a filter with ${have}`);
}

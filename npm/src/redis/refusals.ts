/**
 * What a server says no with, as the exceptions that a local filter throws for the same reason. The servers have no error codes,
 * only sentences; this table is the one place that knows them (RedisBloom 2.8 and 8, valkey-bloom 1.0). What is not in it is an
 * `ERR_IO` with the server's own words.
 */
import {
  ArgumentError,
  CapacityError,
  FilterIOError,
  FilterMemoryError,
  FormatError,
  type TepalErrorFields,
  UnsupportedError,
} from "../api.js";

type Type = new (code: string, message: string) => Error & TepalErrorFields;

// Part of the sentence, in lower case; class; code. The first that fits.
const TABLE: readonly (readonly [string, Type, string])[] = [
  ["wrongtype", FormatError, "ERR_FOREIGN"],
  ["validatescaleto", ArgumentError, "ERR_SCALE_TO"],
  ["filter is full", CapacityError, "ERR_FULL"],
  ["memory limit", CapacityError, "ERR_MEMORY_LIMIT"],
  ["max number of filters", CapacityError, "ERR_MEMORY_LIMIT"],
  ["insufficient memory", CapacityError, "ERR_MEMORY_LIMIT"],
  ["degrades to 0", CapacityError, "ERR_FPR_UNDERFLOW"],
  ["oom ", FilterMemoryError, "ERR_OUT_OF_MEMORY"],
  ["used memory >", FilterMemoryError, "ERR_OUT_OF_MEMORY"],
  ["unknown command", UnsupportedError, "ERR_UNSUPPORTED"],
  ["unknown argument", UnsupportedError, "ERR_UNSUPPORTED"],
  ["tightening", ArgumentError, "ERR_TIGHTENING_RANGE"],
  ["expansion", ArgumentError, "ERR_EXPANSION_RANGE"],
  ["seed", ArgumentError, "ERR_SEED_LENGTH"],
  ["capacity", ArgumentError, "ERR_CAPACITY_RANGE"],
  ["error rate", ArgumentError, "ERR_FPR_RANGE"],
];

/** The exception for an error that came as a reply. */
export function refusal(reply: Error): Error & TepalErrorFields {
  // The server repeats the arguments of a command that it does not know; they may be keys.
  const said = (reply.message.split(", with args beginning with")[0] as string).trim();
  const lower = said.toLowerCase();
  if (["not found", "err not found", "err no such key", "no such key"].includes(lower)) return missing();
  for (const [part, Type, code] of TABLE) {
    if (lower.includes(part)) return new Type(code, `server: ${said}`);
  }
  // Without the client's error as a cause, which holds the whole command, keys and all.
  return systemError("EPROTO", `server: ${said}`);
}

/** There is no such key: `cause.code` is `"ENOENT"`. */
export function missing(): Error & TepalErrorFields {
  return systemError("ENOENT", "key: expected one that exists, got none of this name");
}

/** There is such a key: `cause.code` is `"EEXIST"`. */
export function exists(): Error & TepalErrorFields {
  return systemError("EEXIST", "key: expected one that does not exist, got one that does");
}

function systemError(code: string, message: string): Error & TepalErrorFields {
  return ioError(message, Object.assign(new Error(`${code}: ${message}`), { code }));
}

/** The way to the server failed. */
export function ioError(message: string, cause: unknown): Error & TepalErrorFields {
  return annotate(new FilterIOError("ERR_IO", message), "cause", cause);
}

/** The server, or every server, cannot do it. */
export function unsupported(message: string): Error & TepalErrorFields {
  return new UnsupportedError("ERR_UNSUPPORTED", message);
}

/** An argument of a wrong type. */
export function argumentError(field: string, expected: string, got: string): Error & TepalErrorFields {
  return new ArgumentError("ERR_ARGUMENT_TYPE", `${field}: expected ${expected}, got ${got}`);
}

/** Adds a fact to an error and gives it back. */
export function annotate<E extends Error>(error: E, name: "index" | "answers" | "cause", value: unknown): E {
  return Object.defineProperty(error, name, { value, configurable: true, writable: true, enumerable: name === "index" });
}

/** Whether an error says that the server has no such key. */
export function isMissing(error: unknown): boolean {
  return error instanceof FilterIOError && (error.cause as { code?: unknown } | undefined)?.code === "ENOENT";
}

/**
 * The exceptions of the package. Codes and sentences are born in the Rust core; here they only get a JavaScript class.
 * Tell errors apart by `isTepalError(error)` and `error.code`: two copies of a package have two sets of classes, the brand is shared.
 */

const BRAND = Symbol.for("tepal.error");

/** What every error of this package carries. */
export interface TepalErrorFields {
  /** A stable code such as `ERR_FPR_RANGE`; the same failure has the same code in every language. */
  readonly code: string;
  /** In a batch: the position of the key that was refused. What came before it stays added. */
  readonly index?: number;
  /** In a batch that a full filter did not take to its end: the answers of the keys before `index`. */
  readonly answers?: Uint8Array;
}

/** The common face of all errors of this package: `error instanceof TepalError` asks the brand, so it also holds for those that extend `RangeError` or `TypeError`. */
export class TepalError extends Error implements TepalErrorFields {
  readonly code: string;
  readonly index?: number;
  readonly answers?: Uint8Array;
  /** @internal */
  constructor(code: string, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: subclasses inherit this method and must ask for themselves
    return this === TepalError ? isTepalError(value) : Function.prototype[Symbol.hasInstance].call(this, value);
  }
}

/** An argument is out of range: `ERR_CAPACITY_ZERO`, `ERR_FPR_RANGE`, `ERR_ARGUMENT_TYPE` … */
export class ArgumentError extends RangeError implements TepalErrorFields {
  readonly code: string;
  readonly index?: number;
  readonly answers?: Uint8Array;
  /** @internal */
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** A key is of a kind that has no bytes of its own: `ERR_KEY_TYPE`, `ERR_KEY_RANGE`, `ERR_KEY_SURROGATE`. */
export class KeyTypeError extends TypeError implements TepalErrorFields {
  readonly code: string;
  readonly index?: number;
  readonly answers?: Uint8Array;
  /** @internal */
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** The bytes are not a filter, or a damaged one: `ERR_MAGIC`, `ERR_TRUNCATED`, `ERR_CHECKSUM`, `ERR_VERSION` … */
export class FormatError extends TepalError {}
/** Two filters, or a filter and a key hash, do not belong together: `ERR_SEED_DIFFERS`, `ERR_LAYOUT_DIFFERS`, `ERR_SIZE_DIFFERS` … */
export class MismatchError extends TepalError {}
/** No room is left: `ERR_FULL`, `ERR_MEMORY_LIMIT`. */
export class CapacityError extends TepalError {}
/** The filter cannot do that any more: `ERR_READ_ONLY`, `ERR_FREED`. */
export class StateError extends TepalError {}
/** This runtime cannot do that: `ERR_UNSUPPORTED`. */
export class UnsupportedError extends TepalError {}
/** A file or a download failed: `ERR_IO`; `cause` has the system's own error. */
export class FilterIOError extends TepalError {}

/** There is not enough memory: `ERR_OUT_OF_MEMORY`, `ERR_TOO_LARGE`. */
export class FilterMemoryError extends RangeError implements TepalErrorFields {
  readonly code: string;
  readonly index?: number;
  readonly answers?: Uint8Array;
  /** @internal */
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

const CLASSES: Record<string, new (code: string, message: string) => Error & TepalErrorFields> = {
  argument: ArgumentError,
  key_type: KeyTypeError,
  data: FormatError,
  mismatch: MismatchError,
  full: CapacityError,
  memory: FilterMemoryError,
  state: StateError,
  unsupported: UnsupportedError,
  io: FilterIOError,
};

for (const type of [TepalError, ArgumentError, KeyTypeError, FilterMemoryError, ...Object.values(CLASSES)]) {
  Object.defineProperty(type.prototype, BRAND, { value: true });
  Object.defineProperty(type.prototype, "name", { value: type.name, configurable: true, writable: true });
}

/** Whether a caught value is an error of this package (of any copy of it). */
export function isTepalError(value: unknown): value is Error & TepalErrorFields {
  return typeof value === "object" && value !== null && (value as Record<symbol, unknown>)[BRAND] === true;
}

/** @internal Gives an error of the core its class; a number of the operating system becomes a `cause` such as Node's own functions throw. */
export function makeError(errorClass: string, code: string, message: string, errno?: number): Error & TepalErrorFields {
  const error = new (CLASSES[errorClass] ?? TepalError)(code, message);
  if (errno === undefined) return error;
  const name = process.getBuiltinModule("node:util").getSystemErrorName(-errno);
  return annotate(error, "cause", Object.assign(new Error(`${name}: ${message}`), { code: name, errno: -errno }));
}

/** @internal Adds a fact (`index`, `cause`, `answers`) to an error and gives it back. */
export function annotate<E extends Error>(error: E, name: "index" | "cause" | "answers", value: unknown): E {
  Object.defineProperty(error, name, { value, configurable: true, writable: true, enumerable: name !== "cause" });
  return error;
}

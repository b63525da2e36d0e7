/**
 * Bytes from the outside: downloads, streams and, where `process` has them, files. Without the addon a file is written here, atomically;
 * no module is imported for it, so bundlers see nothing of Node.
 */
import type { Backend } from "./backend.js";
import { annotate, type FilterIOError } from "./errors.js";
import { notice, typeName } from "./keys.js";

/** Where `load` reads from. */
export type LoadSource = string | URL | Response | ReadableStream<Uint8Array> | Promise<Response>;

/** How `load` reads. */
export interface LoadOptions {
  /** The seed, when it was withheld from the bytes. */
  seed?: number | bigint;
  /** Maps the file instead of reading it (Node with the addon). Default false. */
  mmap?: boolean;
}

/** What `share()` gives: plain data that `postMessage` can copy. Opens the filter in a worker of the same process only. */
export interface SharedHandle {
  readonly kind: "tepal.shared";
  readonly token: number;
}

/** The path of a file, where there are files and the source is not an address of the web. */
export function localPath(source: unknown): string | undefined {
  if (typeof process === "undefined" || typeof process.getBuiltinModule !== "function") return undefined;
  if (source instanceof URL) {
    return source.protocol === "file:" ? process.getBuiltinModule("node:url").fileURLToPath(source) : undefined;
  }
  if (typeof source !== "string" || /^(https?|data|blob):/i.test(source)) return undefined;
  return source.startsWith("file:") ? process.getBuiltinModule("node:url").fileURLToPath(source) : source;
}

/** The beginning of a file, enough to tell its class; nothing where the file cannot be read (the load that follows says why). */
export async function firstBytes(path: string): Promise<Uint8Array | undefined> {
  try {
    const file = await process.getBuiltinModule("node:fs/promises").open(path);
    try {
      return (await file.read(new Uint8Array(64), 0, 64, 0)).buffer;
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}

/** An `ERR_IO` with its cause. */
export function ioError(backend: Backend, what: string, cause: unknown): FilterIOError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return annotate(notice(backend, "io", what, reason) as FilterIOError, "cause", cause);
}

/** All bytes of the source, in pieces. */
export async function loadBytes(backend: Backend, source: unknown, path: string | undefined): Promise<Uint8Array[]> {
  if (path !== undefined) {
    try {
      return [await process.getBuiltinModule("node:fs/promises").readFile(path)];
    } catch (cause) {
      throw ioError(backend, "load", cause);
    }
  }
  let from = source;
  try {
    if (typeof from === "string" || from instanceof URL) from = await fetch(from);
    else if (typeof (from as Promise<Response> | null)?.then === "function") from = await (from as Promise<Response>);
  } catch (cause) {
    throw ioError(backend, "load", cause);
  }
  const response = from as Partial<Response> | null;
  if (typeof response === "object" && response !== null && "body" in response && "ok" in response) {
    if (response.ok !== true) throw ioError(backend, "load", new Error(`the server answered ${response.status} ${response.statusText}`));
    from = response.body ?? new Blob([]).stream();
  }
  if (typeof (from as ReadableStream | null)?.getReader !== "function") {
    throw notice(backend, "argument_type", "source", "a URL, a Response, a ReadableStream or a path", typeName(source));
  }
  const reader = (from as ReadableStream<Uint8Array>).getReader();
  const chunks: Uint8Array[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return chunks;
      if (!(value instanceof Uint8Array)) throw new TypeError(`a chunk of the stream is ${typeName(value)}, not a Uint8Array`);
      chunks.push(value);
    }
  } catch (cause) {
    reader.cancel(cause).catch(() => {});
    throw ioError(backend, "load", cause);
  }
}

/**
 * Writes a file atomically: all of it, or the old one stays. As the core does it: a link is followed, a device or a pipe written to
 * directly, permissions are kept.
 */
export async function saveBytes(backend: Backend, path: string, bytes: Uint8Array): Promise<void> {
  const { open, realpath, rename, rm, stat } = process.getBuiltinModule("node:fs/promises");
  const { dirname, join } = process.getBuiltinModule("node:path");
  let temporary: string | undefined;
  try {
    const target = await realpath(path).catch(() => path);
    const old = await stat(target).catch(() => undefined);
    const direct = old !== undefined && !old.isFile() && !old.isDirectory();
    if (!direct) temporary = join(dirname(target), `.tepal-${process.pid}-${crypto.randomUUID()}.tmp`);
    const file = await open(temporary ?? target, direct ? "w" : "wx");
    try {
      await file.writeFile(bytes);
      if (!direct) {
        if (old !== undefined) await file.chmod(old.mode);
        await file.sync();
      }
    } finally {
      await file.close();
    }
    if (temporary !== undefined) await rename(temporary, target);
  } catch (cause) {
    if (temporary !== undefined) await rm(temporary, { force: true }).catch(() => {});
    throw ioError(backend, "save", cause);
  }
}

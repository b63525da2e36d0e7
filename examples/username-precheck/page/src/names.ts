/**
 * The names, as this page has them: the snapshot that Python built and the delta with what was claimed since, both asked
 * in wasm. Loading reports progress, checks the bytes against the manifest's SHA-256, and says why when it fails:
 * `blocked` (no wasm here) cannot be helped, `failed` can be tried again. Until it is `ready`, the page asks the server.
 */
import { BloomFilter, type Explanation, isTepalError } from "tepal";
import type { Owners } from "./server.js";

export interface Manifest {
  readonly file: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly names: number;
  readonly rule: string;
  readonly promisedRate: number;
  readonly estimatedRate: number;
  readonly builtAt: string;
  readonly buildSeconds: number;
  readonly delta: string;
  readonly notHandles: number;
  readonly list: { readonly file: string; readonly bytes: number; readonly packed: number };
  readonly source: { readonly package: string; readonly version: string };
  readonly builder: { readonly tepal: string };
  readonly examples: { readonly free: readonly string[]; readonly mistaken: readonly string[] };
  readonly node: { readonly sha256: string; readonly backend: string };
  /** A name that the filter takes for a member and that nobody has. */
  readonly mistaken?: { readonly name: string; readonly owners: Owners };
}

export type Status = "loading" | "ready" | "failed" | "blocked";

export async function sha256(data: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", data));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** When the server made a response. One that comes out of the offline cache is as old as it is. */
function madeAt(response: Response): number {
  const date = Date.parse(response.headers.get("date") ?? "");
  return Number.isNaN(date) ? Date.now() : Math.min(date, Date.now());
}

async function fetchOk(path: string, options: RequestInit = {}): Promise<Response> {
  const response = await fetch(path, options);
  if (!response.ok) throw new Error(`${path}: the server answered ${response.status}`);
  return response;
}

/** Downloads a file of known size piece by piece. */
export async function download(
  path: string,
  size: number,
  progress: (done: number) => void,
): Promise<Uint8Array<ArrayBuffer>> {
  const response = await fetchOk(path);
  const data = new Uint8Array(size);
  let done = 0;
  const reader = response.body?.getReader();
  for (;;) {
    const piece = await reader?.read();
    if (!piece || piece.done) break;
    if (done + piece.value.length > size) throw new Error(`${path}: longer than the ${size} bytes announced`);
    data.set(piece.value, done);
    done += piece.value.length;
    progress(done);
  }
  if (done !== size) throw new Error(`${path}: ${done} of ${size} bytes arrived`);
  return data;
}

export class Names {
  status: Status = "loading";
  /** Why the status is `failed` or `blocked`. */
  reason = "";
  manifest: Manifest | undefined;
  /** Up to when the answers know about claims, in milliseconds since 1970. */
  asOf = 0;
  #snapshot: BloomFilter | undefined;
  #delta: BloomFilter | undefined;

  /** Fetches what is needed; never throws, look at `status`. */
  async load(progress: (done: number, total: number) => void): Promise<void> {
    this.status = "loading";
    try {
      const response = await fetchOk("/manifest.json", { cache: "no-cache" });
      const manifest = (await response.json()) as Manifest;
      this.manifest = manifest;
      this.asOf = Date.parse(manifest.builtAt);
      const delta = this.#fetchDelta(manifest);
      const data = await download(`/${manifest.file}`, manifest.bytes, (done) => progress(done, manifest.bytes));
      if ((await sha256(data)) !== manifest.sha256) throw new Error("the filter is not the one that its manifest describes");
      this.#snapshot?.free();
      this.#snapshot = BloomFilter.fromBytes(data);
      await delta;
      this.status = "ready";
    } catch (error) {
      const blocked = isTepalError(error) && error.code === "ERR_UNSUPPORTED";
      this.status = blocked ? "blocked" : "failed";
      this.reason = error instanceof Error ? error.message : String(error);
    }
  }

  /** Fetches the names claimed since the snapshot. When that fails, what is known stays, and grows older. */
  async refresh(): Promise<void> {
    if (this.status === "ready" && this.manifest) await this.#fetchDelta(this.manifest);
  }

  async #fetchDelta(manifest: Manifest): Promise<void> {
    try {
      const response = await fetchOk(`/${manifest.delta}`, { cache: "no-cache" });
      const made = madeAt(response);
      const delta = BloomFilter.fromBytes(new Uint8Array(await response.arrayBuffer()));
      this.#delta?.free();
      this.#delta = delta;
      this.asOf = Math.max(made, Date.parse(manifest.builtAt));
    } catch {
      // The snapshot alone still answers, as of its own date; a page without wasm hears so from the snapshot.
    }
  }

  get filter(): BloomFilter {
    if (!this.#snapshot) throw new Error("the filter is not loaded");
    return this.#snapshot;
  }

  get delta(): BloomFilter | undefined {
    return this.#delta;
  }

  /** Which filter says "probably". */
  ask(name: string): "no" | "snapshot" | "delta" {
    if (this.filter.has(name)) return "snapshot";
    return this.#delta?.has(name) ? "delta" : "no";
  }

  explain(name: string): Explanation {
    return this.filter.explain(name);
  }
}

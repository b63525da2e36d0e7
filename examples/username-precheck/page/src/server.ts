/**
 * The server's API, as the page asks it, and the count of what was asked. Whatever goes wrong arrives as a `Trouble`.
 */

export interface BitOwners {
  readonly lane: number;
  readonly bit: number;
  readonly set: boolean;
  /** Names of the snapshot that set this bit. */
  readonly names: readonly string[];
}

export interface Owners {
  readonly line: number;
  /** How many names ask this line. */
  readonly neighbours: number;
  readonly bits: readonly BitOwners[];
}

export interface CheckAnswer {
  readonly name: string;
  readonly taken: boolean;
  /** When it was claimed, in milliseconds since 1970; null when it is free or in the snapshot. */
  readonly claimedAt: number | null;
  readonly filter: "no" | "snapshot" | "delta";
  readonly owners?: Owners;
}

export interface Claim {
  readonly name: string;
  readonly claimedAt: number;
}

/** A request that failed: no answer at all (status 0), or one that is no answer. */
export class Trouble extends Error {
  constructor(
    readonly status: number,
    readonly body: { code?: string; claimedAt?: number | null } = {},
  ) {
    super(status === 0 ? "the server cannot be reached" : `the server answered ${status}`);
  }
}

/** Requests about names that this page has sent: as you typed, and on submit. */
export const sent = { typing: 0, claims: 0, twin: 0 };

async function ask<T>(path: string, options: RequestInit = {}): Promise<T> {
  let response: Response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new Trouble(0);
  }
  const body: unknown = await response.json().catch(() => ({}));
  if (!response.ok) throw new Trouble(response.status, body as Trouble["body"]);
  return body as T;
}

export function check(name: string, signal: AbortSignal): Promise<CheckAnswer> {
  sent.typing++;
  return ask(`/api/check?name=${encodeURIComponent(name)}`, { signal });
}

export function claim(name: string): Promise<Claim> {
  sent.claims++;
  return ask("/api/claim", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name }),
  });
}

export function askTwin(name: string, milliseconds: number, signal: AbortSignal): Promise<{ taken: boolean }> {
  sent.twin++;
  return ask(`/api/slow-twin?name=${encodeURIComponent(name)}&ms=${milliseconds}`, { signal });
}

/** What the server has done since its start. */
export interface Stats {
  readonly asked: number;
  /** Questions that its own filter answered, so that the database was not asked. */
  readonly keptFromDatabase: number;
}

export function news(): Promise<{ claims: readonly Claim[]; stats: Stats }> {
  return ask("/api/claims");
}

/**
 * From keystroke to answer. `type` answers before it returns: what the filter can say is said in the same frame. Only a
 * "probably" goes on to the server, after a pause, and is called back when another key is hit. `claim` always asks the
 * server. Without a filter every name goes to the server, after a pause.
 */
import { handle } from "../../normalise/normalise.mjs";
import type { Answer } from "./answer.js";
import type { Names } from "./names.js";
import { check, claim, Trouble } from "./server.js";

/** How long a "probably" stands still before the server is asked, in milliseconds. */
export const PAUSE = 250;

export class Precheck {
  /** Answers given as somebody typed, by filter or server: what an ordinary page would have sent requests for. */
  answers = 0;
  #names: Names;
  #show: (answer: Answer) => void;
  #pending = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(names: Names, show: (answer: Answer) => void) {
    this.#names = names;
    this.#show = show;
  }

  /** Forgets what is under way. */
  cancel(): void {
    clearTimeout(this.#timer);
    this.#pending.abort();
    this.#pending = new AbortController();
  }

  /** Answers for a text that was typed. */
  type(text: string): void {
    this.cancel();
    const accepted = handle(text);
    if (accepted.name === undefined) {
      this.#show({ kind: "refused", why: accepted });
      return;
    }
    this.answers++;
    const { name } = accepted;
    if (this.#names.status !== "ready") {
      this.#show({ kind: "asking", name });
      this.#later(() => this.#askInstead(name));
      return;
    }
    const started = performance.now();
    const where = this.#names.ask(name);
    const took = performance.now() - started;
    if (where !== "no") {
      this.#show({ kind: "probably", name, where, took });
      this.#later(() => this.#confirm(name, where));
      return;
    }
    const [line] = this.#names.explain(name).lines;
    const empty = line?.bits.filter((bit) => !bit.set).length ?? 0;
    this.#show({ kind: "free", name, asOf: this.#names.asOf, took, empty });
  }

  #later(job: () => Promise<void>): void {
    this.#timer = setTimeout(job, PAUSE);
  }

  async #confirm(name: string, where: "snapshot" | "delta"): Promise<void> {
    const { signal } = this.#pending;
    try {
      const { taken, claimedAt, owners } = await check(name, signal);
      if (signal.aborted) return;
      if (taken) this.#show({ kind: "taken", name, claimedAt });
      else this.#show({ kind: "mistaken", name, ...(owners ? { owners } : {}) });
    } catch (error) {
      if (!signal.aborted) this.#show({ kind: "unconfirmed", name, where, reason: reason(error) });
    }
  }

  async #askInstead(name: string): Promise<void> {
    const { signal } = this.#pending;
    try {
      const { taken } = await check(name, signal);
      if (!signal.aborted) this.#show({ kind: taken ? "taken-says-server" : "free-says-server", name });
    } catch (error) {
      if (!signal.aborted) this.#show({ kind: "unknown", name, reason: reason(error) });
    }
  }

  /** Claims a name; true when the server was asked for it. */
  async claim(text: string): Promise<boolean> {
    this.cancel();
    const accepted = handle(text);
    if (accepted.name === undefined) {
      this.#show({ kind: "refused", why: accepted });
      return false;
    }
    const { name } = accepted;
    const { signal } = this.#pending;
    const show = (answer: Answer) => {
      if (!signal.aborted) this.#show(answer);
    };
    show({ kind: "claiming", name });
    try {
      await claim(name);
      show({ kind: "yours", name });
    } catch (error) {
      if (error instanceof Trouble && error.status === 409) {
        show({ kind: "lost", name, claimedAt: error.body.claimedAt ?? null });
      } else {
        show({ kind: "unclaimed", name, reason: reason(error) });
      }
    }
    return true;
  }
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

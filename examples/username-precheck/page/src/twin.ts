/**
 * The input as most pages have it: each keystroke asks a server, here one that is 80 or 300 ms away. It sends nothing
 * while it is switched off. Its requests are counted apart from the page's own.
 */
import { handle } from "../../normalise/normalise.mjs";
import { byId, say } from "./dom.js";
import { askTwin, sent } from "./server.js";
import { plural, span } from "./words.js";

export class Twin {
  #distance = 0;
  #pending = new AbortController();
  #text = "";

  constructor() {
    for (const input of document.querySelectorAll<HTMLInputElement>("input[name=twin]")) {
      input.addEventListener("change", () => {
        this.#distance = Number(input.value);
        say("twin-distance", this.#distance ? `${this.#distance} ms away` : "far away");
        this.type(this.#text);
      });
    }
  }

  /** What the page itself said about the same text, and how fast. */
  here(name: string, verdict: string, tone: string, took: number | undefined): void {
    say("here-verdict", name ? verdict : "waiting for you");
    byId("here-verdict").dataset.tone = tone;
    const time = took === undefined ? "" : `answered in ${span(took)}, `;
    say("here-time", `${time}${sent.typing ? plural(sent.typing, "request") : "no requests"}`);
  }

  type(text: string): void {
    this.#text = text;
    this.#pending.abort();
    this.#pending = new AbortController();
    const { name } = handle(text);
    say("twin-name", this.#distance && name ? `@${name}` : "\u00a0");
    const verdict = byId("twin-verdict");
    verdict.dataset.tone = this.#distance && name ? "wait" : "plain";
    if (!this.#distance) say("twin-verdict", "switched off");
    else if (!name) say("twin-verdict", "waiting for you");
    else void this.#ask(name, this.#distance, this.#pending.signal);
  }

  async #ask(name: string, distance: number, signal: AbortSignal): Promise<void> {
    const verdict = byId("twin-verdict");
    const started = performance.now();
    say("twin-verdict", "asking …");
    try {
      const asked = askTwin(name, distance, signal);
      say("twin-time", plural(sent.twin, "request"));
      const { taken } = await asked;
      if (signal.aborted) return;
      say("twin-verdict", taken ? "taken" : "free");
      verdict.dataset.tone = taken ? "bad" : "good";
      say("twin-time", `answered after ${span(performance.now() - started)}, ${plural(sent.twin, "request")}`);
    } catch {
      if (signal.aborted) return;
      say("twin-verdict", "no answer");
      verdict.dataset.tone = "bad";
    }
  }
}

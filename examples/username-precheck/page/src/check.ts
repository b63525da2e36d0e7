/**
 * The page's side of "Check it yourself": starts the worker, shows what it reports, compares the three hashes, and has the
 * lines to copy.
 */
import type { CheckReport, CheckRequest } from "./check.worker.js";
import { byId, say } from "./dom.js";
import type { Manifest, Names } from "./names.js";
import { bytes, count, percent } from "./words.js";

/** Put in by the page's build. */
declare const CHECK_WORKER: string;

const STRANGERS = 1_000_000;

function lines(manifest: Manifest): Record<"python" | "node" | "browser", string> {
  const url = new URL(`/${manifest.file}`, location.href).href;
  return {
    python: `python3 -c "import hashlib, tepal, urllib.request as u; print(hashlib.sha256(tepal.from_bytes(u.urlopen('${url}').read()).to_bytes()).hexdigest())"`,
    node: `node -e "import('tepal').then(async t => console.log(require('crypto').createHash('sha256').update((await t.load('${url}')).toBytes()).digest('hex')))"`,
    browser: `fetch("${url}").then(r => r.arrayBuffer()).then(b => crypto.subtle.digest("SHA-256", b)).then(d => console.log([...new Uint8Array(d)].map(x => x.toString(16).padStart(2, "0")).join("")))`,
  };
}

export class SelfCheck {
  #names: Names;
  #worker: Worker | undefined;

  constructor(names: Names) {
    this.#names = names;
    byId("check-start").addEventListener("click", () => this.#start());
    for (const button of document.querySelectorAll<HTMLButtonElement>("[data-copy]")) {
      button.addEventListener("click", () => void this.#copy(button));
    }
  }

  /** Fills in what the manifest tells. */
  describe(manifest: Manifest): void {
    say("list-size", `${bytes(manifest.list.packed)}, ${count(manifest.names)} lines`);
    say("hash-python", manifest.sha256);
    say("hash-node", manifest.node.sha256);
    for (const [language, line] of Object.entries(lines(manifest))) say(`copy-${language}`, line);
    const button = byId<HTMLButtonElement>("check-start");
    button.disabled = this.#names.status !== "ready";
    button.textContent = `Ask all ${count(manifest.names)}, and a million strangers`;
    if (this.#names.status === "blocked") say("result-missed-what", "WebAssembly is blocked on this page: nothing to ask");
  }

  async #copy(button: HTMLButtonElement): Promise<void> {
    const code = byId(button.dataset.copy ?? "");
    const label = button.firstChild;
    try {
      await navigator.clipboard.writeText(code.textContent ?? "");
      if (label) label.textContent = "Copied";
    } catch {
      getSelection()?.selectAllChildren(code);
      if (label) label.textContent = "Selected";
    }
    setTimeout(() => {
      if (label) label.textContent = "Copy";
    }, 1600);
  }

  #start(): void {
    const { manifest } = this.#names;
    if (!manifest || this.#worker) return;
    const button = byId<HTMLButtonElement>("check-start");
    button.disabled = true;
    const results = byId("results");
    results.dataset.state = "running";
    // Read out when it is done, not number by number.
    results.setAttribute("aria-busy", "true");
    const worker = new Worker(CHECK_WORKER, { type: "module" });
    this.#worker = worker;
    const end = (state: string) => {
      worker.terminate();
      this.#worker = undefined;
      button.disabled = false;
      results.dataset.state = state;
      results.setAttribute("aria-busy", "false");
    };
    worker.addEventListener("message", ({ data }: MessageEvent<CheckReport>) => {
      this.#show(data, manifest);
      if (data.kind === "done" || data.kind === "failed") end(data.kind);
    });
    worker.addEventListener("error", (event) => {
      this.#show({ kind: "failed", reason: event.message || "the worker did not start" }, manifest);
      end("failed");
    });
    const request: CheckRequest = {
      filter: { path: `/${manifest.file}`, bytes: manifest.bytes },
      list: { path: `/${manifest.list.file}`, bytes: manifest.list.bytes },
      strangers: STRANGERS,
    };
    worker.postMessage(request);
  }

  #show(report: CheckReport, manifest: Manifest): void {
    switch (report.kind) {
      case "fetched":
        say("result-missed-what", `fetching the list, ${percent(report.share, 0)}`);
        break;
      case "names":
        say("result-missed", `${count(report.missed)} missed`);
        say("result-missed-what", `of ${count(report.asked)} names asked`);
        break;
      case "strangers":
        say("result-rate", percent(report.yes / report.asked, 3));
        say(
          "result-rate-what",
          `of ${count(report.asked)} strangers were taken for members; promised were ${percent(manifest.promisedRate, 0)}`,
        );
        break;
      case "done":
        say("result-speed", `${(report.keysPerSecond / 1e6).toFixed(1)} million`);
        say("result-speed-what", "keys a second, in this browser, on one thread");
        say("hash-browser", report.sha256);
        this.#compare(report.sha256, manifest, report.estimatedRate);
        break;
      case "failed":
        say("result-missed-what", `That did not work: ${report.reason}.`);
        break;
    }
  }

  #compare(here: string, manifest: Manifest, estimated: number): void {
    const equal = here === manifest.sha256 && here === manifest.node.sha256;
    byId("hash-verdict").dataset.equal = String(equal);
    say(
      "hash-verdict",
      equal
        ? `Equal to the byte. And this filter, counted bit by bit, should be mistaken with ${percent(estimated, 3)} of strangers. Copy a line and see for yourself:`
        : "These differ, and must not: the filter was changed on its way.",
    );
  }
}

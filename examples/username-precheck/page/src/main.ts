/**
 * The page: wires the parts together. A keystroke is answered inside its own event, so the answer is on the screen with
 * the letter. Nothing is decided here.
 */
import { type Answer, spoken, words } from "./answer.js";
import { SelfCheck } from "./check.js";
import { byId, make, say } from "./dom.js";
import { describeLede, showClaims, showFacts } from "./facts.js";
import { Flower } from "./flower.js";
import { drawLine } from "./line.js";
import { Names } from "./names.js";
import { onNetwork, workOffline } from "./offline.js";
import { Precheck } from "./precheck.js";
import { type Owners, sent } from "./server.js";
import { Twin } from "./twin.js";
import { bytes, count, inLetters } from "./words.js";

/** How often the delta is fetched anew while the page is looked at, in milliseconds. */
const REFRESH = 60_000;
/** How long typing must rest before the answer is read out, in milliseconds. */
const SPEAK_AFTER = 700;

const input = byId<HTMLInputElement>("name");
const names = new Names();
const flower = new Flower(byId("flower"));
const twin = new Twin();
const selfCheck = new SelfCheck(names);
const precheck = new Precheck(names, show);
let current: Answer = { kind: "idle" };
let speaking: ReturnType<typeof setTimeout> | undefined;
let composing = false;
/** The same name again, beside the twin. */
const second = byId<HTMLInputElement>("here-name");

/** The name that the drawing shows: what is typed, or else the example of a mistake. */
function draw(name: string | undefined, owners: Owners | undefined): readonly boolean[] | undefined {
  if (names.status !== "ready") return undefined;
  const example = names.manifest?.mistaken;
  const shown = name ?? example?.name;
  if (shown === undefined) return undefined;
  const { lines, falsePositiveChance } = names.explain(shown);
  const [line] = lines;
  if (!line) return undefined;
  const known = owners ?? (shown === example?.name ? example.owners : undefined);
  drawLine(shown, line, names.filter.numLines, known, falsePositiveChance);
  return name === undefined ? undefined : line.bits.map((bit) => bit.set);
}

function tally(what: string, n: number, word: string): void {
  say(`tally-${what}`, count(n));
  say(`tally-${what}-what`, n === 1 ? word : `${word}s`);
}

function show(answer: Answer): void {
  current = answer;
  const { verdict, detail, flower: state, tone } = words(answer, Date.now());
  const name = "name" in answer ? answer.name : undefined;
  const bits = draw(name, answer.kind === "mistaken" ? answer.owners : undefined);
  flower.show(state, bits, tone);
  const box = byId("answer");
  box.dataset.state = answer.kind;
  box.dataset.tone = tone;
  say("verdict", verdict);
  if (detail) say("detail", detail);
  else suggest();
  const empty = bits?.filter((bit) => !bit).length ?? 0;
  say(
    "flower-caption",
    bits === undefined
      ? "Eight tepals, one for each bit that a name asks."
      : empty === 0
        ? "All eight bits are set."
        : empty === 1
          ? "One tepal is pale: its bit is empty."
          : `The pale tepals are empty bits, ${inLetters(empty)} of eight.`,
  );
  tally("answers", precheck.answers, "answer");
  tally("requests", sent.typing + sent.claims, "request");
  tally("avoided", Math.max(0, precheck.answers - sent.typing), "request");
  byId<HTMLAnchorElement>("second-tab").href = name ? `/?name=${encodeURIComponent(name)}` : "/";
  twin.here(name ?? "", verdict, tone, "took" in answer ? answer.took : undefined);
  clearTimeout(speaking);
  speaking = setTimeout(() => say("spoken", spoken(answer, Date.now())), SPEAK_AFTER);
}

/** Names worth a try, each a button. */
function suggest(): void {
  const place = byId("detail");
  const { manifest } = names;
  if (!manifest) {
    place.replaceChildren();
    return;
  }
  const worth = ["torvalds", manifest.examples.free[0], manifest.mistaken?.name].filter((name) => name !== undefined);
  const buttons = worth.map((name) => {
    const button = make("button", { type: "button", class: "suggestion" }, name);
    button.addEventListener("click", () => {
      input.value = name;
      input.focus();
      typed();
    });
    return button;
  });
  place.replaceChildren("Try ", ...buttons.flatMap((button, i) => (i ? [i === buttons.length - 1 ? " or " : ", ", button] : [button])));
}

function typed(): void {
  if (second.value !== input.value) second.value = input.value;
  precheck.type(input.value);
  twin.type(input.value);
}

/** Says what stands between the visitor and an answer in the same frame, and what the page does about it. */
function notice(text: string, action?: { label: string; run: () => void }): void {
  const place = byId("notice");
  place.hidden = text === "";
  place.replaceChildren(text);
  if (!action) return;
  const button = make("button", { type: "button" }, action.label);
  button.addEventListener("click", action.run);
  place.append(" ", button);
}

function explainStatus(): void {
  if (names.status === "blocked") {
    notice("WebAssembly is blocked on this page (its Content-Security-Policy lacks 'wasm-unsafe-eval'), so the filter cannot be asked. Each name goes to the server instead.");
  } else if (names.status === "failed") {
    notice(`The filter did not arrive: ${names.reason}. Each name goes to the server instead.`, { label: "Try again", run: () => void load() });
  } else if (!navigator.onLine) {
    notice("You are offline. Free is still free, as of the time it says; what is probably taken cannot be confirmed, and claiming has to wait.");
  } else {
    notice("");
  }
}

async function load(): Promise<void> {
  const bar = byId("progress");
  const shownAfter = setTimeout(() => {
    bar.hidden = false;
  }, 150);
  notice("");
  await names.load((done, total) => {
    byId("progress-done").style.setProperty("--share", String(done / total));
    say("progress-text", `Fetching the filter, ${bytes(done)} of ${bytes(total)}. Until then the server is asked.`);
  });
  clearTimeout(shownAfter);
  bar.hidden = true;
  document.documentElement.dataset.filter = names.status;
  explainStatus();
  if (names.manifest) {
    describeLede(names.manifest, names.status);
    selfCheck.describe(names.manifest);
  }
  showFacts(names);
  void showClaims(names);
  if (input.value) typed();
  else show({ kind: "idle" });
}

async function refresh(): Promise<void> {
  await names.refresh();
  showFacts(names);
  await showClaims(names);
}

for (const place of [input, second]) {
  const answer = () => {
    input.value = place.value;
    typed();
  };
  place.addEventListener("compositionstart", () => {
    composing = true;
  });
  place.addEventListener("compositionend", () => {
    composing = false;
    answer();
  });
  place.addEventListener("input", () => {
    // Half a syllable of an input method is not a name yet.
    if (!composing) answer();
  });
}

byId("claim").addEventListener("submit", (event) => {
  event.preventDefault();
  if (composing) return;
  void precheck.claim(input.value).then((asked) => (asked ? refresh() : undefined));
});

onNetwork((online) => {
  explainStatus();
  if (online) void refresh();
});
setInterval(() => {
  if (document.visibilityState === "visible") void refresh();
}, REFRESH);
setInterval(() => {
  // The words grow older; the answer stays.
  if (current.kind === "free") say("verdict", words(current, Date.now()).verdict);
  showFacts(names);
}, 5_000);

const wanted = new URLSearchParams(location.search).get("name");
if (wanted !== null && input.value === "") input.value = wanted;
void load().then(() => workOffline());

/**
 * What the page can say about a name, and in which words. Pure: an answer and the time in, two sentences out.
 */
import type { Refused } from "../../normalise/normalise.mjs";
import type { Owners } from "./server.js";
import { ago, inLetters, show, span } from "./words.js";

export type Answer =
  | { kind: "idle" }
  | { kind: "refused"; why: Refused }
  /** The filter knows it: nobody has the name. `took` milliseconds, `empty` of the bits asked are empty. */
  | { kind: "free"; name: string; asOf: number; took: number; empty: number }
  /** The filter says probably; the server is being asked. */
  | { kind: "probably"; name: string; where: "snapshot" | "delta"; took: number }
  /** The filter says probably, and the server cannot be asked. */
  | { kind: "unconfirmed"; name: string; where: "snapshot" | "delta"; reason: string }
  | { kind: "taken"; name: string; claimedAt: number | null }
  /** The filter said probably, the server knows better. */
  | { kind: "mistaken"; name: string; owners?: Owners }
  /** There is no filter (yet): the server is asked instead. */
  | { kind: "asking"; name: string }
  | { kind: "free-says-server"; name: string }
  | { kind: "taken-says-server"; name: string }
  | { kind: "unknown"; name: string; reason: string }
  | { kind: "claiming"; name: string }
  | { kind: "unclaimed"; name: string; reason: string }
  | { kind: "yours"; name: string }
  | { kind: "lost"; name: string; claimedAt: number | null };

export interface Words {
  readonly verdict: string;
  readonly detail: string;
  /** How the flower stands. */
  readonly flower: "half" | "open" | "bud";
  readonly tone: "plain" | "good" | "bad" | "wait";
}

function refusal(why: Refused): Words {
  const plain = { flower: "half", tone: "plain" } as const;
  switch (why.refused) {
    case "empty":
      return { verdict: "Type, and the flower answers.", detail: "", ...plain };
    case "too_long":
      return { verdict: "too long", detail: "A user name has at most 39 characters.", ...plain };
    default:
      return {
        verdict: "not a user name",
        detail: `${show(why.character ?? "")} cannot be in one: only the letters a to z, digits and hyphens.`,
        ...plain,
      };
  }
}

function evidence(where: "snapshot" | "delta"): string {
  return where === "delta" ? "Claimed since the snapshot, it seems." : "All eight bits are set.";
}

export function words(answer: Answer, now: number): Words {
  switch (answer.kind) {
    case "idle":
      return refusal({ refused: "empty" });
    case "refused":
      return refusal(answer.why);
    case "free":
      return {
        verdict: `free, as of ${ago(now - answer.asOf)}`,
        detail: `Looked up here in ${span(answer.took)}, with no request: of eight bits, ${inLetters(answer.empty)} ${answer.empty === 1 ? "is" : "are"} empty.`,
        flower: "open",
        tone: "good",
      };
    case "probably":
      return {
        verdict: "probably taken",
        detail: `${evidence(answer.where)} Asking the server, to be sure …`,
        flower: "bud",
        tone: "wait",
      };
    case "unconfirmed":
      return {
        verdict: "probably taken",
        detail: `${evidence(answer.where)} To be sure one has to ask the server, and ${answer.reason}.`,
        flower: "bud",
        tone: "bad",
      };
    case "taken":
      return {
        verdict: "taken",
        detail:
          answer.claimedAt === null
            ? "The filter thought so, and the server is sure. That took one request."
            : `Claimed ${ago(now - answer.claimedAt)}, after the snapshot: the small second filter knew.`,
        flower: "bud",
        tone: "bad",
      };
    case "mistaken":
      return {
        verdict: "free after all",
        detail: answer.owners
          ? "The filter was mistaken, as it is with one stranger in a hundred, and the server knew better. Below: whose bits it met."
          : "The small filter of new claims was mistaken, as it is now and then, and the server knew better.",
        flower: "open",
        tone: "good",
      };
    case "asking":
      return { verdict: "asking the server …", detail: "There is no filter here to look into.", flower: "half", tone: "wait" };
    case "free-says-server":
      return { verdict: "free", detail: "Says the server. That took one request.", flower: "open", tone: "good" };
    case "taken-says-server":
      return { verdict: "taken", detail: "Says the server. That took one request.", flower: "bud", tone: "bad" };
    case "unknown":
      return { verdict: "nobody to ask", detail: `There is no filter here, and ${answer.reason}.`, flower: "half", tone: "plain" };
    case "claiming":
      return { verdict: "claiming it …", detail: "The server's unique index decides.", flower: "half", tone: "wait" };
    case "unclaimed":
      return { verdict: "not claimed", detail: `Only the server can give a name, and ${answer.reason}.`, flower: "half", tone: "plain" };
    case "yours":
      return {
        verdict: "yours",
        detail: "The unique index had no such name, and now has it. The next visitor's filter knows.",
        flower: "open",
        tone: "good",
      };
    case "lost":
      return {
        verdict: "somebody has it",
        detail:
          answer.claimedAt === null
            ? "The unique index has this name since before the snapshot."
            : `Somebody claimed it ${ago(now - answer.claimedAt)}. The index gives a name once, to whoever comes first.`,
        flower: "bud",
        tone: "bad",
      };
  }
}

/** The answer in one breath, for a screen reader. */
export function spoken(answer: Answer, now: number): string {
  if (answer.kind === "idle" || answer.kind === "asking" || answer.kind === "probably") return "";
  const { verdict, detail } = words(answer, now);
  const name = "name" in answer ? `${answer.name}: ` : "";
  return answer.kind === "free" ? `${name}${verdict}` : `${name}${verdict}. ${detail}`;
}

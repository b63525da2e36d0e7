/**
 * Draws the 64-byte line that a name asks: eight lanes of 64 bits, the asked bit of each lane ringed, and beside it whose
 * it is, when the server has told. Each lane says in words what it shows.
 */
import type { ExplainedLine } from "tepal";
import { byId, make, say, svg } from "./dom.js";
import type { BitOwners, Owners } from "./server.js";
import { count, inLetters } from "./words.js";

const STEP = 10;

function laneArt(word: bigint, asked: number, set: boolean, perRow: number): SVGElement {
  const rows = 64 / perRow;
  const art = svg("svg", {
    viewBox: `0 0 ${perRow * STEP} ${rows * STEP + 4}`,
    class: `lane-art lane-art-${perRow}`,
    "aria-hidden": "true",
  });
  let empty = "";
  let full = "";
  const dot = (x: number, y: number, r: number) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;
  for (let bit = 0; bit < 64; bit++) {
    if (bit === asked) continue;
    const [x, y] = place(bit, perRow);
    if ((word >> BigInt(bit)) & 1n) full += dot(x, y, 2.9);
    else empty += dot(x, y, 1.3);
  }
  const [x, y] = place(asked, perRow);
  art.append(
    svg("path", { d: empty, class: "bit-empty" }),
    svg("path", { d: full, class: "bit-set" }),
    svg("circle", { cx: x, cy: y, r: 5.6, class: set ? "ring ring-set" : "ring ring-free" }),
    svg("circle", { cx: x, cy: y, r: set ? 3 : 1.6, class: set ? "asked asked-set" : "asked asked-free" }),
  );
  return art;
}

function place(bit: number, perRow: number): [number, number] {
  return [(bit % perRow) * STEP + STEP / 2, Math.floor(bit / perRow) * STEP + STEP / 2 + 2];
}

function ones(word: bigint): number {
  return word.toString(2).replaceAll("0", "").length;
}

function owner(names: readonly string[]): (Node | string)[] {
  if (names.length === 0) return ["set by a name claimed since"];
  // As many as fit beside the drawing, and at least one.
  const room = names.slice(0, 2).join().length <= (names.length > 2 ? 16 : 24) ? 2 : 1;
  const shown = names.slice(0, room).flatMap((name, i) => [i ? ", " : "", make("b", {}, name)]);
  return ["set by ", ...shown, ...(names.length > room ? [` and ${names.length - room} more`] : [])];
}

function lane(line: ExplainedLine, index: number, owners: BitOwners | undefined): HTMLElement {
  const word = line.words[index] ?? 0n;
  const bit = line.bits.find((asked) => asked.lane === index);
  const number = bit?.bit ?? 0;
  const set = bit?.set ?? false;
  const label = make("span", { class: "lane-label" });
  if (!set) label.append(make("b", { class: "lane-free" }, "empty"));
  else if (owners) label.append(...owner(owners.names));
  else label.append("set");
  const spoken = `Lane ${index + 1}: ${ones(word)} of 64 bits are set. Bit ${number} is asked, and is `;
  return make(
    "li",
    { class: set ? "lane-row" : "lane-row lane-row-free" },
    make("span", { class: "unseen" }, spoken),
    laneArt(word, number, set, 64),
    laneArt(word, number, set, 32),
    label,
  );
}

/** Draws the line of `name`; `owners` when the server has said whose bits it met. */
export function drawLine(name: string, line: ExplainedLine, lines: number, owners: Owners | undefined, chance: number): void {
  const set = line.bits.filter((bit) => bit.set).length;
  const caption = byId("line-caption");
  caption.replaceChildren(
    make("b", {}, name),
    ` asks line ${count(line.line + 1)} of ${count(lines)}: `,
    set === line.bits.length ? "all eight bits are set." : `${inLetters(set)} of eight bits ${set === 1 ? "is" : "are"} set.`,
  );
  byId("bits").replaceChildren(
    ...line.words.map((_, index) => lane(line, index, owners?.bits.find((bit) => bit.lane === index))),
  );
  say(
    "line-note",
    owners
      ? `Nobody is called ${name}. ${count(owners.neighbours)} names share this line, and between them they have set every bit ` +
          "it asks. The filter has to say “probably”; the server, one request later, says “free”."
      : `A stranger who asks this line meets eight set bits with a chance of ${(100 * chance).toFixed(2)} %.`,
  );
}

/**
 * A flower of eight tepals, one for each bit that a name asks. It opens when the name is free and closes to a bud when it
 * is taken. A tepal is coloured when its bit is set and pale when it is empty, so every name has a flower of its own.
 * How it stands and moves is the style sheet's business; this file only says which.
 */
import { svg } from "./dom.js";

const TEPALS = 8;
const SHAPE = "M0 6C-30-22-46-88-27-124-20-138-8-150 0-162 8-150 20-138 27-124 46-88 30-22 0 6Z";
const VEINS = ["M0-8C-1-50-1-100 0-150", "M-4-12C-18-48-22-88-13-124", "M4-12C18-48 22-88 13-124"];

function gradient(id: string, stops: readonly [string, string][]): SVGElement {
  const element = svg("linearGradient", { id, x1: 0, y1: 1, x2: 0, y2: 0 });
  for (const [offset, name] of stops) element.append(svg("stop", { offset, class: name }));
  return element;
}

function tepal(index: number): SVGElement {
  const group = svg(
    "g",
    { class: "tepal" },
    svg("path", { d: SHAPE, class: "tepal-pale", fill: "url(#pale)" }),
    svg("path", { d: SHAPE, class: "tepal-full", fill: "url(#full)" }),
    ...VEINS.map((d) => svg("path", { d, class: "tepal-vein" })),
  );
  const turn = index - (TEPALS - 1) / 2;
  group.style.setProperty("--turn", String(turn));
  group.style.setProperty("--side", String(Math.abs(turn)));
  return group;
}

function stamens(): SVGElement {
  const group = svg("g", { class: "stamens" });
  for (let i = 0; i < 16; i++) {
    const turn = (i / 16) * 2 * Math.PI;
    const reach = i % 2 ? 30 : 24;
    const [x, y] = [Math.sin(turn) * reach, -Math.cos(turn) * reach];
    group.append(svg("line", { x1: 0, y1: 0, x2: x, y2: y }), svg("circle", { cx: x, cy: y, r: 3.1 }));
  }
  group.append(svg("circle", { cx: 0, cy: 0, r: 9, class: "heart" }));
  return group;
}

export class Flower {
  #root: SVGElement;
  #tepals: SVGElement[];

  constructor(place: HTMLElement) {
    // From the sides to the middle, so that a bud has its middle in front.
    const order = [0, 7, 2, 5, 1, 6, 4, 3];
    const made = order.map((index) => [index, tepal(index)] as const);
    this.#tepals = Array.from({ length: TEPALS });
    for (const [index, element] of made) this.#tepals[index] = element;
    const defs = svg("defs", {});
    defs.append(
      gradient("full", [["0", "full-0"], ["0.45", "full-1"], ["1", "full-2"]]),
      gradient("pale", [["0", "pale-0"], ["0.5", "pale-1"], ["1", "pale-2"]]),
    );
    const stem = svg(
      "g",
      { class: "stem" },
      svg("path", { d: "M0 0C6 90-8 170 3 272", class: "stalk" }),
      svg("path", { d: "M-1 178C-34 150-84 150-118 176-84 200-36 202-1 178Z", class: "leaf" }),
      svg("path", { d: "M-2 178C-40 170-80 170-112 176", class: "leaf-vein" }),
      svg("path", { d: "M0 226C30 190 78 182 112 200 86 230 36 244 0 226Z", class: "leaf" }),
      svg("path", { d: "M2 225C36 208 76 200 106 201", class: "leaf-vein" }),
    );
    const head = svg("g", { class: "head" }, ...made.map(([, element]) => element), stamens());
    this.#root = svg("svg", { viewBox: "-190 -190 380 470", class: "flower-art", "aria-hidden": "true" }, defs, stem, head);
    place.append(this.#root);
    this.show("half", undefined, "plain");
  }

  /** How it stands, and which of the eight bits are set (undefined: no name, or nothing known). */
  show(state: "half" | "open" | "bud", bits: readonly boolean[] | undefined, tone: string): void {
    this.#root.setAttribute("data-state", state);
    this.#root.setAttribute("data-tone", tone);
    this.#tepals.forEach((element, i) => element.classList.toggle("is-pale", bits !== undefined && !bits[i]));
  }
}

/**
 * The filters in front of the database: the snapshot that Python built, and a small second one, the delta, with the
 * names claimed since. A no of both is final, so the database is not asked. A yes is a question for the database.
 * Both run on the same package that the page runs, here on its native side.
 */
import { createHash } from "node:crypto";
import { BloomFilter } from "tepal";

const DELTA_CAPACITY = 4096;
const DELTA_RATE = 0.001;

export class Gate {
  #snapshot;
  #metadata;
  #delta;
  /** @type {{ bytes: Buffer, etag: string } | undefined} */
  #packed;

  /**
   * @param {BloomFilter} snapshot
   * @param {Iterable<string>} claimed names claimed since the snapshot
   */
  constructor(snapshot, claimed) {
    this.#snapshot = snapshot;
    this.#metadata = { normalise: snapshot.metadata.normalise ?? "" };
    const names = [...claimed];
    this.#delta = this.#emptyDelta(names.length);
    this.#delta.update(names);
  }

  /** @param {number} names how many it must hold by now */
  #emptyDelta(names) {
    let capacity = DELTA_CAPACITY;
    while (capacity < 2 * names) capacity *= 2;
    return new BloomFilter({ capacity, fpr: DELTA_RATE, layout: "line", metadata: this.#metadata });
  }

  get snapshot() {
    return this.#snapshot;
  }

  /**
   * @param {string} name
   * @returns {"no" | "snapshot" | "delta"} which filter says "probably"
   */
  ask(name) {
    if (this.#snapshot.has(name)) return "snapshot";
    return this.#delta.has(name) ? "delta" : "no";
  }

  /**
   * Adds a name that was just claimed. When the delta is full, a larger one takes its place.
   * @param {string} name
   * @param {() => Iterable<string>} all every claimed name
   */
  add(name, all) {
    this.#packed = undefined;
    this.#delta.add(name);
    if (this.#delta.saturation <= 1) return;
    const names = [...all()];
    const larger = this.#emptyDelta(names.length);
    larger.update(names);
    this.#delta = larger;
  }

  /** The delta's bytes, and a tag that changes when they do. */
  packedDelta() {
    if (!this.#packed) {
      const bytes = Buffer.from(this.#delta.toBytes());
      const etag = `"${createHash("sha256").update(bytes).digest("hex").slice(0, 16)}"`;
      this.#packed = { bytes, etag };
    }
    return this.#packed;
  }

  /**
   * The line of the snapshot that a name asks.
   * @param {string} name
   */
  lineOf(name) {
    return this.#line(name).line;
  }

  /** @param {string} name */
  #line(name) {
    const [line] = this.#snapshot.explain(name).lines;
    if (!line) throw new Error("a filter of this layout has a line for every key");
    return line;
  }

  /**
   * Whose bits a name met: for each bit that it asks, the names that set it.
   * @param {string} name
   * @param {(line: number) => string[]} namesOnLine
   */
  owners(name, namesOnLine) {
    const asked = this.#line(name);
    const neighbours = namesOnLine(asked.line).map((owner) => ({ owner, bits: this.#line(owner).bits }));
    return {
      line: asked.line,
      neighbours: neighbours.length,
      bits: asked.bits.map(({ lane, bit, set }) => ({
        lane,
        bit,
        set,
        names: neighbours
          .filter(({ bits }) => bits.some((theirs) => theirs.lane === lane && theirs.bit === bit))
          .map(({ owner }) => owner),
      })),
    };
  }
}

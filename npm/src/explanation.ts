/**
 * The answer of `explain`: which bits a key asks for and which of them are set. Plain data, unpacked from the bytes that
 * both backends give (all little-endian):
 * f64 chance | u64 hi | u64 lo | u32 contained | u32 lines | per line: u64 line, u64 body offset, 8 × u64 words, u32 bits,
 * and per bit 3 bytes: lane, bit, set (0 or 1).
 */

/** One bit that the key asks for. */
export interface ExplainedBit {
  /** Which 64-bit word of the line, 0 to 7. */
  readonly lane: number;
  /** Which bit of the word, 0 (value 1) to 63. */
  readonly bit: number;
  /** Whether it is set. */
  readonly set: boolean;
}

/** One 64-byte line that the key asks. */
export interface ExplainedLine {
  /** The line's number, from 0. */
  readonly line: number;
  /** Where it starts, in bytes from the start of the body. */
  readonly bodyOffset: number;
  /** Its eight words as they are now. */
  readonly words: readonly bigint[];
  /** The bits that the key asks for. */
  readonly bits: readonly ExplainedBit[];
}

/** Why a filter answers as it does for one key. */
export interface Explanation {
  /** The key's 128-bit hash as 32 hexadecimal digits. */
  readonly hash: string;
  /** What `has` answers. */
  readonly contained: boolean;
  /** The chance that a key that was never added, asking these same lines, would get a yes. */
  readonly falsePositiveChance: number;
  /** The lines that the key asks. */
  readonly lines: readonly ExplainedLine[];
}

const hex = (word: bigint): string => word.toString(16).padStart(16, "0");

/** Unpacks what a backend packed. */
export function unpackExplanation(packed: Uint8Array): Explanation {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  let at = 0;
  const u8 = () => view.getUint8(at++);
  const u32 = () => view.getUint32((at += 4) - 4, true);
  const u64 = () => view.getBigUint64((at += 8) - 8, true);
  const repeat = <T>(count: number, one: () => T): T[] => Array.from({ length: count }, one);

  const falsePositiveChance = view.getFloat64((at += 8) - 8, true);
  const hash = hex(u64()) + hex(u64());
  const contained = u32() === 1;
  const lines = repeat(u32(), () => ({
    line: Number(u64()),
    bodyOffset: Number(u64()),
    words: repeat(8, u64),
    bits: repeat(u32(), () => ({ lane: u8(), bit: u8(), set: u8() === 1 })),
  }));
  return { hash, contained, falsePositiveChance, lines };
}

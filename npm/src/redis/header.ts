/**
 * The header of a RedisBloom filter: what BF.SCANDUMP gives first. It says what all levels are without their bits.
 */
import { FormatError } from "../api.js";

const HEAD = 20;
const LEVEL = 53;
const NO_SCALING = 8;

/** One sub filter: the keys in it, those it is made for, its rate, and its bytes. */
export interface HeaderLevel {
  readonly insertedCount: number;
  readonly capacity: number;
  readonly fpr: number;
  readonly byteLength: number;
}

/** The facts of the whole filter. */
export interface Header {
  readonly scaling: boolean;
  readonly levels: readonly [HeaderLevel, ...HeaderLevel[]];
  /** What BF.RESERVE was given: a scaling filter's first level has half of it. */
  readonly fpr: number;
  readonly byteLength: number;
}

/** Reads a header; `ERR_FOREIGN` for anything else. */
export function parseHeader(data: unknown): Header {
  const bytes = data instanceof Uint8Array ? data : new Uint8Array();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = bytes.length < HEAD ? 0 : view.getUint32(8, true);
  if (count === 0 || bytes.length !== HEAD + count * LEVEL) throw noHeader();
  const scaling = (view.getUint32(12, true) & NO_SCALING) === 0;
  const u64 = (at: number) => Number(view.getBigUint64(at, true));
  const levels = Array.from({ length: count }, (_, i) => {
    const at = HEAD + i * LEVEL;
    const level = { insertedCount: u64(at + 16), capacity: u64(at + 44), fpr: view.getFloat64(at + 24, true), byteLength: u64(at) };
    if (level.byteLength === 0) throw noHeader();
    return level;
  }) as [HeaderLevel, ...HeaderLevel[]];
  const byteLength = levels.reduce((sum, level) => sum + level.byteLength, 0);
  return { scaling, levels, fpr: levels[0].fpr * (scaling ? 2 : 1), byteLength };
}

function noHeader(): Error {
  return new FormatError("ERR_FOREIGN", "header: expected one of RedisBloom, got other bytes");
}

/** The local class, until `../api.js` exports it. */
import * as tepal from "../api.js";

export interface ScalableBloomFilter {
  readonly scheme: string;
  readonly estimatedFpr: number;
  toBytes(): Uint8Array;
  toRedisbloom(): { iterator: number; chunk: Uint8Array }[];
  toValkeyDump(): Uint8Array;
}

export const ScalableBloomFilter = (
  tepal as unknown as {
    ScalableBloomFilter: {
      fromRedisbloom(chunks: { iterator: number | bigint; chunk: Uint8Array }[]): ScalableBloomFilter;
      fromValkey(bytes: Uint8Array): ScalableBloomFilter;
    };
  }
).ScalableBloomFilter;

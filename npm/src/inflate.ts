/**
 * Raw DEFLATE (RFC 1951), synchronously: engines only offer it asynchronously. It opens the module that the build packed into the
 * package, nothing else, so it trusts its input. Packed, the module costs a page a quarter less than as plain base64.
 */

const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/** A Huffman code as a table: the next bits of the stream, low bit first, give symbol · 16 + length. */
interface Code {
  mask: number;
  entries: Uint16Array;
}

function code(lengths: ArrayLike<number>): Code {
  let longest = 1;
  for (let i = 0; i < lengths.length; i++) longest = Math.max(longest, lengths[i]!);
  const entries = new Uint16Array(1 << longest);
  let next = 0;
  for (let length = 1; length <= longest; length++, next <<= 1) {
    for (let symbol = 0; symbol < lengths.length; symbol++) {
      if (lengths[symbol] !== length) continue;
      let reversed = 0;
      for (let i = 0; i < length; i++) reversed |= ((next >> i) & 1) << (length - 1 - i);
      for (let i = reversed; i < entries.length; i += 1 << length) entries[i] = symbol * 16 + length;
      next++;
    }
  }
  return { mask: entries.length - 1, entries };
}

/** First value and number of extra bits of each length or distance symbol. */
function table(first: number, group: number, size: number): { base: number[]; extra: number[] } {
  const base: number[] = [];
  const extra: number[] = [];
  for (let i = 0, value = first; i < size; i++) {
    const bits = Math.max(0, (i / group - 1) | 0);
    base.push(value);
    extra.push(bits);
    value += 1 << bits;
  }
  return { base, extra };
}

/** Unpacks `packed` into `size` bytes. */
export function inflate(packed: Uint8Array, size: number): Uint8Array {
  const out = new Uint8Array(size);
  const lengthOf = table(3, 4, 28);
  lengthOf.base.push(258);
  lengthOf.extra.push(0);
  const distanceOf = table(1, 2, 30);
  let at = 0; // in bits
  let filled = 0;
  // At least 17 bits from where we are (behind the end zeros): no symbol needs more than 15, no number more than 16.
  const peek = () => (packed[at >> 3]! | (packed[(at >> 3) + 1]! << 8) | (packed[(at >> 3) + 2]! << 16)) >> (at & 7);
  const bits = (n: number) => {
    const value = peek() & ((1 << n) - 1);
    at += n;
    return value;
  };
  const symbol = ({ mask, entries }: Code) => {
    const entry = entries[peek() & mask]!;
    at += entry & 15;
    return entry >> 4;
  };
  for (let last = 0; last === 0; ) {
    last = bits(1);
    const kind = bits(2);
    if (kind === 0) {
      at = (at + 7) & ~7;
      const length = bits(16);
      at += 16;
      out.set(packed.subarray(at >> 3, (at >> 3) + length), filled);
      filled += length;
      at += length * 8;
      continue;
    }
    let literals: Code;
    let distances: Code;
    if (kind === 1) {
      literals = code(Array.from({ length: 288 }, (_, i) => (i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8)));
      distances = code(new Array(30).fill(5));
    } else {
      const sizes = [bits(5) + 257, bits(5) + 1, bits(4) + 4] as const;
      const meta = new Uint8Array(19);
      for (let i = 0; i < sizes[2]; i++) meta[ORDER[i]!] = bits(3);
      const metaCode = code(meta);
      const lengths: number[] = [];
      while (lengths.length < sizes[0] + sizes[1]) {
        const s = symbol(metaCode);
        if (s < 16) lengths.push(s);
        else {
          const value = s === 16 ? lengths[lengths.length - 1]! : 0;
          for (let n = s === 16 ? 3 + bits(2) : s === 17 ? 3 + bits(3) : 11 + bits(7); n > 0; n--) lengths.push(value);
        }
      }
      literals = code(lengths.slice(0, sizes[0]));
      distances = code(lengths.slice(sizes[0]));
    }
    for (;;) {
      const s = symbol(literals);
      if (s === 256) break;
      if (s < 256) out[filled++] = s;
      else {
        const length = lengthOf.base[s - 257]! + bits(lengthOf.extra[s - 257]!);
        const d = symbol(distances);
        const from = filled - distanceOf.base[d]! - bits(distanceOf.extra[d]!);
        for (let i = 0; i < length; i++) out[filled++] = out[from + i]!;
      }
    }
  }
  return out;
}

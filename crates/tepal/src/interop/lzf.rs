//! LZF, in which servers store long strings of DUMP payloads: only decompression.
use super::{agree, foreign, Reader};
use crate::bits::try_vec;
use crate::error::Result;
use alloc::vec::Vec;

/// The most bytes that one of LZF can stand for: three of them repeat 264.
const MOST: u64 = 88;

/// The `len` bytes that `data` stands for. `ERR_FOREIGN` if it stands for other than so many; memory is asked for only when `data`
/// is long enough for them.
pub(super) fn decompress(data: &[u8], len: u64) -> Result<Vec<u8>> {
    if len > data.len() as u64 * MOST {
        return Err(foreign("compressed string", "at most 88 times as many bytes as there are", len));
    }
    let most = len as usize;
    let mut out = try_vec(most)?;
    let mut reader = Reader(data);
    while !reader.0.is_empty() {
        let control = reader.little(1, "compressed string")?;
        let high = control >> 5;
        if high == 0 {
            let literal = reader.take(control + 1, "compressed string")?;
            room(&out, literal.len(), most)?;
            out.extend_from_slice(literal);
            continue;
        }
        let repeat = high + 2 + if high == 7 { reader.little(1, "compressed string")? } else { 0 };
        let back = ((control & 31) << 8) + reader.little(1, "compressed string")? + 1;
        room(&out, repeat as usize, most)?;
        let Some(from) = out.len().checked_sub(back as usize) else {
            return Err(foreign("compressed string", "a repetition of bytes before it", back));
        };
        for at in from..from + repeat as usize {
            out.push(out[at]);
        }
    }
    agree("compressed string", "as many bytes as it says", out.len() as u64, len)?;
    Ok(out)
}

fn room(out: &[u8], more: usize, most: usize) -> Result<()> {
    if out.len() + more <= most {
        return Ok(());
    }
    Err(foreign("compressed string", "as many bytes as it says", (out.len() + more) as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_and_repetitions() {
        assert_eq!(decompress(&[2, b'a', b'b', b'c'], 3).unwrap(), b"abc");
        assert_eq!(decompress(&[1, b'a', b'b', 0x80, 1], 8).unwrap(), b"abababab");
        // The longest repetition: 264 bytes from three.
        assert_eq!(decompress(&[0, 0, 0xE0, 255, 0], 265).unwrap(), [0; 265]);
        assert!(decompress(&[], 0).unwrap().is_empty());
    }

    #[test]
    fn other_bytes_are_refused() {
        for (data, len) in [
            (&[0u8, 0, 0xE0, 255, 0][..], 264), // more than said
            (&[0, 0, 0xE0, 255, 0], 266),       // less
            (&[0, 0, 0xE0, 255, 0], 441),       // more than five bytes can be
            (&[0x20, 0], 3),                    // nothing to repeat
            (&[0, 1, 0x20, 1], 4),              // before the beginning
            (&[1, 1, 1], 1),
        ] {
            assert_eq!(decompress(data, len).unwrap_err().code(), "ERR_FOREIGN", "{data:?} {len}");
        }
        for data in [&[2u8, 1, 1][..], &[0, 1, 0x20], &[0, 1, 0xE0, 1]] {
            assert_eq!(decompress(data, 9).unwrap_err().code(), "ERR_TRUNCATED");
        }
    }
}

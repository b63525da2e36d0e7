//! Bodies in pieces: blocks of lines on their way out, and the checksum over pieces of any length.
use crate::bits::Lines;
use crate::error::Result;
use crate::hash::{checksum_step, CHECKSUM_BLOCK};
use alloc::vec::Vec;

/// Lines per block of a streamed body: a step of the checksum.
pub(crate) const BLOCK: usize = CHECKSUM_BLOCK / 64;

/// Calls `f` with copies of the body's blocks, as they are written.
#[inline(always)]
pub(crate) fn each_block<E>(lines: Lines<'_>, mut f: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
    let mut block = Vec::with_capacity(BLOCK.min(lines.count()) * 64);
    for from in (0..lines.count()).step_by(BLOCK) {
        block.clear();
        for line in from..lines.count().min(from + BLOCK) {
            lines.line(line).iter().for_each(|lane| block.extend_from_slice(&lane.to_le_bytes()));
        }
        f(&block)?;
    }
    Ok(())
}

/// The checksum (FORMAT.md, section 1.5) of bytes that come in pieces of any length.
pub(crate) struct Sum {
    sum: u64,
    held: Vec<u8>,
}

impl Sum {
    pub fn new() -> Self {
        Sum { sum: 0, held: Vec::new() }
    }

    pub fn update(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(CHECKSUM_BLOCK - self.held.len()));
            if self.held.capacity() < self.held.len() + now.len() {
                self.held.reserve_exact(CHECKSUM_BLOCK - self.held.len()); // once
            }
            self.held.extend_from_slice(now);
            bytes = later;
            if self.held.len() == CHECKSUM_BLOCK {
                self.sum = checksum_step(self.sum, &self.held);
                self.held.clear();
            }
        }
    }

    pub fn finish(self) -> u64 {
        if self.held.is_empty() {
            self.sum
        } else {
            checksum_step(self.sum, &self.held)
        }
    }
}

/// Fills the buffer, or as much of it as there is.
#[cfg(feature = "std")]
pub(crate) fn read_up_to(reader: &mut (impl std::io::Read + ?Sized), mut buffer: &mut [u8]) -> Result<usize> {
    use std::io::ErrorKind;
    let mut total = 0;
    while !buffer.is_empty() {
        match reader.read(buffer) {
            Ok(0) => break,
            Ok(n) => {
                buffer = &mut buffer[n..];
                total += n;
            }
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return Err(crate::error::Error::os("read", &e)),
        }
    }
    Ok(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_any_length_have_the_sum_of_the_whole() {
        let bytes: Vec<u8> = (0..200_000u32).map(|i| ((i * 7) >> 3) as u8).collect();
        for piece in [1, 64, 65_535, 65_536, 65_537, 200_000] {
            let mut sum = Sum::new();
            bytes.chunks(piece).for_each(|b| sum.update(b));
            assert_eq!(sum.finish(), crate::hash::checksum(&bytes), "{piece}");
        }
        assert_eq!(Sum::new().finish(), crate::hash::checksum(&[]));
    }
}

//! `BloomFilter` to and from bytes: in memory, as a view without a copy, and streamed.
//!
//! Writing is one pass in which each block is copied, hashed and handed on, so an insertion meanwhile cannot corrupt
//! the result; it is in it or not. Reading verifies everything; a view leaves the body for [`BloomFilter::verify`].
use crate::bits::{try_vec, Body, Bytes, Owned, Shared, Storage};
use crate::bloom::BloomFilter;
use crate::error::{Error, Result};
use crate::format::{self, TRAILER};
use crate::hash::{checksum, checksum_step};
use crate::stream::each_block;
#[cfg(feature = "std")]
use crate::stream::{read_up_to, BLOCK};
use alloc::{sync::Arc, vec::Vec};

impl<B: Body> BloomFilter<B> {
    /// The length of [`BloomFilter::to_bytes`] in bytes.
    pub fn byte_len(&self) -> u64 {
        format::total_len(self.params.lines, &self.metadata)
    }

    /// The filter as bytes, the same in every language: 192 bytes and the metadata around 64 bytes a line. Errors: `ERR_OUT_OF_MEMORY`, `ERR_TOO_LARGE`.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        self.bytes(false)
    }

    /// [`BloomFilter::to_bytes`] without the seed, for publishing; whoever opens them must know it. (A filter that was opened with
    /// a withheld seed knows it too: withhold it again.)
    pub fn to_bytes_without_seed(&self) -> Result<Vec<u8>> {
        self.bytes(true)
    }

    fn bytes(&self, withhold_seed: bool) -> Result<Vec<u8>> {
        let len = usize::try_from(self.byte_len()).map_err(|_| Error::too_large(self.byte_len()))?;
        let mut out = try_vec(len)?;
        self.write_parts(withhold_seed, |part| {
            out.extend_from_slice(part);
            Ok::<(), Error>(())
        })?;
        Ok(out)
    }

    /// Hands the serialized filter on in pieces of at most 64 KiB (the header may be a little longer).
    pub fn write_parts<E>(&self, withhold_seed: bool, mut sink: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        sink(&format::encode_header(&self.params, &self.metadata, withhold_seed))?;
        let mut sum = 0;
        each_block(self.body.lines(), |block| {
            sum = checksum_step(sum, block);
            sink(block)
        })?;
        sink(&format::encode_trailer(sum))
    }

    fn body_checksum(&self) -> u64 {
        let mut sum = 0;
        let _ = each_block(self.body.lines(), |block| {
            sum = checksum_step(sum, block);
            Ok::<(), ()>(())
        });
        sum
    }

    /// [`BloomFilter::to_bytes`] into a writer, without a second copy of the body. An error of the writer is returned as it is.
    #[cfg(feature = "std")]
    pub fn write_to(&self, writer: &mut (impl std::io::Write + ?Sized)) -> std::io::Result<()> {
        self.write_parts(false, |part| writer.write_all(part))
    }
}

impl BloomFilter<Owned> {
    /// A filter from its bytes, verified to the last one.
    ///
    /// Any bytes may be given: the result is a filter or an error that says what is wrong (the `ERR_…` codes of
    /// FORMAT.md, section 1.6), never a panic, and no more memory is used than the bytes themselves take.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        Self::read_bytes(bytes, None)
    }

    /// [`BloomFilter::from_bytes`] for bytes whose seed was withheld. `ERR_SEED_DIFFERS` if it is not theirs.
    pub fn from_bytes_with_seed(bytes: &[u8], seed: u64) -> Result<Self> {
        Self::read_bytes(bytes, Some(seed))
    }

    fn read_bytes(bytes: &[u8], seed: Option<u64>) -> Result<Self> {
        let header = format::decode(bytes, seed)?;
        let (body, trailer) = bytes[header.body_offset..].split_at(header.params.lines as usize * 64);
        format::check_body(checksum(body), trailer)?;
        let mut owned = Owned::zeroed(header.params.lines)?;
        owned.bytes_mut().copy_from_slice(body);
        Ok(BloomFilter { params: header.params, metadata: header.metadata, body: owned })
    }

    /// A filter from a reader: what [`BloomFilter::from_bytes`] does, without a second copy of the body. `seed` is for bytes that
    /// withhold theirs. `available` is how many bytes the reader is known to hold (a file's length): the filter must be
    /// exactly those. Without it, what follows the filter is left unread, and memory grows with what really comes.
    ///
    /// Errors: the codes of FORMAT.md, `ERR_IO` with the reader's reason.
    #[cfg(feature = "std")]
    pub fn read_from(
        reader: &mut (impl std::io::Read + ?Sized),
        seed: Option<u64>,
        available: Option<u64>,
    ) -> Result<Self> {
        let mut head = [0; format::MIN_HEADER];
        let got = read_up_to(reader, &mut head)?;
        let offset = format::header_len(&head[..got])?;
        let mut bytes = head.to_vec();
        bytes.resize(offset, 0);
        let got = format::MIN_HEADER + read_up_to(reader, &mut bytes[format::MIN_HEADER..])?;
        if got < offset {
            return Err(Error::truncated("header", offset as u64, got as u64));
        }
        let header = format::decode_header(&bytes, seed)?;
        let lines = header.params.lines;
        let need = format::total_len(lines, &header.metadata);
        let mut held = match available {
            Some(there) => {
                format::all_there(there, need)?;
                lines
            }
            None => lines.min(16_384), // 1 MiB, then doubled while bytes keep coming
        };
        let mut owned = Owned::zeroed(held)?;
        let mut sum = 0;
        let mut filled = 0usize;
        loop {
            let target = held as usize * 64;
            while filled < target {
                let block = &mut owned.bytes_mut()[filled..target.min(filled + BLOCK * 64)];
                let wanted = block.len();
                let got = read_up_to(reader, block)?;
                sum = checksum_step(sum, &block[..got]);
                filled += got;
                if got < wanted {
                    return Err(Error::truncated("filter", need, (offset + filled) as u64));
                }
            }
            if held == lines {
                break;
            }
            held = lines.min(held * 2);
            let mut larger = Owned::zeroed(held)?;
            larger.bytes_mut()[..filled].copy_from_slice(owned.bytes_mut());
            owned = larger;
        }
        let mut trailer = [0; TRAILER];
        let got = read_up_to(reader, &mut trailer)?;
        if got < TRAILER {
            return Err(Error::truncated("filter", need, (offset + filled + got) as u64));
        }
        format::check_body(sum, &trailer)?;
        Ok(BloomFilter { params: header.params, metadata: header.metadata, body: owned })
    }
}

impl<'a> BloomFilter<&'a [u8]> {
    /// A read-only filter inside bytes, without a copy; any alignment will do. Header and trailer are verified, the
    /// body is not ([`BloomFilter::verify`] does): a corrupted body gives wrong answers, never a panic. Cost: O(1) in the size.
    ///
    /// ```
    /// let bytes = tepal::BloomFilter::build(["a"], 0.01)?.to_bytes()?;
    /// let view = tepal::BloomFilter::view(&bytes)?;
    /// view.verify(&bytes)?;
    /// assert!(view.contains("a"));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    pub fn view(bytes: &'a [u8]) -> Result<Self> {
        let header = format::decode(bytes, None)?;
        let body = &bytes[header.body_offset..bytes.len() - TRAILER];
        Ok(BloomFilter { params: header.params, metadata: header.metadata, body })
    }

    /// Compares the body with its checksum in the bytes of which this is a view. `ERR_CHECKSUM`. Cost: reads the whole body.
    pub fn verify(&self, bytes: &[u8]) -> Result<()> {
        format::check_body(self.body_checksum(), &bytes[bytes.len().saturating_sub(TRAILER)..])
    }
}

impl BloomFilter<Storage> {
    /// A read-only filter in bytes that somebody else owns, for instance a mapped file: as [`BloomFilter::view`], without a lifetime.
    /// `seed` is for bytes that withhold theirs.
    pub fn from_shared(bytes: Arc<dyn Bytes>, seed: Option<u64>) -> Result<Self> {
        let header = format::decode(bytes.bytes(), seed)?;
        let len = bytes.bytes().len() - TRAILER - header.body_offset;
        let body = Storage::Shared(Shared::new(bytes, header.body_offset, len));
        Ok(BloomFilter { params: header.params, metadata: header.metadata, body })
    }

    /// Compares the body of a view with its checksum; a filter in owned memory was verified when it was read. `ERR_CHECKSUM`.
    /// Cost: reads the whole body.
    pub fn verify(&self) -> Result<()> {
        match &self.body {
            Storage::Owned(_) => Ok(()),
            Storage::Shared(shared) => {
                let whole = shared.whole();
                format::check_body(self.body_checksum(), &whole[whole.len().saturating_sub(TRAILER)..])
            }
        }
    }
}

//! Reading and writing by the stream: what a file, a socket or a pipe may do to the bytes on their way.
//!
//! The result never depends on how the bytes are cut into pieces, what follows the filter stays unread, an error of the
//! reader or writer comes out as it is, and a lack of bytes says how many were needed.
use std::io::{self, ErrorKind, Read, Write};
use tepal::{BloomFilter, Class, Layout, Metadata, Options};

fn sample(n: u64, layout: Layout) -> BloomFilter {
    let metadata = Metadata::from_pairs([("rule", "lower"), ("source", "names ä")]).unwrap();
    let filter = BloomFilter::with_options(n, 0.01, Options { seed: 11, layout: layout.into(), metadata }).unwrap();
    filter.insert_many(0..n);
    filter
}

/// Gives at most `piece` bytes a time, is interrupted before each, and fails with `error` once `fail_at` are out.
struct Reluctant<'a> {
    bytes: &'a [u8],
    piece: usize,
    interrupted: bool,
    fail_at: usize,
    error: ErrorKind,
    given: usize,
}

impl<'a> Reluctant<'a> {
    fn new(bytes: &'a [u8], piece: usize) -> Self {
        Reluctant { bytes, piece, interrupted: false, fail_at: usize::MAX, error: ErrorKind::Other, given: 0 }
    }
}

impl Read for Reluctant<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.interrupted = !self.interrupted;
        if self.interrupted {
            return Err(ErrorKind::Interrupted.into());
        }
        if self.given >= self.fail_at {
            return Err(io::Error::new(self.error, "the cable came off"));
        }
        let n = self.piece.min(buffer.len()).min(self.bytes.len()).min(self.fail_at - self.given);
        buffer[..n].copy_from_slice(&self.bytes[..n]);
        self.bytes = &self.bytes[n..];
        self.given += n;
        Ok(n)
    }
}

const LAYOUTS: [Layout; 3] = [Layout::Line, Layout::Pair, Layout::Classic];

#[test]
fn the_pieces_do_not_matter() {
    for layout in LAYOUTS {
        let filter = sample(3_000, layout);
        let bytes = filter.to_bytes().unwrap();
        for piece in [1, 2, 7, 63, 64, 65, 127, 128, 4096, usize::MAX] {
            for available in [None, Some(bytes.len() as u64)] {
                let mut reader = Reluctant::new(&bytes, piece);
                let read = BloomFilter::read_from(&mut reader, None, available).unwrap();
                assert!(read == filter && read.metadata() == filter.metadata());
                assert_eq!(read.to_bytes().unwrap(), bytes);
            }
        }
    }
}

#[test]
fn a_long_stream_without_a_length_grows_to_the_same_filter() {
    let filter = sample(3_000_000, Layout::Line); // 3.9 MB: three pieces of growth
    let bytes = filter.to_bytes().unwrap();
    for piece in [1_000, 65_536, 65_537, 1 << 20, usize::MAX] {
        let read = BloomFilter::read_from(&mut Reluctant::new(&bytes, piece), None, None).unwrap();
        assert!(read == filter);
    }
    // One flipped bit in each part of the growth is found.
    for at in [200, 1_048_576, 1_500_000, 2_097_152 + 192, bytes.len() - 65, bytes.len() - 50] {
        let mut bytes = bytes.clone();
        bytes[at] ^= 4;
        let error = BloomFilter::read_from(&mut bytes.as_slice(), None, None).unwrap_err();
        assert_eq!(error.code(), "ERR_CHECKSUM", "at {at}");
        assert_eq!(BloomFilter::from_bytes(&bytes).unwrap_err(), error);
    }
}

#[test]
fn what_follows_stays_unread() {
    for layout in LAYOUTS {
        let (a, b) = (sample(100, layout), sample(2_000, layout));
        let mut stream = Vec::new();
        a.write_to(&mut stream).unwrap();
        b.write_to(&mut stream).unwrap();
        stream.extend_from_slice(b"tail");
        let mut rest = stream.as_slice();
        assert!(BloomFilter::read_from(&mut rest, None, None).unwrap() == a);
        assert!(BloomFilter::read_from(&mut rest, None, None).unwrap() == b);
        assert_eq!(rest, b"tail");
        assert_eq!(BloomFilter::read_from(&mut rest, None, None).unwrap_err().code(), "ERR_MAGIC");
    }
}

#[test]
fn a_known_length_must_be_the_filters() {
    let filter = sample(1_000, Layout::Line);
    let bytes = filter.to_bytes().unwrap();
    let len = bytes.len() as u64;
    let read = |available| BloomFilter::read_from(&mut bytes.as_slice(), None, Some(available));
    assert!(read(len).unwrap() == filter);
    for less in [0, 128, 192, len - 1] {
        assert_eq!(read(less).unwrap_err().code(), "ERR_TRUNCATED");
    }
    for more in [len + 1, u64::MAX] {
        assert_eq!(read(more).unwrap_err().code(), "ERR_TRAILING");
    }
    // A length that promises more than comes: found when the stream ends.
    let short = &bytes[..bytes.len() - 1];
    assert_eq!(BloomFilter::read_from(&mut &short[..], None, Some(len)).unwrap_err().code(), "ERR_TRUNCATED");
}

#[test]
fn every_truncation_says_how_much_was_needed() {
    let bytes = sample(50, Layout::Pair).to_bytes().unwrap();
    for len in 0..bytes.len() {
        let error = BloomFilter::read_from(&mut &bytes[..len], None, None).unwrap_err();
        assert_eq!((error.code(), error.class()), ("ERR_TRUNCATED", Class::Data), "after {len}");
        assert_eq!(error, BloomFilter::from_bytes(&bytes[..len]).unwrap_err(), "after {len}");
        let text = error.to_string();
        assert!(text.ends_with(&format!(", got {len}")), "{text}");
    }
}

#[test]
fn an_error_of_the_reader_comes_out() {
    let bytes = sample(2_000, Layout::Line).to_bytes().unwrap();
    for fail_at in [0, 1, 7, 8, 127, 128, 150, 192, 1_000, bytes.len() - 65, bytes.len() - 64, bytes.len() - 1] {
        for error in [ErrorKind::UnexpectedEof, ErrorKind::ConnectionReset, ErrorKind::WouldBlock] {
            let mut reader = Reluctant { fail_at, error, ..Reluctant::new(&bytes, 33) };
            let error = BloomFilter::read_from(&mut reader, None, None).unwrap_err();
            assert_eq!((error.code(), error.class()), ("ERR_IO", Class::Io), "at {fail_at}");
            assert!(error.to_string().contains("the cable came off"), "{error}");
        }
    }
    // After the last byte there is nothing left to fail.
    let mut reader = Reluctant { fail_at: bytes.len(), ..Reluctant::new(&bytes, 33) };
    BloomFilter::read_from(&mut reader, None, None).unwrap();
}

#[test]
fn a_withheld_seed_is_given_with_the_stream() {
    let filter = sample(500, Layout::Classic);
    let bytes = filter.to_bytes_without_seed().unwrap();
    let read = |seed| BloomFilter::read_from(&mut bytes.as_slice(), seed, None);
    assert!(read(Some(11)).unwrap() == filter);
    assert_eq!(read(None).unwrap_err().code(), "ERR_SEED_REQUIRED");
    assert_eq!(read(Some(12)).unwrap_err().code(), "ERR_SEED_DIFFERS");
}

/// Takes a few bytes at a time and fails once it has taken `room`.
struct Tight {
    taken: Vec<u8>,
    room: usize,
    interrupted: bool,
}

impl Write for Tight {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.interrupted = !self.interrupted;
        if self.interrupted {
            return Err(ErrorKind::Interrupted.into());
        }
        let n = bytes.len().min(13).min(self.room - self.taken.len());
        if n == 0 {
            return Err(io::Error::new(ErrorKind::StorageFull, "disk full"));
        }
        self.taken.extend_from_slice(&bytes[..n]);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_writer_gets_the_bytes_or_keeps_its_error() {
    for layout in LAYOUTS {
        let filter = sample(2_000, layout);
        let bytes = filter.to_bytes().unwrap();
        assert_eq!(bytes.len() as u64, filter.byte_len());
        let mut writer = Tight { taken: Vec::new(), room: usize::MAX, interrupted: false };
        filter.write_to(&mut writer).unwrap();
        assert!(writer.taken == bytes);
        for room in [0, 1, 191, 192, 1_000, bytes.len() - 1] {
            let mut writer = Tight { taken: Vec::new(), room, interrupted: false };
            let error = filter.write_to(&mut writer).unwrap_err();
            assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::StorageFull, "disk full"));
            assert!(writer.taken == bytes[..room]);
        }
    }
}

#[test]
fn parts_are_small_and_make_the_bytes() {
    let filter = sample(300_000, Layout::Line);
    for withhold_seed in [false, true] {
        let mut all = Vec::new();
        filter
            .write_parts(withhold_seed, |part| {
                assert!(!part.is_empty() && part.len() <= 65_664);
                all.extend_from_slice(part);
                Ok::<(), ()>(())
            })
            .unwrap();
        assert!(all == if withhold_seed { filter.to_bytes_without_seed() } else { filter.to_bytes() }.unwrap());
    }
    let mut calls = 0;
    let stopped = filter.write_parts(false, |_| {
        calls += 1;
        if calls == 3 {
            Err("stop")
        } else {
            Ok(())
        }
    });
    assert_eq!((stopped, calls), (Err("stop"), 3));
}

//! RedisBloom: chunks of a server, large ones, and numbers that no server makes.
use super::*;
use crate::interop::redisbloom::{self, RedisBloom, RedisBloomFilter, FORCE64, NO_ROUND, NO_SCALING};
use crate::scheme::redisbloom_size;

/// BF.RESERVE g 0.1 3 NONSCALING with the items a b c: the header and the only chunk of RedisBloom 2.8.
const REDISBLOOM_HEADER: &str = "0300000000000000010000000d000000020000000800000000000000400000000000000003000000000000009a9999999999b93f88168ac58c2b134004000000030000000000000000";
const REDISBLOOM_CHUNK: &str = "2004208c10900120";

fn golden_chunks() -> (Vec<u8>, Vec<u8>) {
    (bytes(REDISBLOOM_HEADER), bytes(REDISBLOOM_CHUNK))
}

#[test]
fn redisbloom_chunks_are_read_rebuilt_and_written() {
    let (header, chunk) = golden_chunks();
    for chunks in [&[(1, &header[..]), (9, &chunk[..])][..], &[(1, &header), (9, &chunk), (0, &[])]] {
        let r = redisbloom::decode(chunks).unwrap();
        assert_eq!((r.options, r.growth, r.size()), (NO_ROUND | FORCE64 | NO_SCALING, 2, 3));
        let f = &r.filters[0];
        assert_eq!((f.bits, f.size, f.error, f.hashes, f.entries, f.n2), (64, 3, 0.1, 4, 3, 0));
        let keys = [&b"a"[..], b"b", b"c"];
        assert_eq!(f.data.concat(), filled(Scheme::RedisBloom, &Seed::default(), f.bits, f.hashes, keys));
        let written = redisbloom::encode(&r).unwrap();
        assert_eq!(written, [(1, header.clone()), (9, chunk.clone())]);
    }
}

/// A scaling filter of three sub filters, the second larger than a chunk.
fn large(data: &[u8]) -> RedisBloom<'_> {
    let filters = [(1_000_000u64, 0.01), (20_000_000, 0.005), (400_000_000, 0.0025)];
    let filters = filters.iter().enumerate().map(|(i, &(entries, error))| {
        let (bits, hashes, bpe) = redisbloom_size(entries, error).unwrap();
        let data = vec![&data[i..i + bits as usize / 8]];
        RedisBloomFilter { bits, size: entries - i as u64, error, bpe, hashes, entries, n2: 0, data }
    });
    RedisBloom { options: NO_ROUND | FORCE64, growth: 20, filters: filters.take(2).collect() }
}

#[test]
fn redisbloom_chunks_do_not_cross_sub_filters() {
    let data: Vec<u8> = (0..30 << 20).map(|i: u32| (i.wrapping_mul(2654435761) >> 24) as u8).collect();
    let filter = large(&data);
    let chunks = redisbloom::encode(&filter).unwrap();
    let sizes: Vec<u64> = filter.filters.iter().map(|f| f.bits / 8).collect();
    let ends: Vec<i64> = chunks.iter().map(|c| c.0).collect();
    let total = (sizes[0] + sizes[1]) as i64;
    assert_eq!(ends, [1, 1 + sizes[0] as i64, 1 + sizes[0] as i64 + (16 << 20), 1 + total]);
    let views: Vec<(i64, &[u8])> = chunks.iter().map(|(i, c)| (*i, &c[..])).collect();
    let back = redisbloom::decode(&views).unwrap();
    for (a, b) in filter.filters.iter().zip(&back.filters) {
        assert!(a.data.concat() == b.data.concat());
    }
    assert!(redisbloom::encode(&back).unwrap() == chunks);
    // Missing, exchanged, repeated, emptied, wrongly numbered and surplus chunks.
    let code = |v: &[(i64, &[u8])]| redisbloom::decode(v).err().unwrap().code();
    assert_eq!(code(&[]), "ERR_TRUNCATED");
    assert_eq!(code(&views[1..]), "ERR_FOREIGN");
    for end in 1..views.len() {
        assert_eq!(code(&views[..end]), "ERR_TRUNCATED");
    }
    for (a, b) in [(1, 2), (2, 3), (0, 1)] {
        let mut v = views.clone();
        v.swap(a, b);
        assert_eq!(code(&v), "ERR_FOREIGN");
    }
    for (at, with) in
        [(1, (views[1].0, &[][..])), (2, (views[2].0 + 1, views[2].1)), (2, (views[2].0, &views[2].1[1..]))]
    {
        let mut v = views.clone();
        v[at] = with;
        assert_eq!(code(&v), "ERR_FOREIGN");
    }
    let mut v = views.clone();
    v.push(views[3]);
    assert_eq!(code(&v), "ERR_TRAILING");
}

#[test]
fn damaged_redisbloom_headers_are_refused_or_read() {
    let (header, chunk) = golden_chunks();
    damaged(&header, |b| redisbloom::decode(&[(1, b), (9, &chunk)]).map(drop));
    let data = vec![0; 30 << 20];
    let two = &redisbloom::encode(&large(&data)).unwrap()[0].1;
    damaged(two, |b| match redisbloom::decode(&[(1, b)]) {
        Err(e) if e.message().starts_with("chunks") => Ok(()), // the header was accepted
        other => other.map(drop),
    });
}

#[test]
fn redisbloom_numbers_that_no_server_makes_are_refused() {
    let (header, chunk) = golden_chunks();
    let with = |changes: &[(usize, &[u8])]| {
        let mut b = header.clone();
        changes.iter().for_each(|(at, new)| b[*at..at + new.len()].copy_from_slice(new));
        redisbloom::decode(&[(1, &b), (9, &chunk)]).err().map_or_else(String::new, |e| e.message())
    };
    assert_eq!(with(&[]), "");
    assert_eq!(with(&[(12, &[5]), (16, &[1])]), "", "a scaling filter of one");
    assert_eq!(with(&[(16, &[0])]), "", "growth does not matter if it never grows");
    let five = 5.0f64.to_le_bytes();
    for (changes, start) in [
        (&[(0, &[2u8][..])][..], "size: expected the sum over the sub filters, got 2"),
        (&[(0, &[4])], "size: "),
        (&[(8, &[0])], "filters: "),
        (&[(8, &[2])], "filters: "),
        (&[(8, &[2]), (12, &[5])], "header: expected at least this many bytes: 106, got 53"),
        (&[(8, &[0xFF; 4]), (12, &[5])], "header: "),
        (&[(12, &[9])], "options: "),
        (&[(12, &[15])], "options: "),
        (&[(12, &[5]), (16, &[0])], "growth: "),
        (&[(20, &[9])], "bits: expected eight times the bytes, got 64"),
        (&[(64, &[14])], "bits: expected enough for the entries at the bits per entry, got 64"),
        (&[(20, &[0]), (28, &[0])], "bytes: "),
        (&[(20, &[0xFF; 8])], "bytes: "),
        (&[(0, &[4]), (36, &[4])], "size: expected at most the entries, got 4"),
        (&[(44, &1.0f64.to_le_bytes())], "error: "),
        (&[(44, &0.2f64.to_le_bytes())], "bpe: "),
        (&[(52, &five)], "bpe: expected the bits per entry for the error, got 5"),
        (&[(60, &[5])], "hashes: expected the number for the bits per entry, got 5"),
        (&[(64, &[0; 8])], "entries: "),
        (&[(64, &[0xFF; 8])], "entries: "),
        (&[(72, &[6])], "n2: expected 0 with option 1, got 6"),
        (&[(12, &[12])], "n2: expected a number from 6 to 62, got 0"),
        (&[(12, &[12]), (72, &[7])], "bits: expected 2^n2, got 64"),
    ] {
        let message = with(changes);
        assert!(message.starts_with(start), "{changes:?}: {message}");
    }
    // Filters of old versions: sizes that are powers of two.
    assert_eq!(with(&[(12, &[12]), (72, &[6])]), "");
    assert!(with(&[(12, &[12]), (72, &[6]), (64, &[14])]).starts_with("bits: "));
}

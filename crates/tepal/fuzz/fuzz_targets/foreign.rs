//! Any bytes are a filter of another library or an error, in every reader; what was read can be asked, grown, written and read
//! again.
//!
//! Every reader gets every input. DUMP payloads are also tried with their checksum mended: behind an honest one are the
//! checks that matter. RedisBloom's chunks are cut from the input as its header says.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tepal::{Error, ScalableBloomFilter, Scheme};

const KNOWN: [&str; 4] = ["ERR_FOREIGN", "ERR_TRUNCATED", "ERR_TRAILING", "ERR_CHECKSUM"];

fuzz_target!(|data: &[u8]| {
    for read in [ScalableBloomFilter::from_guava(data), ScalableBloomFilter::from_spark(data)] {
        if let Some(filter) = checked(read) {
            assert_eq!(filter.insert("key").unwrap_err().code(), "ERR_READ_ONLY");
        }
    }
    valkey(data);
    if data.len() > 8 {
        let mut mended = data.to_vec();
        let body = data.len() - 8;
        mended[body..].copy_from_slice(&crc64(&data[..body]).to_le_bytes());
        valkey(&mended);
    }
    redisbloom(data);
});

/// CRC-64 with Jones' polynomial.
fn crc64(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0, |crc, byte| (0..8).fold(crc ^ *byte as u64, |c, _| (c >> 1) ^ ((c & 1) * 0x95ac_9329_ac4b_c9b5)))
}

fn valkey(data: &[u8]) {
    let Some(filter) = checked(ScalableBloomFilter::from_valkey(data)) else { return };
    assert_eq!(filter.scheme(), Scheme::Valkey);
    let load = filter.to_valkey_load().expect("what was read can be written");
    assert!(ScalableBloomFilter::from_valkey(&load).expect("what was written can be read") == filter);
    // Levels that are not full have no form in a DUMP.
    if let Ok(dump) = filter.to_valkey_dump() {
        assert!(ScalableBloomFilter::from_valkey(&dump).expect("what was written can be read") == filter);
    }
    grow(&filter);
}

fn redisbloom(data: &[u8]) {
    let header = data.get(8..12).map_or(0, |n| 20 + 53 * u32::from_le_bytes(n.try_into().unwrap()) as usize);
    let Some((header, mut rest)) = data.split_at_checked(header) else { return };
    let mut chunks = vec![(1, header)];
    let mut end = 1;
    for link in header.get(20..).unwrap_or_default().chunks_exact(53) {
        let bytes = u64::from_le_bytes(link[..8].try_into().unwrap());
        let Some((chunk, after)) = rest.split_at_checked(bytes.min(rest.len() as u64) as usize) else { return };
        end += chunk.len() as i64;
        chunks.push((end, chunk));
        rest = after;
    }
    let Some(filter) = checked(ScalableBloomFilter::from_redisbloom(&chunks)) else { return };
    assert_eq!(filter.scheme(), Scheme::RedisBloom);
    let written = filter.to_redisbloom().expect("what was read can be written");
    let views: Vec<(i64, &[u8])> = written.iter().map(|(i, chunk)| (*i, &chunk[..])).collect();
    assert!(ScalableBloomFilter::from_redisbloom(&views).expect("what was written can be read") == filter);
    grow(&filter);
}

/// A filter that was read, after everything was asked of it; a refusal must be one of the four.
fn checked(read: Result<ScalableBloomFilter, Error>) -> Option<ScalableBloomFilter> {
    let filter = match read {
        Ok(filter) => filter,
        Err(error) => {
            assert!(KNOWN.contains(&error.code()) && !error.to_string().is_empty(), "{error}");
            return None;
        }
    };
    let levels = filter.levels();
    assert_eq!(levels.len() as u64, filter.filter_count());
    assert!(filter.inserted_count() <= filter.capacity());
    assert!((0.0..=1.0).contains(&filter.fill_ratio()) && (0.0..=1.0).contains(&filter.estimated_fpr()));
    assert!(filter.fpr() > 0.0 && !filter.saturation().is_nan());
    let _ = (filter.estimated_count(), filter.info(), filter.max_scaled_capacity(), filter.seed());
    for key in [&b""[..], b"key", &[0xff; 300]] {
        let many = filter.contains_many([key, b"other"]);
        assert_eq!(many, [filter.contains(key), filter.contains("other")]);
    }
    let bytes = filter.to_bytes().expect("what was read can be written");
    let back = ScalableBloomFilter::from_bytes(&bytes).expect("what was written can be read");
    assert!(back == filter);
    Some(filter)
}

/// A few more keys, unless the next level would be too large to make here.
fn grow(filter: &ScalableBloomFilter) {
    let last = filter.levels().pop().expect("at least one level");
    let next = last.capacity.saturating_mul(filter.expansion().unwrap_or(0) as u64);
    if next > 10_000 {
        return;
    }
    for i in 0..50u64 {
        match filter.insert(i) {
            Ok(_) => assert!(filter.contains(i)),
            Err(error) => {
                assert!(["ERR_FULL", "ERR_MEMORY_LIMIT", "ERR_FPR_UNDERFLOW"].contains(&error.code()), "{error}")
            }
        }
    }
}

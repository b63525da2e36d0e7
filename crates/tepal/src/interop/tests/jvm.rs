//! Guava and Spark: filters that the libraries wrote.
use super::*;
use crate::interop::{guava, spark};

/// Guava 31.1: `BloomFilter.create(Funnels.stringFunnel(UTF_8), 20, 0.01)` with the keys of [`TEXTS`].
const GUAVA_TEXT: &str = "010700000003202a001018202c0120004024229832609051260800102031";
const TEXTS: [&str; 7] =
    ["", "a", "alice", "bob", "a key of sixteen", "a key that is longer than thirty-two bytes", "\u{e9}t\u{e9}"];
/// Guava 31.1: `BloomFilter.create(Funnels.longFunnel(), 10, 0.001)` with the keys of [`LONGS`].
const GUAVA_LONG: &str = "010a000000038110a10258092200050048042442200111a880a420880e02";
const LONGS: [i64; 5] = [0, 1, -1, 42, i64::MIN];

fn same_bits(b: &BitArray, keys: &[&[u8]]) {
    let built = filled(b.scheme, &b.seed, b.bytes.len() as u64 * 8, b.probes, keys.iter().copied());
    assert_eq!(hex(&built), hex(&b.bytes), "{:?}", b.scheme);
}

fn texts() -> Vec<&'static [u8]> {
    TEXTS.iter().map(|t| t.as_bytes()).collect()
}

#[test]
fn guava_filters_are_read_and_rebuilt() {
    let longs = LONGS.map(i64::to_le_bytes);
    for (golden, probes, keys) in [(GUAVA_TEXT, 7, texts()), (GUAVA_LONG, 10, longs.iter().map(|k| &k[..]).collect())] {
        let b = guava::decode(&bytes(golden)).unwrap();
        assert_eq!((b.scheme, b.probes, b.bytes.len()), (Scheme::Guava, probes, 24));
        same_bits(&b, &keys);
    }
    damaged(&bytes(GUAVA_TEXT), |b| guava::decode(b).map(drop));
    for (at, new, start) in [
        (0, &[0u8][..], "strategy: expected 1"),
        (1, &[0], "probes: expected a number from 1 to 1100, got 0"),
        (2, &[0; 4], "words: "),
        (2, &[0xFF; 4], "words: "),
        (5, &[4], "words: expected at least this many bytes: 32, got 24"),
    ] {
        let mut b = bytes(GUAVA_TEXT);
        b[at..at + new.len()].copy_from_slice(new);
        assert!(guava::decode(&b).err().unwrap().message().starts_with(start), "{at}");
    }
}

/// spark-sketch 4.3.0: `BloomFilter.create(version, 20, 192, 12345)` with [`TEXTS`] by `putString`.
const SPARK_TEXT: [&str; 2] = [
    "0000000100000007000000031ce1506028020021068600002d041000804000006245d000",
    "00000002000000070000303900000003490003040200000201320188059249200a00a00fe00fe100",
];
/// spark-sketch 4.3.0: `BloomFilter.create(version, 10, 192, -7)` with [`LONGS`] by `putLong`.
const SPARK_LONG: [&str; 2] = [
    "000000010000000d000000034122180839088099a050d402824ca49a088c0921e660008e",
    "000000020000000dfffffff9000000030937202102c10082134831124250821935925a0015220904",
];

#[test]
fn spark_filters_are_read_and_rebuilt() {
    let longs = LONGS.map(i64::to_le_bytes);
    let longs: Vec<&[u8]> = longs.iter().map(|k| &k[..]).collect();
    for (i, scheme) in [Scheme::SparkV1, Scheme::SparkV2].into_iter().enumerate() {
        for (golden, probes, seed, keys) in
            [(SPARK_TEXT[i], 7, 12345u32, &texts()), (SPARK_LONG[i], 13, -7i32 as u32, &longs)]
        {
            let b = spark::decode(&bytes(golden)).unwrap();
            assert_eq!((b.scheme, b.probes, b.bytes.len()), (scheme, probes, 24));
            assert_eq!(b.seed, Seed::from_u64(if i == 1 { seed as u64 } else { 0 }));
            same_bits(&b, keys);
            damaged(&bytes(golden), |b| spark::decode(b).map(drop));
        }
    }
    for (at, new, start) in [
        (0, &[0, 0, 0, 3u8][..], "version: expected 1 or 2, got 3"),
        (4, &[0xFF; 4], "probes: "),
        (4, &[0; 4], "probes: "),
        (8, &[0; 4], "words: "),
        (8, &[0x80], "words: expected a number from 1 to 2^31 - 1"),
    ] {
        let mut b = bytes(SPARK_TEXT[0]);
        b[at..at + new.len()].copy_from_slice(new);
        assert!(spark::decode(&b).err().unwrap().message().starts_with(start), "{at}");
    }
}

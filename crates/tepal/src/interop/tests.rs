//! The foreign formats against bytes that the servers and libraries made themselves, and against damage.
use super::*;
use crate::hash::Hash128;
use crate::layout::Double;
use crate::scheme::{redisbloom_size, valkey_size};
use alloc::{borrow::Cow, string::String, vec};
use bloomfilter::Bloom;
use redisbloom::{RedisBloom, RedisBloomFilter, FORCE64, NO_ROUND, NO_SCALING};
use valkey::{Valkey, ValkeyFilter};

/// The payload of BF.LOAD of valkey-bloom for capacity 3, rate 0.1, ×2, the fixed seed and the items a b c d.
const VALKEY_LOAD: &str = "01020000009a9999999999b93f000000000000e03f0002000000000000002f0000000000000001020000000000000004000000590ff522ea7811daa714d8093b3e7bd91d898a733e988887307f97cd280733833c8703000000000000000300000000000000320000000000000001050000000000000005000000590ff522ea7811daa714d8093b3e7bd91d898a733e988887307f97cd28073383500108200001000000000000000600000000000000";
/// BF.RESERVE g 0.1 3 NONSCALING with the items a b c: the header and the only chunk of RedisBloom 2.8.
const REDISBLOOM_HEADER: &str = "0300000000000000010000000d000000020000000800000000000000400000000000000003000000000000009a9999999999b93f88168ac58c2b134004000000030000000000000000";
const REDISBLOOM_CHUNK: &str = "2004208c10900120";

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| std::format!("{b:02x}")).collect()
}

/// The bits that some keys set.
fn filled<'a>(
    scheme: Scheme,
    seed: &Seed,
    bits: u64,
    probes: u32,
    keys: impl IntoIterator<Item = &'a [u8]>,
) -> Vec<u8> {
    let mut body = vec![0; bits as usize / 8];
    for key in keys {
        for p in Double::new(scheme, bits, probes).positions(scheme.hash(key, seed)) {
            body[p as usize >> 3] |= 1 << (p & 7);
        }
    }
    body
}

/// Whether all bits of a hash are set.
fn has(scheme: Scheme, body: &[u8], probes: u32, h: Hash128) -> bool {
    let mut positions = Double::new(scheme, body.len() as u64 * 8, probes).positions(h);
    positions.all(|p| body[p as usize >> 3] >> (p & 7) & 1 == 1)
}

/// Every error of damaged bytes is one of these, and nothing panics.
fn damaged(good: &[u8], decode: impl Fn(&[u8]) -> Result<()>) {
    let known = ["ERR_FOREIGN", "ERR_TRUNCATED", "ERR_TRAILING", "ERR_CHECKSUM"];
    let try_one = |bytes: &[u8]| match decode(bytes) {
        Ok(()) => true,
        Err(error) => {
            assert!(known.contains(&error.code()), "{error}");
            false
        }
    };
    assert!(try_one(good));
    for cut in 0..good.len() {
        assert!(!try_one(&good[..cut]), "cut at {cut}");
    }
    for more in [0u8, 1, 5, 255] {
        let mut longer = good.to_vec();
        longer.push(more);
        assert!(!try_one(&longer));
    }
    let mut state = 1u64;
    let mut random = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize
    };
    for at in 0..good.len() {
        for value in [0, 1, 2, 0x7F, 0x80, 0xC3, 0xFF, good[at] ^ 1, good[at].wrapping_add(1)] {
            let mut bytes = good.to_vec();
            bytes[at] = value;
            try_one(&bytes);
            for _ in 0..8 {
                let other = random() % bytes.len();
                bytes[other] = random() as u8;
                try_one(&bytes);
            }
        }
    }
}

// valkey-bloom

#[test]
fn valkey_load_is_read_rebuilt_and_written() {
    let golden = bytes(VALKEY_LOAD);
    let v = valkey::decode_load(&golden).unwrap();
    assert_eq!((v.expansion, v.fpr, v.tightening, v.seed_is_random), (2, 0.1, 0.5, false));
    assert_eq!(v.seed, Seed::VALKEY_FIXED);
    let numbers: Vec<_> = v.filters.iter().map(|f| (f.capacity, f.items, f.probes, f.bits.len())).collect();
    assert_eq!(numbers, [(3, 3, 4, 2), (6, 1, 5, 5)]);
    for (filter, keys) in v.filters.iter().zip([&[b"a", b"b", b"c"][..], &[b"d"]]) {
        let keys = keys.iter().map(|k| &k[..]);
        let built = filled(Scheme::Valkey, &v.seed, filter.bits.len() as u64 * 8, filter.probes, keys);
        assert_eq!(*filter.bits, built);
    }
    assert_eq!(hex(&valkey::encode_load(&v).unwrap()), VALKEY_LOAD);
}

#[test]
fn valkey_dump_says_the_same() {
    let golden = bytes(VALKEY_LOAD);
    let dump = valkey::encode_dump(&valkey::decode_load(&golden).unwrap()).unwrap();
    assert!(valkey::is_dump(&dump) && !valkey::is_dump(&golden));
    assert_eq!(
        hex(&dump[..30]),
        "07816e5a2899f96dac010202020204".to_owned() + "9a9999999999b93f" + "04" + "000000000000"
    );
    assert_eq!(hex(&valkey::encode_load(&valkey::decode_dump(&dump).unwrap()).unwrap()), VALKEY_LOAD);
}

/// A DUMP with other choices than ours: the blob before the numbers, integers in more bytes than they need, strings compressed.
fn other_dump(v: &Valkey, blob_first: bool, compress: bool, wide: bool) -> Vec<u8> {
    let number = |out: &mut Vec<u8>, n: u64| {
        if wide {
            out.push(0x81);
            out.extend(n.to_be_bytes());
        } else {
            assert!(n < 1 << 14);
            out.extend((n as u16 | 0x4000).to_be_bytes());
        }
    };
    let load = valkey::encode_load(v).unwrap();
    let mut out = bytes("07816e5a2899f96dac01");
    for n in [v.filters.len() as u64, v.expansion as u64] {
        out.push(2);
        number(&mut out, n);
    }
    for x in [v.fpr, v.tightening] {
        out.push(4);
        out.extend(x.to_le_bytes());
    }
    out.push(2);
    number(&mut out, v.seed_is_random as u64);
    let mut at = 30;
    for (i, filter) in v.filters.iter().enumerate() {
        let blob = &load[at + 8..at + 8 + 45 + filter.bits.len()];
        at += 8 + blob.len() + 16;
        let put_blob = |out: &mut Vec<u8>| {
            out.push(5);
            if compress {
                let packed = pack(blob);
                out.push(0xC3);
                number(out, packed.len() as u64);
                number(out, blob.len() as u64);
                out.extend(packed);
            } else {
                number(out, blob.len() as u64);
                out.extend(blob);
            }
        };
        if blob_first {
            put_blob(&mut out);
        }
        out.push(2);
        number(&mut out, filter.capacity);
        if i + 1 == v.filters.len() {
            out.push(2);
            number(&mut out, filter.items);
        }
        if !blob_first {
            put_blob(&mut out);
        }
    }
    out.extend([0, 80, 0]); // RDB version 80: Valkey 9
    let crc = crc64::crc64(&out);
    out.extend(crc.to_le_bytes());
    out
}

/// LZF, simply: a byte that repeats the one before it at least three times becomes a repetition.
fn pack(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < data.len() {
        let run = data[at..].iter().take(264).take_while(|b| at > 0 && **b == data[at - 1]).count();
        match run {
            0..=2 => out.extend([0, data[at]]),
            3..=8 => out.extend([(run as u8 - 2) << 5, 0]),
            _ => out.extend([0xE0, (run - 9) as u8, 0]),
        }
        at += if run < 3 { 1 } else { run };
    }
    out
}

#[test]
fn valkey_dumps_of_all_kinds_are_read() {
    // The second one is large enough to compress: capacity 500, three items.
    let (size, probes) = valkey_size(500, 0.01).unwrap();
    let seed = Seed::new(core::array::from_fn(|i| i as u8));
    let bits = filled(Scheme::Valkey, &seed, size * 8, probes, [&b"x"[..], b"y", b"z"]);
    let filter = ValkeyFilter { capacity: 500, items: 3, probes, bits: Cow::Owned(bits) };
    let large = Valkey { expansion: 0, fpr: 0.01, tightening: 0.5, seed_is_random: true, seed, filters: vec![filter] };
    let large_load = valkey::encode_load(&large).unwrap();
    for load in [bytes(VALKEY_LOAD), large_load] {
        let v = valkey::decode_load(&load).unwrap();
        for choice in 0..8 {
            let dump = other_dump(&v, choice & 1 != 0, choice & 2 != 0, choice & 4 != 0);
            let back = valkey::decode_dump(&dump).unwrap();
            assert_eq!(valkey::encode_load(&back).unwrap(), load, "{choice}");
            damaged(&dump, |b| valkey::decode_dump(b).map(drop));
            // The checksum hides most damage: the same with one that fits.
            damaged(&dump[..dump.len() - 8], |b| {
                let mut sealed = b.to_vec();
                sealed.extend(crc64::crc64(b).to_le_bytes());
                valkey::decode_dump(&sealed).map(drop)
            });
        }
        damaged(&load, |b| valkey::decode_load(b).map(drop));
    }
}

#[test]
fn valkey_numbers_that_no_server_makes_are_refused() {
    let golden = bytes(VALKEY_LOAD);
    let with = |at: usize, new: &[u8]| {
        let mut b = golden.clone();
        b[at..at + new.len()].copy_from_slice(new);
        valkey::decode_load(&b).err().map_or_else(String::new, |e| e.message())
    };
    assert_eq!(with(0, &[1]), "");
    let (blob, second) = (38, 38 + 47 + 24);
    for (at, new, start) in [
        (0, &[2u8][..], "version: expected version 1, got 2"),
        (1, &[0; 4], "filters: expected at least one, and no more than one if it is non-scaling, got 2"),
        (1, &[3], "capacity: expected the capacity before times the expansion, got 6"),
        (5, &1.0f64.to_le_bytes(), "rate: expected a number between 0 and 1, got 1"),
        (5, &f64::NAN.to_le_bytes(), "rate: expected a number between 0 and 1, got NaN"),
        (5, &1e-320f64.to_le_bytes(), "rate: "),
        (5, &0.2f64.to_le_bytes(), "blob bytes: expected the size for the capacity and the rate, got 5"),
        (5, &0.0001f64.to_le_bytes(), "blob bytes: expected the size for the capacity and the rate, got 2"),
        (13, &0.0f64.to_le_bytes(), "tightening: "),
        (13, &1e-300f64.to_le_bytes(), "blob bytes: "),
        (21, &[2], "seed mark: expected 0 or 1, got 2"),
        (22, &[0; 8], "filters: expected at least one"),
        (22, &[0xFF; 8], "filters: "),
        (22, &[0, 0, 0, 1], "blob: expected at least this many bytes: 8, got 0"),
        (30, &[0xFF; 8], "blob: expected at least this many bytes: "),
        (30, &[44], "blob: expected at least this many bytes: 32, got 31"),
        (blob, &[2], "blob version: "),
        (blob + 1, &[3], "blob bytes: expected the bytes that are there, got 3"),
        (blob + 9, &[5], "probes: expected the number for the capacity and the size, got 5"),
        (blob + 9, &[0; 4], "probes: "),
        (blob + 13, &[0], "seed: "),
        (blob + 47, &[4], "items: expected at most the capacity, got 4"),
        (blob + 55, &[0; 8], "capacity: "),
        (blob + 55, &[0xFF; 8], "capacity: expected a number from 1 to 2^63 - 1"),
        (second + 13, &[0], "seed: "),
        (second + 45 + 5 + 7, &[0x80], "items: "),
    ] {
        let message = with(at, new);
        assert!(message.starts_with(start), "{at} {new:?}: {message}");
    }
    // A random seed may be any, but the same in all.
    let mut b = golden.clone();
    b[21] = 1;
    b[blob + 13] = 0;
    assert_eq!(
        valkey::decode_load(&b).err().unwrap().message(),
        "seed: expected one seed, the fixed one unless it is marked as random, got another one"
    );
    b[second - 8 + 8 + 13] = 0;
    assert!(valkey::decode_load(&b).is_ok());
}

#[test]
fn twenty_thousand_keys_agree_with_the_crate_that_valkey_is_built_on() {
    let key = |i: u32| std::format!("key {i} {}", "x".repeat(i as usize % 40));
    for (capacity, fpr, seed) in
        [(20_000, 0.01, Seed::VALKEY_FIXED), (5_000, 1e-6, Seed::new([7; 32])), (1, 0.5, Seed::default())]
    {
        let mut theirs = Bloom::<[u8]>::new_for_fp_rate_with_seed(capacity, fpr, seed.bytes()).unwrap();
        let (size, probes) = valkey_size(capacity as u64, fpr).unwrap();
        assert_eq!((theirs.len(), theirs.number_of_hash_functions()), (size * 8, probes));
        let keys: Vec<String> = (0..capacity as u32).map(key).collect();
        keys.iter().for_each(|k| theirs.set(k.as_bytes()));
        let ours = filled(Scheme::Valkey, &seed, size * 8, probes, keys.iter().map(|k| k.as_bytes()));
        let blob = theirs.to_bytes();
        assert!(blob[45..] == ours, "{capacity} {fpr}");
        for i in 0..20_000 {
            let k = key(i * 3);
            assert_eq!(
                theirs.check(k.as_bytes()),
                has(Scheme::Valkey, &ours, probes, Scheme::Valkey.hash(k.as_bytes(), &seed))
            );
        }
        // The bytes of the crate are the blob of both payloads.
        let filter = ValkeyFilter { capacity: capacity as u64, items: capacity as u64, probes, bits: Cow::Owned(ours) };
        let v = Valkey { expansion: 2, fpr, tightening: 0.5, seed_is_random: true, seed, filters: vec![filter] };
        assert!(valkey::encode_load(&v).unwrap()[38..][..blob.len()] == blob);
        assert!(valkey::decode_dump(&valkey::encode_dump(&v).unwrap()).unwrap().filters[0].bits == v.filters[0].bits);
    }
}

#[test]
fn sizes_agree_with_the_crate_that_valkey_is_built_on() {
    let mut state = 3u64;
    for i in 0..200_000 {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let capacity = (state >> (20 + i % 44)).max(1);
        let fpr = match i % 4 {
            0 => 0.01 * 0.5f64.powi((state % 60) as i32),
            1 => [0.1, 0.5, 0.001, 1e-4, 1e-9, 0.3, 0.99][(state >> 30) as usize % 7],
            2 => ((state >> 11) as f64 + 0.5) / (1u64 << 53) as f64,
            _ => 10f64.powi(-((state >> 40) as i32 % 300) - 1),
        };
        let bytes = Bloom::<[u8]>::compute_bitmap_size(capacity as usize, fpr) as u64;
        let (ours, probes) = valkey_size(capacity, fpr).unwrap();
        assert_eq!(ours, bytes, "{capacity} {fpr}");
        if bytes < 1 << 16 {
            let theirs = Bloom::<[u8]>::new_for_fp_rate_with_seed(capacity as usize, fpr, &[0; 32]).unwrap();
            assert_eq!(probes, theirs.number_of_hash_functions(), "{capacity} {fpr}");
        }
    }
}

// RedisBloom

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

// Guava and Spark

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

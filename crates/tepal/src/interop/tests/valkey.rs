//! valkey-bloom: a payload of a server, the crate that it is built on, and numbers that no server makes.
use super::*;
use crate::interop::valkey::{self, Valkey, ValkeyFilter};
use crate::scheme::valkey_size;
use alloc::borrow::{Cow, ToOwned};
use bloomfilter::Bloom;

/// The payload of BF.LOAD of valkey-bloom for capacity 3, rate 0.1, ×2, the fixed seed and the items a b c d.
const VALKEY_LOAD: &str = "01020000009a9999999999b93f000000000000e03f0002000000000000002f0000000000000001020000000000000004000000590ff522ea7811daa714d8093b3e7bd91d898a733e988887307f97cd280733833c8703000000000000000300000000000000320000000000000001050000000000000005000000590ff522ea7811daa714d8093b3e7bd91d898a733e988887307f97cd28073383500108200001000000000000000600000000000000";

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
#[cfg_attr(
    not(all(target_pointer_width = "64", target_endian = "little")),
    ignore = "elsewhere the crate hashes other bytes than valkey-bloom's servers do"
)]
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
#[cfg_attr(
    not(all(target_pointer_width = "64", target_endian = "little")),
    ignore = "elsewhere the crate hashes other bytes than valkey-bloom's servers do"
)]
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

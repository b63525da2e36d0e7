//! Bytes that no reader of scalable filters may accept: a file or more for each difference of FORMAT.md's section 6.1 and each check of 6.3.
//!
//! `mended` recomputes the checksums of header, table and body, so that the checks behind them are reached.
use crate::malformed::{mend, put, u32_at, Bad};
use crate::script::run;
use crate::Memory;
use serde_json::{json, Value};
use tepal::checksum;

/// Series and records begin behind the header of 128 bytes.
const SERIES: usize = 128;
const FIRST: usize = SERIES + 64;
const SECOND: usize = FIRST + 64;

fn made(options: Value, keys: i64, withhold: bool) -> Vec<u8> {
    let mut new = json!({ "op": "new_scalable", "id": "f" });
    new.as_object_mut().unwrap().extend(options.as_object().unwrap().clone());
    let steps = [
        new,
        json!({ "op": "add", "id": "f", "keys": [{ "ints": ["0", keys.to_string()] }] }),
        json!({ "op": "save", "id": "f", "file": "good", "withhold_seed": withhold }),
    ];
    let mut files = Memory::default();
    let out = run(&steps, &mut files);
    assert_eq!(out.len(), 3, "{:?}", out.last());
    files.0.remove("good").unwrap()
}

/// Fitting checksums of table and body, as far as there is a table.
fn mended_table(mut bytes: Vec<u8>) -> Vec<u8> {
    let records = u32_at(&bytes, SERIES);
    let end = bytes.len() - 64;
    if (1..100).contains(&records) && SERIES + 64 * (records + 1) <= end {
        put(&mut bytes, SERIES + 56, &[0; 8]);
        let sum = checksum(&bytes[SERIES..SERIES + 64 * (records + 1)]);
        put(&mut bytes, SERIES + 56, &sum.to_le_bytes());
    }
    let sum = checksum(&bytes[SERIES..end]);
    put(&mut bytes, end + 8, &sum.to_le_bytes());
    bytes
}

fn patched(good: &[u8], at: usize, value: &[u8]) -> Vec<u8> {
    let mut bytes = good.to_vec();
    put(&mut bytes, at, value);
    bytes
}

fn mended(good: &[u8], at: usize, value: &[u8]) -> Vec<u8> {
    mend(mended_table(patched(good, at, value)))
}

/// All bad files.
pub fn malformed() -> Vec<Bad> {
    let mut all = Vec::new();
    let tepal = made(json!({ "capacity": 3 }), 4, false); // two levels
    assert_eq!(u32_at(&tepal, SERIES), 2);
    header(&tepal, &mut all);
    series(&tepal, &mut all);
    records(&tepal, &mut all);
    servers(&mut all);
    tail(&tepal, &mut all);
    all
}

fn bad(all: &mut Vec<Bad>, name: &str, code: &'static str, bytes: Vec<u8>) {
    all.push(Bad { name: name.into(), bytes, code, seed: None, lazy: false });
}

fn header(good: &[u8], all: &mut Vec<Bad>) {
    for cut in [0, 8, 127, 128, 191, 200, 300, good.len() - 1] {
        bad(all, &format!("cut-{cut}"), "ERR_TRUNCATED", good[..cut].to_vec());
    }
    bad(all, "trailing", "ERR_TRAILING", [good, &[0]].concat());
    bad(all, "version-2", "ERR_VERSION", patched(good, 8, &[2]));
    bad(all, "checksum-of-header", "ERR_CHECKSUM", patched(good, 24, &[9]));
    let mut field = |name: &str, code, at, value: &[u8]| bad(all, name, code, mended(good, at, value));
    field("kind-1", "ERR_KIND", 10, &[1]);
    field("kind-3", "ERR_KIND", 10, &[3]);
    field("hash-0", "ERR_HASH", 12, &[0]);
    field("hash-2", "ERR_HASH", 12, &[2]);
    field("hash-8", "ERR_HASH", 12, &[8]);
    field("layout-1", "ERR_LAYOUT", 11, &[1]);
    field("layout-4", "ERR_LAYOUT", 11, &[4]);
    field("hash-before-layout", "ERR_HASH", 11, &[1, 9]);
    field("flags-2", "ERR_FLAGS", 16, &[2]);
    for at in [13, 72, 95, 100, 104, 119] {
        field(&format!("reserved-{at}"), "ERR_RESERVED", at, &[1]);
    }
    field("probes-8", "ERR_HEADER", 14, &[8]);
    field("capacity-0", "ERR_HEADER", 24, &[0]);
    field("capacity-2-48-and-1", "ERR_HEADER", 24, &((1u64 << 48) + 1).to_le_bytes());
    for (name, rate) in RATES {
        field(&format!("fpr-{name}"), "ERR_HEADER", 32, &rate.to_le_bytes());
    }
    let sizes = |lines: u64| [lines, lines << 6, (lines << 6).wrapping_add(192)].map(u64::to_le_bytes).concat();
    for (name, lines) in [("0", 0), ("2", 2), ("2-51-and-1", (1 << 51) + 1), ("wraps", (1 << 58) + 4)] {
        field(&format!("lines-{name}"), "ERR_HEADER", 40, &sizes(lines));
    }
    field("body-not-there-2-51", "ERR_TRUNCATED", 40, &sizes(1 << 51));
    field("body-len", "ERR_HEADER", 48, &[1]);
    field("total-len", "ERR_HEADER", 56, &[1]);
    let withheld = made(json!({ "capacity": 3, "seed": "5" }), 4, true);
    let seeded = |name: &str, code, seed, bytes: &[u8]| Bad {
        name: name.into(),
        bytes: bytes.to_vec(),
        code,
        seed,
        lazy: false,
    };
    all.push(seeded("seed-required", "ERR_SEED_REQUIRED", None, &withheld));
    all.push(seeded("seed-differs-withheld", "ERR_SEED_DIFFERS", Some(6), &withheld));
    all.push(seeded("seed-differs-stored", "ERR_SEED_DIFFERS", Some(1), good));
}

const RATES: [(&str, f64); 6] =
    [("nan", f64::NAN), ("inf", f64::INFINITY), ("0", 0.0), ("minus-0", -0.0), ("negative", -0.01), ("1", 1.0)];

fn series(good: &[u8], all: &mut Vec<Bad>) {
    let mut field = |name: &str, code, at, value: &[u8]| bad(all, name, code, mended(good, at, value));
    for (name, count) in [("0", 0u32), ("as-many-as-lines", 3), ("65537", 65_537), ("huge", u32::MAX)] {
        field(&format!("level-count-{name}"), "ERR_HEADER", SERIES, &count.to_le_bytes());
    }
    field("level-count-1", "ERR_HEADER", SERIES, &[1]); // the sum of lines
    field("series-flags-2", "ERR_FLAGS", SERIES + 32, &[2]);
    for at in [36, 55] {
        field(&format!("series-reserved-{at}"), "ERR_RESERVED", SERIES + at, &[1]);
    }
    for (name, ratio) in RATES.into_iter().filter(|(name, _)| *name != "0") {
        field(&format!("tightening-{name}"), "ERR_HEADER", SERIES + 8, &ratio.to_le_bytes());
    }
    field("max-bytes-2-63", "ERR_HEADER", SERIES + 16, &(1u64 << 63).to_le_bytes());
    for (name, rate) in RATES.into_iter().chain([("above-the-stated", 0.02)]) {
        field(&format!("series-fpr-{name}"), "ERR_HEADER", SERIES + 24, &rate.to_le_bytes());
    }
    field("flags-before-reserved", "ERR_FLAGS", SERIES + 32, &[2, 0, 0, 0, 1]);
    // The table has a checksum of its own, which a view checks too.
    bad(all, "checksum-of-table", "ERR_CHECKSUM", patched(good, SERIES + 56, &[0; 8]));
    bad(all, "checksum-of-table-items", "ERR_CHECKSUM", patched(good, FIRST + 8, &[0]));
    bad(all, "checksum-before-flags", "ERR_CHECKSUM", patched(good, SERIES + 32, &[2]));
}

fn records(good: &[u8], all: &mut Vec<Bad>) {
    let mut field =
        |name: &str, code, at, value: &[u8]| bad(all, &format!("level-{name}"), code, mended(good, at, value));
    let mut header = |name: &str, at, value: &[u8]| field(name, "ERR_HEADER", at, value);
    header("capacity-0", FIRST, &[0]);
    header("capacity-2-48-and-1", FIRST, &((1u64 << 48) + 1).to_le_bytes());
    header("items-4-of-3", FIRST + 8, &[4]);
    header("items-huge", SECOND + 8, &[0xFF; 8]);
    for (name, rate) in RATES {
        header(&format!("fpr-{name}"), FIRST + 16, &rate.to_le_bytes());
    }
    header("bits-0", FIRST + 24, &[0; 8]);
    header("bits-511", FIRST + 24, &[0xFF, 1]);
    header("bits-513", FIRST + 24, &[1, 2]);
    header("bits-huge", FIRST + 24, &[0xFF; 8]);
    header("lines-0", FIRST + 32, &[0; 8]);
    header("lines-2", FIRST + 32, &[2]);
    header("bits-and-lines-0", FIRST + 24, &[0; 16]);
    header("bits-and-lines-more", FIRST + 24, &[1024u64.to_le_bytes(), 2u64.to_le_bytes()].concat()); // the sum of lines
    header("lines-huge", FIRST + 24, &[(1u64 << 62).to_le_bytes(), (1u64 << 53).to_le_bytes()].concat());
    header("index-65536", FIRST + 40, &[0, 0, 1, 0]);
    header("probes-0", FIRST + 44, &[0]);
    header("probes-9", FIRST + 44, &[9]);
    header("probes-264", FIRST + 44, &[8, 1]);
    header("pair-of-one-line", FIRST + 44, &[16, 0, 2]);
    header("classic-probes-65", FIRST + 44, &[65, 0, 3]);
    for (name, layout) in [("0", 0), ("4", 4), ("255", 255)] {
        field(&format!("layout-{name}"), "ERR_LAYOUT", FIRST + 46, &[layout]);
    }
    for at in [47, 63] {
        field(&format!("reserved-{at}"), "ERR_RESERVED", SECOND + at, &[1]);
    }
    field("reserved-before-capacity", "ERR_RESERVED", SECOND + 47, &[1]);
    let both = mended(&mended(good, FIRST, &[0]), SECOND + 47, &[1]);
    bad(all, "level-reserved-before-the-first-capacity", "ERR_RESERVED", both);
    let both = mended(&mended(good, FIRST + 44, &[9]), SECOND + 46, &[9]);
    bad(all, "level-probes-before-the-next-layout", "ERR_HEADER", both);
    let both = mended(&mended(good, FIRST + 44, &[9]), FIRST + 46, &[9]);
    bad(all, "level-layout-before-probes", "ERR_LAYOUT", both);
}

fn servers(all: &mut Vec<Bad>) {
    let valkey = made(json!({ "scheme": "valkey", "capacity": 3, "fpr": 0.1 }), 3, false); // one level of 16 bits
    let redisbloom = made(json!({ "scheme": "redisbloom", "capacity": 3, "fpr": 0.1 }), 3, false);
    let mut field = |name: &str, code, good: &[u8], at, value: &[u8]| bad(all, name, code, mended(good, at, value));
    field("valkey-withheld", "ERR_FLAGS", &valkey, 16, &[1]);
    field("valkey-capacity-2-63", "ERR_HEADER", &valkey, 24, &(1u64 << 63).to_le_bytes());
    field("valkey-level-capacity-2-63", "ERR_HEADER", &valkey, FIRST, &(1u64 << 63).to_le_bytes());
    field("valkey-flat-head", "ERR_HEADER", &valkey, SERIES + 8, &[0; 8]);
    for (name, layout) in [("0", 0), ("1", 1), ("5", 5)] {
        field(&format!("valkey-layout-{name}"), "ERR_LAYOUT", &valkey, FIRST + 46, &[layout]);
    }
    field("valkey-bits-17", "ERR_HEADER", &valkey, FIRST + 24, &[17]);
    field("valkey-bits-520", "ERR_HEADER", &valkey, FIRST + 24, &[8, 2]);
    field("valkey-probes-0", "ERR_HEADER", &valkey, FIRST + 44, &[0]);
    field("redisbloom-seed", "ERR_RESERVED", &redisbloom, 64, &[1]);
    field("spark-v2-seed-of-5-bytes", "ERR_RESERVED", &mended(&redisbloom, 12, &[7]), 68, &[1]);
    // The bits behind the last one: 16 of 512 are in use.
    let end = valkey.len() - 64;
    for (name, at) in [("first", end - 62), ("last", end - 1)] {
        let mut made = mended(&valkey, at, &[0x80]);
        made = mend(made);
        all.push(Bad {
            name: format!("valkey-unused-bit-{name}"),
            bytes: made,
            code: "ERR_RESERVED",
            seed: None,
            lazy: true,
        });
    }
}

fn tail(good: &[u8], all: &mut Vec<Bad>) {
    let end = good.len() - 64;
    let mut flipped = |name: &str, code, at: usize, lazy| {
        let mut bytes = good.to_vec();
        bytes[at] ^= 1;
        all.push(Bad { name: name.into(), bytes, code, seed: None, lazy });
    };
    flipped("trailer-magic", "ERR_TRAILER", end, false);
    flipped("trailer-reserved", "ERR_TRAILER", end + 63, false);
    flipped("body-checksum", "ERR_CHECKSUM", end + 8, true);
    flipped("body-checksum-first-line", "ERR_CHECKSUM", SECOND + 64, true);
    flipped("body-checksum-last-byte", "ERR_CHECKSUM", end - 1, true);
    bad(all, "level-count-before-checksums", "ERR_HEADER", patched(good, SERIES, &[0; 4]));
}

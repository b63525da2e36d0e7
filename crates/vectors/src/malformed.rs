//! Bytes that no reader may accept, each with the code of the first check that fails (FORMAT.md, section 1.6).
//!
//! Every case is a good file with one thing wrong. `mend` recomputes the header checksum, so that the checks behind it
//! are reached.
use tepal::checksum;

/// One bad file.
pub struct Bad {
    /// Name without extension.
    pub name: String,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// What a reader says.
    pub code: &'static str,
    /// The seed to open it with.
    pub seed: Option<u64>,
    /// A view opens it; `verify` says the code.
    pub lazy: bool,
}

/// Good files to spoil: `line` without metadata, with metadata, and with its seed withheld; `pair`; `classic`.
pub struct Good {
    /// 256 bytes, header 128.
    pub line: Vec<u8>,
    /// The same with some metadata.
    pub metadata: Vec<u8>,
    /// The seed, 5, is withheld.
    pub withheld: Vec<u8>,
    /// Two lines.
    pub pair: Vec<u8>,
    /// One line.
    pub classic: Vec<u8>,
}

pub(crate) fn u32_at(bytes: &[u8], at: usize) -> usize {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize
}

pub(crate) fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    bytes[at..at + value.len()].copy_from_slice(value);
}

/// A copy with `value` at `at` and a fitting header checksum.
fn mended(good: &[u8], at: usize, value: &[u8]) -> Vec<u8> {
    let mut bytes = good.to_vec();
    put(&mut bytes, at, value);
    mend(bytes)
}

pub(crate) fn mend(mut bytes: Vec<u8>) -> Vec<u8> {
    let end = u32_at(&bytes, 20) - 8;
    let sum = checksum(&bytes[..end]);
    put(&mut bytes, end, &sum.to_le_bytes());
    bytes
}

/// The `line` file with these bytes as its metadata.
fn with_metadata(good: &Good, metadata: &[u8]) -> Vec<u8> {
    let body = u32_at(&good.line, 20);
    let offset = (128 + metadata.len()).div_ceil(64) * 64;
    let mut bytes = good.line[..120].to_vec();
    bytes.extend_from_slice(metadata);
    bytes.resize(offset, 0);
    bytes.extend_from_slice(&good.line[body..]);
    let total = bytes.len() as u64;
    put(&mut bytes, 20, &(offset as u32).to_le_bytes());
    put(&mut bytes, 56, &total.to_le_bytes());
    put(&mut bytes, 96, &(metadata.len() as u32).to_le_bytes());
    mend(bytes)
}

/// Strings with their lengths.
fn texts(all: &[&[u8]]) -> Vec<u8> {
    all.iter().flat_map(|text| (text.len() as u32).to_le_bytes().into_iter().chain(text.iter().copied())).collect()
}

/// All bad files.
pub fn malformed(good: &Good) -> Vec<Bad> {
    let mut all = Vec::new();
    let mut add = |name: &str, code, bytes| all.push(Bad { name: name.into(), bytes, code, seed: None, lazy: false });
    lengths(good, &mut add);
    fields(good, &mut add);
    metadata(good, &mut add);
    tail(good, &mut add);
    for bad in &mut all {
        bad.lazy = bad.name.starts_with("body-checksum");
    }
    let seeded = |name: &str, code, bytes: &[u8], seed| Bad {
        name: name.into(),
        bytes: bytes.to_vec(),
        code,
        seed,
        lazy: false,
    };
    all.push(seeded("seed-required", "ERR_SEED_REQUIRED", &good.withheld, None));
    all.push(seeded("seed-differs-withheld", "ERR_SEED_DIFFERS", &good.withheld, Some(6)));
    all.push(seeded("seed-differs-stored", "ERR_SEED_DIFFERS", &good.line, Some(1)));
    // The seed is asked for before the rest of the file is.
    all.push(seeded("seed-required-truncated", "ERR_SEED_REQUIRED", &good.withheld[..200], None));
    all.push(seeded("seed-differs-truncated", "ERR_SEED_DIFFERS", &good.withheld[..200], Some(6)));
    all.push(seeded("seed-given-truncated", "ERR_TRUNCATED", &good.withheld[..200], Some(5)));
    all
}

type Add<'a> = dyn FnMut(&str, &'static str, Vec<u8>) + 'a;

fn lengths(good: &Good, add: &mut Add) {
    for n in [0, 1, 7, 8, 9, 64, 127, 128, 129, 191, 192, 200, 255] {
        add(&format!("cut-{n}"), "ERR_TRUNCATED", good.line[..n].to_vec());
    }
    add("cut-in-metadata", "ERR_TRUNCATED", good.metadata[..150].to_vec());
    add("trailing-1", "ERR_TRAILING", [&good.line[..], &[0]].concat());
    add("trailing-64", "ERR_TRAILING", [&good.line[..], &[0; 64]].concat());
    add("twice", "ERR_TRAILING", [&good.line[..], &good.line[..]].concat());
    add("other-3-bytes", "ERR_MAGIC", b"PK\x03".to_vec());
    add("other-file", "ERR_MAGIC", b"\x7fELF\x02\x01\x01\0".repeat(20));
    add("zeros", "ERR_MAGIC", vec![0; 256]);
    add("guava-6-bytes", "ERR_MAGIC", vec![1, 255, 127, 255, 255, 255]);
    // What a transfer as text does to it.
    add("magic-lf-only", "ERR_MAGIC", [b"\x89TEPAL\n".as_slice(), &good.line[8..], &[0]].concat());
    add("magic-7-bit", "ERR_MAGIC", [&[9], &good.line[1..]].concat());
}

fn fields(good: &Good, add: &mut Add) {
    let line = &good.line;
    let mut raw = |name: &str, code, at: usize, value: &[u8]| {
        let mut bytes = line.to_vec();
        put(&mut bytes, at, value);
        add(name, code, bytes);
    };
    raw("version-0", "ERR_VERSION", 8, &[0, 0]);
    raw("version-2", "ERR_VERSION", 8, &[2, 0]);
    raw("version-257", "ERR_VERSION", 8, &[1, 1]);
    for (name, offset) in [("0", 0u32), ("64", 64), ("129", 129), ("192", 192), ("huge", u32::MAX), ("65728", 65_728)] {
        raw(&format!("body-offset-{name}"), "ERR_HEADER", 20, &offset.to_le_bytes());
    }
    raw("metadata-len-1", "ERR_HEADER", 96, &1u32.to_le_bytes());
    raw("metadata-len-65537", "ERR_HEADER", 96, &65_537u32.to_le_bytes());
    raw("metadata-len-huge", "ERR_HEADER", 96, &u32::MAX.to_le_bytes());
    raw(
        "header-says-more",
        "ERR_TRUNCATED",
        20,
        &[[128, 0, 1, 0].as_slice(), &line[24..96], &65_536u32.to_le_bytes()].concat(),
    );
    raw("checksum-of-header", "ERR_CHECKSUM", 120, &[0; 8]);
    raw("checksum-before-kind", "ERR_CHECKSUM", 10, &[2]);
    raw("checksum-capacity", "ERR_CHECKSUM", 24, &[4]);

    let mut fixed = |name: &str, code, at: usize, value: &[u8]| add(name, code, mended(line, at, value));
    for kind in [0u8, 2, 3, 4, 5, 6, 7, 99, 255] {
        fixed(&format!("kind-{kind}"), "ERR_KIND", 10, &[kind]);
    }
    for hash in [0u8, 2, 3, 255] {
        fixed(&format!("hash-{hash}"), "ERR_HASH", 12, &[hash]);
    }
    for layout in [0u8, 4, 255] {
        fixed(&format!("layout-{layout}"), "ERR_LAYOUT", 11, &[layout]);
    }
    for (name, flags) in [("2", 2u32), ("3", 3), ("high", 1 << 31)] {
        fixed(&format!("flags-{name}"), "ERR_FLAGS", 16, &flags.to_le_bytes());
    }
    for at in [13usize, 72, 95, 100, 103, 104, 119] {
        fixed(&format!("reserved-{at}"), "ERR_RESERVED", at, &[1]);
    }
    for (name, capacity) in [("0", 0u64), ("2-48-and-1", (1 << 48) + 1), ("huge", u64::MAX)] {
        fixed(&format!("capacity-{name}"), "ERR_HEADER", 24, &capacity.to_le_bytes());
    }
    let rates =
        [("nan", f64::NAN), ("inf", f64::INFINITY), ("0", 0.0), ("minus-0", -0.0), ("negative", -0.01), ("1", 1.0)];
    for (name, fpr) in
        rates.into_iter().chain([("above-half", 0.500_000_000_000_000_1), ("subnormal", 5e-324), ("9e-10", 9e-10)])
    {
        fixed(&format!("fpr-{name}"), "ERR_HEADER", 32, &fpr.to_le_bytes());
    }
    for (name, probes) in [("0", 0u16), ("7", 7), ("9", 9), ("264", 264), ("huge", u16::MAX)] {
        fixed(&format!("probes-{name}"), "ERR_HEADER", 14, &probes.to_le_bytes());
    }
    let sizes = |lines: u64| {
        [
            lines.to_le_bytes(),
            lines.wrapping_mul(64).to_le_bytes(),
            lines.wrapping_mul(64).wrapping_add(192).to_le_bytes(),
        ]
        .concat()
    };
    for (name, lines) in [
        ("0", 0),
        ("2-51-and-1", (1 << 51) + 1),
        ("wraps-to-0", 1 << 58),
        ("wraps-to-64", (1 << 58) + 1),
        ("huge", u64::MAX),
    ] {
        fixed(&format!("lines-{name}"), "ERR_HEADER", 40, &sizes(lines));
    }
    // As large as the format allows, and far larger than the bytes that are there: nothing may be allocated for it.
    for (name, lines) in [("2", 2), ("2-26", 1 << 26), ("2-32", 1 << 32), ("2-51", 1 << 51)] {
        fixed(&format!("body-not-there-{name}"), "ERR_TRUNCATED", 40, &sizes(lines));
    }
    fixed("lines-without-body-len", "ERR_HEADER", 40, &2u64.to_le_bytes());
    fixed("body-len-63", "ERR_HEADER", 48, &63u64.to_le_bytes());
    fixed("body-len-128", "ERR_HEADER", 48, &128u64.to_le_bytes());
    fixed("body-len-huge", "ERR_HEADER", 48, &u64::MAX.to_le_bytes());
    fixed("total-len-0", "ERR_HEADER", 56, &[0; 8]);
    fixed("total-len-257", "ERR_HEADER", 56, &257u64.to_le_bytes());
    fixed("total-len-huge", "ERR_HEADER", 56, &u64::MAX.to_le_bytes());
    let order = mended(&mended(line, 10, &[9]), 12, &[9]);
    add("kind-before-hash", "ERR_KIND", order);
    let order = mended(&mended(line, 16, &[2]), 13, &[1]);
    add("flags-before-reserved", "ERR_FLAGS", order);
    let order = mended(&mended(line, 24, &[0]), 13, &[1]);
    add("reserved-before-capacity", "ERR_RESERVED", order);

    add("withheld-with-seed", "ERR_RESERVED", mended(&good.withheld, 64, &[1]));
    add("pair-probes-8", "ERR_HEADER", mended(&good.pair, 14, &[8]));
    add("pair-1-line", "ERR_HEADER", mended(&good.pair, 40, &sizes(1)));
    add("pair-3-lines", "ERR_HEADER", mended(&good.pair, 40, &sizes(3)));
    add("classic-probes-0", "ERR_HEADER", mended(&good.classic, 14, &[0]));
    add("classic-probes-65", "ERR_HEADER", mended(&good.classic, 14, &[65]));
}

fn metadata(good: &Good, add: &mut Add) {
    let mut bad =
        |name: &str, raw: Vec<u8>| add(&format!("metadata-{name}"), "ERR_METADATA", with_metadata(good, &raw));
    bad("not-utf8", texts(&[b"k", b"\xff"]));
    bad("key-not-utf8", texts(&[b"\xc3", b"v"]));
    bad("overlong", texts(&[b"k", b"\xc0\x80"]));
    bad("surrogate", texts(&[b"k", b"\xed\xa0\x80"]));
    bad("beyond-unicode", texts(&[b"k", b"\xf4\x90\x80\x80"]));
    bad("unsorted", texts(&[b"b", b"1", b"a", b"2"]));
    bad("duplicate", texts(&[b"a", b"1", b"a", b"1"]));
    bad("prefix-after", texts(&[b"ab", b"1", b"a", b"2"]));
    bad("empty-key", texts(&[b"", b"v"]));
    bad("no-value", texts(&[b"k"]));
    bad("half-length", texts(&[b"k", b"v"])[..7].to_vec());
    bad("value-too-long", [texts(&[b"k"]), 2u32.to_le_bytes().to_vec(), b"v".to_vec()].concat());
    bad("length-huge", [u32::MAX.to_le_bytes().as_slice(), b"kv"].concat());
    bad("one-byte", vec![0]);
    bad("zeros-behind", [texts(&[b"k", b"v"]), vec![0; 8]].concat());
    let padded = with_metadata(good, &texts(&[b"k", b"v"]));
    add("padding", "ERR_RESERVED", mended(&padded, u32_at(&padded, 20) - 9, &[1]));
    add("padding-first", "ERR_RESERVED", mended(&padded, 130, &[1]));
}

fn tail(good: &Good, add: &mut Add) {
    let end = good.line.len() - 64;
    let mut flipped = |name: &str, code, at: usize| {
        let mut bytes = good.line.clone();
        bytes[at] ^= 1;
        add(name, code, bytes);
    };
    flipped("trailer-magic", "ERR_TRAILER", end);
    flipped("trailer-magic-end", "ERR_TRAILER", end + 7);
    flipped("trailer-reserved", "ERR_TRAILER", end + 16);
    flipped("trailer-reserved-end", "ERR_TRAILER", end + 63);
    flipped("body-checksum", "ERR_CHECKSUM", end + 8);
    flipped("body-checksum-first-byte", "ERR_CHECKSUM", end - 64);
    flipped("body-checksum-last-byte", "ERR_CHECKSUM", end - 1);
}

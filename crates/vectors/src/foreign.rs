//! tests/vectors/v1-scalable/foreign.json: payloads of other libraries that are read, payloads that are refused, and what is written.
use crate::keys::{hex, unhex};
use crate::script::run;
use crate::Memory;
use serde_json::{json, Value};

/// BF.LOAD of valkey-bloom for capacity 3, rate 0.1, ×2, the fixed seed and the items a b c d.
pub const VALKEY_LOAD: &str = "01020000009a9999999999b93f000000000000e03f0002000000000000002f0000000000000001020000000000000004000000590ff522ea7811daa714d8093b3e7bd91d898a733e988887307f97cd280733833c8703000000000000000300000000000000320000000000000001050000000000000005000000590ff522ea7811daa714d8093b3e7bd91d898a733e988887307f97cd28073383500108200001000000000000000600000000000000";
/// BF.RESERVE g 0.1 3 NONSCALING with the items a b c: the header and the only chunk of RedisBloom 2.8.
pub const REDISBLOOM_HEADER: &str = "0300000000000000010000000d000000020000000800000000000000400000000000000003000000000000009a9999999999b93f88168ac58c2b134004000000030000000000000000";
pub const REDISBLOOM_CHUNK: &str = "2004208c10900120";
/// Guava 31.1 and spark-sketch 4.3.0, the texts of `texts`.
pub const GUAVA: &str = "010700000003202a001018202c0120004024229832609051260800102031";
pub const SPARK_V1: &str = "0000000100000007000000031ce1506028020021068600002d041000804000006245d000";
pub const SPARK_V2: &str = "00000002000000070000303900000003490003040200000201320188059249200a00a00fe00fe100";
/// The same with the integers of [`longs`].
const LONGS: [(&str, &str); 3] = [
    ("from_guava", "010a000000038110a10258092200050048042442200111a880a420880e02"),
    ("from_spark", "000000010000000d000000034122180839088099a050d402824ca49a088c0921e660008e"),
    ("from_spark", "000000020000000dfffffff9000000030937202102c10082134831124250821935925a0015220904"),
];

fn texts() -> Value {
    ["", "a", "alice", "bob", "a key of sixteen", "a key that is longer than thirty-two bytes", "été"]
        .map(|text| json!({ "text": text }))
        .to_vec()
        .into()
}

fn longs() -> Value {
    ["0", "1", "-1", "42", "-9223372036854775808"].map(|int| json!({ "int": int })).to_vec().into()
}

fn letters(n: usize) -> Value {
    ["a", "b", "c", "d"][..n].iter().map(|text| json!({ "text": text })).collect()
}

/// The document, over the folder's golden files.
pub fn foreign(files: &Memory) -> Value {
    json!({ "read": read(files), "refused": refused(), "written": written(files) })
}

/// Payloads that are read, with all that is known of them then.
fn read(files: &Memory) -> Vec<Value> {
    let mut all = Vec::new();
    let mut add = |name: &str, op: &str, payload: Value, present: Value| {
        let asked = json!([{ "ints": ["1000000", "1000200"] }, { "texts": ["stranger-", 0, 100] }]);
        let mut made = payload;
        made["op"] = op.into();
        made["id"] = "f".into();
        let steps = [
            made.clone(),
            json!({ "op": "facts", "id": "f" }),
            json!({ "op": "ask", "id": "f", "keys": present }),
            json!({ "op": "ask", "id": "f", "keys": asked }),
        ];
        let out = run(&steps, &mut Memory::default());
        assert_eq!(out.len(), 4, "{name}: {:?}", out.last());
        assert!(!out[2].as_str().unwrap().contains('0'), "{name}: a key is lost");
        made.as_object_mut().unwrap().remove("id");
        let mut entry = json!({ "name": name });
        entry.as_object_mut().unwrap().extend(made.as_object().unwrap().clone());
        entry["facts"] = out[1].clone();
        entry["present"] = present;
        entry["asked"] = json!({ "keys": asked, "answers": out[3] });
        all.push(entry);
    };
    let bytes = |text: &str| json!({ "hex": text });
    add("valkey-load", "from_valkey", bytes(VALKEY_LOAD), letters(4));
    let load = unhex(VALKEY_LOAD);
    for (name, shape) in [
        ("plain", Dump::default()),
        ("blob-first", Dump { blob_first: true, ..Dump::default() }),
        ("wide-lengths", Dump { wide: true, ..Dump::default() }),
        ("lzf", Dump { lzf: true, ..Dump::default() }),
        ("rdb-80", Dump { rdb: 80, ..Dump::default() }),
    ] {
        add(&format!("valkey-dump-{name}"), "from_valkey", bytes(&hex(&shape.dump(&load))), letters(4));
    }
    // Long runs of zeros: repetitions of every length, and lengths of two and of four bytes.
    let empty = exported(files, "valkey-empty", "to_valkey_load");
    add(
        "valkey-dump-lzf-of-zeros",
        "from_valkey",
        bytes(&hex(&Dump { lzf: true, ..Dump::default() }.dump(&unhex(empty.as_str().unwrap())))),
        json!([]),
    );
    let golden = || json!([[1, REDISBLOOM_HEADER], [9, REDISBLOOM_CHUNK]]);
    add("redisbloom", "from_redisbloom", json!({ "chunks": golden() }), letters(3));
    let mut more = golden();
    more.as_array_mut().unwrap().push(json!([0, ""]));
    add("redisbloom-with-the-last-reply", "from_redisbloom", json!({ "chunks": more }), letters(3));
    let pieces = json!([[1, REDISBLOOM_HEADER], [2, "20"], [6, "04208c10"], [9, "900120"]]);
    add("redisbloom-in-pieces", "from_redisbloom", json!({ "chunks": pieces }), letters(3));
    add(
        "redisbloom-power-of-two",
        "from_redisbloom",
        json!({ "chunks": [[1, old_redisbloom()], [65, "00".repeat(64)]] }),
        json!([]),
    );
    add("guava-texts", "from_guava", bytes(GUAVA), texts());
    add("spark-v1-texts", "from_spark", bytes(SPARK_V1), texts());
    add("spark-v2-texts", "from_spark", bytes(SPARK_V2), texts());
    for ((op, data), name) in LONGS.into_iter().zip(["guava-longs", "spark-v1-longs", "spark-v2-longs"]) {
        add(name, op, bytes(data), longs());
    }
    all
}

/// A filter whose bits are a power of two, as old versions have it: 2^9 for 82 items at 0.1.
fn old_redisbloom() -> String {
    let (error, bpe) = (0.05f64, 6.235224229572746f64); // −ln(0.05) / 0.480453013918201
    let mut header = unhex("0000000000000000010000000400000002000000");
    [64, 512, 0, error.to_bits(), bpe.to_bits()].iter().for_each(|word| header.extend(word.to_le_bytes()));
    header.extend(5u32.to_le_bytes());
    header.extend(82u64.to_le_bytes());
    header.push(9);
    hex(&header)
}

/// The payload that a golden file is written as.
fn exported(files: &Memory, name: &str, op: &str) -> Value {
    let mut memory = Memory::default();
    memory.0.insert("file".into(), files.0[&format!("{name}.tepal")].clone());
    let steps = [json!({ "op": "load_scalable", "id": "f", "file": "file" }), json!({ "op": op, "id": "f" })];
    run(&steps, &mut memory).pop().unwrap()
}

/// Golden files of the servers' schemes as payloads.
fn written(files: &Memory) -> Vec<Value> {
    let entry = |name: &str, ops: &[&str]| {
        let mut entry = json!({ "file": format!("{name}.tepal") });
        for op in ops {
            entry[*op] = exported(files, name, op);
            assert!(entry[*op].get("error").is_none(), "{name} {op}: {}", entry[*op]);
        }
        entry
    };
    let names = files.0.keys().filter_map(|file| file.strip_suffix(".tepal"));
    names
        .filter_map(|name| match name {
            _ if name.starts_with("valkey-") => Some(entry(name, &["to_valkey_load", "to_valkey_dump"])),
            _ if name.starts_with("redisbloom-") => Some(entry(name, &["to_redisbloom"])),
            _ => None,
        })
        .collect()
}

/// A DUMP payload with choices that servers have made, now and before.
#[derive(Default)]
struct Dump {
    blob_first: bool,
    wide: bool,
    lzf: bool,
    rdb: u16,
}

impl Dump {
    fn number(&self, out: &mut Vec<u8>, n: u64) {
        match n {
            _ if self.wide => out.extend([&[0x81][..], &n.to_be_bytes()].concat()),
            0..=63 => out.push(n as u8),
            64..=0x3FFF => out.extend((n as u16 | 0x4000).to_be_bytes()),
            _ => out.extend([&[0x80][..], &(n as u32).to_be_bytes()].concat()),
        }
    }

    fn unsigned(&self, out: &mut Vec<u8>, n: u64) {
        out.push(2);
        self.number(out, n);
    }

    fn string(&self, out: &mut Vec<u8>, text: &[u8]) {
        out.push(5);
        if self.lzf {
            let packed = lzf(text);
            out.push(0xC3);
            self.number(out, packed.len() as u64);
            self.number(out, text.len() as u64);
            out.extend(packed);
        } else {
            self.number(out, text.len() as u64);
            out.extend(text);
        }
    }

    /// What a BF.LOAD payload is as a DUMP.
    fn dump(&self, load: &[u8]) -> Vec<u8> {
        let word = |at: usize| u64::from_le_bytes(load[at..at + 8].try_into().unwrap());
        let mut out = unhex("07816e5a2899f96dac01");
        let count = word(22);
        self.unsigned(&mut out, count);
        self.unsigned(&mut out, u32::from_le_bytes(load[1..5].try_into().unwrap()) as u64);
        for at in [5, 13] {
            out.push(4);
            out.extend(&load[at..at + 8]);
        }
        self.unsigned(&mut out, load[21] as u64);
        let mut at = 30;
        for index in 1..=count {
            let blob = &load[at + 8..at + 8 + word(at) as usize];
            at += 8 + blob.len() + 16;
            if self.blob_first {
                self.string(&mut out, blob);
            }
            self.unsigned(&mut out, word(at - 8));
            if index == count {
                self.unsigned(&mut out, word(at - 16));
            }
            if !self.blob_first {
                self.string(&mut out, blob);
            }
        }
        out.push(0);
        sealed(out, if self.rdb == 0 { 11 } else { self.rdb })
    }
}

/// With RDB version and checksum.
fn sealed(mut dump: Vec<u8>, rdb: u16) -> Vec<u8> {
    dump.extend(rdb.to_le_bytes());
    let crc = dump.iter().fold(0u64, |crc, byte| {
        (0..8).fold(crc ^ *byte as u64, |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0x95AC_9329_AC4B_C9B5 } else { crc >> 1 })
    });
    dump.extend(crc.to_le_bytes());
    dump
}

/// LZF that repeats single bytes: enough to have every kind of its codes.
fn lzf(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut at = 0;
    let mut literal = Vec::new();
    let flush = |out: &mut Vec<u8>, literal: &mut Vec<u8>| {
        for part in literal.chunks(32) {
            out.push(part.len() as u8 - 1);
            out.extend(part);
        }
        literal.clear();
    };
    while at < text.len() {
        let run = text[at..].iter().take(265).take_while(|byte| **byte == text[at]).count();
        literal.push(text[at]);
        at += 1;
        if run >= 4 {
            flush(&mut out, &mut literal);
            let repeat = run - 1;
            match repeat - 2 {
                short @ 1..=6 => out.push((short as u8) << 5),
                long => out.extend([7 << 5, (long - 7) as u8]),
            }
            out.push(0);
            at += repeat;
        }
    }
    flush(&mut out, &mut literal);
    out
}

/// Payloads that no server can have made, with the code of the first check that fails.
fn refused() -> Vec<Value> {
    let mut all = Vec::new();
    valkey_loads(&mut all);
    valkey_dumps(&mut all);
    redisbloom(&mut all);
    arrays(&mut all);
    all
}

fn bad(all: &mut Vec<Value>, name: String, op: &str, code: &str, bytes: &[u8]) {
    all.push(json!({ "name": name, "op": op, "hex": hex(bytes), "code": code }));
}

fn patched(good: &[u8], at: usize, value: &[u8]) -> Vec<u8> {
    let mut bytes = good.to_vec();
    bytes[at..at + value.len()].copy_from_slice(value);
    bytes
}

/// Rates that are none.
const RATES: [(&str, f64); 6] =
    [("nan", f64::NAN), ("inf", f64::INFINITY), ("0", 0.0), ("negative", -0.1), ("1", 1.0), ("subnormal", 1e-310)];

fn valkey_loads(all: &mut Vec<Value>) {
    let good = unhex(VALKEY_LOAD);
    let mut raw =
        |name: &str, code: &str, bytes: &[u8]| bad(all, format!("valkey-load-{name}"), "from_valkey", code, bytes);
    for cut in [0, 1, 20, 30, 37, 60, 84, 100, good.len() - 1] {
        raw(&format!("cut-{cut}"), "ERR_TRUNCATED", &good[..cut]);
    }
    raw("trailing", "ERR_TRAILING", &[&good[..], &[0]].concat());
    let mut field = |name: &str, at: usize, value: &[u8]| raw(name, "ERR_FOREIGN", &patched(&good, at, value));
    field("version-0", 0, &[0]);
    field("version-2", 0, &[2]);
    for (name, rate) in RATES {
        field(&format!("rate-{name}"), 5, &rate.to_le_bytes());
        field(&format!("tightening-{name}"), 13, &rate.to_le_bytes());
    }
    field("rate-of-another-size", 5, &0.001f64.to_le_bytes());
    field("seed-mark-2", 21, &[2]);
    field("no-filters", 22, &[0; 8]);
    field("filters-huge", 22, &[0xFF; 8]);
    field("non-scaling-with-two", 1, &[0; 4]);
    field("expansion-3", 1, &[3, 0, 0, 0]);
    field("blob-version-2", 38, &[2]);
    field("blob-bytes", 39, &[3]);
    field("blob-bytes-huge", 39, &[0xFF; 8]);
    field("probes-0", 47, &[0]);
    field("probes-5", 47, &[5]);
    field("probes-huge", 47, &[0xFF; 4]);
    field("other-seed-not-random", 51, &[0; 32]);
    field("two-seeds", 21 + 101, &[7]);
    field("items-4", 85, &[4]);
    field("items-negative", 85, &[0xFF; 8]);
    field("capacity-0", 93, &[0]);
    field("capacity-4", 93, &[4]);
    field("capacity-negative", 93, &[0xFF; 8]);
    let at = good.len() - 8;
    field("second-capacity-7", at, &[7]);
    raw("blob-huge", "ERR_TRUNCATED", &patched(&good, 30, &[0xFF; 8]));
    raw("one-filter-of-two", "ERR_TRAILING", &patched(&good, 22, &[1]));
    raw("three-filters-of-two", "ERR_TRUNCATED", &patched(&good, 22, &[3]));
}

fn valkey_dumps(all: &mut Vec<Value>) {
    let load = unhex(VALKEY_LOAD);
    let plain = Dump::default().dump(&load);
    let packed = Dump { lzf: true, ..Dump::default() }.dump(&load);
    let body = plain.len() - 10;
    let mut raw =
        |name: &str, code: &str, bytes: &[u8]| bad(all, format!("valkey-dump-{name}"), "from_valkey", code, bytes);
    for cut in [1, 5, 10] {
        raw(&format!("cut-{cut}"), "ERR_TRUNCATED", &plain[..cut]);
    }
    raw("cut-later", "ERR_CHECKSUM", &plain[..plain.len() - 1]);
    raw("crc", "ERR_CHECKSUM", &patched(&plain, plain.len() - 1, &[0]));
    raw("bits", "ERR_CHECKSUM", &patched(&plain, body - 2, &[0xFF]));
    raw("crc-zero", "ERR_CHECKSUM", &patched(&plain, plain.len() - 8, &[0; 8]));
    let mut mended = |name: &str, code: &str, body: &[u8]| raw(name, code, &sealed(body.to_vec(), 11));
    mended("other-type", "ERR_FOREIGN", &patched(&plain[..body], 9, &[2]));
    mended("type-in-short", "ERR_FOREIGN", &patched(&plain[..body], 1, &[5]));
    mended("other-opcode", "ERR_FOREIGN", &patched(&plain[..body], 10, &[3]));
    mended("no-filters", "ERR_FOREIGN", &patched(&plain[..body], 11, &[0]));
    mended("length-special", "ERR_FOREIGN", &patched(&plain[..body], 11, &[0xC0]));
    mended("length-unknown", "ERR_FOREIGN", &patched(&plain[..body], 11, &[0x82]));
    mended("end-missing", "ERR_TRUNCATED", &plain[..body - 1]);
    mended("end-other", "ERR_FOREIGN", &patched(&plain[..body], body - 1, &[1]));
    mended("more-behind-the-end", "ERR_TRAILING", &[&plain[..body], &[0]].concat());
    mended("half", "ERR_TRUNCATED", &plain[..body / 2]);
    // Behind opcode and kind of the first compressed string: its lengths, then its codes.
    let at = packed.windows(2).position(|pair| pair == [5, 0xC3]).unwrap() + 2;
    let lzf = |name: &str, code: &str, at: usize, value: &[u8], all: &mut Vec<Value>| {
        let bytes = sealed(patched(&packed[..packed.len() - 10], at, value), 11);
        bad(all, format!("valkey-dump-lzf-{name}"), "from_valkey", code, &bytes);
    };
    lzf("too-long", "ERR_FOREIGN", at + 1, &[0x3F], all);
    lzf("too-short", "ERR_FOREIGN", at + 1, &[0x20], all);
    lzf("before-the-start", "ERR_FOREIGN", at + 2, &[0x3F, 0xFF], all);
    // It says 2^32 bytes, which three bytes cannot stand for.
    let mut bomb = unhex("07816e5a2899f96dac010201020204");
    bomb.extend(0.1f64.to_le_bytes());
    bomb.push(4);
    bomb.extend(0.5f64.to_le_bytes());
    bomb.extend(unhex("020002030203"));
    bomb.extend(unhex("05c3038100000001000000000000e0ff00"));
    bad(all, "valkey-dump-lzf-bomb".into(), "from_valkey", "ERR_FOREIGN", &sealed(bomb, 11));
}

fn redisbloom(all: &mut Vec<Value>) {
    let header = unhex(REDISBLOOM_HEADER);
    let mut chunks = |name: &str, code: &str, chunks: Value| {
        all.push(
            json!({ "name": format!("redisbloom-{name}"), "op": "from_redisbloom", "chunks": chunks, "code": code }),
        )
    };
    chunks("nothing", "ERR_TRUNCATED", json!([]));
    chunks("no-chunk", "ERR_TRUNCATED", json!([[1, REDISBLOOM_HEADER]]));
    chunks("half-a-chunk", "ERR_TRUNCATED", json!([[1, REDISBLOOM_HEADER], [5, "2004208c"]]));
    chunks(
        "two-chunks-too-many",
        "ERR_TRAILING",
        json!([[1, REDISBLOOM_HEADER], [9, REDISBLOOM_CHUNK], [17, REDISBLOOM_CHUNK]]),
    );
    chunks(
        "two-last-replies",
        "ERR_TRAILING",
        json!([[1, REDISBLOOM_HEADER], [9, REDISBLOOM_CHUNK], [0, ""], [0, ""]]),
    );
    chunks("header-iterator", "ERR_FOREIGN", json!([[2, REDISBLOOM_HEADER], [9, REDISBLOOM_CHUNK]]));
    chunks("chunk-iterator", "ERR_FOREIGN", json!([[1, REDISBLOOM_HEADER], [10, REDISBLOOM_CHUNK]]));
    chunks("chunk-too-long", "ERR_FOREIGN", json!([[1, REDISBLOOM_HEADER], [10, format!("{REDISBLOOM_CHUNK}00")]]));
    chunks("chunk-empty", "ERR_FOREIGN", json!([[1, REDISBLOOM_HEADER], [1, ""], [9, REDISBLOOM_CHUNK]]));
    let mut head =
        |name: &str, code: &str, bytes: &[u8]| chunks(name, code, json!([[1, hex(bytes)], [9, REDISBLOOM_CHUNK]]));
    for cut in [0, 7, 19, 20, 72] {
        head(&format!("header-cut-{cut}"), "ERR_TRUNCATED", &header[..cut]);
    }
    head("header-longer", "ERR_FOREIGN", &[&header[..], &[0]].concat());
    let mut field = |name: &str, at: usize, value: &[u8]| head(name, "ERR_FOREIGN", &patched(&header, at, value));
    field("size-4", 0, &[4]);
    field("size-huge", 0, &[0xFF; 8]);
    field("no-filters", 8, &[0]);
    field("two-filters-non-scaling", 8, &[2]);
    field("options-32-bit-hashes", 12, &[9]);
    field("options-unknown", 12, &[0x1D]);
    field("options-rounded-but-n2-0", 12, &[12]);
    field("growth-0-and-scaling", 12, &[5, 0, 0, 0, 0]);
    field("bytes-0", 20, &[0]);
    field("bytes-9", 20, &[9]);
    field("bytes-huge", 20, &[0xFF; 8]);
    field("bits-65", 28, &[65]);
    field("link-size-4", 36, &[4]);
    for (name, rate) in RATES {
        field(&format!("error-{name}"), 44, &rate.to_le_bytes());
    }
    field("error-of-another-bpe", 44, &0.2f64.to_le_bytes());
    field("bpe-nan", 52, &f64::NAN.to_le_bytes());
    field("bpe-5", 52, &5.0f64.to_le_bytes());
    field("hashes-0", 60, &[0]);
    field("hashes-5", 60, &[5]);
    field("hashes-huge", 60, &[0xFF; 4]);
    field("entries-0", 64, &[0]);
    field("entries-2", 64, &[2]);
    field("entries-more-than-fit", 64, &[14]);
    field("entries-huge", 64, &[0xFF; 8]);
    field("n2-6", 72, &[6]);
    field("n2-huge", 72, &[255]);
}

fn arrays(all: &mut Vec<Value>) {
    for (name, op, golden) in
        [("guava", "from_guava", GUAVA), ("spark-v1", "from_spark", SPARK_V1), ("spark-v2", "from_spark", SPARK_V2)]
    {
        let good = unhex(golden);
        let words = good.len() - 28;
        for cut in [0, 1, words, words + 3, words + 4, good.len() - 1] {
            bad(all, format!("{name}-cut-{cut}"), op, "ERR_TRUNCATED", &good[..cut]);
        }
        bad(all, format!("{name}-trailing"), op, "ERR_TRAILING", &[&good[..], &[0]].concat());
        bad(all, format!("{name}-words-2"), op, "ERR_TRAILING", &patched(&good, words, &[0, 0, 0, 2]));
        bad(all, format!("{name}-words-4"), op, "ERR_TRUNCATED", &patched(&good, words, &[0, 0, 0, 4]));
        bad(
            all,
            format!("{name}-words-2-31-less-1"),
            op,
            "ERR_TRUNCATED",
            &patched(&good, words, &[0x7F, 0xFF, 0xFF, 0xFF]),
        );
        bad(all, format!("{name}-words-0"), op, "ERR_FOREIGN", &patched(&good, words, &[0; 4]));
        bad(all, format!("{name}-words-negative"), op, "ERR_FOREIGN", &patched(&good, words, &[0xFF; 4]));
    }
    let mut field = |name: &str, op: &str, golden: &str, at: usize, value: &[u8]| {
        bad(all, name.into(), op, "ERR_FOREIGN", &patched(&unhex(golden), at, value));
    };
    field("guava-strategy-0", "from_guava", GUAVA, 0, &[0]);
    field("guava-strategy-255", "from_guava", GUAVA, 0, &[255]);
    field("guava-probes-0", "from_guava", GUAVA, 1, &[0]);
    field("spark-version-0", "from_spark", SPARK_V1, 3, &[0]);
    field("spark-version-3", "from_spark", SPARK_V1, 3, &[3]);
    field("spark-v1-probes-0", "from_spark", SPARK_V1, 4, &[0; 4]);
    field("spark-v1-probes-1101", "from_spark", SPARK_V1, 4, &[0, 0, 4, 0x4D]);
    field("spark-v2-probes-negative", "from_spark", SPARK_V2, 4, &[0xFF; 4]);
}

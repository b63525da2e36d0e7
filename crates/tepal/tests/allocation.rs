//! What a reader allocates is bounded by the bytes that are there, whatever the header claims.
//!
//! An allocator that counts, per thread: hostile headers claim up to 2^51 lines and must not get them; opening a view or a
//! shared buffer, and the addresses of a filter of 10^12 keys, cost next to nothing.
use std::alloc::{GlobalAlloc, Layout as Memory, System};
use std::cell::Cell;
use std::sync::Arc;
use tepal::checksum;
use tepal::{BloomFilter, Layout, Metadata, Options, Params, ScalableBloomFilter};

struct Counting;

thread_local! {
    static LIVE: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

fn count(bytes: isize) {
    let _ = LIVE.try_with(|live| {
        live.set(live.get() + bytes);
        let _ = PEAK.try_with(|peak| peak.set(peak.get().max(live.get())));
    });
}

// SAFETY: all work is the system allocator's; the counters allocate nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, memory: Memory) -> *mut u8 {
        count(memory.size() as isize); // before the attempt: a refused petabyte counts too
        unsafe { System.alloc(memory) }
    }
    unsafe fn alloc_zeroed(&self, memory: Memory) -> *mut u8 {
        count(memory.size() as isize);
        unsafe { System.alloc_zeroed(memory) }
    }
    unsafe fn realloc(&self, at: *mut u8, memory: Memory, size: usize) -> *mut u8 {
        count(size as isize); // both live while the bytes move
        let new = unsafe { System.realloc(at, memory, size) };
        count(-(memory.size() as isize));
        new
    }
    unsafe fn dealloc(&self, at: *mut u8, memory: Memory) {
        count(-(memory.size() as isize));
        unsafe { System.dealloc(at, memory) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The most bytes that `work` held at a time.
fn peak<R>(work: impl FnOnce() -> R) -> (R, usize) {
    let before = LIVE.get();
    PEAK.set(before);
    let result = work();
    (result, (PEAK.get() - before) as usize)
}

/// A filter's bytes with another line count, whose header is otherwise true.
fn claim(bytes: &[u8], lines: u64) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let offset = u32::from_le_bytes(bytes[20..24].try_into().unwrap()) as usize;
    let mut put = |at: usize, value: u64| bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
    put(40, lines);
    put(48, lines * 64);
    put(56, offset as u64 + lines * 64 + 64);
    let sum = checksum(&bytes[..offset - 8]);
    bytes[offset - 8..offset].copy_from_slice(&sum.to_le_bytes());
    bytes
}

fn sample(n: u64, layout: Layout) -> Vec<u8> {
    let metadata = Metadata::from_pairs([("rule", "lower"), ("source", "test")]).unwrap();
    let filter =
        BloomFilter::with_options(n, 0.01, Options { layout: layout.into(), metadata, ..Options::default() }).unwrap();
    filter.insert_many(0..n);
    filter.to_bytes().unwrap()
}

const MIB: usize = 1 << 20;

#[test]
fn a_header_that_claims_petabytes_gets_nothing() {
    for layout in [Layout::Line, Layout::Pair, Layout::Classic] {
        let honest = sample(1_000, layout);
        for lines in [1 << 20, 1 << 26, 1 << 32, (1 << 32) + 2, 1 << 40, 1 << 51] {
            let hostile = claim(&honest, lines);
            let (result, used) = peak(|| BloomFilter::from_bytes(&hostile).map(drop));
            assert_eq!(result.unwrap_err().code(), "ERR_TRUNCATED");
            assert!(used < 2_000, "from_bytes used {used} bytes for {lines} lines");

            let (result, used) = peak(|| BloomFilter::view(&hostile).map(drop));
            assert_eq!(result.unwrap_err().code(), "ERR_TRUNCATED");
            assert!(used < 2_000, "view used {used}");

            let shared: Arc<Vec<u8>> = Arc::new(hostile.clone());
            let (result, used) = peak(|| BloomFilter::from_shared(shared, None).map(drop));
            assert_eq!(result.unwrap_err().code(), "ERR_TRUNCATED");
            assert!(used < 2_000, "from_shared used {used}");

            // A stream of unknown length: a first piece of 1 MiB, then only as much again as has come.
            let (result, used) = peak(|| BloomFilter::read_from(&mut hostile.as_slice(), None, None).map(drop));
            assert_eq!(result.unwrap_err().code(), "ERR_TRUNCATED");
            assert!(used < 3 * hostile.len() + MIB + 10_000, "read_from used {used}");

            let there = Some(hostile.len() as u64);
            let (result, used) = peak(|| BloomFilter::read_from(&mut hostile.as_slice(), None, there).map(drop));
            assert_eq!(result.unwrap_err().code(), "ERR_TRUNCATED");
            assert!(used < 2_000, "read_from with a length used {used}");
        }
    }
}

#[test]
fn a_stream_grows_with_what_comes() {
    let honest = sample(4_000_000, Layout::Line); // 5 MB
    for lines in [1 << 30, 1 << 51] {
        let hostile = claim(&honest, lines);
        for len in [hostile.len(), hostile.len() / 2, hostile.len() / 3, 2 * MIB + 300] {
            let (result, used) = peak(|| BloomFilter::read_from(&mut &hostile[..len], None, None).map(drop));
            let code = result.unwrap_err().code();
            assert_eq!(code, "ERR_TRUNCATED");
            assert!(used < 3 * len + MIB + 10_000, "{used} bytes for {len}");
        }
    }
}

#[test]
fn an_honest_filter_is_held_once() {
    for layout in [Layout::Line, Layout::Pair, Layout::Classic] {
        let bytes = sample(1_000_000, layout);
        let len = bytes.len();
        let (filter, used) = peak(|| BloomFilter::from_bytes(&bytes).unwrap());
        assert!(used < len + 3_000, "from_bytes used {used} for {len}");

        let there = Some(len as u64);
        let (read, used) = peak(|| BloomFilter::read_from(&mut bytes.as_slice(), None, there).unwrap());
        assert!(used < len + 3_000, "read_from used {used} for {len}");
        assert!(read == filter);

        let (_, used) = peak(|| filter.to_bytes().unwrap());
        assert!(used < len + 80_000, "to_bytes used {used} for {len}");

        let (_, used) = peak(|| filter.write_to(&mut std::io::sink()).unwrap());
        assert!(used < 80_000, "write_to used {used}");

        let (view, used) = peak(|| BloomFilter::view(&bytes).unwrap());
        assert!(used < 2_000 && view == filter, "view used {used}");

        let (_, used) = peak(|| (0..10_000u64).filter(|key| filter.contains(key) != view.contains(key)).count());
        assert_eq!(used, 0, "a lookup allocates");
    }
}

/// Level i's record of a scalable filter with true checksums of table and body, but another number of lines in header and record.
fn claim_level(bytes: &[u8], level: usize, lines: u64) -> Vec<u8> {
    let old = u64::from_le_bytes(bytes[40..48].try_into().unwrap());
    let record = 128 + 64 * (level + 1);
    let own = u64::from_le_bytes(bytes[record + 32..record + 40].try_into().unwrap());
    let mut hostile = claim(bytes, old - own + lines);
    hostile[record + 24..record + 32].copy_from_slice(&(lines * 512).to_le_bytes());
    hostile[record + 32..record + 40].copy_from_slice(&lines.to_le_bytes());
    let levels = u32::from_le_bytes(bytes[128..132].try_into().unwrap()) as usize;
    hostile[128 + 56..128 + 64].fill(0);
    let sum = checksum(&hostile[128..128 + 64 * (levels + 1)]);
    hostile[128 + 56..128 + 64].copy_from_slice(&sum.to_le_bytes());
    hostile
}

#[test]
fn a_level_that_claims_petabytes_gets_nothing() {
    let honest = ScalableBloomFilter::build(0..10_000u64, 0.01).unwrap().to_bytes().unwrap();
    for (level, lines) in [(0, 1 << 20), (1, 1 << 32), (2, 1 << 40), (2, (1 << 51) - 2_000)] {
        let hostile = claim_level(&honest, level, lines);
        let (result, used) = peak(|| ScalableBloomFilter::from_bytes(&hostile).map(drop));
        assert_eq!(result.unwrap_err().code(), "ERR_TRUNCATED");
        assert!(used < 2_000, "from_bytes used {used} bytes for {lines} lines");

        let shared: Arc<Vec<u8>> = Arc::new(hostile.clone());
        let (result, used) = peak(|| ScalableBloomFilter::from_shared(shared, None).map(drop));
        assert_eq!(result.unwrap_err().code(), "ERR_TRUNCATED");
        assert!(used < 2_000, "from_shared used {used}");

        let (result, used) = peak(|| ScalableBloomFilter::read_from(&mut hostile.as_slice(), None, None).map(drop));
        assert_eq!(result.unwrap_err().code(), "ERR_TRUNCATED");
        assert!(used < 3 * hostile.len() + MIB + 100_000, "read_from used {used}");
    }
    // More levels than there are bytes for.
    let mut hostile = honest.clone();
    hostile[128..132].copy_from_slice(&60_000u32.to_le_bytes());
    let (result, used) = peak(|| ScalableBloomFilter::from_bytes(&hostile).map(drop));
    assert_eq!(result.unwrap_err().code(), "ERR_HEADER");
    assert!(used < 2_000, "{used}");
}

#[test]
fn an_honest_growing_filter_is_held_once() {
    let bytes = ScalableBloomFilter::build(0..400_000u64, 0.01).unwrap().to_bytes().unwrap();
    let len = bytes.len();
    let (filter, used) = peak(|| ScalableBloomFilter::from_bytes(&bytes).unwrap());
    assert!(used < len + 80_000, "from_bytes used {used} for {len}");
    let there = Some(len as u64);
    let (read, used) = peak(|| ScalableBloomFilter::read_from(&mut bytes.as_slice(), None, there).unwrap());
    assert!(used < len + 160_000 && read == filter, "read_from used {used} for {len}");
    let (_, used) = peak(|| filter.write_to(&mut std::io::sink()).unwrap());
    assert!(used < 160_000, "write_to used {used}");
    let (_, used) = peak(|| (0..10_000u64).filter(|key| filter.contains(key)).count());
    assert_eq!(used, 0, "a lookup allocates");
    let (_, used) = peak(|| (0..10_000u64).filter(|key| filter.insert(key).unwrap()).count());
    assert_eq!(used, 0, "inserting a known key allocates");
}

#[test]
fn hostile_metadata_costs_a_small_multiple() {
    // As many pairs as fit: the shortest strings, ascending keys.
    let pairs: Vec<(String, String)> = (0..65_536u32 / 12).map(|i| (format!("{i:04}"), String::new())).collect();
    let metadata = Metadata::from_pairs(pairs).unwrap();
    let filter = BloomFilter::with_options(1, 0.5, Options { metadata, ..Options::default() }).unwrap();
    let bytes = filter.to_bytes().unwrap();
    let (read, used) = peak(|| BloomFilter::from_bytes(&bytes).unwrap());
    assert_eq!(read.metadata(), filter.metadata());
    assert!(used < 12 * bytes.len(), "{used} bytes for {}", bytes.len());
}

#[test]
fn a_filter_of_a_trillion_keys_is_sized_and_addressed_without_its_memory() {
    for layout in [Layout::Line, Layout::Pair, Layout::Classic] {
        let (_, used) = peak(|| {
            let params = Params::new(1_000_000_000_000, 0.01, 0, layout.into()).unwrap();
            (0..1_000u64).map(|key| params.addresses(tepal::hash_u64(key, 0)).len()).sum::<usize>()
        });
        assert!(used < 5_000, "{layout:?} used {used}");
    }
}

#[test]
fn a_foreign_payload_that_claims_petabytes_gets_nothing() {
    let many = u64::MAX >> 1;
    let load = |count: u64, len: u64| {
        let mut b = vec![1, 2, 0, 0, 0];
        [0.01f64, 0.5].iter().for_each(|x| b.extend(x.to_le_bytes()));
        b.push(1);
        [count, len].iter().for_each(|n| b.extend(n.to_le_bytes()));
        b
    };
    // The second blob says that it has 2^40 bytes of bits, the third payload's string is LZF for as many.
    let mut blob = load(1, 45 + 16);
    blob.push(1);
    blob.extend((1u64 << 40).to_le_bytes());
    blob.extend([7; 4 + 32 + 16 + 16]);
    let mut dump = vec![7, 0x81, 0x6e, 0x5a, 0x28, 0x99, 0xf9, 0x6d, 0xac, 1, 2, 1, 2, 2];
    for x in [0.01f64, 0.5] {
        dump.push(4);
        dump.extend(x.to_le_bytes());
    }
    dump.extend([2, 1, 5, 0xC3, 5, 0x81]);
    dump.extend((1u64 << 40).to_be_bytes());
    dump.extend([0, 0, 0xE0, 0xFF, 0, 0, 11, 0]);
    let crc = dump
        .iter()
        .fold(0u64, |crc, byte| (0..8).fold(crc ^ *byte as u64, |c, _| (c >> 1) ^ ((c & 1) * 0x95ac_9329_ac4b_c9b5)));
    dump.extend(crc.to_le_bytes());
    let mut failed: Vec<(usize, &str)> = Vec::new();
    for payload in [load(1 << 31, 47), load(1, many), blob, dump] {
        let (result, used) = peak(|| ScalableBloomFilter::from_valkey(&payload).map(drop));
        failed.push((used, result.unwrap_err().code()));
    }
    // RedisBloom: 2^32 - 1 sub filters; one of 2^59 bytes for 2^57 entries.
    let mut header = [0u64.to_le_bytes().to_vec(), [u32::MAX, 5, 2].map(u32::to_le_bytes).concat()].concat();
    let (result, used) = peak(|| ScalableBloomFilter::from_redisbloom(&[(1, &header)]).map(drop));
    failed.push((used, result.unwrap_err().code()));
    header[8..12].copy_from_slice(&1u32.to_le_bytes());
    let bpe = 4.792529188683723f64; // for 0.1
    for word in [1u64 << 59, 1 << 62, 0, 0.1f64.to_bits(), bpe.to_bits()] {
        header.extend(word.to_le_bytes());
    }
    header.extend(4u32.to_le_bytes());
    header.extend((1u64 << 57).to_le_bytes());
    header.push(0);
    let (result, used) = peak(|| ScalableBloomFilter::from_redisbloom(&[(1, &header), (9, &[0; 8])]).map(drop));
    failed.push((used, result.unwrap_err().code()));
    // 2^31 - 1 words.
    let words = [1u8, 7, 0x7F, 0xFF, 0xFF, 0xFF, 0];
    let (result, used) = peak(|| ScalableBloomFilter::from_guava(&words).map(drop));
    failed.push((used, result.unwrap_err().code()));
    let (t, f) = ("ERR_TRUNCATED", "ERR_FOREIGN");
    assert_eq!(failed.iter().map(|e| e.1).collect::<Vec<_>>(), [t, t, f, f, t, t, t]);
    assert!(failed.iter().all(|e| e.0 < 2_000), "{failed:?}");
}

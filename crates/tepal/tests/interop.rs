//! Scalable filters in the formats of others, through the public door: against valkey-bloom's own algorithm over the crate
//! that it is built on, and against bytes that Guava, Spark and RedisBloom wrote.
use bloomfilter::Bloom;
use tepal::{Class, ScalableBloomFilter, ScalableOptions, Scheme, Seed};

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect()
}

/// valkey-bloom's object, as its source has it.
struct Object {
    expansion: u64,
    fpr: f64,
    tightening: f64,
    seed: [u8; 32],
    filters: Vec<(Bloom<[u8]>, u64, u64)>,
}

impl Object {
    fn new(capacity: u64, fpr: f64, expansion: u64, tightening: f64, seed: [u8; 32]) -> Self {
        let first = Bloom::new_for_fp_rate_with_seed(capacity as usize, fpr, &seed).unwrap();
        Object { expansion, fpr, tightening, seed, filters: vec![(first, 0, capacity)] }
    }

    fn has(&self, item: &[u8]) -> bool {
        self.filters.iter().any(|(bloom, ..)| bloom.check(item))
    }

    /// None: full.
    fn add(&mut self, item: &[u8]) -> Option<bool> {
        if self.has(item) {
            return Some(false);
        }
        let (_, items, capacity) = *self.filters.last().map(|(_, i, c)| ((), i, c)).as_ref()?;
        if items == capacity {
            if self.expansion == 0 {
                return None;
            }
            let fpr = self.fpr * self.tightening.powi(self.filters.len() as i32);
            let capacity = capacity * self.expansion;
            let next = Bloom::new_for_fp_rate_with_seed(capacity as usize, fpr, &self.seed).unwrap();
            self.filters.push((next, 0, capacity));
        }
        let (bloom, items, _) = self.filters.last_mut()?;
        bloom.set(item);
        *items += 1;
        Some(true)
    }

    fn load_payload(&self) -> Vec<u8> {
        let mut out = vec![1];
        out.extend((self.expansion as u32).to_le_bytes());
        out.extend(self.fpr.to_le_bytes());
        out.extend(self.tightening.to_le_bytes());
        out.push((self.seed != *Seed::VALKEY_FIXED.bytes()) as u8);
        out.extend((self.filters.len() as u64).to_le_bytes());
        for (bloom, items, capacity) in &self.filters {
            let blob = bloom.to_bytes();
            out.extend((blob.len() as u64).to_le_bytes());
            out.extend(blob);
            out.extend((*items as i64).to_le_bytes());
            out.extend((*capacity as i64).to_le_bytes());
        }
        out
    }
}

#[test]
#[cfg_attr(
    not(all(target_pointer_width = "64", target_endian = "little")),
    ignore = "elsewhere the crate hashes other bytes than valkey-bloom's servers do"
)]
fn twenty_thousand_keys_go_as_in_valkey_bloom() {
    let fixed = *Seed::VALKEY_FIXED.bytes();
    let other = core::array::from_fn(|i| (i * 37 + 1) as u8);
    for (capacity, fpr, expansion, tightening, seed) in [
        (100, 0.01, 2, 0.5, fixed),
        (7, 0.2, 3, 0.85, other),
        (5_000, 1e-5, 1, 0.9, other),
        (20_000, 0.001, 0, 0.5, fixed),
    ] {
        let mut theirs = Object::new(capacity, fpr, expansion, tightening, seed);
        let options = ScalableOptions {
            expansion: (expansion > 0).then_some(expansion as u32),
            tightening: Some(tightening),
            seed: Seed::new(seed),
            ..ScalableOptions::of(Scheme::Valkey)
        };
        let ours = ScalableBloomFilter::with_options(capacity, fpr, options).unwrap();
        for i in 0..20_000u32 {
            let key = format!("item {i} {}", "-".repeat(i as usize % 21));
            assert_eq!(ours.insert(&key[..]).ok(), theirs.add(key.as_bytes()), "{capacity}: {key}");
            assert!(ours.contains(&key[..]));
        }
        assert_eq!(ours.filter_count(), theirs.filters.len() as u64);
        for i in 0..20_000u32 {
            let stranger = format!("stranger {i}");
            assert_eq!(ours.contains(&stranger[..]), theirs.has(stranger.as_bytes()), "{capacity}: {stranger}");
        }
        let payload = theirs.load_payload();
        assert!(ours.to_valkey_load().unwrap() == payload, "{capacity}: other bytes");
        let dump = ours.to_valkey_dump().unwrap();
        for foreign in [payload, dump] {
            let back = ScalableBloomFilter::from_valkey(&foreign).unwrap();
            assert!(back == ours, "{capacity}");
            assert_eq!((back.inserted_count(), back.size()), (ours.inserted_count(), ours.size()));
            // It goes on as the server's would.
            for i in 0..500u32 {
                let key = format!("more {i}");
                assert_eq!(back.contains(&key[..]), theirs.has(key.as_bytes()));
            }
        }
    }
}

/// Made by Guava 31.1 and spark-sketch 4.3.0; how is told in `src/interop/tests/jvm.rs`.
const TEXT_FILTERS: [(&str, &str); 3] = [
    ("guava", "010700000003202a001018202c0120004024229832609051260800102031"),
    ("spark-v1", "0000000100000007000000031ce1506028020021068600002d041000804000006245d000"),
    ("spark-v2", "00000002000000070000303900000003490003040200000201320188059249200a00a00fe00fe100"),
];
const LONG_FILTERS: [(&str, &str); 3] = [
    ("guava", "010a000000038110a10258092200050048042442200111a880a420880e02"),
    ("spark-v1", "000000010000000d000000034122180839088099a050d402824ca49a088c0921e660008e"),
    ("spark-v2", "000000020000000dfffffff9000000030937202102c10082134831124250821935925a0015220904"),
];

fn read(scheme: &str, hex: &str) -> ScalableBloomFilter {
    let read = if scheme == "guava" { ScalableBloomFilter::from_guava } else { ScalableBloomFilter::from_spark };
    let filter = read(&bytes(hex)).unwrap();
    assert_eq!(filter.scheme().name(), scheme);
    filter
}

#[test]
fn filters_of_guava_and_spark_are_asked_and_not_changed() {
    let strangers = |f: &ScalableBloomFilter| (0..2_000u32).filter(|i| f.contains(&format!("no {i}")[..])).count();
    for (scheme, hex) in TEXT_FILTERS {
        let filter = read(scheme, hex);
        let keys = [
            "",
            "a",
            "alice",
            "bob",
            "a key of sixteen",
            "a key that is longer than thirty-two bytes",
            "\u{e9}t\u{e9}",
        ];
        assert!(keys.iter().all(|key| filter.contains(*key)), "{scheme}");
        assert!(strangers(&filter) < 20, "{scheme}");
        assert!(filter.is_read_only());
        assert_eq!(filter.insert("new").unwrap_err().class(), Class::State, "{scheme}");
        // It travels in tepal's own format, and in no other.
        let back = ScalableBloomFilter::from_bytes(&filter.to_bytes().unwrap()).unwrap();
        assert!(back == filter && keys.iter().all(|key| back.contains(*key)), "{scheme}");
        assert_eq!(back.insert("new").unwrap_err().class(), Class::State, "{scheme} read back");
        for refused in [filter.to_valkey_load().err(), filter.to_valkey_dump().err(), filter.to_redisbloom().err()] {
            assert_eq!(refused.unwrap().code(), "ERR_UNSUPPORTED");
        }
    }
    for (scheme, hex) in LONG_FILTERS {
        let filter = read(scheme, hex);
        assert!([0, 1, -1, 42, i64::MIN].iter().all(|key| filter.contains(*key)), "{scheme}");
        assert!(strangers(&filter) < 20, "{scheme}");
    }
}

#[test]
#[allow(clippy::approx_constant)] // RedisBloom's digits
fn an_old_redisbloom_filter_is_read_goes_on_and_comes_back() {
    // Sizes that are powers of two (options 4): 2^9 bits take 82 items at 0.1 / 2.
    let error = 0.05f64;
    let bpe = 6.235224229572746f64; // -ln(0.05) / 0.480453013918201
    let (n2, entries) = (9u8, (512.0 / bpe) as u64);
    let mut header = bytes("000000000000000001000000");
    header.extend([4u32, 2].map(u32::to_le_bytes).concat());
    for word in [64, 512, 0, error.to_bits(), bpe.to_bits()] {
        header.extend(word.to_le_bytes());
    }
    header.extend((0.693147180559945 * bpe).ceil().to_string().parse::<u32>().unwrap().to_le_bytes());
    header.extend(entries.to_le_bytes());
    header.push(n2);
    let old = ScalableBloomFilter::from_redisbloom(&[(1, &header), (65, &[0; 64])]).unwrap();
    assert_eq!((old.capacity(), old.num_bits(), old.filter_count()), (entries, 512, 1));
    for i in 0..3 * entries {
        old.insert(i).unwrap();
    }
    assert!(old.filter_count() > 1 && (0..3 * entries).all(|i| old.contains(i)));
    let chunks = old.to_redisbloom().unwrap();
    let views: Vec<(i64, &[u8])> = chunks.iter().map(|(i, c)| (*i, &c[..])).collect();
    let back = ScalableBloomFilter::from_redisbloom(&views).unwrap();
    assert!(back == old && back.to_redisbloom().unwrap() == chunks);
}

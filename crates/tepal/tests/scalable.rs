//! `ScalableBloomFilter`: growth, the numbers of valkey-bloom, unions, bytes.
use tepal::{AnyFilter, Error, ScalableBloomFilter, ScalableOptions, Scheme};

fn valkey(capacity: u64, fpr: f64, expansion: u32, tightening: f64) -> Result<ScalableBloomFilter, Error> {
    let options = ScalableOptions {
        expansion: Some(expansion),
        tightening: Some(tightening),
        ..ScalableOptions::of(Scheme::Valkey)
    };
    ScalableBloomFilter::with_options(capacity, fpr, options)
}

/// What a real valkey-bloom 1.0 answers.
#[test]
fn sizes_and_reaches_are_those_of_valkey_bloom() {
    for (capacity, fpr, expansion, tightening, most) in [
        (100, 0.01, 2, 0.5, 26_214_300),
        (10_000, 0.001, 2, 0.5, 20_470_000),
        (1_000, 0.001, 4, 0.5, 21_845_000),
        (100, 0.01, 1, 0.5, 101_600),
        (5_000, 0.0001, 3, 0.85, 49_205_000),
        (50_000_000, 0.01, 2, 0.5, 50_000_000),
    ] {
        let filter = valkey(capacity, fpr, expansion, tightening).unwrap();
        assert_eq!(filter.max_scaled_capacity(), most, "{capacity} {fpr} {expansion} {tightening}");
        filter.validate_scale_to(most).unwrap();
        assert_eq!(filter.validate_scale_to(most + 1).unwrap_err().code(), "ERR_SCALE_TO");
    }
    assert_eq!(valkey(100, 0.01, 2, 0.5).unwrap().size(), 384);
    assert_eq!(valkey(10_000, 0.001, 2, 0.5).unwrap().size(), 18_236);
    let options = ScalableOptions { validate_scale_to: Some(26_214_301), ..ScalableOptions::of(Scheme::Valkey) };
    let error = ScalableBloomFilter::with_options(100, 0.01, options).unwrap_err();
    assert_eq!(error.code(), "ERR_SCALE_TO");
}

/// Adds new keys until so many were new.
fn fill(filter: &ScalableBloomFilter, from: u64, new: u64) -> u64 {
    let mut key = from;
    let mut added = 0;
    while added < new {
        added += filter.insert(key).unwrap() as u64;
        key += 1;
    }
    key
}

#[test]
fn it_grows_on_the_first_new_key_beyond_capacity() {
    for scheme in [Scheme::Tepal, Scheme::Valkey, Scheme::RedisBloom] {
        let options = ScalableOptions { expansion: Some(2), ..ScalableOptions::of(scheme) };
        let filter = ScalableBloomFilter::with_options(100, 0.01, options).unwrap();
        let next = fill(&filter, 0, 100);
        assert_eq!((filter.filter_count(), filter.capacity()), (1, 100));
        assert!(!filter.insert(0u64).unwrap());
        assert_eq!(filter.filter_count(), 1, "a known key does not make it grow");
        let next = fill(&filter, next, 1);
        assert_eq!((filter.filter_count(), filter.capacity()), (2, 300));
        let next = fill(&filter, next, 199);
        assert_eq!(filter.filter_count(), 2);
        fill(&filter, next, 1);
        assert_eq!((filter.filter_count(), filter.capacity(), filter.inserted_count()), (3, 700, 301));
    }
}

#[test]
fn a_full_filter_that_does_not_grow_refuses_new_keys_and_still_answers() {
    let options = ScalableOptions { expansion: None, ..ScalableOptions::default() };
    let filter = ScalableBloomFilter::with_options(50, 0.01, options).unwrap();
    fill(&filter, 0, 50);
    let bytes = filter.to_bytes().unwrap();
    let stranger = (1_000u64..).find(|key| !filter.contains(*key)).unwrap();
    assert_eq!(filter.insert(stranger).unwrap_err().code(), "ERR_FULL");
    assert!(!filter.contains(stranger) && filter.contains(3u64) && !filter.insert(3u64).unwrap());
    let unfinished = filter.insert_many([3, stranger, 4]).unwrap_err();
    assert_eq!((unfinished.answers, unfinished.error.code()), (vec![false], "ERR_FULL"));
    assert_eq!(filter.to_bytes().unwrap(), bytes);
}

#[test]
fn growth_stops_at_the_memory_limit_and_at_the_rate() {
    let options = ScalableOptions { max_bytes: Some(2_000), ..ScalableOptions::of(Scheme::Valkey) };
    let filter = ScalableBloomFilter::with_options(100, 0.01, options).unwrap();
    let most = filter.max_scaled_capacity();
    let mut key = 0u64;
    let error = loop {
        match filter.insert(key) {
            Ok(_) => key += 1,
            Err(error) => break error,
        }
    };
    assert_eq!((error.code(), filter.inserted_count()), ("ERR_MEMORY_LIMIT", most));
    assert!(!filter.contains(key) && filter.size() <= 2_000);

    let filter = valkey(1, 1e-300, 1, 0.001).unwrap();
    let error = (0..100u64).find_map(|key| filter.insert(key).err()).unwrap();
    assert_eq!(error.code(), "ERR_FPR_UNDERFLOW");
    assert_eq!(filter.inserted_count(), filter.max_scaled_capacity());
}

#[test]
fn bytes_come_back_to_the_byte() {
    for scheme in [Scheme::Tepal, Scheme::Valkey, Scheme::RedisBloom] {
        let filter = ScalableBloomFilter::with_options(100, 0.01, ScalableOptions::of(scheme)).unwrap();
        fill(&filter, 0, 5_000);
        let bytes = filter.to_bytes().unwrap();
        assert_eq!(bytes.len() as u64, filter.byte_len());
        let back = ScalableBloomFilter::from_bytes(&bytes).unwrap();
        assert_eq!(back, filter);
        assert_eq!(back.info(), filter.info());
        assert_eq!(back.to_bytes().unwrap(), bytes);
        let mut reader = bytes.as_slice();
        let streamed = ScalableBloomFilter::read_from(&mut reader, None, None).unwrap();
        assert_eq!(streamed.to_bytes().unwrap(), bytes);
        let view = ScalableBloomFilter::from_shared(std::sync::Arc::new(bytes.clone()), None).unwrap();
        view.verify().unwrap();
        assert_eq!(view.insert(1u64).unwrap_err().code(), "ERR_READ_ONLY");
        assert_eq!(view.to_bytes().unwrap(), bytes);
        assert!(matches!(tepal::from_bytes(&bytes).unwrap(), AnyFilter::Scalable(f) if f == filter));
        for answer in [filter.contains_many(0..6_000u64), view.contains_many(0..6_000u64)] {
            assert!(answer.iter().zip(0..6_000u64).all(|(found, key)| *found == filter.contains(key)));
        }
    }
}

#[test]
fn a_batch_is_a_loop() {
    for scheme in [Scheme::Tepal, Scheme::Valkey, Scheme::RedisBloom] {
        let new = || ScalableBloomFilter::with_options(100, 0.01, ScalableOptions::of(scheme)).unwrap();
        let (one, many) = (new(), new());
        let keys: Vec<u64> = (0..20_000).map(|i| i * i % 7_919).collect();
        let answers: Vec<bool> = keys.iter().map(|key| one.insert(*key).unwrap()).collect();
        assert_eq!(many.insert_many(&keys).unwrap(), answers);
        assert_eq!(one.to_bytes().unwrap(), many.to_bytes().unwrap());
    }
}

#[test]
fn a_union_joins_levels_or_lists_them_and_says_so() {
    let new = || ScalableBloomFilter::new(1_000, 0.01).unwrap();
    let (a, b) = (new(), new());
    (0..400u64).for_each(|key| assert!(a.insert(key).is_ok()));
    (300..800u64).for_each(|key| assert!(b.insert(key).is_ok()));
    let both = a.union(&b).unwrap();
    assert_eq!((both.filter_count(), both.fpr()), (1, 0.01));
    assert!((0..800u64).all(|key| both.contains(key)));

    (0..9_000u64).for_each(|key| assert!(a.insert(key).is_ok()));
    (100_000..103_000u64).for_each(|key| assert!(b.insert(key).is_ok()));
    let both = a.union(&b).unwrap();
    assert!(both.filter_count() > a.filter_count() && both.fpr() > 0.01);
    assert!((0..9_000u64).chain(100_000..103_000).all(|key| both.contains(key)));
    assert!(both.estimated_fpr() <= both.fpr());
    assert_eq!(both.to_bytes().unwrap(), b.union(&a).unwrap().to_bytes().unwrap());
    assert_eq!(ScalableBloomFilter::from_bytes(&both.to_bytes().unwrap()).unwrap(), both);

    a.union_with(&b).unwrap();
    assert_eq!((a.fpr(), a.filter_count()), (both.fpr(), both.filter_count()));
    assert!((0..9_000u64).chain(100_000..103_000).all(|key| a.contains(key)));
    a.clear().unwrap();
    assert_eq!(a.to_bytes().unwrap(), new().to_bytes().unwrap());
    (0..9_000u64).for_each(|key| assert!(a.insert(key).is_ok()));
    let fresh = new();
    (0..9_000u64).for_each(|key| assert!(fresh.insert(key).is_ok()));
    assert_eq!(a.to_bytes().unwrap(), fresh.to_bytes().unwrap());
    assert_eq!(a.union(&ScalableBloomFilter::new(999, 0.01).unwrap()).unwrap_err().code(), "ERR_CAPACITY_DIFFERS");
}

#[test]
fn the_default_series_takes_at_most_17_bits_a_key_when_full() {
    for capacity in [1_000, 3_000, 10_000, 100_000, 1_000_000] {
        let filter = ScalableBloomFilter::new(capacity, 0.01).unwrap();
        let mut next = 0;
        while filter.inserted_count() < 4_000_000.min(capacity * 340) {
            next = fill(&filter, next, filter.capacity() - filter.inserted_count());
            let bits = filter.num_bits() as f64 / filter.inserted_count() as f64;
            println!(
                "{capacity}: {} keys in {} levels, {bits:.2} bits a key",
                filter.inserted_count(),
                filter.filter_count()
            );
            assert!(bits <= 17.0, "{capacity}: {bits} bits a key");
            next = fill(&filter, next, 1);
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// What real servers write for these keys.
#[test]
fn exports_are_the_servers_own_bytes() {
    let filter = valkey(3, 0.1, 2, 0.5).unwrap();
    assert_eq!(filter.insert_many(["a", "b", "c", "d"]).unwrap(), [true; 4]);
    let load = filter.to_valkey_load().unwrap();
    assert_eq!(
        hex(&load),
        "01020000009a9999999999b93f000000000000e03f0002000000000000002f0000000000000001020000000000000004000000590ff522ea7811daa714\
         d8093b3e7bd91d898a733e988887307f97cd280733833c8703000000000000000300000000000000320000000000000001050000000000000005000000\
         590ff522ea7811daa714d8093b3e7bd91d898a733e988887307f97cd28073383500108200001000000000000000600000000000000"
    );
    let dump = filter.to_valkey_dump().unwrap();
    for bytes in [&load, &dump] {
        let back = ScalableBloomFilter::from_valkey(bytes).unwrap();
        assert_eq!(back, filter);
        assert_eq!(
            (back.info(), back.to_valkey_load().unwrap(), back.to_valkey_dump().unwrap()),
            (filter.info(), load.clone(), dump.clone())
        );
        assert!(["a", "b", "c", "d"].iter().all(|key| back.contains(key)));
    }

    let options = ScalableOptions { expansion: None, ..ScalableOptions::of(Scheme::RedisBloom) };
    let filter = ScalableBloomFilter::with_options(3, 0.1, options).unwrap();
    filter.insert_many(["a", "b", "c"]).unwrap();
    let chunks = filter.to_redisbloom().unwrap();
    assert_eq!(
        hex(&chunks[0].1),
        "0300000000000000010000000d000000020000000800000000000000400000000000000003000000000000009a9999999999b93f88168ac58c2b134004000000030000000000000000"
    );
    assert_eq!((chunks[0].0, chunks[1].0, hex(&chunks[1].1).as_str(), chunks.len()), (1, 9, "2004208c10900120", 2));
    let parts: Vec<(i64, &[u8])> = chunks.iter().map(|(i, bytes)| (*i, bytes.as_slice())).collect();
    let back = ScalableBloomFilter::from_redisbloom(&parts).unwrap();
    assert_eq!((&back, back.to_redisbloom().unwrap()), (&filter, chunks));
    assert_eq!(filter.to_valkey_load().unwrap_err().code(), "ERR_UNSUPPORTED");
}

#[test]
fn grown_filters_go_out_and_come_back() {
    for scheme in [Scheme::Valkey, Scheme::RedisBloom] {
        let filter = ScalableBloomFilter::with_options(100, 0.01, ScalableOptions::of(scheme)).unwrap();
        fill(&filter, 0, 10_000);
        let back = match scheme {
            Scheme::Valkey => ScalableBloomFilter::from_valkey(&filter.to_valkey_dump().unwrap()).unwrap(),
            _ => {
                let chunks = filter.to_redisbloom().unwrap();
                let parts: Vec<(i64, &[u8])> = chunks.iter().map(|(i, bytes)| (*i, bytes.as_slice())).collect();
                ScalableBloomFilter::from_redisbloom(&parts).unwrap()
            }
        };
        assert_eq!(back.to_bytes().unwrap(), filter.to_bytes().unwrap());
    }
}

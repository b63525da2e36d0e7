//! Any sequence of operations against a naive model: the set of keys that must be found.
//!
//! Promises: never a false negative; the bits are those of a filter of this size into which exactly these keys were
//! inserted (so a fold, a union or a round trip equals a direct build, whatever the order); every way to ask or insert
//! gives the same answers; bytes and views are the same filter.
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;
use tepal::{hash_u64, union_all, AnyFilter, BloomFilter, Hash128, Layout, Metadata, Options};

/// Under an emulator a few cases are enough to run every line.
const CASES: u32 = if cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) { 256 } else { 24 };

fn config() -> ProptestConfig {
    ProptestConfig { cases: CASES, failure_persistence: None, ..ProptestConfig::default() }
}

/// Parameters: all layouts and probe counts, sizes from one line to some thousand.
fn parameters() -> impl Strategy<Value = (u64, f64, Options)> {
    let layout = prop_oneof![Just(Layout::Line), Just(Layout::Pair), Just(Layout::Classic)];
    let fpr = prop_oneof![Just(0.5), Just(0.1), Just(0.01), Just(1e-4), Just(1e-9), 1e-9..0.5];
    let capacity = prop_oneof![Just(1u64), 1..50u64, 1..3_000u64, Just(9_999), Just(10_000), Just(40_000)];
    let seed = prop_oneof![Just(0), any::<u64>()];
    (capacity, fpr, layout, seed).prop_map(|(capacity, fpr, layout, seed)| {
        (capacity, fpr, Options { seed, layout: layout.into(), ..Options::default() })
    })
}

#[derive(Debug, Clone)]
enum Op {
    Insert(u64),
    InsertMany(Vec<u64>),
    InsertHash(u64),
    InsertThroughStorage(Vec<u64>),
    Union(Vec<u64>),
    UnionLarger(Vec<u64>, u64),
    UnionWith(Vec<u64>),
    UnionAll(Vec<Vec<u64>>),
    Intersection(Vec<u64>),
    IntersectWith(Vec<u64>),
    Fold(u64),
    Shrink(f64),
    Bytes,
    BytesWithoutSeed,
    Stream(bool),
    View,
    Shared,
    Copy,
    Clear,
}

fn op() -> impl Strategy<Value = Op> {
    let key = || prop_oneof![0..200u64, any::<u64>()];
    let keys = || vec(prop_oneof![0..200u64, any::<u64>()], 0..150);
    prop_oneof![
        6 => key().prop_map(Op::Insert),
        4 => keys().prop_map(Op::InsertMany),
        2 => key().prop_map(Op::InsertHash),
        2 => keys().prop_map(Op::InsertThroughStorage),
        2 => keys().prop_map(Op::Union),
        2 => (keys(), 1..5u64).prop_map(|(keys, times)| Op::UnionLarger(keys, times)),
        2 => keys().prop_map(Op::UnionWith),
        1 => vec(keys(), 0..4).prop_map(Op::UnionAll),
        1 => keys().prop_map(Op::Intersection),
        1 => keys().prop_map(Op::IntersectWith),
        2 => (0..20u64).prop_map(Op::Fold),
        2 => (0.0..1.0).prop_map(Op::Shrink),
        1 => Just(Op::Bytes),
        1 => Just(Op::BytesWithoutSeed),
        1 => any::<bool>().prop_map(Op::Stream),
        1 => Just(Op::View),
        1 => Just(Op::Shared),
        1 => Just(Op::Copy),
        1 => Just(Op::Clear),
    ]
}

/// The bits of exactly these keys in a filter of this shape: the addresses are the specification.
fn direct(filter: &BloomFilter, keys: &BTreeSet<u64>) -> Vec<u8> {
    let mut body = vec![0; filter.num_lines() as usize * 64];
    for key in keys {
        for (line, lane, bit) in filter.params().addresses(hash_u64(*key, filter.seed())) {
            body[line as usize * 64 + lane as usize * 8 + bit as usize / 8] |= 1 << (bit % 8);
        }
    }
    body
}

fn body(filter: &BloomFilter) -> Vec<u8> {
    let bytes = filter.to_bytes().unwrap();
    let offset = u32::from_le_bytes(bytes[20..24].try_into().unwrap()) as usize;
    bytes[offset..bytes.len() - 64].to_vec()
}

/// An empty filter of the same shape as this one.
fn sibling(filter: &BloomFilter) -> BloomFilter {
    let empty = filter.copy().unwrap();
    empty.clear();
    empty
}

/// The divisors of the line count (for `pair`: of its half).
fn divisors(filter: &BloomFilter) -> Vec<u64> {
    let units = filter.num_lines() / if filter.layout() == Layout::Pair { 2 } else { 1 };
    (1..=units).filter(|r| units % r == 0).collect()
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn any_sequence_of_operations_gives_the_filter_of_its_keys(
        (capacity, fpr, options) in parameters(),
        ops in vec(op(), 1..30),
    ) {
        let mut filter = BloomFilter::with_options(capacity, fpr, options).unwrap();
        let mut model = BTreeSet::new(); // keys that must be found
        let mut exact = true; // the bits are those of the model's keys and no others
        for op in ops {
            match op {
                Op::Insert(key) => {
                    let known = filter.contains(key);
                    prop_assert_eq!(filter.insert(key), !known);
                    prop_assert!(!filter.insert(key), "a repeat was new");
                    model.insert(key);
                }
                Op::InsertMany(keys) => {
                    let one_by_one = filter.copy().unwrap();
                    let expected: Vec<bool> = keys.iter().map(|key| one_by_one.insert(key)).collect();
                    prop_assert_eq!(filter.insert_many(&keys), expected);
                    model.extend(keys);
                }
                Op::InsertHash(key) => {
                    let known = filter.contains(key);
                    let hash = filter.key_hash(key);
                    prop_assert_eq!(filter.contains_hash(&hash), Ok(known));
                    prop_assert_eq!(filter.insert_hash(&hash), Ok(!known));
                    model.insert(key);
                }
                Op::InsertThroughStorage(keys) => {
                    let storage = filter.into_storage();
                    let hashes: Vec<Hash128> = keys.iter().map(|key| storage.hash_u64(*key)).collect();
                    let mut new = vec![false; hashes.len()];
                    storage.insert_hashes(&hashes, &mut new).unwrap();
                    for hash in hashes {
                        prop_assert!(!storage.insert_hash_raw(hash).unwrap());
                    }
                    filter = storage.copy().unwrap();
                    model.extend(keys);
                }
                Op::Union(keys) => {
                    let other = sibling(&filter);
                    other.insert_many(&keys);
                    let union = filter.union(&other).unwrap();
                    prop_assert_eq!(other.union(&filter).unwrap().to_bytes().unwrap(), union.to_bytes().unwrap());
                    filter = union;
                    model.extend(keys);
                }
                Op::UnionLarger(keys, times) => {
                    // A multiple of this size is made by asking for more keys until one divides.
                    let layout = filter.layout().into();
                    let options = Options { seed: filter.seed(), layout, ..Options::default() };
                    let larger = BloomFilter::with_options(filter.capacity() * times, filter.fpr(), options).unwrap();
                    larger.insert_many(&keys);
                    let fits = larger.num_probes() == filter.num_probes()
                        && (larger.num_lines() % filter.num_lines() == 0
                            || filter.num_lines() % larger.num_lines() == 0);
                    match filter.union(&larger) {
                        Ok(union) => {
                            prop_assert!(fits);
                            let lines = filter.num_lines().min(larger.num_lines());
                            prop_assert_eq!(union.num_lines(), lines);
                            let turned = larger.union(&filter).unwrap();
                            prop_assert_eq!(turned.to_bytes().unwrap(), union.to_bytes().unwrap());
                            prop_assert_eq!(filter.union_with(&larger).is_ok(), lines == filter.num_lines());
                            filter = union;
                            model.extend(keys);
                        }
                        Err(error) => {
                            prop_assert!(!fits, "{}", error);
                            prop_assert!(["ERR_SIZE_DIFFERS", "ERR_PROBES_DIFFERS"].contains(&error.code()));
                        }
                    }
                }
                Op::UnionWith(keys) => {
                    let other = sibling(&filter);
                    other.insert_many(&keys);
                    filter.union_with(&other).unwrap();
                    model.extend(keys);
                }
                Op::UnionAll(parts) => {
                    let mut all = vec![filter];
                    for keys in parts {
                        let part = sibling(&all[0]);
                        part.insert_many(&keys);
                        all.push(part);
                        model.extend(keys);
                    }
                    let forward = union_all(&all).unwrap();
                    let backward = union_all(all.iter().rev()).unwrap();
                    prop_assert_eq!(forward.to_bytes().unwrap(), backward.to_bytes().unwrap());
                    filter = forward;
                }
                Op::Intersection(keys) => {
                    let other = sibling(&filter);
                    other.insert_many(&keys);
                    let both = filter.intersection(&other).unwrap();
                    prop_assert_eq!(other.intersection(&filter).unwrap().to_bytes().unwrap(), both.to_bytes().unwrap());
                    filter = both;
                    model.retain(|key| keys.contains(key));
                    exact = false;
                }
                Op::IntersectWith(keys) => {
                    let other = sibling(&filter);
                    other.insert_many(&keys);
                    let expected = filter.intersection(&other).unwrap();
                    filter.intersect_with(&other).unwrap();
                    prop_assert!(filter == expected);
                    model.retain(|key| keys.contains(key));
                    exact = false;
                }
                Op::Fold(which) => {
                    let all = divisors(&filter);
                    let factor = all[which as usize % all.len()];
                    let folded = filter.fold(factor).unwrap();
                    prop_assert_eq!(folded.num_lines() * factor, filter.num_lines());
                    prop_assert_eq!(folded.capacity(), (filter.capacity() / factor).max(1));
                    // Folding in two steps is folding at once.
                    for r in divisors(&folded).into_iter().take(4) {
                        prop_assert_eq!(body(&folded.fold(r).unwrap()), body(&filter.fold(factor * r).unwrap()));
                    }
                    filter = folded;
                }
                Op::Shrink(part) => {
                    let capacity = ((filter.capacity() as f64 * part) as u64).max(1);
                    let small = filter.shrink_to(capacity).unwrap();
                    prop_assert_eq!((small.capacity(), small.fpr()), (capacity, filter.fpr()));
                    let factor = filter.num_lines() / small.num_lines();
                    prop_assert_eq!(body(&small), body(&filter.fold(factor).unwrap()));
                    // The largest factor that keeps the promise, by trying all of them.
                    let keeps = |r: &u64| {
                        filter.fold(*r).unwrap().params().predicted_fpr(capacity) <= filter.fpr()
                    };
                    let best = divisors(&filter).into_iter().rev().find(keeps).unwrap_or(1);
                    prop_assert_eq!(factor, best);
                    filter = small;
                }
                Op::Bytes => {
                    let bytes = filter.to_bytes().unwrap();
                    let AnyFilter::Bloom(read) = tepal::from_bytes(&bytes).unwrap() else { unreachable!() };
                    prop_assert!(read == filter);
                    prop_assert_eq!(read.to_bytes().unwrap(), bytes);
                    filter = read;
                }
                Op::BytesWithoutSeed => {
                    let bytes = filter.to_bytes_without_seed().unwrap();
                    let read = BloomFilter::from_bytes_with_seed(&bytes, filter.seed()).unwrap();
                    prop_assert!(read == filter);
                    prop_assert_eq!(read.to_bytes().unwrap(), filter.to_bytes().unwrap());
                    filter = read;
                }
                Op::Stream(known) => {
                    let mut bytes = Vec::new();
                    filter.write_to(&mut bytes).unwrap();
                    let available = known.then_some(bytes.len() as u64);
                    let read = BloomFilter::read_from(&mut bytes.as_slice(), None, available).unwrap();
                    prop_assert!(read == filter);
                    filter = read;
                }
                Op::View => {
                    // At every alignment.
                    let bytes = filter.to_bytes().unwrap();
                    for shift in [0, 1, 4, 8] {
                        let mut moved = vec![0; shift];
                        moved.extend_from_slice(&bytes);
                        let view = BloomFilter::view(&moved[shift..]).unwrap();
                        view.verify(&moved[shift..]).unwrap();
                        prop_assert!(view == filter);
                        prop_assert!(filter == view);
                        prop_assert_eq!(view.to_bytes().unwrap(), bytes.clone());
                        let keys: Vec<u64> = (0..300).chain(model.iter().copied()).collect();
                        prop_assert_eq!(view.contains_many(&keys), filter.contains_many(&keys));
                        prop_assert_eq!(view.estimated_fpr().to_bits(), filter.estimated_fpr().to_bits());
                        prop_assert_eq!(view.estimated_count(), filter.estimated_count());
                        prop_assert!(filter.union(&view).unwrap() == filter);
                        prop_assert!(view.intersection(&filter).unwrap() == filter);
                    }
                }
                Op::Shared => {
                    let bytes = Arc::new(filter.to_bytes().unwrap());
                    let shared = BloomFilter::from_shared(bytes, None).unwrap();
                    shared.verify().unwrap();
                    prop_assert!(shared.is_read_only() && shared == filter);
                    for key in 0..100u64 {
                        prop_assert_eq!(shared.contains(key), filter.contains(key));
                        prop_assert_eq!(shared.explain(key), filter.explain(key));
                    }
                    filter = shared.copy().unwrap();
                }
                Op::Copy => {
                    let copy = filter.copy().unwrap();
                    prop_assert!(copy == filter);
                    filter.insert_many(1_000_000..1_000_100u64);
                    filter = copy; // as if that had never been
                }
                Op::Clear => {
                    filter.clear();
                    model.clear();
                    exact = true;
                    prop_assert_eq!((filter.estimated_count(), filter.estimated_fpr()), (0, 0.0));
                }
            }
            for key in &model {
                prop_assert!(filter.contains(*key), "a key was lost");
            }
            if exact {
                prop_assert!(body(&filter) == direct(&filter, &model), "other bits than the keys set");
            }
        }
    }

    #[test]
    fn a_build_is_the_insertion_of_its_distinct_keys(
        (_, fpr, options) in parameters(),
        keys in vec(0..500u64, 0..400),
    ) {
        let distinct: BTreeSet<u64> = keys.iter().copied().collect();
        let built = BloomFilter::build_with_options(&keys, fpr, options.clone()).unwrap();
        let capacity = distinct.len().max(1) as u64;
        prop_assert_eq!(built.capacity(), capacity);
        let inserted = BloomFilter::with_options(capacity, fpr, options.clone()).unwrap();
        distinct.iter().rev().for_each(|key| {
            inserted.insert(key);
        });
        prop_assert_eq!(built.to_bytes().unwrap(), inserted.to_bytes().unwrap());
        let mut hashes: Vec<Hash128> = keys.iter().map(|key| hash_u64(*key, options.seed)).collect();
        hashes.reverse();
        prop_assert!(BloomFilter::build_hashes(hashes, fpr, options).unwrap() == built);
    }

    #[test]
    fn a_fold_of_a_build_keeps_its_promise((capacity, fpr, options) in parameters()) {
        let filter = BloomFilter::with_options(capacity, fpr, options).unwrap();
        for factor in divisors(&filter).into_iter().filter(|r| *r <= capacity) {
            let folded = filter.fold(factor).unwrap();
            let predicted = folded.params().predicted_fpr(folded.capacity());
            // A smaller filter varies more: `classic` may miss by its variance, which is one part in its number of bits.
            let slack = 1.0 + 16.0 / folded.num_lines() as f64 / 8.0;
            prop_assert!(predicted <= fpr * slack, "by {}: {:e} for {:e}", factor, predicted, fpr);
        }
    }

    #[test]
    fn filters_of_foldable_sizes_unite_in_any_order(
        (capacity, fpr, options) in parameters(),
        parts in vec((vec(any::<u64>(), 0..60), 0..8usize), 2..6),
        turn in 0..6usize,
    ) {
        let base = BloomFilter::with_options(capacity, fpr, options).unwrap();
        let all = divisors(&base);
        let mut filters = Vec::new();
        for (keys, which) in &parts {
            let whole = sibling(&base);
            whole.insert_many(keys);
            filters.push(whole.fold(all[which % all.len()]).unwrap());
        }
        let smallest = filters.iter().map(BloomFilter::num_lines).min().unwrap();
        let fits = filters.iter().all(|f| f.num_lines() % smallest == 0);
        let forward = union_all(&filters);
        filters.rotate_left(turn % parts.len());
        let turned = union_all(&filters);
        filters.reverse();
        let backward = union_all(&filters);
        if !fits {
            prop_assert_eq!(forward.unwrap_err().code(), "ERR_SIZE_DIFFERS");
            prop_assert_eq!(turned.unwrap_err().code(), "ERR_SIZE_DIFFERS");
            prop_assert_eq!(backward.unwrap_err().code(), "ERR_SIZE_DIFFERS");
            return Ok(());
        }
        let union = forward.unwrap();
        let keys: BTreeSet<u64> = parts.iter().flat_map(|(keys, _)| keys.iter().copied()).collect();
        prop_assert!(body(&union) == direct(&union, &keys));
        prop_assert_eq!(union.capacity(), filters.iter().map(BloomFilter::capacity).min().unwrap());
        prop_assert_eq!(turned.unwrap().to_bytes().unwrap(), union.to_bytes().unwrap());
        prop_assert_eq!(backward.unwrap().to_bytes().unwrap(), union.to_bytes().unwrap());
    }

    #[test]
    fn metadata_of_a_union_is_what_all_share(
        sets in vec(proptest::collection::btree_map("[a-c]{1,2}", "[xy]{0,1}", 0..6), 1..5),
    ) {
        let filters: Vec<BloomFilter> = sets
            .iter()
            .map(|pairs| {
                let metadata = Metadata::from_pairs(pairs.clone()).unwrap();
                BloomFilter::with_options(10, 0.1, Options { metadata, ..Options::default() }).unwrap()
            })
            .collect();
        let mut shared = sets[0].clone();
        shared.retain(|key, value| sets.iter().all(|set| set.get(key) == Some(value)));
        let shared = Metadata::from_pairs(shared).unwrap();
        let union = union_all(&filters).unwrap();
        prop_assert_eq!(union.metadata(), &shared);
        let read = BloomFilter::from_bytes(&union.to_bytes().unwrap()).unwrap();
        prop_assert_eq!(read.metadata(), &shared);
    }

    #[test]
    fn equality_is_parameters_and_bits((capacity, fpr, options) in parameters(), key in any::<u64>()) {
        let a = BloomFilter::with_options(capacity, fpr, options.clone()).unwrap();
        let metadata = Metadata::from_pairs([("label", "b")]).unwrap();
        let b = BloomFilter::with_options(capacity, fpr, Options { metadata, ..options.clone() }).unwrap();
        prop_assert!(a == b, "metadata does not matter");
        a.insert(key);
        prop_assert!(a != b);
        b.insert(key);
        prop_assert!(a == b);
        let other_seed = Options { seed: options.seed ^ 1, ..options.clone() };
        prop_assert!(sibling(&a) != BloomFilter::with_options(capacity, fpr, other_seed).unwrap());
        let other_capacity = BloomFilter::with_options(capacity + 1, fpr, options).unwrap();
        prop_assert!(sibling(&a) != other_capacity, "another promise");
    }

    #[test]
    fn any_bytes_are_a_filter_or_an_error(mut bytes in vec(any::<u8>(), 0..400), magic in any::<bool>()) {
        if magic {
            bytes.splice(0..0, *b"\x89TEPAL\r\n\x01\x00");
        }
        prop_assert!(BloomFilter::from_bytes(&bytes).is_err());
        prop_assert!(BloomFilter::view(&bytes).is_err());
        prop_assert!(BloomFilter::read_from(&mut bytes.as_slice(), None, None).is_err());
        prop_assert!(BloomFilter::from_shared(Arc::new(bytes), Some(3)).is_err());
    }

    #[test]
    fn one_changed_byte_is_found(
        (capacity, fpr, options) in parameters(),
        at in any::<prop::sample::Index>(),
        flip in 1..=255u8,
    ) {
        let filter = BloomFilter::with_options(capacity, fpr, options).unwrap();
        filter.insert_many(0..capacity.min(100));
        let mut bytes = filter.to_bytes().unwrap();
        let at = at.index(bytes.len());
        bytes[at] ^= flip;
        let error = BloomFilter::from_bytes(&bytes).map(drop).unwrap_err();
        let streamed = BloomFilter::read_from(&mut bytes.as_slice(), None, None).map(drop).unwrap_err();
        if error.code() != "ERR_TRAILING" {
            prop_assert_eq!(streamed, error);
        }
    }

    #[test]
    fn an_explanation_is_the_answer((capacity, fpr, options) in parameters(), keys in vec(0..300u64, 0..200)) {
        let filter = BloomFilter::with_options(capacity, fpr, options).unwrap();
        filter.insert_many(&keys);
        for key in 0..100u64 {
            let why = filter.explain(key);
            prop_assert_eq!(why.contained, filter.contains(key));
            prop_assert!((0.0..=1.0).contains(&why.false_positive_chance));
            prop_assert!(!why.contained || why.false_positive_chance > 0.0);
            let body = body(&filter);
            for line in &why.lines {
                prop_assert_eq!(line.body_offset, line.line * 64);
                for bit in &line.bits {
                    prop_assert_eq!(line.words[bit.lane as usize] >> bit.bit & 1 == 1, bit.set);
                }
                let first = &body[line.body_offset as usize..][..8];
                prop_assert_eq!(line.words[0], u64::from_le_bytes(first.try_into().unwrap()));
            }
        }
    }
}

#[test]
fn keys_of_equal_bytes_are_one_key() {
    let filter = BloomFilter::new(1_000, 1e-9).unwrap();
    assert!(filter.insert("naïve"));
    assert!(!filter.insert("naïve".as_bytes()) && !filter.insert(String::from("naïve")));
    assert!(filter.insert(-1i8));
    assert!(!filter.insert(u64::MAX) && !filter.insert(-1isize) && !filter.insert([255u8; 8]));
    assert!(filter.insert(7u8));
    assert!(!filter.insert(7i32) && !filter.insert(7usize) && !filter.insert(vec![7u8, 0, 0, 0, 0, 0, 0, 0]));
    assert!(filter.insert("") && !filter.insert([0u8; 0]) && filter.insert("\0"));
    let long = "x".repeat(100_000);
    assert!(filter.insert(&long) && filter.contains(long.as_bytes()) && !filter.contains(&long[1..]));
}

#[test]
fn sizes_of_4_6_and_2_lines_unite_in_any_order() {
    let of_lines = |lines: u64, key: &str| {
        let base = (500..).map(|n| BloomFilter::new(n, 0.01).unwrap()).find(|f| f.num_lines() == 12).unwrap();
        base.insert(key);
        base.fold(12 / lines).unwrap()
    };
    let filters = [of_lines(4, "a"), of_lines(6, "b"), of_lines(2, "c")];
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let union = union_all(order.map(|i| &filters[i])).unwrap();
        assert_eq!(union.num_lines(), 2);
        assert!(["a", "b", "c"].iter().all(|key| union.contains(key)));
    }
    assert_eq!(union_all(&filters[..2]).unwrap_err().code(), "ERR_SIZE_DIFFERS");
}

//! Any sequence of operations on a growing filter against a naive model: levels as sets of bits, grown by the rule of FORMAT.md,
//! section 6.5, with sizes and addresses from `Params`. The answers, the counts and the bytes of all levels must be the model's.
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;
use tepal::{hash_u64, AnyFilter, LayoutChoice, Params, ScalableBloomFilter, ScalableOptions, Seed};

/// Under an emulator a few cases are enough to run every line.
const CASES: u32 = if cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) { 128 } else { 12 };

fn config() -> ProptestConfig {
    ProptestConfig { cases: CASES, failure_persistence: None, ..ProptestConfig::default() }
}

#[derive(Debug, Clone, Copy)]
struct About {
    capacity: u64,
    fpr: f64,
    expansion: Option<u32>,
    tightening: Option<f64>,
    seed: u64,
}

impl About {
    fn filter(&self) -> ScalableBloomFilter {
        let About { expansion, tightening, .. } = *self;
        let options =
            ScalableOptions { expansion, tightening, seed: Seed::from_u64(self.seed), ..ScalableOptions::default() };
        ScalableBloomFilter::with_options(self.capacity, self.fpr, options).unwrap()
    }

    /// The rate of level i, from the definition.
    fn rate(&self, i: i32) -> f64 {
        match (self.expansion, self.tightening) {
            (None, _) => self.fpr,
            (_, Some(t)) => self.fpr * (1.0 - t) * t.powi(i),
            (_, None) => self.fpr / 12.0 * 0.5f64.powi((i - 10).max(0)),
        }
    }

    fn level(&self, i: i32) -> Level {
        let capacity = self.capacity * (self.expansion.unwrap_or(1) as u64).pow(i as u32);
        let params = Params::new(capacity, self.rate(i), self.seed, LayoutChoice::Auto).unwrap();
        Level { params, items: 0, bits: BTreeSet::new() }
    }
}

struct Level {
    params: Params,
    items: u64,
    bits: BTreeSet<(u64, u8, u8)>,
}

struct Model {
    about: About,
    levels: Vec<Level>,
}

impl Model {
    fn new(about: About) -> Self {
        Model { about, levels: vec![about.level(0)] }
    }

    fn contains(&self, key: u64) -> bool {
        let hash = hash_u64(key, self.about.seed);
        self.levels.iter().any(|level| level.params.addresses(hash).iter().all(|bit| level.bits.contains(bit)))
    }

    /// `None` where a full filter refuses.
    fn insert(&mut self, key: u64) -> Option<bool> {
        if self.contains(key) {
            return Some(false);
        }
        let newest = self.levels.last().unwrap();
        if newest.items == newest.params.capacity() {
            self.about.expansion?;
            self.levels.push(self.about.level(self.levels.len() as i32));
        }
        let newest = self.levels.last_mut().unwrap();
        newest.bits.extend(newest.params.addresses(hash_u64(key, self.about.seed)));
        newest.items += 1;
        Some(true)
    }

    /// The bytes of all levels, one behind the other.
    fn bytes(&self) -> Vec<u8> {
        let mut all = Vec::new();
        for level in &self.levels {
            let start = all.len();
            all.resize(start + level.params.num_lines() as usize * 64, 0);
            for (line, lane, bit) in &level.bits {
                all[start + *line as usize * 64 + *lane as usize * 8 + (*bit as usize >> 3)] |= 1 << (bit & 7);
            }
        }
        all
    }
}

#[derive(Debug, Clone)]
enum Op {
    Insert(u64),
    InsertHash(u64),
    InsertMany(Vec<u64>),
    Run(u64, u64),
    Clear,
    Bytes,
    Stream(bool),
    View,
    Copy,
    UnionWithItself,
    UnionWithEmpty,
}

fn op() -> impl Strategy<Value = Op> {
    let key = || prop_oneof![0..300u64, any::<u64>()];
    prop_oneof![
        4 => key().prop_map(Op::Insert),
        2 => key().prop_map(Op::InsertHash),
        4 => vec(key(), 0..200).prop_map(Op::InsertMany),
        3 => (key(), 0..400u64).prop_map(|(from, n)| Op::Run(from, n)),
        1 => Just(Op::Clear),
        1 => Just(Op::Bytes),
        1 => any::<bool>().prop_map(Op::Stream),
        1 => Just(Op::View),
        1 => Just(Op::Copy),
        1 => Just(Op::UnionWithItself),
        1 => Just(Op::UnionWithEmpty),
    ]
}

fn about() -> impl Strategy<Value = About> {
    let capacity = prop_oneof![Just(1u64), 1..40u64, 1..400u64];
    let fpr = prop_oneof![Just(0.5), Just(0.1), Just(0.01), Just(1e-3), Just(1e-4)];
    let expansion = prop_oneof![2 => Just(Some(4)), 2 => Just(Some(2)), 1 => Just(Some(7)), 1 => Just(None)];
    let tightening = prop_oneof![2 => Just(None), 1 => Just(Some(0.5)), 1 => Just(Some(0.9))];
    let seed = prop_oneof![Just(0), any::<u64>()];
    (capacity, fpr, expansion, tightening, seed).prop_map(|(capacity, fpr, expansion, tightening, seed)| About {
        capacity,
        fpr,
        expansion,
        tightening,
        seed,
    })
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn any_sequence_is_the_models(about in about(), ops in vec(op(), 1..25)) {
        let (mut filter, mut model) = (about.filter(), Model::new(about));
        for op in ops {
            match op {
                Op::Insert(key) => prop_assert_eq!(filter.insert(key).ok(), model.insert(key)),
                Op::InsertHash(key) => {
                    let hash = filter.key_hash(key).unwrap();
                    prop_assert_eq!(filter.insert_hash(&hash).ok(), model.insert(key));
                    prop_assert_eq!(filter.contains_hash(&hash).unwrap(), model.contains(key));
                }
                Op::InsertMany(_) | Op::Run(..) => {
                    let keys = match op {
                        Op::InsertMany(keys) => keys,
                        Op::Run(from, n) => (0..n).map(|i| from.wrapping_add(i)).collect(),
                        _ => unreachable!(),
                    };
                    let expected: Vec<bool> = keys.iter().map_while(|key| model.insert(*key)).collect();
                    let answers = match filter.insert_many(&keys) {
                        Ok(answers) => answers,
                        Err(unfinished) => {
                            prop_assert_eq!(unfinished.error.code(), "ERR_FULL");
                            prop_assert!(unfinished.answers.len() < keys.len());
                            unfinished.answers
                        }
                    };
                    prop_assert_eq!(answers, expected);
                    let found = filter.contains_many(&keys);
                    prop_assert!(keys.iter().zip(found).all(|(key, found)| found == model.contains(*key)));
                }
                Op::Clear => {
                    filter.clear().unwrap();
                    model = Model::new(about);
                }
                Op::Bytes => {
                    let bytes = filter.to_bytes().unwrap();
                    filter = match tepal::from_bytes(&bytes).unwrap() {
                        AnyFilter::Scalable(filter) => filter,
                        _ => panic!("another kind"),
                    };
                    let withheld = filter.to_bytes_without_seed().unwrap();
                    prop_assert_eq!(ScalableBloomFilter::from_bytes(&withheld).unwrap_err().code(), "ERR_SEED_REQUIRED");
                    filter = ScalableBloomFilter::from_bytes_with_seed(&withheld, about.seed).unwrap();
                    prop_assert_eq!(filter.to_bytes().unwrap(), bytes);
                }
                Op::Stream(known) => {
                    let mut bytes = Vec::new();
                    filter.write_to(&mut bytes).unwrap();
                    let length = bytes.len() as u64;
                    bytes.push(7);
                    let mut reader = bytes.as_slice();
                    filter = ScalableBloomFilter::read_from(&mut reader, None, known.then_some(length)).unwrap();
                    prop_assert_eq!(reader, &[7]);
                }
                Op::View => {
                    let view = ScalableBloomFilter::from_shared(Arc::new(filter.to_bytes().unwrap()), None).unwrap();
                    view.verify().unwrap();
                    prop_assert_eq!(view.insert(1u64).unwrap_err().code(), "ERR_READ_ONLY");
                    prop_assert_eq!(&view, &filter);
                    filter = view.copy().unwrap();
                }
                Op::Copy => filter = filter.copy().unwrap(),
                Op::UnionWithItself => {
                    let copy = filter.copy().unwrap();
                    filter = filter.union(&copy).unwrap();
                    filter.union_with(&copy).unwrap();
                }
                Op::UnionWithEmpty => filter = about.filter().union(&filter).unwrap(),
            }
        }
        let levels = filter.levels();
        prop_assert_eq!(levels.len(), model.levels.len());
        for (level, model) in levels.iter().zip(&model.levels) {
            prop_assert_eq!((level.capacity, level.inserted_count), (model.params.capacity(), model.items));
            prop_assert_eq!((level.num_bits, level.num_probes), (model.params.num_bits(), model.params.num_probes()));
            prop_assert_eq!((level.layout, level.fpr), (Some(model.params.layout()), model.params.fpr()));
        }
        prop_assert_eq!(filter.fpr(), about.fpr);
        let bytes = filter.to_bytes().unwrap();
        let body = &bytes[128 + 64 * (levels.len() + 1)..bytes.len() - 64];
        prop_assert!(body == model.bytes(), "the bits differ");
    }

    /// A union has every key of both, its stated rate is not exceeded, and the order does not matter.
    #[test]
    fn unions_keep_all_keys(about in about(), a in vec(0..5_000u64, 0..900), b in vec(0..5_000u64, 0..900)) {
        let about = About { expansion: about.expansion.or(Some(2)), ..about };
        let (left, right) = (about.filter(), about.filter());
        left.insert_many(&a).unwrap();
        right.insert_many(&b).unwrap();
        let both = left.union(&right).unwrap();
        prop_assert!(a.iter().chain(&b).all(|key| both.contains(*key)));
        prop_assert_eq!(both.to_bytes().unwrap(), right.union(&left).unwrap().to_bytes().unwrap());
        prop_assert!(both.fpr() >= about.fpr && both.levels().iter().all(|level| level.inserted_count <= level.capacity));
        let back = ScalableBloomFilter::from_bytes(&both.to_bytes().unwrap()).unwrap();
        prop_assert_eq!(back.fpr(), both.fpr());
        both.insert_many(10_000..11_000u64).unwrap(); // it still grows
        left.union_with(&right).unwrap();
        prop_assert!(a.iter().chain(&b).all(|key| left.contains(*key)));
        prop_assert_eq!(left.fpr(), back.fpr());
        prop_assert_eq!(&left, &back);
    }
}

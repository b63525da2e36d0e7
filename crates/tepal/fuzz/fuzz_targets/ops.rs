//! Any sequence of operations on a few small filters agrees with sets of keys: a key that was added is found, whatever was
//! united, folded, copied, saved or read in between; arguments out of range are errors, never panics.
#![no_main]

use std::collections::HashSet;

use arbitrary::{Arbitrary, Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use tepal::{BloomFilter, Layout, Metadata, Options};

#[derive(Debug, Arbitrary)]
enum Op {
    New { capacity: u64, fpr: f64, seed: bool, layout: u8 },
    Insert(u8, Key),
    InsertMany(u8, u8, u8),
    Clear(u8),
    Copy(u8),
    Reread(u8),
    Union(u8, u8),
    UnionWith(u8, u8),
    Intersection(u8, u8),
    IntersectWith(u8, u8),
    Fold(u8, u64),
    ShrinkTo(u8, u64),
    Same(u8, u8),
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key(Vec<u8>);

impl<'a> Arbitrary<'a> for Key {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        // Few and short, so that filters share some; now and then one beyond the hash's short paths.
        let len = *u.choose(&[0usize, 1, 2, 3, 8, 17, 130, 300])?;
        Ok(Key(vec![u.arbitrary()?; len]))
    }
}

/// A filter and what must be in it.
struct Modelled {
    filter: BloomFilter,
    keys: HashSet<Key>,
}

const MOST_LINES: u64 = 4096;

fuzz_target!(|ops: Vec<Op>| {
    let mut all = vec![Modelled { filter: BloomFilter::new(100, 0.01).unwrap(), keys: HashSet::new() }];
    for op in ops.into_iter().take(64) {
        step(&mut all, op);
        if all.len() > 8 {
            all.remove(0);
        }
        for Modelled { filter, keys } in &all {
            assert!(keys.iter().all(|key| filter.contains(&key.0[..])), "a key was lost");
        }
    }
});

fn step(all: &mut Vec<Modelled>, op: Op) {
    let len = all.len();
    let at = |index: u8| index as usize % len;
    let made = match op {
        Op::New { capacity, fpr, seed, layout } => make(capacity, fpr, seed, layout),
        Op::Insert(i, key) => {
            let it = &mut all[at(i)];
            let known = it.filter.contains(&key.0[..]);
            assert_eq!(it.filter.insert(&key.0[..]), !known, "insert answers whether the key was new");
            it.keys.insert(key);
            None
        }
        Op::InsertMany(i, from, count) => {
            let it = &mut all[at(i)];
            let keys: Vec<Key> = (0..count).map(|n| Key(vec![from.wrapping_add(n); 3])).collect();
            it.filter.insert_many(keys.iter().map(|key| &key.0[..]));
            it.keys.extend(keys);
            None
        }
        Op::Clear(i) => {
            let it = &mut all[at(i)];
            it.filter.clear();
            it.keys.clear();
            assert_eq!(it.filter.estimated_count(), 0);
            None
        }
        Op::Copy(i) => {
            let it = &all[at(i)];
            Some(Modelled { filter: it.filter.copy().unwrap(), keys: it.keys.clone() })
        }
        Op::Reread(i) => {
            let it = &all[at(i)];
            let bytes = it.filter.to_bytes().unwrap();
            assert_eq!(bytes.len() as u64, it.filter.byte_len());
            let read = BloomFilter::from_bytes(&bytes).unwrap();
            assert!(read == it.filter);
            Some(Modelled { filter: read, keys: it.keys.clone() })
        }
        Op::Union(i, j) => combine(&all[at(i)], &all[at(j)], true),
        Op::Intersection(i, j) => combine(&all[at(i)], &all[at(j)], false),
        Op::UnionWith(i, j) | Op::IntersectWith(i, j) if at(i) == at(j) => None,
        Op::UnionWith(i, j) => {
            let (i, j) = (at(i), at(j));
            if all[i].filter.union_with(&all[j].filter).is_ok() {
                let more = all[j].keys.clone();
                all[i].keys.extend(more);
            }
            None
        }
        Op::IntersectWith(i, j) => {
            let (i, j) = (at(i), at(j));
            if all[i].filter.intersect_with(&all[j].filter).is_ok() {
                let both = all[j].keys.clone();
                all[i].keys.retain(|key| both.contains(key));
            }
            None
        }
        Op::Fold(i, factor) => {
            let it = &all[at(i)];
            it.filter.fold(factor).ok().map(|filter| Modelled { filter, keys: it.keys.clone() })
        }
        Op::ShrinkTo(i, capacity) => {
            let it = &all[at(i)];
            it.filter.shrink_to(capacity).ok().map(|filter| Modelled { filter, keys: it.keys.clone() })
        }
        Op::Same(i, j) => {
            let (a, b) = (&all[at(i)].filter, &all[at(j)].filter);
            assert_eq!(a == b, b == a);
            None
        }
    };
    all.extend(made);
}

fn make(capacity: u64, fpr: f64, seed: bool, layout: u8) -> Option<Modelled> {
    let layout = [Layout::Line, Layout::Pair, Layout::Classic][layout as usize % 3];
    let options = Options { seed: seed as u64, layout: layout.into(), metadata: Metadata::default() };
    // The sizing may say anything for any numbers, but not panic; only small filters are made.
    let _ = tepal::Params::new(capacity, fpr, options.seed, layout.into());
    let params = tepal::Params::new(capacity % 10_000, fpr, options.seed, layout.into()).ok()?;
    if params.num_lines() > MOST_LINES {
        return None;
    }
    let filter = BloomFilter::with_options(capacity % 10_000, fpr, options).unwrap();
    Some(Modelled { filter, keys: HashSet::new() })
}

fn combine(a: &Modelled, b: &Modelled, union: bool) -> Option<Modelled> {
    let (keys, result) = if union {
        (a.keys.union(&b.keys).cloned().collect(), a.filter.union(&b.filter))
    } else {
        (a.keys.intersection(&b.keys).cloned().collect(), a.filter.intersection(&b.filter))
    };
    let other_way = if union { b.filter.union(&a.filter) } else { b.filter.intersection(&a.filter) };
    assert_eq!(result.as_ref().err().map(|e| e.code()), other_way.as_ref().err().map(|e| e.code()));
    result.ok().map(|filter| Modelled { filter, keys })
}

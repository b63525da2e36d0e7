//! Many threads, one filter: what the locks promise.
//!
//! No key is lost, each new key is new for at most one thread, `clear` and the in-place combinations are one step beside
//! insertions, a save during insertions is a valid file. With `Stripes::hold` or `Stripes::with_all` emptied, or
//! `union_with` outside the locks, these tests fail.
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::Barrier;
use std::thread::{scope, sleep};
use std::time::Duration;
use tepal::{BloomFilter, Layout, Options};

const THREADS: usize = 8;
/// Under an emulator a tenth of the work is enough to run every line.
const SCALE: u64 = if cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) { 10 } else { 1 };

const LAYOUTS: [(Layout, f64); 4] =
    [(Layout::Line, 1e-2), (Layout::Line, 1e-4), (Layout::Pair, 1e-3), (Layout::Classic, 1e-2)];

fn filter(capacity: u64, fpr: f64, layout: Layout) -> BloomFilter {
    BloomFilter::with_options(capacity, fpr, Options { layout: layout.into(), ..Options::default() }).unwrap()
}

#[test]
fn every_key_is_kept_and_new_for_at_most_one_thread() {
    let n = 30_000 * SCALE;
    for (layout, fpr) in LAYOUTS {
        for batch in [false, true] {
            let filter = filter(n, fpr, layout);
            let won: Vec<AtomicU64> = (0..n).map(|_| AtomicU64::new(0)).collect();
            let start = Barrier::new(THREADS);
            scope(|s| {
                for _ in 0..THREADS {
                    s.spawn(|| {
                        // In step: a race needs two threads at one key. Every 10,000 keys the threads meet again.
                        for from in (0..n).step_by(10_000) {
                            start.wait();
                            let keys = from..n.min(from + 10_000);
                            let new: Vec<bool> = match batch {
                                true => filter.insert_many(keys.clone()),
                                false => keys.clone().map(|key| filter.insert(key)).collect(),
                            };
                            for (key, _) in keys.zip(new).filter(|(_, new)| *new) {
                                won[key as usize].fetch_add(1, Relaxed);
                            }
                        }
                    });
                }
            });
            let case = format!("{layout:?} {fpr} batch {batch}");
            assert!((0..n).all(|key| filter.contains(key)), "{case}: a key was lost");
            let won: Vec<u64> = won.iter().map(|w| w.load(Relaxed)).collect();
            let twice = won.iter().filter(|w| **w > 1).count();
            assert_eq!(twice, 0, "{case}: keys that were new for two threads");
            let total: u64 = won.iter().sum();
            let sigma = (n as f64 * fpr * (1.0 - fpr)).sqrt();
            let least = (1.0 - fpr) * n as f64 - 3.0 * sigma;
            assert!(total as f64 >= least, "{case}: new {total} of {n}, at least {least}");
            // And the same bits as one thread alone.
            let alone = self::filter(n, fpr, layout);
            alone.insert_many(0..n);
            assert!(alone == filter, "{case}: other bits than without threads");
        }
    }
}

/// Runs `other` again and again while four threads insert the keys 0..n.
fn beside_insertions(filter: &BloomFilter, n: u64, other: impl Fn() + Sync) {
    let start = Barrier::new(5);
    let running = AtomicBool::new(true);
    scope(|s| {
        let inserting: Vec<_> = (0..4u64)
            .map(|t| {
                let start = &start;
                s.spawn(move || {
                    start.wait();
                    (t..n).step_by(4).for_each(|key| {
                        filter.insert(key);
                    });
                })
            })
            .collect();
        s.spawn(|| {
            start.wait();
            while running.load(Relaxed) {
                other();
                sleep(Duration::from_micros(100)); // the locks are not fair: leave the others a turn
            }
        });
        inserting.into_iter().for_each(|t| t.join().unwrap());
        running.store(false, Relaxed);
    });
}

#[test]
fn union_with_beside_insertions_loses_no_key_of_either_side() {
    let n = 20_000 * SCALE;
    for (layout, fpr) in LAYOUTS {
        let filter = filter(n, fpr, layout);
        let expected = self::filter(n, fpr, layout);
        expected.insert_many(0..n);
        // Each time another filter is merged: one merged again would repair what its first merge lost.
        let turn = AtomicU64::new(0);
        beside_insertions(&filter, n, || {
            let turn = turn.fetch_add(1, Relaxed);
            let other = self::filter(n, fpr, layout);
            other.insert_many((0..2_000).map(|i| 1_000_000_000 + turn * 2_000 + i));
            filter.union_with(&other).unwrap();
            expected.union_with(&other).unwrap();
        });
        assert!((0..n).all(|key| filter.contains(key)), "{layout:?} {fpr}: an inserted key was lost");
        let merged = 1_000_000_000..1_000_000_000 + turn.into_inner() * 2_000;
        let lost = merged.clone().filter(|key| !filter.contains(*key)).count();
        assert_eq!(lost, 0, "{layout:?} {fpr}: merged keys lost, of {}", merged.end - merged.start);
        assert!(filter == expected, "{layout:?} {fpr}: other bits than one after the other");
    }
}

#[test]
fn union_with_loses_no_bit_to_insertions_into_the_same_lines() {
    for (layout, fpr) in LAYOUTS {
        // Twenty lines or so: the two threads are in the same lane again and again.
        let filter = filter(1_000, fpr, layout);
        let other = self::filter(1_000, fpr, layout);
        other.insert_many(1_000..2_000u64);
        let running = AtomicBool::new(true);
        let mut lost = 0;
        scope(|s| {
            s.spawn(|| {
                while running.load(Relaxed) {
                    (0..50u64).for_each(|key| {
                        filter.insert(key);
                    });
                }
            });
            for _ in 0..500 * SCALE {
                filter.clear();
                filter.union_with(&other).unwrap();
                lost += (1_000..2_000u64).filter(|key| !filter.contains(*key)).count();
            }
            running.store(false, Relaxed);
        });
        assert_eq!(lost, 0, "{layout:?} {fpr}: merged keys that were lost");
    }
}

#[test]
fn intersect_with_beside_insertions_keeps_the_keys_of_both() {
    let n = 20_000 * SCALE;
    for (layout, fpr) in LAYOUTS {
        let filter = filter(n, fpr, layout);
        let superset = self::filter(n, fpr, layout);
        superset.insert_many(0..n);
        beside_insertions(&filter, n, || filter.intersect_with(&superset).unwrap());
        assert!(filter == superset, "{layout:?} {fpr}: a bit was lost");
    }
}

#[test]
fn clear_never_leaves_half_a_key() {
    for (layout, fpr) in LAYOUTS {
        // One key in a filter of many lines, so that the wiping takes long enough to meet the insertion.
        let filter = filter(20_000, fpr, layout);
        let only = self::filter(20_000, fpr, layout);
        only.insert("key");
        let empty = self::filter(20_000, fpr, layout);
        let (start, end) = (Barrier::new(3), Barrier::new(3));
        let rounds = 200 * SCALE;
        let mut halves = 0; // counted, not asserted at once: the other threads would wait for ever
        scope(|s| {
            s.spawn(|| {
                for round in 0..rounds {
                    start.wait();
                    (0..round % 7).for_each(|_| std::hint::spin_loop());
                    (0..400).for_each(|_| {
                        filter.insert("key");
                    });
                    end.wait();
                }
            });
            s.spawn(|| {
                for _ in 0..rounds {
                    start.wait();
                    filter.clear();
                    end.wait();
                }
            });
            for _ in 0..rounds {
                start.wait();
                end.wait();
                halves += (filter != only && filter != empty) as u64;
            }
        });
        assert_eq!(halves, 0, "{layout:?} {fpr}: rounds that left half a key");
    }
}

#[test]
fn a_save_during_insertions_is_a_valid_file_with_all_keys_from_before() {
    let n = 20_000 * SCALE;
    for (layout, fpr) in LAYOUTS {
        let filter = filter(2 * n, fpr, layout);
        filter.insert_many(n..2 * n);
        beside_insertions(&filter, n, || {
            let read = BloomFilter::from_bytes(&filter.to_bytes().unwrap()).unwrap();
            assert!((n..2 * n).step_by(7).all(|key| read.contains(key)));
            assert!(filter.union(&read).unwrap().contains(n));
        });
        assert!((0..2 * n).all(|key| filter.contains(key)));
    }
}

//! The promise of the scalable filter in figures: the rate of the whole filter is at most the promised one at every step of its
//! growth, whatever the series, and `estimated_fpr` is what strangers measure.
//!
//! `cargo test --release -p tepal --test accuracy_scalable -- --ignored --nocapture` goes to 10^7 keys and prints the table.
use tepal::{hash_u64, ScalableBloomFilter, ScalableOptions, Scheme};

/// On other processors, perhaps emulated, a tenth of the work is enough to run every line.
const SCALE: u64 = if cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) { 10 } else { 1 };

/// How many of so many strangers are taken for keys. (Keys are 0, 1, 2, …. Every size of a filter meets strangers of its own, so that
/// the comparisons are independent.)
fn false_yeses(filter: &ScalableBloomFilter, strangers: u64) -> u64 {
    let first = (filter.inserted_count() + 1) << 32;
    let mut total = 0;
    for from in (0..strangers).step_by(10_000) {
        let keys = first + from..first + strangers.min(from + 10_000);
        total += filter.contains_many(keys).iter().filter(|yes| **yes).count() as u64;
    }
    total
}

/// Adds keys until the filter is full, that is, until the next new key makes it grow; gives the next key.
fn fill(filter: &ScalableBloomFilter, mut key: u64) -> u64 {
    loop {
        let room = filter.capacity() - filter.inserted_count();
        if room == 0 {
            return key;
        }
        // No more than there is room for: every key may be new.
        filter.insert_many(key..key + room).unwrap();
        key += room;
    }
}

struct Series {
    name: &'static str,
    fpr: f64,
    options: ScalableOptions,
    /// The most that the series may have, in promises: 1 for all but valkey-bloom's, which sums to 1 / (1 − ratio) if its probes were
    /// independent; with double hashing in small first levels it is a little more.
    factor: f64,
}

fn series(name: &'static str, fpr: f64, expansion: u32, tightening: Option<f64>) -> Series {
    let options = ScalableOptions { expansion: Some(expansion), tightening, ..ScalableOptions::default() };
    Series { name, fpr, options, factor: 1.0 }
}

fn of(name: &'static str, scheme: Scheme, factor: f64) -> Series {
    Series { name, fpr: 0.01, options: ScalableOptions { max_bytes: None, ..ScalableOptions::of(scheme) }, factor }
}

fn all() -> Vec<Series> {
    vec![
        series("default: x4, flat head", 0.01, 4, None),
        series("default at 1e-3", 0.001, 4, None),
        series("x2, flat head", 0.01, 2, None),
        series("x10, flat head", 0.01, 10, None),
        series("x2, ratio 0.5", 0.01, 2, Some(0.5)),
        series("x2, ratio 0.9", 0.01, 2, Some(0.9)),
        series("x4, ratio 0.5", 0.01, 4, Some(0.5)),
        series("x3, ratio 0.75", 0.01, 3, Some(0.75)),
        of("RedisBloom: x2, 0.5", Scheme::RedisBloom, 1.0),
        of("valkey-bloom: x2, 0.5", Scheme::Valkey, 2.2),
    ]
}

fn check(most: u64, strangers: u64) {
    println!(
        "{:<24} {:>8} {:>6} {:>10} {:>10} {:>10} {:>6}",
        "series", "keys", "levels", "promised", "estimated", "measured", "bits"
    );
    let (mut lean, mut count) = (0.0, 0.0);
    for Series { name, fpr, options, factor } in all() {
        let filter = ScalableBloomFilter::with_options(100, fpr, options).unwrap();
        let mut key = 0;
        loop {
            key = fill(&filter, key);
            let n = filter.inserted_count();
            let (measured, estimated) =
                (false_yeses(&filter, strangers) as f64 / strangers as f64, filter.estimated_fpr());
            let bits = filter.num_bits() as f64 / n as f64;
            println!(
                "{name:<24} {n:>8} {:>6} {fpr:>10.2e} {estimated:>10.2e} {measured:>10.2e} {bits:>6.1}",
                filter.filter_count()
            );
            let sigma = |rate: f64| (rate * (1.0 - rate) / strangers as f64).sqrt();
            assert!(measured <= fpr * factor + 3.0 * sigma(fpr * factor), "{name}: {n} keys: {measured} for {fpr}");
            // What strangers measure scatters around what the bits say. (Few expected hits have no normal distribution.)
            if estimated * strangers as f64 > 10.0 {
                let z = (measured - estimated) / sigma(estimated);
                // Double hashing repeats itself in small levels: the estimate, which takes probes for independent, is up to a fifth low there.
                let servers = filter.scheme() != Scheme::Tepal;
                let slack = if servers { 0.2 * estimated / sigma(estimated) } else { 0.0 };
                assert!(
                    (-4.0..=4.0 + slack).contains(&z),
                    "{name}: {n} keys: measured {measured}, estimated {estimated}: {z:+.2} sigma"
                );
                if !servers {
                    lean += z;
                    count += 1.0;
                }
            }
            if filter.capacity() * 2 > most {
                break;
            }
            while !filter.insert(key).unwrap() {
                key += 1; // a false positive is no new key
            }
            key += 1;
        }
        // The last level may be far from full: what is there at `most` keys.
        while filter.inserted_count() < most {
            let now = (most - filter.inserted_count()).min(100_000);
            filter.insert_many(key..key + now).unwrap();
            key += now;
        }
        let measured = false_yeses(&filter, strangers) as f64 / strangers as f64;
        println!(
            "{name:<24} {:>8} {:>6} {fpr:>10.2e} {:>10.2e} {measured:>10.2e}",
            filter.inserted_count(),
            filter.filter_count(),
            filter.estimated_fpr()
        );
        assert!(measured <= fpr * factor + 3.0 * (fpr * factor / strangers as f64).sqrt(), "{name}: {measured}");
        assert!((0..key).step_by(997).all(|key| filter.contains(key)), "{name}: a key was lost");
    }
    let z = lean / f64::sqrt(count);
    println!("estimated against measured: {count} comparisons, lean {z:+.2}");
    assert!(z.abs() <= 3.0, "the estimate leans to one side: {z:+.2} sigma");
}

#[test]
fn the_whole_filter_keeps_the_promise_while_it_grows() {
    check(3_000 * SCALE, 10_000 * SCALE);
}

#[test]
#[ignore = "takes half a minute: scripts/accuracy.sh runs it"]
fn the_whole_filter_keeps_the_promise_to_ten_million_keys() {
    check(10_000_000, 1_000_000);
}

/// A key that a seed makes is in no relation to the stranger's: the hash decides, not the order.
#[test]
fn strangers_are_no_keys() {
    let filter = ScalableBloomFilter::new(100, 0.01).unwrap();
    assert_eq!(filter.hash_u64(1 << 40), hash_u64(1 << 40, 0));
    assert_eq!(false_yeses(&filter, 1_000), 0);
}

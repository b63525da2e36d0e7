//! The core beside rival crates: same n, same rate, one process, rounds in turn, medians.
//!
//! `cargo run --release -p tepal-compare` prints the tables of docs/benchmarks.md; `-- --quick` leaves out the filter of
//! 10^8 keys; `-- --n 5000000` measures one size, `-- --growing 10000000` filters that grow to one size. Times are for
//! comparing within one table, not across machines.
mod clock;
mod contender;
mod growing;
mod keys;
mod limit;
mod memory;

use contender::Contender;
use keys::{mix, Integers, Keys, Texts};

const FPR: f64 = 0.01;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let quick = args.iter().any(|arg| arg == "--quick");
    let number =
        |name: &str| args.iter().position(|arg| arg == name).and_then(|i| args.get(i + 1)?.parse::<u64>().ok());
    let (sizes, grown) = match (number("--n"), number("--growing"), quick) {
        (None, None, true) => (vec![20_000, 1_000_000, 10_000_000], Some(1_000_000)),
        (None, None, false) => (vec![20_000, 1_000_000, 100_000_000], Some(10_000_000)),
        (size, grown, _) => (size.into_iter().collect(), grown),
    };
    for n in sizes {
        fixed::<Integers>(n);
        fixed::<Texts>(n);
    }
    if let Some(n) = grown {
        grow::<Integers>(1_000, n);
        grow::<Texts>(1_000, n);
        grow::<Integers>(1_000_000, n);
        let title = format!("{n} keys ({}), 1 %, scheme valkey", Integers::NAME);
        run(&title, n, growing::valkey::<Integers>(n, FPR));
    }
}

fn fixed<K: Keys + 'static>(n: u64) {
    run(&format!("{n} keys ({}), 1 %", K::NAME), n, contender::all::<K>(n, FPR));
    limit::<K>(n, rounds(n));
}

fn grow<K: Keys + 'static>(initial: u64, n: u64) {
    run(&format!("From {initial} to {n} keys ({}), 1 %", K::NAME), n, growing::all::<K>(initial, n, FPR));
}

const OPERATIONS: [&str; 5] = ["insert new", "hit", "miss", "mixed", "isolated miss"];

/// What one contender needed, in nanoseconds a key, a list a round for each operation.
#[derive(Default)]
struct Times {
    rounds: [Vec<f64>; 5],
    found: usize,
    asked: usize,
    lost: usize,
}

fn member(i: u64) -> u64 {
    2 * i
}

fn stranger(i: u64) -> u64 {
    2 * i + 1
}

fn rounds(n: u64) -> u64 {
    (4_000_000 / n).clamp(11, 101)
}

fn run<K: Keys>(title: &str, n: u64, mut contenders: Vec<Box<dyn Contender<K>>>) {
    let mut times: Vec<Times> = contenders.iter().map(|_| Times::default()).collect();
    let chunk = n.min(1_000_000);
    let batch = n.min(500_000);
    let rounds = rounds(n);

    // A filter is filled chunk by chunk, all contenders in turn. Small ones are filled again and again.
    let fills = if chunk == n { rounds } else { 1 };
    for fill in 0..fills {
        contenders.iter_mut().for_each(|c| c.clear());
        for c in 0..n.div_ceil(chunk) {
            let keys = K::make((c * chunk..((c + 1) * chunk).min(n)).map(member));
            in_turn(&mut contenders, fill + c, |contender, i| {
                times[i].rounds[0].push(time(keys.len(), || contender.insert(&keys)).0);
            });
        }
    }
    for round in 0..rounds {
        let pick = |i: u64| ((mix((round << 32) + i) as u128 * n as u128) >> 64) as u64;
        let hits = K::make((0..batch).map(|i| member(pick(i))));
        let misses = K::make((0..batch).map(|i| stranger(round * batch + i)));
        let mixed = K::make((0..batch).map(|i| match mix(i) >> 63 {
            0 => member(pick(i)),
            _ => stranger((rounds + round) * batch + i),
        }));
        in_turn(&mut contenders, round, |contender, i| {
            let (t, found) = time(hits.len(), || contender.contains(&hits));
            times[i].rounds[1].push(t);
            times[i].lost += hits.len() - found;
            let (t, found) = time(misses.len(), || contender.contains(&misses));
            times[i].rounds[2].push(t);
            times[i].found += found;
            times[i].asked += misses.len();
            times[i].rounds[3].push(time(mixed.len(), || contender.contains(&mixed)).0);
            let (t, some) = time(misses.len(), || contender.isolated(&misses));
            times[i].rounds[4].extend(some.map(|_| t));
        });
    }
    print(title, n, &contenders, &times);
}

/// Calls `work` for each contender, beginning with another one each round, so that none always follows the same.
fn in_turn<K: Keys>(
    contenders: &mut [Box<dyn Contender<K>>],
    round: u64,
    mut work: impl FnMut(&mut dyn Contender<K>, usize),
) {
    let len = contenders.len();
    for j in 0..len {
        let i = (round as usize + j) % len;
        work(&mut *contenders[i], i);
    }
}

fn time<R>(keys: usize, work: impl FnOnce() -> R) -> (f64, R) {
    let begin = clock::now();
    let result = std::hint::black_box(work());
    ((clock::now() - begin) / keys as f64, result)
}

fn median(values: &[f64]) -> Option<f64> {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// The median of the rounds, but for the insertions into a filter that grows the mean: growth is dear and rare.
fn typical(values: &[f64], grows: bool) -> Option<f64> {
    match (grows, values.len()) {
        (true, 1..) => Some(values.iter().sum::<f64>() / values.len() as f64),
        _ => median(values),
    }
}

fn print<K: Keys>(title: &str, n: u64, contenders: &[Box<dyn Contender<K>>], times: &[Times]) {
    let grows = contenders[0].capacity().is_some();
    println!("\n### {title}\n");
    println!(
        "ns a key, median of the rounds; in brackets how many times faster tepal is: one at a time / in batches\n"
    );
    println!(
        "| | {} | observed rate | bits a key |{}",
        OPERATIONS.join(" | "),
        if grows { " when full |" } else { "" }
    );
    println!("| --- |{}", " --- |".repeat(OPERATIONS.len() + 2 + grows as usize));
    for (contender, t) in contenders.iter().zip(times) {
        let cells: Vec<String> = (0..OPERATIONS.len())
            .map(|op| {
                let mean = grows && op == 0;
                let Some(ns) = typical(&t.rounds[op], mean) else { return "–".into() };
                let ratio = |i: usize| typical(&times[i].rounds[op], mean).map(|own| format!("{:.2}", ns / own));
                match (contender.name().starts_with("tepal"), ratio(0), ratio(1)) {
                    (false, Some(single), Some(batch)) => format!("{ns:.1} ({single} / {batch})"),
                    (false, Some(single), None) => format!("{ns:.1} ({single})"),
                    _ => format!("{ns:.1}"),
                }
            })
            .collect();
        let rate = t.found as f64 / t.asked as f64 * 100.0;
        let bits = contender.bits() as f64 / n as f64;
        let full = contender.capacity().map(|keys| format!(" {:.2} |", contender.bits() as f64 / keys as f64));
        let full = full.unwrap_or_else(|| if grows { " – |".into() } else { String::new() });
        println!("| {} | {} | {rate:.3} % | {bits:.2} |{full}", contender.name(), cells.join(" | "));
        assert_eq!(t.lost, 0, "{} lost a key", contender.name());
    }
}

/// Hash and test in cache, and lines from the buffer of a serialized filter, beside what a view of that buffer takes.
fn limit<K: Keys>(n: u64, rounds: u64) {
    let filter = tepal::BloomFilter::new(n, FPR).expect("memory for the filter");
    filter.insert_many(K::make((0..n.min(1_000_000)).map(member)).iter());
    let bytes = filter.to_bytes().expect("memory for the copy");
    drop(filter);
    let view = tepal::BloomFilter::view(&bytes).expect("own bytes");
    let small = tepal::BloomFilter::new(1_000, FPR).expect("memory for the filter");
    let (mut compute, mut dependent, mut prefetched, mut batch) = (vec![], vec![], vec![], vec![]);
    for round in 0..rounds {
        let keys = K::make((0..n.min(500_000)).map(|i| stranger(round * 500_000 + i)));
        compute.push(time(keys.len(), || small.contains_many(keys.iter())).0);
        let lines = limit::measure(&bytes, round);
        dependent.push(lines.dependent);
        prefetched.push(lines.prefetched);
        batch.push(time(keys.len(), || view.contains_many(keys.iter())).0);
    }
    let of = |values: &[f64]| median(values).unwrap_or(f64::NAN);
    let floor = of(&compute).max(of(&prefetched));
    println!(
        "\nThe machine's limit on the buffer of a view, {:.1} MB: dependent random line {:.1} ns, prefetched random line {:.1} ns, \
         hash + test in cache {:.1} ns; so a batch takes at least {floor:.1} ns a key. The view took {:.1} ns a key: {:.2} of the limit.",
        bytes.len() as f64 / 1e6,
        of(&dependent),
        of(&prefetched),
        of(&compute),
        of(&batch),
        of(&batch) / floor,
    );
}

//! What the bits of a body tell: how many keys are in it, and its rate (FORMAT.md, section 3.2).
use crate::bits::Lines;
use crate::layout::Layout;
use crate::math::{ln1m, powi};
use crate::sizing::Params;

/// How many bits are set. Cost: reads the whole body, as all of this file.
pub(crate) fn ones(lines: Lines<'_>) -> u64 {
    let mut ones = 0;
    for i in 0..lines.count() {
        for lane in lines.line(i) {
            ones += lane.count_ones() as u64;
        }
    }
    ones
}

/// How many distinct keys set so many bits.
pub(crate) fn estimated_count(params: &Params, ones: u64) -> u64 {
    let bits = params.num_bits() as f64;
    // One key leaves a given bit unset with chance 1 − hit; after n keys (1 − hit)^n of the bits are unset.
    let hit = match params.layout {
        Layout::Classic => return estimated_count_of(bits, params.probes, ones),
        Layout::Pair => (1.0 / 64.0) / params.units() as f64,
        Layout::Line if params.probes == 8 => (1.0 / 64.0) / params.lines as f64,
        Layout::Line => (2.0 / 64.0 - 1.0 / 4096.0) / params.lines as f64,
    };
    (ln1m(fill(bits, ones)) / ln1m(hit) + 0.5) as u64
}

/// The same where each of `probes` bits is anywhere among `bits`.
pub(crate) fn estimated_count_of(bits: f64, probes: u32, ones: u64) -> u64 {
    (ln1m(fill(bits, ones)) / (probes as f64 * ln1m(1.0 / bits)) + 0.5) as u64
}

/// The fill ratio; where every bit is set, what fills all but half a bit.
fn fill(bits: f64, ones: u64) -> f64 {
    (ones as f64 / bits).min(1.0 - 0.5 / bits)
}

/// The rate that the bits have now.
pub(crate) fn estimated_fpr(params: &Params, lines: Lines<'_>) -> f64 {
    let mean = |from: usize, to: usize, power: u32| {
        let total: f64 = (from..to).map(|i| line_fpr(&lines.line(i), power)).sum();
        total / (to - from) as f64
    };
    let count = lines.count();
    match params.layout {
        Layout::Line => mean(0, count, params.probes / 8),
        Layout::Pair => mean(0, count / 2, 1) * mean(count / 2, count, 1),
        Layout::Classic => powi(ones(lines) as f64 / params.num_bits() as f64, params.probes as u64),
    }
}

/// The chance that a stranger whose line this is gets a yes: each lane's fill, to the bits tested a lane.
pub(crate) fn line_fpr(line: &[u64; 8], per_lane: u32) -> f64 {
    powi(line.iter().map(|lane| lane.count_ones() as f64 / 64.0).product(), per_lane as u64)
}

//! How many lines keep a promise.
//!
//! The size is the smallest canonical one whose *exact* rate does not exceed the promise: the Poisson or binomial
//! distribution of keys over lines, times the chance that a line with so many keys says yes. Sizing a blocked filter with
//! the textbook formula would miss the promise by 1.15 times at 1e-2 and 13 times at 1e-6. Normative to the order
//! of the operations (FORMAT.md, section 4): filters asked for the same promise must be mergeable for ever.
use crate::arg;
use crate::error::{Error, Result};
use crate::layout::{Layout, LayoutChoice};
use crate::math::{exp, ln1m_small, powi};

/// The parameters of a filter: checked once, correct ever after.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Params {
    pub(crate) capacity: u64,
    pub(crate) fpr: f64,
    pub(crate) seed: u64,
    pub(crate) layout: Layout,
    pub(crate) probes: u32,
    pub(crate) lines: u64,
}

impl Params {
    /// Sizes a filter for `capacity` keys (1 to 2^48) at a false-positive rate of at most `fpr` (1e-9 to 0.5) without
    /// allocating it. Errors: `ERR_CAPACITY_ZERO`, `ERR_CAPACITY_RANGE`, `ERR_FPR_RANGE`. Cost: about 20 µs.
    ///
    /// ```
    /// let params = tepal::Params::new(1_000_000_000_000, 0.01, 0, tepal::LayoutChoice::Auto)?;
    /// assert_eq!(params.num_probes(), 8);
    /// assert!(params.num_bits() / params.capacity() < 11);
    /// # Ok::<(), tepal::Error>(())
    /// ```
    pub fn new(capacity: u64, fpr: f64, seed: u64, layout: LayoutChoice) -> Result<Self> {
        Self::sized(arg::capacity(capacity)?, arg::fpr(fpr)?, seed, layout)
    }

    /// [`Params::new`] for a level of a growing filter, whose rate may be lower than a filter's.
    pub(crate) fn sized(capacity: u64, fpr: f64, seed: u64, layout: LayoutChoice) -> Result<Self> {
        let layout = layout.resolve(fpr);
        let best = match layout {
            Layout::Line => best_of(&[8, 16], layout, capacity, fpr),
            Layout::Pair => best_of(&[16], layout, capacity, fpr),
            Layout::Classic => best_of(&CLASSIC_PROBES, layout, capacity, fpr),
        };
        let (units, probes) = best.ok_or_else(|| Error::too_large(u64::MAX))?;
        Ok(Params { capacity, fpr, seed, layout, probes, lines: units * layout.unit() })
    }

    /// Keys the filter is sized for.
    pub fn capacity(&self) -> u64 {
        self.capacity
    }

    /// The promised false-positive rate at capacity.
    pub fn fpr(&self) -> f64 {
        self.fpr
    }

    /// The seed of the hash.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The layout, never `auto`.
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// Bits tested per key.
    pub fn num_probes(&self) -> u32 {
        self.probes
    }

    /// Lines of 64 bytes.
    pub fn num_lines(&self) -> u64 {
        self.lines
    }

    /// Bits of the body.
    pub fn num_bits(&self) -> u64 {
        self.lines * 512
    }

    /// The exact false-positive rate that this size has with `keys` distinct keys in it: the prediction behind sizing.
    pub fn predicted_fpr(&self, keys: u64) -> f64 {
        match keys {
            0 => 0.0,
            _ => rate(self.layout, self.probes, keys, self.units()),
        }
    }

    /// Units of sizing: lines, or pairs of lines.
    pub(crate) fn units(&self) -> u64 {
        self.lines / self.layout.unit()
    }

    /// The same filter with another number of units, for a fold.
    pub(crate) fn resized(&self, capacity: u64, units: u64) -> Params {
        Params { capacity, lines: units * self.layout.unit(), ..*self }
    }
}

/// 1 to 64.
const CLASSIC_PROBES: [u32; 64] = {
    let mut all = [0; 64];
    let mut i = 0;
    while i < 64 {
        all[i] = i as u32 + 1;
        i += 1;
    }
    all
};

/// The fewest units and the probes that need them; the first among equals.
fn best_of(probes: &[u32], layout: Layout, capacity: u64, fpr: f64) -> Option<(u64, u32)> {
    let mut best: Option<(u64, u32)> = None;
    for &k in probes {
        if let Some(units) = smallest(layout, k, capacity, fpr) {
            if best.is_none_or(|(fewest, _)| units < fewest) {
                best = Some((units, k));
            }
        }
    }
    best
}

const INDICES: u64 = 5632;

/// The canonical unit counts in ascending order, i from 1 to 5631.
fn canonical(i: u64) -> u64 {
    match i {
        0..=255 => i,
        _ => (128 + (i & 127)) << ((i >> 7) - 1),
    }
}

/// The smallest canonical number of units that keeps the promise.
fn smallest(layout: Layout, probes: u32, capacity: u64, fpr: f64) -> Option<u64> {
    let (mut a, mut b) = (1, INDICES);
    while a < b {
        let m = (a + b) >> 1;
        if rate(layout, probes, capacity, canonical(m)) <= fpr {
            b = m;
        } else {
            a = m + 1;
        }
    }
    (a < INDICES).then(|| canonical(a))
}

/// The exact rate with n keys in u units.
pub(crate) fn rate(layout: Layout, probes: u32, n: u64, u: u64) -> f64 {
    match layout {
        Layout::Line => lane_rate(n, u, probes / 8),
        Layout::Pair => {
            let half = lane_rate(n, u, 1);
            half * half
        }
        Layout::Classic => classic_rate(n, u, probes),
    }
}

const STAY: f64 = 63.0 / 64.0; // one insertion misses a bit of a lane
const STAY_BOTH: f64 = 62.0 / 64.0; // ... misses two given bits

/// The chance that all eight lanes of a line say yes to a stranger. `x` is the chance that a given bit is not set,
/// `y` that two given bits are not set.
fn line_says_yes(per_lane: u32, x: f64, y: f64) -> f64 {
    let r = match per_lane {
        1 => 1.0 - x,
        _ => (1.0 - x) / 64.0 + STAY * ((1.0 - 2.0 * x) + y),
    };
    let r2 = r * r;
    let r4 = r2 * r2;
    r4 * r4
}

/// Σ over loads j of P(load = j) · P(yes | j): FORMAT.md, section 4.3.
fn lane_rate(n: u64, u: u64, per_lane: u32) -> f64 {
    let (nf, uf) = (n as f64, u as f64);
    let lam = nf / uf;
    if lam > 600.0 {
        return 1.0;
    }
    let binomial = n < 10_000;
    let mut total = 0.0;
    if binomial && u == 1 {
        total = line_says_yes(per_lane, powi(STAY, per_lane as u64 * n), powi(STAY_BOTH, 2 * n));
    } else {
        let (step_x, step_y) = match per_lane {
            1 => (STAY, 1.0),
            _ => (STAY * STAY, STAY_BOTH * STAY_BOTH),
        };
        let (mut x, mut y) = (1.0, 1.0);
        let mut w = if binomial { powi(1.0 - 1.0 / uf, n) } else { exp(-lam) };
        if w == 0.0 {
            return 1.0; // many keys in few lines
        }
        let mut j = 0u64;
        loop {
            total += w * line_says_yes(per_lane, x, y);
            let jf = j as f64;
            if (jf >= lam && w < 1e-18) || j == n {
                break;
            }
            w = if binomial { (w * (nf - jf)) / ((jf + 1.0) * (uf - 1.0)) } else { (w * lam) / (jf + 1.0) };
            x *= step_x;
            y *= step_y;
            j += 1;
        }
    }
    if per_lane == 2 {
        total += lam * f64::from_bits((1023 - 64) << 52); // two equal 64-bit patterns
    }
    if total > 1.0 {
        1.0
    } else {
        total
    }
}

/// The mean of fill^k over what n keys can fill, to the variance term: FORMAT.md, section 4.4.
fn classic_rate(n: u64, u: u64, probes: u32) -> f64 {
    let m = 512.0 * u as f64;
    let k = probes as f64;
    let c = (k * n as f64) / m;
    let e = exp((k * n as f64) * ln1m_small(1.0 / m));
    let p = 1.0 - e;
    let mut v = (e * (1.0 - (1.0 + c) * e)) / m;
    if v < 0.0 {
        v = 0.0;
    }
    let mut rate = powi(p, probes as u64);
    if probes >= 2 {
        rate += ((k * (k - 1.0)) / 2.0) * powi(p, probes as u64 - 2) * v;
    }
    if rate > 1.0 {
        1.0
    } else {
        rate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canonical_sizes_ascend_and_fold() {
        for i in 1..INDICES - 1 {
            assert!(canonical(i) < canonical(i + 1));
            assert!(canonical(i + 1) - canonical(i) <= canonical(i).div_ceil(128));
        }
        assert_eq!(canonical(INDICES - 1), 255 << 42);
    }

    #[test]
    fn rate_is_monotone_in_size_and_keys() {
        for (layout, probes) in [(Layout::Line, 8), (Layout::Line, 16), (Layout::Pair, 16), (Layout::Classic, 7)] {
            for n in [1, 10, 777, 9_999, 10_000, 1_000_000] {
                let rates: alloc::vec::Vec<f64> = (1..2000).map(|i| rate(layout, probes, n, canonical(i))).collect();
                // ascending sizes never raise the rate; 1e-12 is the rounding noise of the sum near 1
                assert!(rates.windows(2).all(|w| w[1] <= w[0] * (1.0 + 1e-9) + 1e-18), "{layout:?} {probes} {n}");
            }
        }
    }

    #[test]
    fn bits_per_key_stay_within_the_bars() {
        for n in [100_000, 123_457, 1_000_000, 99_999_999, 1_000_000_000_000] {
            for (layout, fpr, most) in [
                (Layout::Line, 1e-2, 10.3),
                (Layout::Line, 1e-3, 15.9),
                (Layout::Pair, 1e-4, 20.5),
                (Layout::Pair, 1e-6, 31.8),
                (Layout::Classic, 1e-2, 9.585 * 1.01),
                (Layout::Classic, 1e-3, 14.378 * 1.01),
                (Layout::Classic, 1e-4, 19.170 * 1.01),
                (Layout::Classic, 1e-6, 28.755 * 1.01),
            ] {
                let p = Params::new(n, fpr, 0, layout.into()).unwrap();
                let bits = p.num_bits() as f64 / n as f64;
                assert!(bits <= most, "{layout:?} {fpr} n={n}: {bits:.3} bits a key, at most {most}");
                assert!(p.predicted_fpr(n) <= fpr);
            }
        }
    }
}

//! `BloomFilter` with `BloomFilter`: union, intersection, fold.
//!
//! Filters combine when layout, hash, seed and probes are equal and one line count divides the other: the larger one is
//! folded first, which gives exactly the filter that would have been built at the smaller size.
use crate::arg;
use crate::bits::{Body, Lines, Owned, Storage};
use crate::bloom::BloomFilter;
use crate::error::{Error, Got, Result};
use crate::layout::{Layout, Write};
use crate::sizing::{rate, Params};
use alloc::vec::Vec;
use core::sync::atomic::Ordering::Relaxed;

/// The parameters of a combination, whatever the order; or the field in which the two differ.
fn common(a: &Params, b: &Params) -> Result<Params> {
    if a.layout != b.layout {
        let got = Got::Word(b.layout.name());
        return Err(Error::mismatch("ERR_LAYOUT_DIFFERS", "layout", a.layout.name(), got));
    }
    if a.seed != b.seed {
        let got = Got::Word("a filter with another seed");
        return Err(Error::mismatch("ERR_SEED_DIFFERS", "seed", "filters with equal seeds", got));
    }
    if a.probes != b.probes {
        let got = Got::Integer(b.probes as i128);
        return Err(Error::mismatch("ERR_PROBES_DIFFERS", "num_probes", "filters with equal probe counts", got));
    }
    let (small, large) = if a.lines <= b.lines { (a, b) } else { (b, a) };
    if large.units() % small.units() != 0 {
        let got = Got::Integer(b.lines as i128);
        return Err(Error::mismatch(
            "ERR_SIZE_DIFFERS",
            "num_lines",
            "line counts of which one divides the other",
            got,
        ));
    }
    Ok(Params { capacity: a.capacity.min(b.capacity), fpr: a.fpr.max(b.fpr), ..*small })
}

/// Calls `f(line, lanes)` with the lines of `source` folded to `lines` lines.
fn each_folded(source: Lines<'_>, lines: usize, mut f: impl FnMut(usize, [u64; 8])) {
    let ratio = source.count() / lines;
    for line in 0..lines {
        let mut folded = source.line(line * ratio);
        for i in 1..ratio {
            let more = source.line(line * ratio + i);
            (0..8).for_each(|lane| folded[lane] |= more[lane]);
        }
        f(line, folded);
    }
}

/// Each line under its own stripe: an insertion into a `line` layout writes whole lanes while it holds that lock.
pub(crate) fn or_lines(target: &Owned, source: Lines<'_>) {
    let at = target.atomic();
    each_folded(source, at.0.len(), |line, lanes| {
        let _alone = target.stripes.hold(line);
        (0..8).for_each(|lane| {
            at.or_shared(line, lane, lanes[lane]);
        })
    });
}

fn or_into(target: &Owned, other: &BloomFilter<impl Body>) {
    or_lines(target, other.body.lines());
}

/// Under all stripes: no insertion may be half done while bits are taken away.
fn and_into(target: &Owned, other: &BloomFilter<impl Body>) {
    let cells = target.atomic().0;
    let source = other.body.lines(); // may call a stranger's code: not while holding locks
    target.stripes.with_all(|| {
        each_folded(source, cells.len(), |line, lanes| {
            (0..8).for_each(|lane| {
                cells[line][lane].fetch_and(lanes[lane].to_le(), Relaxed);
            })
        })
    });
}

impl<B: Body> BloomFilter<B> {
    /// A new filter that contains what either contains, exactly as if it had been built from both sets of keys.
    ///
    /// It has the smaller line count and capacity, the larger rate, and the metadata that both share; the order does not
    /// matter. Errors: `ERR_LAYOUT_DIFFERS`, `ERR_SEED_DIFFERS`, `ERR_PROBES_DIFFERS`, `ERR_SIZE_DIFFERS`, `ERR_OUT_OF_MEMORY`.
    ///
    /// ```
    /// use tepal::BloomFilter;
    /// let (a, b) = (BloomFilter::new(100, 0.01)?, BloomFilter::new(100, 0.01)?);
    /// a.insert("x");
    /// b.insert("y");
    /// let both = a.union(&b)?;
    /// assert!(both.contains("x") && both.contains("y"));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    pub fn union<C: Body>(&self, other: &BloomFilter<C>) -> Result<BloomFilter> {
        self.combine(other, or_into)
    }

    /// A new filter that contains every key that both contain. Its rate is *not* promised: keys of one side can leave
    /// enough common bits for a yes, so build a fresh filter where the rate matters. Errors as [`BloomFilter::union`].
    pub fn intersection<C: Body>(&self, other: &BloomFilter<C>) -> Result<BloomFilter> {
        self.combine(other, and_into)
    }

    fn combine<C: Body>(&self, other: &BloomFilter<C>, apply: fn(&Owned, &BloomFilter<C>)) -> Result<BloomFilter> {
        let params = common(&self.params, &other.params)?;
        let result = BloomFilter::empty(params, self.metadata.shared(&other.metadata))?;
        or_into(&result.body, self);
        apply(&result.body, other);
        Ok(result)
    }

    /// An owned, writable copy. `ERR_OUT_OF_MEMORY` instead of an abort.
    pub fn copy(&self) -> Result<BloomFilter> {
        let result = BloomFilter::empty(self.params, self.metadata.clone())?;
        or_into(&result.body, self);
        Ok(result)
    }

    /// A filter of `1/factor` the size that contains the same keys: bit for bit the one that would have been built at
    /// that size. Its capacity is divided by `factor` too, so that the promise stays the same (in filters of one or two
    /// lines the rate can be up to a tenth higher). `ERR_FACTOR` unless the factor divides the line count (for `pair`, half of it).
    pub fn fold(&self, factor: u64) -> Result<BloomFilter> {
        let factor = arg::factor_i128(factor as i128)?;
        if self.params.units() % factor != 0 {
            let expected = match self.params.layout {
                Layout::Pair => "a divisor of half the line count",
                _ => "a divisor of the line count",
            };
            return Err(Error::argument("ERR_FACTOR", "factor", expected, Got::Integer(factor as i128)));
        }
        self.folded((self.params.capacity / factor).max(1), factor)
    }

    /// The smallest fold that keeps the promised rate for `capacity` keys (1 to the present capacity): shrinks a filter that
    /// was made too large. `ERR_CAPACITY_ZERO`, `ERR_CAPACITY_RANGE`.
    pub fn shrink_to(&self, capacity: u64) -> Result<BloomFilter> {
        let Params { layout, probes, fpr, .. } = self.params;
        if arg::capacity(capacity)? > self.params.capacity {
            let expected = "at most the present capacity";
            return Err(Error::argument("ERR_CAPACITY_RANGE", "capacity", expected, Got::Integer(capacity as i128)));
        }
        let units = self.params.units();
        let mut factor = 1;
        for i in (1..).take_while(|i| i * i <= units).filter(|i| units % i == 0) {
            for divisor in [i, units / i] {
                if divisor > factor && rate(layout, probes, capacity, units / divisor) <= fpr {
                    factor = divisor;
                }
            }
        }
        self.folded(capacity, factor)
    }

    fn folded(&self, capacity: u64, factor: u64) -> Result<BloomFilter> {
        let params = self.params.resized(capacity, self.params.units() / factor);
        let result = BloomFilter::empty(params, self.metadata.clone())?;
        or_into(&result.body, self);
        Ok(result)
    }
}

/// In place: the filter keeps its size, capacity, rate and metadata, and `other` is folded to its size as it is read.
macro_rules! combine_in_place {
    ($name:ident, $apply:ident, $doc:literal) => {
        impl BloomFilter<Owned> {
            #[doc = $doc]
            pub fn $name<C: Body>(&self, other: &BloomFilter<C>) -> Result<()> {
                fits_into(&self.params, &other.params)?;
                $apply(&self.body, other);
                Ok(())
            }
        }

        impl BloomFilter<Storage> {
            #[doc = $doc]
            /// `ERR_READ_ONLY` for a view.
            pub fn $name<C: Body>(&self, other: &BloomFilter<C>) -> Result<()> {
                let target = self.owned()?;
                fits_into(&self.params, &other.params)?;
                $apply(target, other);
                Ok(())
            }
        }
    };
}
combine_in_place!(
    union_with,
    or_into,
    "Adds all keys of `other`. The other line count must be a multiple of this one (`ERR_SIZE_DIFFERS`); \
     other errors as [`BloomFilter::union`]."
);
combine_in_place!(
    intersect_with,
    and_into,
    "Keeps the keys that `other` contains too; the rate is no longer promised. Errors as `union_with`."
);

fn fits_into(target: &Params, other: &Params) -> Result<()> {
    if common(target, other)?.lines == target.lines {
        return Ok(());
    }
    let expected = "a filter at least as large as this one (or the union as a new filter)";
    Err(Error::mismatch("ERR_SIZE_DIFFERS", "num_lines", expected, Got::Integer(other.lines as i128)))
}

/// The union of any number of filters; with one it is a copy. `ERR_EMPTY` without any, otherwise as [`BloomFilter::union`].
///
/// ```
/// let parts = [tepal::BloomFilter::new(100, 0.01)?, tepal::BloomFilter::new(100, 0.01)?];
/// parts[1].insert("x");
/// assert!(tepal::union_all(&parts)?.contains("x"));
/// # Ok::<(), tepal::Error>(())
/// ```
pub fn union_all<'a, B: Body + 'a>(filters: impl IntoIterator<Item = &'a BloomFilter<B>>) -> Result<BloomFilter> {
    union_of(&filters.into_iter().collect::<Vec<_>>())
}

fn union_of<B: Body>(all: &[&BloomFilter<B>]) -> Result<BloomFilter> {
    let smallest = all.iter().min_by_key(|filter| filter.params.lines).ok_or_else(|| {
        let got = Got::Word("none");
        Error::argument("ERR_EMPTY", "filters", "at least one filter", got)
    })?;
    let mut result = smallest.copy()?;
    for filter in all {
        result.params = common(&result.params, &filter.params)?;
        result.metadata = result.metadata.shared(&filter.metadata);
        or_into(&result.body, filter);
    }
    Ok(result)
}

//! Two scalable filters become one: levels of equal shape are joined while they stay within their capacity, the others stand beside each
//! other, and then the promise becomes the sum of what they have.
use super::ScalableBloomFilter;
use crate::error::{Error, Got, Result};
use crate::level::Level;
use crate::series::Series;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::sync::atomic::Ordering::Relaxed;

/// The field in which two series differ, if they do. Limits may differ.
fn equal_series(a: &Series, b: &Series) -> Result<()> {
    let differ = |code, field, expected, got| Err(Error::mismatch(code, field, expected, got));
    if a.scheme != b.scheme {
        return differ("ERR_SCHEME_DIFFERS", "scheme", a.scheme.name(), Got::Word(b.scheme.name()));
    }
    if a.seed != b.seed {
        let got = Got::Word("a filter with another seed");
        return differ("ERR_SEED_DIFFERS", "seed", "filters with equal seeds", got);
    }
    if a.capacity != b.capacity {
        let got = Got::Integer(b.capacity as i128);
        return differ("ERR_CAPACITY_DIFFERS", "initial_capacity", "filters that began with the same capacity", got);
    }
    if a.fpr != b.fpr {
        return differ("ERR_FPR_DIFFERS", "fpr", "filters made for the same rate", Got::Float(b.fpr));
    }
    if a.expansion != b.expansion {
        let got = Got::Integer(b.expansion as i128);
        return differ("ERR_EXPANSION_DIFFERS", "expansion", "filters with the same expansion", got);
    }
    if a.tightening != b.tightening {
        let got = Got::Float(b.tightening);
        return differ("ERR_TIGHTENING_DIFFERS", "tightening", "filters with the same tightening ratio", got);
    }
    Ok(())
}

/// The series' whole sum, and the rate of each level whose place an earlier one has: in the order of places, so that the sum is the
/// same to the last bit whatever the order of the levels.
fn stated<'a>(series: &Series, levels: impl Iterator<Item = &'a Level>) -> f64 {
    let mut places: Vec<(u32, f64)> = levels.map(|level| (level.index, level.fpr)).collect();
    places.sort_by_key(|place| place.0);
    let extra = places.windows(2).filter(|pair| pair[0].0 == pair[1].0);
    extra.fold(series.fpr, |sum, pair| sum + pair[1].1).min(1.0 - f64::EPSILON)
}

impl ScalableBloomFilter {
    /// A new filter that contains what either contains. Levels of equal place and shape are joined where one can take the keys of both within
    /// its capacity; others are kept side by side, and then [`fpr`](ScalableBloomFilter::fpr) becomes the stated sum of all rates. The order of
    /// the two does not matter. It has the metadata that both share, and the first one's memory limit.
    ///
    /// Errors: `ERR_SCHEME_DIFFERS`, `ERR_SEED_DIFFERS`, `ERR_CAPACITY_DIFFERS`, `ERR_FPR_DIFFERS`, `ERR_EXPANSION_DIFFERS`, `ERR_TIGHTENING_DIFFERS`,
    /// `ERR_MEMORY_LIMIT`, `ERR_OUT_OF_MEMORY`.
    ///
    /// ```
    /// use tepal::ScalableBloomFilter;
    /// let (a, b) = (ScalableBloomFilter::build(["x"], 0.01)?, ScalableBloomFilter::build(["y"], 0.01)?);
    /// let both = a.union(&b)?;
    /// assert!(both.contains("x") && both.contains("y") && both.fpr() == 0.01);
    /// # Ok::<(), tepal::Error>(())
    /// ```
    pub fn union(&self, other: &Self) -> Result<Self> {
        equal_series(&self.series, &other.series)?;
        let mut all: Vec<Level> = Vec::new();
        for level in self.levels.iter().chain(other.levels.iter()) {
            let mut absorbed = false;
            for place in &all {
                absorbed = absorbed || place.absorb(level)?;
            }
            if !absorbed {
                all.push(level.copy()?);
            }
        }
        self.rebuilt(all, self.metadata.shared(&other.metadata))
    }

    /// A writable copy; `ERR_OUT_OF_MEMORY`.
    pub fn copy(&self) -> Result<Self> {
        let mut levels = self.levels.iter().map(Level::copy).collect::<Result<Vec<_>>>()?;
        levels.reverse();
        Self::assemble(self.series, self.fpr(), self.metadata.clone(), levels, None)
    }

    fn rebuilt(&self, mut levels: Vec<Level>, metadata: crate::metadata::Metadata) -> Result<Self> {
        levels.sort_by(by_place);
        let bytes = levels.iter().fold(0u64, |sum, level| sum.saturating_add(level.plan.bytes()));
        self.series.within_limit(levels.len() as u64, bytes)?;
        let fpr = stated(&self.series, levels.iter());
        Self::assemble(self.series, fpr, metadata, levels, None)
    }

    /// Adds all keys of `other`: as [`ScalableBloomFilter::union`], in place; growth goes on in the level that is the newest now. No insertion goes on meanwhile. `ERR_READ_ONLY` for a view; on any
    /// error the filter may have got a part of the keys, and has lost none.
    pub fn union_with(&self, other: &Self) -> Result<()> {
        self.writable()?;
        equal_series(&self.series, &other.series)?;
        if core::ptr::eq(self, other) {
            return Ok(());
        }
        let mut theirs: Vec<&Level> = other.levels.iter().collect();
        theirs.reverse();
        self.keys.with_all(|| {
            let _alone = self.growth.hold();
            for level in theirs {
                let mut absorbed = false;
                for place in self.levels.iter() {
                    absorbed = absorbed || place.absorb(level)?;
                }
                if absorbed {
                    continue;
                }
                let bytes = self.bytes_of_bits().saturating_add(level.plan.bytes());
                self.series.within_limit(self.filter_count() + 1, bytes)?;
                if level.index > self.levels.newest().index {
                    self.levels.push(level.copy()?)?;
                } else {
                    self.levels.insert(level.copy()?)?; // growth goes on from the newest
                }
                self.fpr.store(stated(&self.series, self.levels.iter()).to_bits(), Relaxed);
            }
            Ok(())
        })
    }

    /// What `==` compares: series and bits of all levels, not metadata and counts. (Levels of one place, which unions make, may stand in any
    /// order.) Cost: reads both up to the first difference.
    pub fn same_filter(&self, other: &Self) -> bool {
        let (mut mine, mut theirs) = (self.snapshot(), other.snapshot());
        mine.sort_by(|a, b| by_place(a, b));
        theirs.sort_by(|a, b| by_place(a, b));
        equal_series(&self.series, &other.series).is_ok()
            && mine.len() == theirs.len()
            && mine.iter().zip(theirs).all(|(a, b)| a.same(b))
    }
}

/// The order of levels in a union: by place; of one place the fullest first, so that growth goes on in the emptiest of the last.
fn by_place(a: &Level, b: &Level) -> Ordering {
    let bits = || {
        let (a, b) = (a.lines(), b.lines());
        (0..a.count().min(b.count())).map(|i| a.line(i).cmp(&b.line(i))).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
    };
    a.index.cmp(&b.index).then(b.items().cmp(&a.items())).then_with(bits)
}

/// Series and bits are equal; metadata and counts may differ.
impl PartialEq for ScalableBloomFilter {
    fn eq(&self, other: &Self) -> bool {
        self.same_filter(other)
    }
}

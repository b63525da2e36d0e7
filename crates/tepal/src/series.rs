//! The series of a growing filter: which capacity, rate and size level i has, and how far the series reaches.
//!
//! Promise of scheme `tepal`: the rates of all levels that can ever come sum to the promised rate, so that the whole filter
//! keeps it at any size (Almeida, Baquero, Preguiça & Hutchison 2007 for the ratio; the flat head is ours: docs/design.md).
//! The other schemes follow their servers to the bit, promise or not. Normative: FORMAT.md, section 6.
use crate::arg;
use crate::error::{Error, Got, Result};
use crate::layout::{Double, Layout, LayoutChoice};
use crate::math::powi;
#[cfg(feature = "schemes")]
use crate::scheme::{redisbloom_size, valkey_size};
use crate::scheme::{Scheme, Seed};
use crate::sizing::Params;

/// The most levels a filter may have.
pub(crate) const MAX_LEVELS: u32 = 1 << 16;
/// Levels of the flat head. Eleven of them at ×4 hold 1.4 million times the initial capacity.
const HEAD: u32 = 11;
/// The lowest rate of a level of scheme `tepal`: sizing and a 128-bit hash can still keep it.
const LOWEST: f64 = 1e-15;

/// What decides every level that can come; checked once.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Series {
    pub scheme: Scheme,
    pub seed: Seed,
    /// Of the first level.
    pub capacity: u64,
    /// The user's rate.
    pub fpr: f64,
    /// 0: one level and no more.
    pub expansion: u32,
    /// 0: the flat head.
    pub tightening: f64,
    /// 0: none.
    pub max_bytes: u64,
    /// A mark that valkey-bloom keeps.
    pub seed_is_random: bool,
}

/// Which bits a hash sets in a level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Plan {
    Lines(Params),
    Double(Double),
}

impl Plan {
    pub fn lines(&self) -> u64 {
        match self {
            Plan::Lines(params) => params.lines,
            Plan::Double(double) => double.bits().div_ceil(512),
        }
    }

    pub fn num_bits(&self) -> u64 {
        match self {
            Plan::Lines(params) => params.num_bits(),
            Plan::Double(double) => double.bits(),
        }
    }

    pub fn probes(&self) -> u32 {
        match self {
            Plan::Lines(params) => params.probes,
            Plan::Double(double) => double.probes(),
        }
    }

    pub fn layout(&self) -> Option<Layout> {
        match self {
            Plan::Lines(params) => Some(params.layout),
            Plan::Double(_) => None,
        }
    }

    /// Bytes of the bits.
    pub fn bytes(&self) -> u64 {
        self.num_bits() / 8
    }
}

/// One level to be.
pub(crate) struct Next {
    pub index: u32,
    pub capacity: u64,
    pub fpr: f64,
    pub plan: Plan,
}

fn underflow(rate: f64) -> Error {
    let expected = "a next level whose rate is above zero (the tightening ratio has used the rate up)";
    Error::full("ERR_FPR_UNDERFLOW", "fpr", expected, Got::Float(rate))
}

impl Series {
    /// The rate of level `index`; `ERR_FPR_UNDERFLOW` when there can be no such level.
    pub fn rate(&self, index: u32) -> Result<f64> {
        let t = powi(self.tightening, index as u64);
        let (rate, lowest) = match self.scheme {
            Scheme::Tepal if self.expansion == 0 => (self.fpr, LOWEST),
            Scheme::Tepal if self.tightening == 0.0 => {
                (self.fpr / (HEAD + 1) as f64 * powi(0.5, index.saturating_sub(HEAD - 1) as u64), LOWEST)
            }
            Scheme::Tepal => (self.fpr * (1.0 - self.tightening) * t, LOWEST),
            Scheme::RedisBloom if self.expansion != 0 => (self.fpr * 0.5 * t, f64::MIN_POSITIVE),
            _ if index == 0 => return Ok(self.fpr),
            _ => (self.fpr * t, f64::MIN_POSITIVE),
        };
        if rate > lowest {
            Ok(rate)
        } else {
            Err(underflow(rate))
        }
    }

    /// The level `index` of this capacity.
    pub fn level(&self, index: u32, capacity: u64) -> Result<Next> {
        let fpr = self.rate(index)?;
        let plan = match self.scheme {
            Scheme::Tepal => {
                let capacity = arg::capacity(capacity).map_err(|_| Error::too_large(capacity))?;
                Plan::Lines(Params::sized(capacity, fpr, self.seed.as_u64(), LayoutChoice::Auto)?)
            }
            _ => Plan::Double(self.double(capacity, fpr)?),
        };
        Ok(Next { index, capacity, fpr, plan })
    }

    #[cfg(feature = "schemes")]
    fn double(&self, capacity: u64, fpr: f64) -> Result<Double> {
        let size = match self.scheme {
            Scheme::RedisBloom => redisbloom_size(capacity, fpr).map(|(bits, probes, _)| (bits, probes)),
            _ => valkey_size(capacity, fpr).and_then(|(bytes, probes)| Some((bytes.checked_mul(8)?, probes))),
        };
        let (bits, probes) = size.ok_or_else(|| Error::too_large(u64::MAX))?;
        Ok(Double::new(self.scheme, bits, probes))
    }

    #[cfg(not(feature = "schemes"))]
    fn double(&self, _: u64, _: f64) -> Result<Double> {
        Err(self.scheme.foreign())
    }

    /// The level after one of this place and capacity. `ERR_FULL` for a filter that does not grow, `ERR_FPR_UNDERFLOW`, `ERR_TOO_LARGE`.
    pub fn next(&self, index: u32, capacity: u64) -> Result<Next> {
        if self.expansion == 0 {
            let expected = "room for a new key (this filter does not grow)";
            return Err(Error::full("ERR_FULL", "capacity", expected, Got::Integer(capacity as i128)));
        }
        if index + 1 == MAX_LEVELS {
            return Err(underflow(0.0));
        }
        let larger = capacity.checked_mul(self.expansion as u64).filter(|n| *n <= i64::MAX as u64);
        self.level(index + 1, larger.ok_or_else(|| Error::too_large(u64::MAX))?)
    }

    /// `ERR_MEMORY_LIMIT` unless `levels` levels with `bytes` bytes of bits stay within `max_bytes`.
    pub fn within_limit(&self, levels: u64, bytes: u64) -> Result<()> {
        let size = memory_size(levels, bytes);
        if self.max_bytes == 0 || size <= self.max_bytes {
            return Ok(());
        }
        let expected = "a filter of at most this many bytes:";
        Err(Error::full("ERR_MEMORY_LIMIT", "max_bytes", expected, Got::Integer(size as i128)).bound(self.max_bytes))
    }

    /// How many keys the series can hold, level by level, until memory limit, rate or addresses end it; stops at `enough`.
    pub fn reach(&self, enough: u64) -> u64 {
        let (mut total, mut bytes, mut count) = (0u64, 0u64, 0u64);
        let mut next = self.level(0, self.capacity);
        while let Ok(level) = next {
            bytes = bytes.saturating_add(level.plan.bytes());
            count += 1;
            // Which vector capacity counts for a level that is about to come, valkey-bloom decides.
            let size = HEADER + 8 * if count == 1 { 1 } else { count.next_power_of_two().max(4) } + count * PER_LEVEL;
            if self.max_bytes != 0 && size.saturating_add(bytes) > self.max_bytes {
                break;
            }
            total = total.saturating_add(level.capacity);
            if total >= enough {
                break;
            }
            next = self.next(level.index, level.capacity);
        }
        total
    }
}

/// What valkey-bloom counts for an object and for each level in it, besides the bits.
const HEADER: u64 = 48;
const PER_LEVEL: u64 = 208;

/// Bytes in memory, as valkey-bloom counts them: so limits and sizes mean the same here and there.
pub(crate) fn memory_size(levels: u64, bytes: u64) -> u64 {
    let vector = if levels <= 1 { 1 } else { levels.next_power_of_two().max(4) };
    (HEADER + 8 * vector + PER_LEVEL * levels).saturating_add(bytes)
}

//! The few functions that decide sizes and estimates.
//!
//! Promise: the same result to the last bit on every target, because only IEEE additions, multiplications and divisions
//! are used, in a fixed order (FORMAT.md, section 4.1). Math libraries differ in `exp`, `ln` and `pow`; this file
//! does not.

/// x to the power of an integer, by squaring.
pub fn powi(mut x: f64, mut e: u64) -> f64 {
    let mut r = 1.0;
    while e > 0 {
        if e & 1 == 1 {
            r *= x;
        }
        e >>= 1;
        if e > 0 {
            x *= x;
        }
    }
    r
}

/// e to the power of x, for x ≤ 0; 0 below −700.
pub fn exp(x: f64) -> f64 {
    if x < -700.0 {
        return 0.0;
    }
    let k = floor(x / LN_2 + 0.5);
    let y = (x - k * LN_2_HIGH) - k * LN_2_LOW;
    let mut p = 1.0;
    for n in (1..=16).rev() {
        p = 1.0 + (y * p) / n as f64;
    }
    p * f64::from_bits(((k as i64 + 1023) as u64) << 52)
}

/// ln(1 − x) for 0 < x ≤ 1/512: the series, eight terms.
pub fn ln1m_small(x: f64) -> f64 {
    let mut s = 0.0;
    for n in (1..=8).rev() {
        s = 1.0 / n as f64 + x * s;
    }
    -(x * s)
}

/// ln(1 − x) for 0 ≤ x < 1.
pub fn ln1m(x: f64) -> f64 {
    if x <= 0.0 {
        0.0
    } else if x <= 1.0 / 512.0 {
        ln1m_small(x)
    } else {
        // ln(1 − x) = −2·artanh(x / (2 − x)), summed until it is exact enough for an estimate; reduced by halves of 1 − x first.
        let (mut y, mut e) = (1.0 - x, 0.0);
        while y < 0.5 {
            y *= 2.0;
            e += 1.0;
        }
        let s = (1.0 - y) / (1.0 + y);
        let mut p = 0.0;
        for n in (0..16).rev() {
            p = 1.0 / (2 * n + 1) as f64 + s * s * p;
        }
        -(2.0 * s * p + e * LN_2)
    }
}

#[cfg(feature = "schemes")]
/// ln(x) for a normal x > 0, within 0.53 units in the last place: other libraries size their filters with the platform's `ln`, and
/// a filter of theirs must get the same size from this one.
pub fn ln(x: f64) -> f64 {
    let bits = x.to_bits();
    let mut e = ((bits >> 52) as i64) - 1023;
    let mut m = f64::from_bits((bits & 0x000F_FFFF_FFFF_FFFF) | (1023 << 52));
    if m > core::f64::consts::SQRT_2 {
        m /= 2.0;
        e += 1;
    }
    let (e, f, d) = (e as f64, m - 1.0, m + 1.0);
    // ln m = 2·(s + s³/3 + s⁵/5 + …) with s = f/d, which is kept as s1 + s2: s1 has so few bits that its products are exact.
    let s = f / d;
    let (s1, d1) = (high(s), high(d));
    let s2 = ((f - s1 * d1) - s1 * (m - (d1 - 1.0))) / d;
    let q = s * s;
    let mut p = 0.0;
    for n in (1..14).rev() {
        p = 1.0 / (2 * n + 1) as f64 + q * p;
    }
    let small = 2.0 * (s2 + s * (q * p)) + e * LN_2_LOW;
    let (a, b) = (e * LN_2_HIGH, 2.0 * s1); // |a| > |b| unless a is 0
    let sum = a + b;
    sum + (b - (sum - a) + small)
}

#[cfg(feature = "schemes")]
/// x without the low half of its digits.
fn high(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & !0xFFFF_FFFF)
}

#[cfg(feature = "schemes")]
/// The smallest integer that is not below x, for 0 ≤ x; x itself from 2^52 on, where all numbers are integers.
pub fn ceil(x: f64) -> f64 {
    let t = x as u64 as f64;
    if t < x && x < 4_503_599_627_370_496.0 {
        t + 1.0
    } else {
        x.max(t)
    }
}

/// The largest integer that is not above x, for |x| below 2^52.
fn floor(x: f64) -> f64 {
    let t = x as i64 as f64;
    if t > x {
        t - 1.0
    } else {
        t
    }
}

/// The high 64 bits of the 128-bit product.
#[inline(always)]
pub fn mulhi(a: u64, b: u64) -> u64 {
    if cfg!(target_pointer_width = "64") {
        wide(a, b)
    } else if b <= u32::MAX as u64 {
        // A 128-bit product is a library call on 32-bit targets; two 64-bit ones give the identical result.
        let low = (a & 0xFFFF_FFFF) * b;
        let high = (a >> 32) * b;
        (high + (low >> 32)) >> 32
    } else {
        wide_call(a, b) // more lines than such a target can hold: only their addresses are asked for
    }
}

#[inline(always)]
fn wide(a: u64, b: u64) -> u64 {
    ((a as u128 * b as u128) >> 64) as u64
}

#[cold]
#[inline(never)]
fn wide_call(a: u64, b: u64) -> u64 {
    wide(a, b)
}

#[allow(clippy::approx_constant)] // normative digits
const LN_2: f64 = 0.6931471805599453;
// The split of ln 2 that fdlibm uses: the high part has 32 trailing zero bits, so k·LN_2_HIGH is exact.
const LN_2_HIGH: f64 = 0.693_147_180_369_123_8;
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_the_normative_ones() {
        assert_eq!(LN_2_HIGH.to_bits(), 0x3fe6_2e42_fee0_0000);
        assert_eq!(LN_2_LOW.to_bits(), 0x3dea_39ef_3579_3c76);
    }

    #[test]
    #[cfg(feature = "std")]
    fn functions_agree_with_the_platform() {
        for i in 0..7000 {
            let x = -(i as f64) / 10.0;
            assert!((exp(x) / x.exp() - 1.0).abs() < 1e-14, "exp({x})");
        }
        for i in 1..1000 {
            let x = i as f64 / 1000.0;
            assert!((ln1m(x) / (-x).ln_1p() - 1.0).abs() < 1e-13, "ln1m({x})");
            assert!((ln1m(x / 1e9) / (-x / 1e9).ln_1p() - 1.0).abs() < 1e-13);
            #[cfg(feature = "schemes")]
            assert!((ln(x) / x.ln() - 1.0).abs() <= f64::EPSILON, "ln({x})");
            assert!((powi(x, 37) / x.powi(37) - 1.0).abs() < 1e-13);
        }
    }

    #[test]
    fn mulhi_in_halves_equals_the_wide_product() {
        let mut a = 1u64;
        for b in [1u64, 2, 3, 128, 0xFFFF_FFFF, 0x1234_5678] {
            for _ in 0..1000 {
                a = a.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let low = (a & 0xFFFF_FFFF) * b;
                let high = (a >> 32) * b;
                assert_eq!((high + (low >> 32)) >> 32, ((a as u128 * b as u128) >> 64) as u64);
            }
        }
    }
}

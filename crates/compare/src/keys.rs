//! Key material: integers and short texts, both a pure function of their index, so that a hundred million members need
//! no memory. Members have even indices, strangers odd ones.
use std::fmt::Write;
use std::hash::Hash;

/// A batch of keys in contiguous memory: reading the keys must not cost more than asking for them.
pub trait Keys {
    /// One key, as a user passes it to every library.
    type Key<'a>: tepal::Key + Hash + Copy
    where
        Self: 'a;
    /// The key behind at most one reference, for libraries that fix the type of key in the type of the filter.
    type Target: Hash + ?Sized;
    /// `key` as that type.
    fn target<'k>(key: &'k Self::Key<'_>) -> &'k Self::Target;
    /// What the tables call them.
    const NAME: &'static str;
    /// The keys with these indices.
    fn make(indices: impl Iterator<Item = u64>) -> Self;
    /// In order.
    fn iter(&self) -> impl Iterator<Item = Self::Key<'_>>;
    /// How many.
    fn len(&self) -> usize;
}

/// A bijection on 64 bits (splitmix64's finaliser): distinct indices are distinct keys.
pub fn mix(i: u64) -> u64 {
    let mut z = i.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// 64-bit integers.
pub struct Integers(pub Vec<u64>);

impl Keys for Integers {
    type Key<'a> = u64;
    type Target = u64;
    const NAME: &'static str = "u64";

    fn target(key: &u64) -> &u64 {
        key
    }

    fn make(indices: impl Iterator<Item = u64>) -> Self {
        Integers(indices.map(mix).collect())
    }

    fn iter(&self) -> impl Iterator<Item = u64> {
        self.0.iter().copied()
    }

    fn len(&self) -> usize {
        self.0.len()
    }
}

/// Texts of 20 bytes, like `user:` and fifteen hexadecimal digits.
pub struct Texts {
    text: String,
    count: usize,
}

const TEXT: usize = 20;

impl Keys for Texts {
    type Key<'a> = &'a str;
    type Target = str;
    const NAME: &'static str = "str of 20 bytes";

    fn target<'k>(key: &'k &str) -> &'k str {
        key
    }

    fn make(indices: impl Iterator<Item = u64>) -> Self {
        let (mut text, mut count) = (String::new(), 0);
        for i in indices {
            // 60 of the 64 bits: still distinct, because the index has fewer and the digits hold a bijection on 60 bits.
            let _ = write!(text, "user:{:015x}", mix60(i));
            count += 1;
        }
        Texts { text, count }
    }

    fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.count).map(|i| &self.text[i * TEXT..][..TEXT])
    }

    fn len(&self) -> usize {
        self.count
    }
}

/// A bijection on 60 bits.
fn mix60(i: u64) -> u64 {
    const MASK: u64 = (1 << 60) - 1;
    let mut z = i.wrapping_mul(0x9E37_79B9_7F4A_7C15) & MASK;
    z = (z ^ (z >> 31)).wrapping_mul(0xBF58_476D_1CE4_E5B9) & MASK;
    z ^ (z >> 29)
}

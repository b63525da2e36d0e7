//! What a key is: a byte string.
//!
//! Text is its UTF-8 bytes, an integer its value modulo 2^64 as eight little-endian bytes whatever its width, bytes are
//! themselves, and several parts make one key through [`compound_key`]. Never `std::hash::Hash`: its length prefixes
//! differ between 32-bit and 64-bit targets.
use crate::hash::{hash_bytes, Hash128};
use alloc::{borrow::Cow, string::String, vec::Vec};

/// A value that is a key. Equal bytes are equal keys: `"a"` and `b"a"`, or `-1i64` and `u64::MAX`.
pub trait Key {
    /// Calls `f` with the key's bytes.
    fn with_bytes<T>(&self, f: impl FnOnce(&[u8]) -> T) -> T;

    /// The key's hash under a seed.
    #[inline]
    fn hash_key(&self, seed: u64) -> Hash128 {
        self.with_bytes(|key| hash_bytes(key, seed))
    }
}

impl Key for [u8] {
    #[inline]
    fn with_bytes<T>(&self, f: impl FnOnce(&[u8]) -> T) -> T {
        f(self)
    }
}

macro_rules! bytes_key {
    ($([$($generics:tt)*] $t:ty: $self:ident => $bytes:expr;)*) => {$(
        impl<$($generics)*> Key for $t {
            #[inline]
            fn with_bytes<T>(&$self, f: impl FnOnce(&[u8]) -> T) -> T {
                f($bytes)
            }
        }
    )*};
}
bytes_key! {
    [] str: self => self.as_bytes();
    [] String: self => self.as_bytes();
    [] Vec<u8>: self => self.as_slice();
    [const N: usize] [u8; N]: self => self.as_slice();
    ['a] Cow<'a, str>: self => self.as_bytes();
    ['a] Cow<'a, [u8]>: self => self.as_ref();
}

macro_rules! integer_key {
    ($($t:ty)*) => {$(
        impl Key for $t {
            #[inline]
            fn with_bytes<T>(&self, f: impl FnOnce(&[u8]) -> T) -> T {
                f(&(*self as u64).to_le_bytes()) // sign-extends: the value modulo 2^64
            }
        }
    )*};
}
integer_key! { u8 u16 u32 u64 usize i8 i16 i32 i64 isize }

impl<K: Key + ?Sized> Key for &K {
    #[inline]
    fn with_bytes<T>(&self, f: impl FnOnce(&[u8]) -> T) -> T {
        (**self).with_bytes(f)
    }
}

/// One key of several parts: each part's length as eight little-endian bytes, then the part. `("ab", "c")` and
/// `("a", "bc")` are different keys.
///
/// ```
/// use tepal::compound_key;
/// let ab_c = compound_key([b"ab".as_slice(), b"c"]);
/// assert_ne!(ab_c, compound_key([b"a".as_slice(), b"bc"]));
/// assert_eq!(ab_c, b"\x02\0\0\0\0\0\0\0ab\x01\0\0\0\0\0\0\0c");
/// ```
pub fn compound_key<P: AsRef<[u8]>>(parts: impl IntoIterator<Item = P>) -> Vec<u8> {
    let mut key = Vec::new();
    for part in parts {
        let part = part.as_ref();
        key.extend_from_slice(&(part.len() as u64).to_le_bytes());
        key.extend_from_slice(part);
    }
    key
}

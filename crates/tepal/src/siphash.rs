//! SipHash-1-3, the hash of valkey-bloom's filters.
//!
//! What is hashed is the key behind its length as eight little-endian bytes, on every target: so does the crate
//! `bloomfilter` 3, which valkey-bloom is built on, on a 64-bit machine.

/// SipHash-1-3 under (k0, k1) of the key's length and the key.
#[cfg_attr(target_arch = "wasm32", inline(never))]
pub(crate) fn siphash13(key: &[u8], k0: u64, k1: u64) -> u64 {
    let mut v = [
        k0 ^ 0x736f_6d65_7073_6575,
        k1 ^ 0x646f_7261_6e64_6f6d,
        k0 ^ 0x6c79_6765_6e65_7261,
        k1 ^ 0x7465_6462_7974_6573,
    ];
    compress(&mut v, key.len() as u64);
    let mut words = key.chunks_exact(8);
    for word in &mut words {
        compress(&mut v, word.iter().rev().fold(0, |w, b| w << 8 | *b as u64));
    }
    let tail = words.remainder().iter().rev().fold(0, |w, b| w << 8 | *b as u64);
    compress(&mut v, tail | (key.len() as u64 + 8) << 56); // the top byte: how many bytes were hashed, modulo 256
    v[2] ^= 0xFF;
    (0..3).for_each(|_| round(&mut v));
    v[0] ^ v[1] ^ v[2] ^ v[3]
}

#[inline(always)]
fn compress(v: &mut [u64; 4], word: u64) {
    v[3] ^= word;
    round(v);
    v[0] ^= word;
}

#[inline(always)]
fn round(v: &mut [u64; 4]) {
    v[0] = v[0].wrapping_add(v[1]);
    v[2] = v[2].wrapping_add(v[3]);
    v[1] = v[1].rotate_left(13) ^ v[0];
    v[3] = v[3].rotate_left(16) ^ v[2];
    v[0] = v[0].rotate_left(32).wrapping_add(v[3]);
    v[2] = v[2].wrapping_add(v[1]);
    v[1] = v[1].rotate_left(17) ^ v[2];
    v[3] = v[3].rotate_left(21) ^ v[0];
    v[2] = v[2].rotate_left(32);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_hash() {
        // The item "a" under the first half of valkey-bloom's fixed seed, as a server's own filter has it.
        let (k0, k1) = (0xda11_78ea_22f5_0f59, 0xd97b_3e3b_09d8_14a7);
        assert_eq!(siphash13(b"a", k0, k1), 0x1980_7c47_e864_9714);
    }
}

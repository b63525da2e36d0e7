//! The MurmurHash functions of other libraries' filters: 64A of RedisBloom, 3 x64-128 of Guava, 3 x86-32 of Spark.
//!
//! Each is its published definition, read little-endian on every target; what Spark does differently is said at its place.

const M64: u64 = 0xc6a4_a793_5bd1_e995;

/// Up to eight bytes as a little-endian word.
#[inline(always)]
fn word(bytes: &[u8]) -> u64 {
    match <[u8; 8]>::try_from(bytes) {
        Ok(whole) => u64::from_le_bytes(whole),
        Err(_) => bytes.iter().rev().fold(0, |w, b| w << 8 | *b as u64),
    }
}

/// MurmurHash64A.
#[cfg_attr(target_arch = "wasm32", inline(never))]
pub(crate) fn murmur64a(key: &[u8], seed: u64) -> u64 {
    let mut h = seed ^ (key.len() as u64).wrapping_mul(M64);
    let mut words = key.chunks_exact(8);
    for bytes in &mut words {
        let k = word(bytes).wrapping_mul(M64);
        h = (h ^ (k ^ k >> 47).wrapping_mul(M64)).wrapping_mul(M64);
    }
    if !words.remainder().is_empty() {
        h = (h ^ word(words.remainder())).wrapping_mul(M64);
    }
    h = (h ^ h >> 47).wrapping_mul(M64);
    h ^ h >> 47
}

/// MurmurHash3 x64-128 with seed 0: the two halves, the first one first.
pub(crate) fn murmur3_x64_128(key: &[u8]) -> (u64, u64) {
    const C1: u64 = 0x87c3_7b91_1142_53d5;
    const C2: u64 = 0x4cf5_ad43_2745_937f;
    let mix1 = |k: u64| k.wrapping_mul(C1).rotate_left(31).wrapping_mul(C2);
    let mix2 = |k: u64| k.wrapping_mul(C2).rotate_left(33).wrapping_mul(C1);
    let (mut h1, mut h2) = (0u64, 0u64);
    let mut blocks = key.chunks_exact(16);
    for block in &mut blocks {
        h1 = (h1 ^ mix1(word(&block[..8]))).rotate_left(27).wrapping_add(h2);
        h1 = h1.wrapping_mul(5).wrapping_add(0x52dc_e729);
        h2 = (h2 ^ mix2(word(&block[8..]))).rotate_left(31).wrapping_add(h1);
        h2 = h2.wrapping_mul(5).wrapping_add(0x3849_5ab5);
    }
    // A half without bytes is 0 and mixes to 0.
    let (low, high) = blocks.remainder().split_at(blocks.remainder().len().min(8));
    h1 ^= mix1(word(low)) ^ key.len() as u64;
    h2 ^= mix2(word(high)) ^ key.len() as u64;
    h1 = h1.wrapping_add(h2);
    h2 = h2.wrapping_add(h1);
    h1 = final_mix(h1);
    h2 = final_mix(h2);
    h1 = h1.wrapping_add(h2);
    (h1, h2.wrapping_add(h1))
}

fn final_mix(mut k: u64) -> u64 {
    k = (k ^ k >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    k = (k ^ k >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    k ^ k >> 33
}

/// MurmurHash3 x86-32 with Spark's tail: each of the last one to three bytes is sign-extended and mixed as a block of its own. (Keys
/// whose length is a multiple of four hash as published.)
pub(crate) fn murmur3_x86_32_spark(key: &[u8], seed: u32) -> u32 {
    let mix = |h: u32, k: u32| {
        let k = k.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593);
        (h ^ k).rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64)
    };
    let mut words = key.chunks_exact(4);
    let mut h = (&mut words).fold(seed, |h, bytes| mix(h, word(bytes) as u32));
    h = words.remainder().iter().fold(h, |h, byte| mix(h, *byte as i8 as u32)) ^ key.len() as u32;
    h = (h ^ h >> 16).wrapping_mul(0x85eb_ca6b);
    h = (h ^ h >> 13).wrapping_mul(0xc2b2_ae35);
    h ^ h >> 16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_hashes() {
        assert_eq!(murmur64a(b"a", M64), 0x4292_cee2_27b9_150a); // RedisBloom's first hash of the item "a"
        assert_eq!(murmur64a(b"", 0), 0);
        // Appleby's x64-128, as Guava's and other libraries' tests have it.
        assert_eq!(murmur3_x64_128(b""), (0, 0));
        assert_eq!(murmur3_x64_128(b"hello"), (0xcbd8_a7b3_41bd_9b02, 0x5b1e_906a_48ae_1d19));
        assert_eq!(
            murmur3_x64_128(b"The quick brown fox jumps over the lazy dog"),
            (0xe34b_bc7b_bc07_1b6c, 0x7a43_3ca9_c49a_9347)
        );
        // Appleby's x86-32, for lengths that are multiples of four.
        assert_eq!(murmur3_x86_32_spark(b"", 1), 0x514e_28b7);
        assert_eq!(murmur3_x86_32_spark(b"aaaa", 0x9747_b28c), 0x5a97_808a);
        assert_eq!(murmur3_x86_32_spark(b"test", 0), 0xba6b_d213);
    }
}

//! The foreign formats against bytes that the servers and libraries made themselves, and against damage.
mod jvm;
mod redisbloom;
mod valkey;

use super::*;
use crate::hash::Hash128;
use crate::layout::Double;
use alloc::{string::String, vec};

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| std::format!("{b:02x}")).collect()
}

/// The bits that some keys set.
fn filled<'a>(
    scheme: Scheme,
    seed: &Seed,
    bits: u64,
    probes: u32,
    keys: impl IntoIterator<Item = &'a [u8]>,
) -> Vec<u8> {
    let mut body = vec![0; bits as usize / 8];
    for key in keys {
        for p in Double::new(scheme, bits, probes).positions(scheme.hash(key, seed)) {
            body[p as usize >> 3] |= 1 << (p & 7);
        }
    }
    body
}

/// Whether all bits of a hash are set.
fn has(scheme: Scheme, body: &[u8], probes: u32, h: Hash128) -> bool {
    let mut positions = Double::new(scheme, body.len() as u64 * 8, probes).positions(h);
    positions.all(|p| body[p as usize >> 3] >> (p & 7) & 1 == 1)
}

/// Every error of damaged bytes is one of these, and nothing panics.
fn damaged(good: &[u8], decode: impl Fn(&[u8]) -> Result<()>) {
    let known = ["ERR_FOREIGN", "ERR_TRUNCATED", "ERR_TRAILING", "ERR_CHECKSUM"];
    let try_one = |bytes: &[u8]| match decode(bytes) {
        Ok(()) => true,
        Err(error) => {
            assert!(known.contains(&error.code()), "{error}");
            false
        }
    };
    assert!(try_one(good));
    for cut in 0..good.len() {
        assert!(!try_one(&good[..cut]), "cut at {cut}");
    }
    for more in [0u8, 1, 5, 255] {
        let mut longer = good.to_vec();
        longer.push(more);
        assert!(!try_one(&longer));
    }
    let mut state = 1u64;
    let mut random = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize
    };
    for at in 0..good.len() {
        for value in [0, 1, 2, 0x7F, 0x80, 0xC3, 0xFF, good[at] ^ 1, good[at].wrapping_add(1)] {
            let mut bytes = good.to_vec();
            bytes[at] = value;
            try_one(&bytes);
            for _ in 0..8 {
                let other = random() % bytes.len();
                bytes[other] = random() as u8;
                try_one(&bytes);
            }
        }
    }
}

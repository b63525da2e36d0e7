//! What a filter is: numbers by index (`Fact` in `npm/src/backend.ts`), texts by the result buffer.
use crate::arena::give;
use crate::filter::at;

/// A number. The last four read the whole body.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn fact(filter: usize, which: u32) -> f64 {
    let filter = at(filter);
    match which {
        0 => filter.capacity() as f64,
        1 => filter.fpr(),
        2 => f64::from(filter.num_probes()),
        3 => filter.num_bits() as f64,
        4 => filter.num_lines() as f64,
        5 => filter.byte_len() as f64,
        7 => filter.fill_ratio(),
        8 => filter.estimated_count() as f64,
        9 => filter.estimated_fpr(),
        10 => filter.saturation(),
        _ => 0.0,
    }
}

/// The seed.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn seed(filter: usize) -> u64 {
    at(filter).seed()
}

/// The layout's name.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn layout(filter: usize) {
    give(at(filter).layout().name().as_bytes().to_vec());
}

/// Keys and values in turn, each with its length (u32, little-endian) in front.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn metadata(filter: usize) {
    give(at(filter).metadata().encoded().to_vec());
}

/// The core's version.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn version() {
    give(env!("CARGO_PKG_VERSION").as_bytes().to_vec());
}

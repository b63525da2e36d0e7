//! The memory that JavaScript writes and reads: keys, their lengths, answers, loose integers and the result buffer.
//!
//! One thread, and no call runs inside another: that is what makes the statics here sound on wasm. On other targets
//! this crate is only compiled, never called.
use alloc::vec::Vec;
use core::cell::UnsafeCell;

/// The most keys of one batch.
pub const MOST: usize = 4096;
/// How many loose values a call may take.
const SLOTS: usize = if cfg!(feature = "bloom") { 2 } else { 7 };
/// Bytes of the arena while nothing bigger is asked for.
pub const ROOM: usize = 1 << 16;

/// A static that only one thread ever touches.
#[repr(C, align(64))]
struct Only<T>(UnsafeCell<T>);
// SAFETY: wasm without threads; see the head of this file.
unsafe impl<T> Sync for Only<T> {}

// The big ones are all zeros and apart from the rest, so that the module does not carry them.
static ROOMY: Only<[u8; ROOM]> = Only(UnsafeCell::new([0; ROOM]));
static LENGTHS: Only<[u32; MOST]> = Only(UnsafeCell::new([0; MOST]));
static OUT: Only<[u8; MOST]> = Only(UnsafeCell::new([0; MOST]));
static BASE: Only<*mut u8> = Only(UnsafeCell::new(ROOMY.0.get().cast()));
static LOOSE: Only<[Loose; SLOTS]> = Only(UnsafeCell::new([Loose::Absent; SLOTS]));
static BIG: Only<Vec<u8>> = Only(UnsafeCell::new(Vec::new()));
static RESULT: Only<Vec<u8>> = Only(UnsafeCell::new(Vec::new()));

/// An integer as the user gave it.
#[derive(Clone, Copy)]
pub enum Loose {
    /// Not given.
    Absent,
    /// A `number`.
    Float(f64),
    /// A `bigint`, saturated.
    Integer(i128),
    /// `null`.
    #[cfg(not(feature = "bloom"))]
    None,
}

impl Loose {
    /// Through the core's doors.
    pub fn check(
        self,
        float: fn(f64) -> tepal::Result<u64>,
        integer: fn(i128) -> tepal::Result<u64>,
    ) -> tepal::Result<u64> {
        match self {
            Loose::Absent => float(f64::NAN),
            Loose::Float(value) => float(value),
            Loose::Integer(value) => integer(value),
            #[cfg(not(feature = "bloom"))]
            Loose::None => float(f64::NAN),
        }
    }
}

#[inline(always)]
fn base() -> *mut u8 {
    // SAFETY: one thread.
    unsafe { *BASE.0.get() }
}

/// The first `length` bytes of the arena.
#[inline(always)]
pub fn key(length: usize) -> &'static [u8] {
    // SAFETY: the caller wrote `length` bytes at the base that `reserve` gave, which is at least as long.
    unsafe { core::slice::from_raw_parts(base(), length) }
}

/// The keys of a batch. An integer is a key of eight bytes, so integers are keys that need no lengths.
pub fn keys(count: usize, integers: bool) -> impl Iterator<Item = &'static [u8]> {
    let mut at = base() as *const u8;
    // SAFETY: as for `key`; `count` is at most `MOST`.
    let lengths: &'static [u32] = unsafe { &(&*LENGTHS.0.get())[..count] };
    lengths.iter().map(move |&length| {
        let length = if integers { 8 } else { length as usize };
        // SAFETY: the keys lie one after the other.
        let key = unsafe { core::slice::from_raw_parts(at, length) };
        at = at.wrapping_add(length);
        key
    })
}

/// Integers.
pub fn ints(count: usize) -> impl ExactSizeIterator<Item = u64> {
    key(count * 8).chunks_exact(8).map(|b| u64::from_le_bytes(b.try_into().unwrap_or_default()))
}

/// Where answers go.
pub fn out() -> &'static mut [u8; MOST] {
    // SAFETY: one thread, and no two of these live at once.
    unsafe { &mut *OUT.0.get() }
}

/// Says how many keys of a batch were done before one was refused.
pub fn refused_at(count: usize) {
    // SAFETY: one thread; no reader of the lengths goes on after this.
    unsafe { (&mut *LENGTHS.0.get())[0] = count as u32 }
}

/// A slot of the loose integers; taking it empties it.
pub fn take_loose(slot: usize) -> Loose {
    // SAFETY: one thread.
    unsafe { core::mem::replace(&mut (&mut *LOOSE.0.get())[slot], Loose::Absent) }
}

/// Leaves bytes for JavaScript and returns 1.
pub fn give(bytes: Vec<u8>) -> u32 {
    // SAFETY: one thread.
    unsafe { *RESULT.0.get() = bytes };
    1
}

/// Texts that JavaScript has put into the arena, each with its length (u32, little-endian) in front.
pub fn texts(count: usize) -> impl Iterator<Item = &'static str> {
    let mut at = 0;
    (0..count).map(move |_| {
        let length = key(at + 4)[at..].iter().rev().fold(0, |sum, &byte| sum << 8 | usize::from(byte));
        let start = at + 4;
        at = start + length;
        core::str::from_utf8(&key(at)[start..]).unwrap_or_default() // JavaScript encodes it: always UTF-8
    })
}

/// Makes the arena at least `size` bytes long and returns where it is; 0: no memory.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn reserve(size: usize) -> usize {
    // SAFETY: one thread; JavaScript makes new views after each call.
    unsafe {
        let big = &mut *BIG.0.get();
        *big = Vec::new();
        let fits = size <= ROOM || big.try_reserve_exact(size).is_ok();
        *BASE.0.get() = if size <= ROOM || !fits { ROOMY.0.get().cast() } else { big.as_mut_ptr() };
        if fits {
            base() as usize
        } else {
            0
        }
    }
}

/// Where the lengths of a batch go.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn lengths_at() -> usize {
    LENGTHS.0.get() as usize
}

/// Where answers are.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn out_at() -> usize {
    OUT.0.get() as usize
}

/// Where the result is.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn result_at() -> usize {
    // SAFETY: one thread.
    unsafe { (*RESULT.0.get()).as_ptr() as usize }
}

/// How long the result is.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn result_len() -> usize {
    // SAFETY: one thread.
    unsafe { (*RESULT.0.get()).len() }
}

/// Gives the result's memory back.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn result_end() {
    give(Vec::new());
}

/// A `number` for the next call that takes a loose integer in this slot.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn set_number(slot: usize, value: f64) {
    // SAFETY: one thread.
    unsafe { (&mut *LOOSE.0.get())[slot] = Loose::Float(value) }
}

/// A `bigint`, as two halves.
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn set_bigint(slot: usize, low: u64, high: i64) {
    // SAFETY: one thread.
    unsafe { (&mut *LOOSE.0.get())[slot] = Loose::Integer((high as i128) << 64 | low as i128) }
}

/// `null` for the next call that takes a value in this slot.
#[cfg(not(feature = "bloom"))]
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn set_none(slot: usize) {
    // SAFETY: one thread.
    unsafe { (&mut *LOOSE.0.get())[slot] = Loose::None }
}

#[cfg(not(feature = "bloom"))]
static SEED: Only<Option<Vec<u8>>> = Only(UnsafeCell::new(None));

/// The first `length` bytes of the arena are the seed of the next filter.
#[cfg(not(feature = "bloom"))]
#[cfg_attr(target_arch = "wasm32", no_mangle)]
pub extern "C" fn set_seed(length: usize) {
    // SAFETY: one thread.
    unsafe { *SEED.0.get() = Some(key(length).to_vec()) }
}

/// The seed's bytes, if some were set; taking them forgets them.
#[cfg(not(feature = "bloom"))]
pub fn take_seed() -> Option<Vec<u8>> {
    // SAFETY: one thread.
    unsafe { (*SEED.0.get()).take() }
}

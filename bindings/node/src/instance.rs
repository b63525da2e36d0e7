//! What one `open()` owns: handles, the arena, the maker of exceptions.
//!
//! An instance belongs to one environment (one JavaScript thread) and is only touched there. It lives until that
//! environment ends: the functions point to it, and no JavaScript runs after the clean-up hook. Load and save in flight
//! hold it too.
//!
//! A handle is a slot and its generation, so an ended handle never means another filter: low 24 bits slot + 1, above
//! them the generation. Small integers as long as a slot was reused fewer than 64 times, always below 2^53.
use std::cell::{Cell, RefCell};
use std::ffi::c_void;
use std::ptr::null_mut;
use std::rc::Rc;
use std::sync::Arc;

use napi::sys;
use tepal::{Error, Hash128};

use crate::call::{ok, typed_array, Answer, Call, Fail, Outcome};
use crate::kind::Kind;
use crate::share::Shared;

const SLOT_BITS: u32 = 24;
const SLOTS: usize = (1 << SLOT_BITS) - 1;
const GENERATIONS: u64 = 1 << (53 - SLOT_BITS);

/// What a handle means.
pub enum Entry<F: Kind> {
    Free,
    Filter(Arc<Shared<F>>),
    /// A builder: the seed and the hashes so far.
    Builder(u64, Vec<Hash128>),
}

struct Slot<F: Kind> {
    generation: u64,
    entry: Entry<F>,
    /// What the collector was told: a filter may have grown when it ends.
    weight: i64,
}

struct Slots<F: Kind> {
    all: Vec<Slot<F>>,
    free: Vec<usize>,
}

impl<F: Kind> Slots<F> {
    const fn new() -> Self {
        Slots { all: Vec::new(), free: Vec::new() }
    }

    fn put(&mut self, entry: Entry<F>) -> Outcome<u64> {
        let slot = match self.free.pop() {
            Some(slot) => slot,
            None if self.all.len() == SLOTS => return Err(Fail::Seam("more than 2^24 filters")),
            None => {
                self.all.push(Slot { generation: 0, entry: Entry::Free, weight: 0 });
                self.all.len() - 1
            }
        };
        self.all[slot].weight = weight(&entry);
        self.all[slot].entry = entry;
        Ok(self.all[slot].generation << SLOT_BITS | (slot as u64 + 1))
    }
}

/// The memory that the face writes keys into and reads answers from. See `Arena` in `backend.ts`.
#[derive(Clone, Copy)]
pub struct Arena {
    bytes: (*mut u8, usize),
    lengths: (*mut u32, usize),
    out: (*mut u8, usize),
}

impl Arena {
    const EMPTY: Arena = Arena { bytes: (null_mut(), 0), lengths: (null_mut(), 0), out: (null_mut(), 0) };

    /// The first `len` bytes.
    #[inline(always)]
    pub fn key(&self, len: u64) -> Outcome<&[u8]> {
        if len > self.bytes.1 as u64 || self.bytes.0.is_null() {
            return Err(Fail::Seam("more bytes than the arena has"));
        }
        // SAFETY: JavaScript is stopped during a call and keeps the array (`references`).
        Ok(unsafe { std::slice::from_raw_parts(self.bytes.0, len as usize) })
    }

    pub fn lengths(&self, count: u64) -> Outcome<&[u32]> {
        if count > self.lengths.1 as u64 || self.lengths.0.is_null() {
            return Err(Fail::Seam("more keys than the arena has lengths"));
        }
        // SAFETY: as in `key`.
        Ok(unsafe { std::slice::from_raw_parts(self.lengths.0, count as usize) })
    }

    /// Says how many keys of a batch were done before one was refused.
    pub fn set_done(&self, count: usize) {
        if self.lengths.1 > 0 && !self.lengths.0.is_null() {
            // SAFETY: as in `key`; the lengths of this batch are used up.
            unsafe { self.lengths.0.write(count as u32) };
        }
    }

    /// Room for `len` bytes of answers.
    #[allow(clippy::mut_from_ref)] // another array than the two above; one caller at a time
    pub fn out(&self, len: u64) -> Outcome<&mut [u8]> {
        if len > self.out.1 as u64 || self.out.0.is_null() {
            return Err(Fail::Seam("more answers than the arena has room for"));
        }
        // SAFETY: as in `key`.
        Ok(unsafe { std::slice::from_raw_parts_mut(self.out.0, len as usize) })
    }
}

pub struct Instance<F: Kind> {
    slots: RefCell<Slots<F>>,
    arena: Cell<Arena>,
    make_error: Cell<sys::napi_ref>,
    /// What keeps the three arrays of the arena.
    references: Cell<[sys::napi_ref; 3]>,
}

/// A reference to a value, so that it is not collected.
fn keep(env: sys::napi_env, value: sys::napi_value) -> Outcome<sys::napi_ref> {
    let mut reference = null_mut();
    // SAFETY: a value of this environment.
    ok(unsafe { sys::napi_create_reference(env, value, 1, &mut reference) }, "expected an object")?;
    Ok(reference)
}

fn forget(env: sys::napi_env, reference: sys::napi_ref) {
    if !reference.is_null() {
        // SAFETY: made by `keep` and deleted once.
        unsafe { sys::napi_delete_reference(env, reference) };
    }
}

impl<F: Kind> Instance<F> {
    /// A new instance, alive until the environment ends.
    pub fn open(env: sys::napi_env) -> Outcome<Rc<Instance<F>>> {
        let instance = Rc::new(Instance {
            slots: RefCell::new(Slots::new()),
            arena: Cell::new(Arena::EMPTY),
            make_error: Cell::new(null_mut()),
            references: Cell::new([null_mut(); 3]),
        });
        let held = Rc::into_raw(instance.clone()).cast_mut().cast::<c_void>();
        // SAFETY: `close` takes back what `held` holds.
        ok(unsafe { sys::napi_add_env_cleanup_hook(env, Some(close::<F>), held) }, "no clean-up hook")?;
        Ok(instance)
    }

    /// Takes the arena's arrays and the maker of exceptions, the first ones or new ones.
    pub fn init(&self, call: &Call<F>) -> Outcome<()> {
        let env = call.env;
        let arena = Arena {
            bytes: typed_array(env, call.raw(0), sys::TypedarrayType::uint8_array)?,
            lengths: typed_array(env, call.raw(1), sys::TypedarrayType::uint32_array)?,
            out: typed_array(env, call.raw(2), sys::TypedarrayType::uint8_array)?,
        };
        let references = [keep(env, call.raw(0))?, keep(env, call.raw(1))?, keep(env, call.raw(2))?];
        let make_error = keep(env, call.raw(3))?;
        self.arena.set(arena);
        self.references.replace(references).into_iter().for_each(|old| forget(env, old));
        forget(env, self.make_error.replace(make_error));
        Ok(())
    }

    #[inline(always)]
    pub fn arena(&self) -> Arena {
        self.arena.get()
    }

    /// The exception for an error of the core.
    pub fn exception(&self, env: sys::napi_env, error: &Error) -> Outcome<sys::napi_value> {
        let [mut make, mut undefined, mut exception] = [null_mut(); 3];
        // SAFETY: a value of this environment.
        ok(unsafe { sys::napi_get_undefined(env, &mut undefined) }, "no undefined")?;
        let number = error.os_code().map_or(Ok(undefined), |code| f64::from(code).give(env))?;
        let arguments =
            [error.class().name().give(env)?, error.code().give(env)?, error.message().as_str().give(env)?, number];
        // SAFETY: values of this environment; a missing reference makes the call fail.
        unsafe {
            ok(sys::napi_get_reference_value(env, self.make_error.get(), &mut make), "init was not called")?;
            let status =
                sys::napi_call_function(env, undefined, make, arguments.len(), arguments.as_ptr(), &mut exception);
            ok(status, "the maker of exceptions is no function")?;
        }
        Ok(exception)
    }

    /// A new `Uint8Array` in JavaScript's memory, or `ERR_OUT_OF_MEMORY`.
    pub fn byte_array(&self, env: sys::napi_env, len: u64) -> Outcome<sys::napi_value> {
        let [mut arena, mut constructor, mut array, mut refusal] = [null_mut(); 4];
        let arguments = [(len as f64).give(env)?];
        // SAFETY: values of this environment. The constructor throws where Node-API's own function ends the process.
        unsafe {
            ok(sys::napi_get_reference_value(env, self.references.get()[0], &mut arena), "init was not called")?;
            ok(sys::napi_get_named_property(env, arena, c"constructor".as_ptr(), &mut constructor), "no constructor")?;
            if sys::napi_new_instance(env, constructor, 1, arguments.as_ptr(), &mut array) != sys::Status::napi_ok {
                sys::napi_get_and_clear_last_exception(env, &mut refusal);
                return Err(Error::out_of_memory(len).into());
            }
        }
        Ok(array)
    }

    fn with_slot<T>(&self, handle: u64, f: impl FnOnce(&mut Slot<F>) -> Outcome<T>) -> Outcome<T> {
        let slot = (handle & SLOTS as u64).wrapping_sub(1) as usize;
        match self.slots.borrow_mut().all.get_mut(slot) {
            Some(found) if found.generation == handle >> SLOT_BITS => f(found),
            _ => Err(Error::freed().into()),
        }
    }

    /// Runs `f` on the filter of a handle. `f` runs no JavaScript.
    #[inline(always)]
    pub fn with<T>(&self, handle: u64, f: impl FnOnce(&Arc<Shared<F>>) -> Outcome<T>) -> Outcome<T> {
        let slot = (handle & SLOTS as u64).wrapping_sub(1) as usize;
        match self.slots.borrow().all.get(slot) {
            Some(Slot { generation, entry: Entry::Filter(shared), .. }) if *generation == handle >> SLOT_BITS => {
                f(shared)
            }
            _ => Err(Error::freed().into()),
        }
    }

    /// The filter of a handle, to keep.
    pub fn filter(&self, handle: u64) -> Outcome<Arc<Shared<F>>> {
        self.with(handle, |shared| Ok(shared.clone()))
    }

    pub fn with_builder<T>(&self, handle: u64, f: impl FnOnce(u64, &mut Vec<Hash128>) -> Outcome<T>) -> Outcome<T> {
        self.with_slot(handle, |slot| match &mut slot.entry {
            Entry::Builder(seed, hashes) => f(*seed, hashes),
            _ => Err(Error::freed().into()),
        })
    }

    /// A handle for an entry, and word to the garbage collector about its memory.
    pub fn put(&self, env: sys::napi_env, entry: Entry<F>) -> Outcome<f64> {
        let bytes = weight(&entry);
        let handle = self.slots.borrow_mut().put(entry)?;
        tell_collector(env, bytes);
        Ok(handle as f64)
    }

    /// Ends a handle. An ended one is `Entry::Free`.
    pub fn take(&self, env: sys::napi_env, handle: u64) -> Entry<F> {
        let taken = self.with_slot(handle, |slot| {
            slot.generation += 1;
            Ok((std::mem::replace(&mut slot.entry, Entry::Free), slot.generation, slot.weight))
        });
        let Ok((entry, generation, weight)) = taken else { return Entry::Free };
        if generation < GENERATIONS {
            self.slots.borrow_mut().free.push((handle & SLOTS as u64) as usize - 1);
        }
        tell_collector(env, -weight);
        entry
    }
}

/// Bytes outside the JavaScript heap that an entry holds. Mapped ones are the operating system's business.
fn weight<F: Kind>(entry: &Entry<F>) -> i64 {
    match entry {
        Entry::Filter(shared) if !shared.filter.is_read_only() => shared.filter.byte_len() as i64,
        _ => 0,
    }
}

fn tell_collector(env: sys::napi_env, change: i64) {
    let mut total = 0;
    // SAFETY: without it the collector would not see that a small object holds a big filter.
    unsafe { sys::napi_adjust_external_memory(env, change, &mut total) };
}

/// The environment ends: all handles end, whatever a load or save in flight still holds.
unsafe extern "C" fn close<F: Kind>(held: *mut c_void) {
    // SAFETY: `open` gave this reference away.
    let instance = unsafe { Rc::from_raw(held.cast::<Instance<F>>()) };
    instance.slots.replace(Slots::new());
}

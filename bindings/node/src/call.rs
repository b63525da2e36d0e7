//! One call from JavaScript: its arguments, its result, its error.
//!
//! Written on raw Node-API, since generated class methods cost 300 ns a call. Values are checked as far as memory safety needs;
//! a face that breaks the seam gets a `TypeError`. Every callback passes through `enter`, which lets no panic out.
use std::ffi::{c_char, c_void, CStr};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr::null_mut;
use std::rc::Rc;

use napi::sys;
use tepal::Error;

use crate::instance::Instance;
use crate::kind::Kind;

/// Why a call fails.
pub enum Fail {
    /// The core's error; the face makes the exception.
    Core(Error),
    /// The face passed what the seam does not allow.
    Seam(&'static str),
    /// JavaScript has thrown already.
    Thrown,
}

impl From<Error> for Fail {
    fn from(e: Error) -> Self {
        Fail::Core(e)
    }
}

pub type Outcome<T> = Result<T, Fail>;
pub type Callback = unsafe extern "C" fn(sys::napi_env, sys::napi_callback_info) -> sys::napi_value;

/// The most arguments an operation takes.
pub const ARGUMENTS: usize = 5;

pub struct Call<'a, F: Kind> {
    pub env: sys::napi_env,
    pub instance: &'a Instance<F>,
    /// By reference: a copy would load 16 bytes where Node stored 8 at a time, which stalls a call for 10 ns.
    arguments: &'a [sys::napi_value; ARGUMENTS],
}

/// Runs one operation. `info` belongs to a function whose data is an `Instance<F>`.
///
/// # Safety
/// Only to be called by Node with its own arguments.
#[inline(always)]
pub unsafe fn enter<F: Kind, T: Answer>(
    takes: usize,
    env: sys::napi_env,
    info: sys::napi_callback_info,
    operation: impl FnOnce(&Call<F>) -> Outcome<T>,
) -> sys::napi_value {
    let mut arguments = [null_mut(); ARGUMENTS];
    let mut count = takes;
    let mut data: *mut c_void = null_mut();
    // SAFETY: `arguments` has room for `count` values; absent ones become `undefined`.
    unsafe {
        match takes {
            0 => sys::napi_get_cb_info(env, info, null_mut(), null_mut(), null_mut(), &mut data),
            _ => sys::napi_get_cb_info(env, info, &mut count, arguments.as_mut_ptr(), null_mut(), &mut data),
        }
    };
    // SAFETY: the instance lives until its environment ends, after which Node calls nothing (instance.rs).
    let instance = unsafe { &*data.cast::<Instance<F>>() };
    let call = Call { env, instance, arguments: &arguments };
    match catch_unwind(AssertUnwindSafe(|| operation(&call).and_then(|value| value.give(env)))) {
        Ok(Ok(value)) => value,
        Ok(Err(fail)) => {
            call.throw(fail);
            null_mut()
        }
        Err(_) => {
            throw_type_error(env, c"ERR_INTERNAL", c"tepal: a bug in the native addon (a panic was caught)");
            null_mut()
        }
    }
}

fn throw_type_error(env: sys::napi_env, code: &CStr, message: &CStr) {
    // SAFETY: two C strings.
    unsafe { sys::napi_throw_type_error(env, code.as_ptr(), message.as_ptr()) };
}

/// `Ok` if a Node-API function said so.
#[inline(always)]
pub fn ok(status: sys::napi_status, seam: &'static str) -> Outcome<()> {
    match status {
        sys::Status::napi_ok => Ok(()),
        sys::Status::napi_pending_exception => Err(Fail::Thrown),
        _ => Err(Fail::Seam(seam)),
    }
}

impl<F: Kind> Call<'_, F> {
    fn throw(&self, fail: Fail) {
        match fail {
            Fail::Thrown => {}
            Fail::Seam(what) => {
                let text = std::ffi::CString::new(what).unwrap_or_default();
                throw_type_error(self.env, c"ERR_INTERNAL", &text);
            }
            Fail::Core(e) => match self.instance.exception(self.env, &e) {
                // SAFETY: a value of this environment.
                Ok(exception) => drop(unsafe { sys::napi_throw(self.env, exception) }),
                Err(fail) => self.throw(fail), // never the core's
            },
        }
    }

    /// The instance, to hold beyond this call.
    pub fn home(&self) -> Rc<Instance<F>> {
        // SAFETY: every instance lives in an `Rc`, of which `Instance::open` gave one away.
        unsafe {
            Rc::increment_strong_count(self.instance);
            Rc::from_raw(self.instance)
        }
    }

    #[inline(always)]
    pub fn raw(&self, i: usize) -> sys::napi_value {
        self.arguments[i]
    }

    #[inline(always)]
    pub fn f64(&self, i: usize) -> Outcome<f64> {
        f64(self.env, self.raw(i))
    }

    /// A handle, length, count or token: a non-negative integer.
    #[inline(always)]
    pub fn index(&self, i: usize) -> Outcome<u64> {
        Ok(self.f64(i)? as i64 as u64) // NaN becomes 0, a negative number a very large one
    }

    pub fn bool(&self, i: usize) -> Outcome<bool> {
        let mut value = false;
        // SAFETY: a value of this call.
        ok(unsafe { sys::napi_get_value_bool(self.env, self.raw(i), &mut value) }, "expected a boolean")?;
        Ok(value)
    }

    pub fn is_undefined(&self, i: usize) -> bool {
        type_of(self.env, self.raw(i)) == sys::ValueType::napi_undefined
    }

    pub fn string(&self, i: usize) -> Outcome<String> {
        string(self.env, self.raw(i))
    }

    /// A number or a bigint, unchecked: one of the core's two doors decides. A bigint beyond i128 saturates.
    pub fn loose<T>(
        &self,
        i: usize,
        from_f64: impl FnOnce(f64) -> tepal::Result<T>,
        from_i128: impl FnOnce(i128) -> tepal::Result<T>,
    ) -> Outcome<T> {
        loose(self.env, self.raw(i), from_f64, from_i128)
    }

    pub fn seed(&self, i: usize) -> Outcome<u64> {
        self.loose(i, tepal::arg::seed_f64, tepal::arg::seed_i128)
    }

    pub fn optional_seed(&self, i: usize) -> Outcome<Option<u64>> {
        if self.is_undefined(i) {
            Ok(None)
        } else {
            self.seed(i).map(Some)
        }
    }

    /// The elements of an array.
    pub fn array(&self, i: usize) -> Outcome<Vec<sys::napi_value>> {
        let array = self.raw(i);
        let mut count = 0;
        // SAFETY: values of this call.
        ok(unsafe { sys::napi_get_array_length(self.env, array, &mut count) }, "expected an array")?;
        (0..count)
            .map(|at| {
                let mut value = null_mut();
                ok(unsafe { sys::napi_get_element(self.env, array, at, &mut value) }, "expected an element")?;
                Ok(value)
            })
            .collect()
    }

    pub fn strings(&self, i: usize) -> Outcome<Vec<String>> {
        self.array(i)?.into_iter().map(|value| string(self.env, value)).collect()
    }
}

#[inline(always)]
pub fn f64(env: sys::napi_env, value: sys::napi_value) -> Outcome<f64> {
    let mut number = 0.0;
    // SAFETY: a value of this call.
    ok(unsafe { sys::napi_get_value_double(env, value, &mut number) }, "expected a number")?;
    Ok(number)
}

pub fn type_of(env: sys::napi_env, value: sys::napi_value) -> sys::napi_valuetype {
    let mut kind = 0;
    // SAFETY: a value of this call.
    unsafe { sys::napi_typeof(env, value, &mut kind) };
    kind
}

/// See `Call::loose`.
pub fn loose<T>(
    env: sys::napi_env,
    value: sys::napi_value,
    from_f64: impl FnOnce(f64) -> tepal::Result<T>,
    from_i128: impl FnOnce(i128) -> tepal::Result<T>,
) -> Outcome<T> {
    if type_of(env, value) != sys::ValueType::napi_bigint {
        return Ok(from_f64(f64(env, value)?)?);
    }
    let (mut negative, mut words, mut count) = (0, [0u64; 2], 2);
    // SAFETY: room for `count` words; afterwards `count` is how many the bigint has.
    let status = unsafe { sys::napi_get_value_bigint_words(env, value, &mut negative, &mut count, words.as_mut_ptr()) };
    ok(status, "expected a bigint")?;
    let size = u128::from(words[0]) | u128::from(words[1]) << 64;
    let size = if count > 2 { i128::MAX } else { i128::try_from(size).unwrap_or(i128::MAX) };
    Ok(from_i128(if negative != 0 { -size } else { size })?)
}

fn string(env: sys::napi_env, value: sys::napi_value) -> Outcome<String> {
    let mut len = 0;
    // SAFETY: with a null buffer the length alone is asked for.
    ok(unsafe { sys::napi_get_value_string_utf8(env, value, null_mut(), 0, &mut len) }, "expected a string")?;
    // One more for the terminating zero.
    let mut bytes = vec![0u8; len + 1];
    // SAFETY: `bytes` has that room.
    let status = unsafe {
        sys::napi_get_value_string_utf8(env, value, bytes.as_mut_ptr().cast::<c_char>(), bytes.len(), &mut len)
    };
    ok(status, "expected a string")?;
    bytes.truncate(len);
    String::from_utf8(bytes).map_err(|_| Fail::Seam("expected UTF-8"))
}

/// The memory of a typed array of the given kind: valid while JavaScript keeps the array and does not transfer it.
pub fn typed_array<T>(
    env: sys::napi_env,
    value: sys::napi_value,
    kind: sys::napi_typedarray_type,
) -> Outcome<(*mut T, usize)> {
    let (mut is, mut len, mut data) = (-1, 0, null_mut());
    // SAFETY: Node fills in what is asked for, or fails.
    let status =
        unsafe { sys::napi_get_typedarray_info(env, value, &mut is, &mut len, &mut data, null_mut(), null_mut()) };
    ok(status, "expected a typed array")?;
    if is != kind {
        return Err(Fail::Seam("expected another kind of typed array"));
    }
    Ok(if data.is_null() { (std::ptr::NonNull::dangling().as_ptr(), 0) } else { (data.cast(), len) })
}

/// The bytes of a `Uint8Array`, for the duration of a call in which no JavaScript runs.
pub fn bytes<'a>(env: sys::napi_env, value: sys::napi_value) -> Outcome<&'a [u8]> {
    let (data, len) = typed_array::<u8>(env, value, sys::TypedarrayType::uint8_array)?;
    // SAFETY: JavaScript is stopped, so the memory stays and does not change (the face copies shared memory first).
    Ok(unsafe { std::slice::from_raw_parts(data, len) })
}

/// What an operation may answer.
pub trait Answer {
    fn give(self, env: sys::napi_env) -> Outcome<sys::napi_value>;
}

/// A value that already is one of JavaScript's.
impl Answer for sys::napi_value {
    fn give(self, _: sys::napi_env) -> Outcome<sys::napi_value> {
        Ok(self)
    }
}

/// Nothing: `undefined`.
impl Answer for () {
    #[inline(always)]
    fn give(self, _: sys::napi_env) -> Outcome<sys::napi_value> {
        Ok(null_mut())
    }
}

macro_rules! answers {
    ($($t:ty: $env:ident, $self:ident, $out:ident => $make:expr;)*) => {$(
        impl Answer for $t {
            #[inline(always)]
            fn give($self, $env: sys::napi_env) -> Outcome<sys::napi_value> {
                let mut value = null_mut();
                let $out = &mut value;
                // SAFETY: Node makes a value of this environment.
                ok(unsafe { $make }, "no value")?;
                Ok(value)
            }
        }
    )*};
}
answers! {
    u32: env, self, out => sys::napi_create_uint32(env, self, out);
    f64: env, self, out => sys::napi_create_double(env, self, out);
    u64: env, self, out => sys::napi_create_bigint_uint64(env, self, out);
    bool: env, self, out => sys::napi_get_boolean(env, self, out);
    &str: env, self, out => sys::napi_create_string_utf8(env, self.as_ptr().cast(), self.len() as isize, out);
}

impl Answer for Vec<String> {
    fn give(self, env: sys::napi_env) -> Outcome<sys::napi_value> {
        let mut array = null_mut();
        // SAFETY: values of this environment.
        ok(unsafe { sys::napi_create_array_with_length(env, self.len(), &mut array) }, "no array")?;
        for (i, text) in self.iter().enumerate() {
            let text = text.as_str().give(env)?;
            ok(unsafe { sys::napi_set_element(env, array, i as u32, text) }, "no element")?;
        }
        Ok(array)
    }
}

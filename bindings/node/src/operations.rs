//! The table of all names: what every class has, and what each has of its own.
use napi::sys;
use tepal::{BloomFilter, ScalableBloomFilter, Storage};

use crate::call::{enter, ok, Callback, Outcome, ARGUMENTS};
use crate::instance::Instance;
use crate::kind::Kind;
use crate::{bloom, common, keys, scalable, tasks};

/// An operation with its callback.
macro_rules! table {
    ($table:ident: $kind:ty; $($name:literal $operation:path $(, $takes:literal)?;)*) => {
        const $table: &[(&std::ffi::CStr, Callback)] = &[$((
            $name,
            {
                unsafe extern "C" fn callback(env: sys::napi_env, info: sys::napi_callback_info) -> sys::napi_value {
                    // SAFETY: called by Node, and `open` gave the function an instance.
                    unsafe { enter::<$kind, _>([$($takes,)? ARGUMENTS][0], env, info, $operation) }
                }
                callback
            },
        )),*];
    };
}
/// The same, with what every class has.
macro_rules! class {
    ($table:ident: $kind:ty; $($own:tt)*) => {
        table! { $table: $kind;
            c"init" common::init;
            c"version" common::version;
            c"notice" common::notice;
            c"fromBytes" common::from_bytes;
            c"clone" common::clone;
            c"free" common::free;
            c"add" keys::add;
            c"has" keys::has;
            c"addNow" keys::add_now, 0;
            c"hasNow" keys::has_now, 0;
            c"keyHash" keys::key_hash;
            c"addHash" keys::add_hash;
            c"hasHash" keys::has_hash;
            c"addMany" keys::add_many;
            c"hasMany" keys::has_many;
            c"addInts" keys::add_integers;
            c"hasInts" keys::has_integers;
            c"compound" keys::compound;
            c"metadata" common::metadata;
            c"clear" common::clear;
            c"union" common::union;
            c"unionWith" common::union_with;
            c"equals" common::equals;
            c"toBytes" common::to_bytes;
            c"verify" common::verify;
            c"share" common::share;
            c"attach" common::attach;
            c"loadFile" tasks::load_file;
            c"saveFile" tasks::save_file;
            $($own)*
        }
    };
}
class! { BLOOM: BloomFilter<Storage>;
    c"create" bloom::create;
    c"explain" bloom::explain;
    c"builderNew" bloom::builder_new;
    c"builderPush" keys::push_parts;
    c"builderPushInts" keys::push_integers;
    c"builderFinish" bloom::builder_finish;
    c"builderFree" common::free;
    c"fact" bloom::fact;
    c"seed" bloom::seed;
    c"layout" bloom::layout;
    c"intersection" bloom::intersection;
    c"unionAll" bloom::union_all;
    c"intersectWith" bloom::intersect_with;
    c"fold" bloom::fold;
    c"shrinkTo" bloom::shrink_to;
}
class! { SCALABLE: ScalableBloomFilter;
    c"create" scalable::create;
    c"fact" scalable::fact;
    c"seed" scalable::seed;
    c"scheme" scalable::scheme;
    c"levels" scalable::levels;
    c"validateScaleTo" scalable::validate_scale_to;
    c"exported" scalable::exported;
    c"imported" scalable::imported;
    c"metrics" scalable::metrics;
}

/// Gives `exports` the functions `open` and `openScalable`.
pub fn export_open(env: sys::napi_env, exports: sys::napi_value) -> napi::Result<()> {
    set_function(env, exports, c"open", open, std::ptr::null_mut())
        .and_then(|()| set_function(env, exports, c"openScalable", open_scalable, std::ptr::null_mut()))
        .map_err(|_| napi::Error::from_reason("tepal: cannot export open"))
}

unsafe extern "C" fn open(env: sys::napi_env, _: sys::napi_callback_info) -> sys::napi_value {
    instance_of::<BloomFilter<Storage>>(env, BLOOM)
}

unsafe extern "C" fn open_scalable(env: sys::napi_env, _: sys::napi_callback_info) -> sys::napi_value {
    instance_of::<ScalableBloomFilter>(env, SCALABLE)
}

/// Fresh operations, with their own handles: several copies of the package in one thread do not meet.
fn instance_of<F: Kind>(env: sys::napi_env, operations: &[(&std::ffi::CStr, Callback)]) -> sys::napi_value {
    let mut object = std::ptr::null_mut();
    // SAFETY: called by Node.
    unsafe { sys::napi_create_object(env, &mut object) };
    let filled = Instance::<F>::open(env).and_then(|instance| {
        let data = std::rc::Rc::as_ptr(&instance).cast_mut().cast();
        operations.iter().try_for_each(|(name, callback)| set_function(env, object, name, *callback, data))
    });
    filled.map_or(std::ptr::null_mut(), |()| object)
}

fn set_function(
    env: sys::napi_env,
    object: sys::napi_value,
    name: &std::ffi::CStr,
    callback: Callback,
    data: *mut std::ffi::c_void,
) -> Outcome<()> {
    let mut function = std::ptr::null_mut();
    let len = name.count_bytes() as isize;
    // SAFETY: a C string and values of this environment; `data` outlives the environment's last call.
    unsafe {
        ok(sys::napi_create_function(env, name.as_ptr(), len, Some(callback), data, &mut function), "no function")?;
        ok(sys::napi_set_named_property(env, object, name.as_ptr(), function), "no property")
    }
}

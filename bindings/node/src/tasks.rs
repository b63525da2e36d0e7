//! Load, map and save on libuv's threads, so that JavaScript goes on meanwhile.
//!
//! A task holds its filter: freeing the handle does not stop a save. Keys that are added during a save are in the file or not, and
//! the file is whole either way. A panic becomes an `ERR_IO` like any other failure.
//! A mapped file must not be cut short while it is mapped (the operating system would end the process): replace files by
//! renaming, as a save does.
use std::fs::File;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::rc::Rc;
use std::sync::Arc;

use napi::bindgen_prelude::Unknown;
use napi::{sys, Env, JsValue, Task};
use tepal::{Error, Result};

use crate::call::{Call, Fail, Outcome};
use crate::instance::{Entry, Instance};
use crate::kind::Kind;
use crate::share::Shared;

/// Carried through another thread, touched only on its own.
struct Home<F: Kind>(Rc<Instance<F>>);
// SAFETY: `compute` does not touch it; Node drops the task where it was made.
unsafe impl<F: Kind> Send for Home<F> {}

impl<F: Kind> Home<F> {
    /// The rejection for an error of the core.
    fn reject(&self, env: Env, error: Error) -> napi::Error {
        match self.0.exception(env.raw(), &error) {
            // SAFETY: a value of this environment, just made.
            Ok(exception) => unsafe { Unknown::from_raw_unchecked(env.raw(), exception) }.into(),
            Err(_) => napi::Error::from_reason(error.message()),
        }
    }
}

fn guarded<T>(what: &'static str, work: impl FnOnce() -> Result<T>) -> napi::Result<Result<T>> {
    Ok(catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(Error::io(what, "a bug in the native addon"))))
}

/// Queues a task and answers its promise.
fn spawn<F: Kind, T: Task + 'static>(call: &Call<F>, task: T) -> Outcome<sys::napi_value> {
    let promise = Env::from_raw(call.env).spawn(task).map_err(|_| Fail::Seam("cannot start a task"))?;
    Ok(promise.promise_object().raw())
}

/// A read-only filter in a mapped file; its body is not verified.
fn map<F: Kind>(path: &str, seed: Option<u64>) -> Result<F> {
    let mapped = File::open(path).and_then(|file| match file.metadata()?.len() {
        0 => Ok(None), // cannot be mapped
        // SAFETY: the map is read-only, and cutting the file short is documented as fatal.
        _ => unsafe { memmap2::Mmap::map(&file) }.map(Some),
    });
    match mapped.map_err(|e| Error::os("load", &e))? {
        Some(map) => F::from_shared(Arc::new(map), seed),
        None => F::read_from(&mut std::io::empty(), seed, Some(0)),
    }
}

struct Load<F: Kind> {
    home: Home<F>,
    path: String,
    mmap: bool,
    seed: Option<u64>,
}

impl<F: Kind> Task for Load<F> {
    type Output = Result<F>;
    type JsValue = f64;

    fn compute(&mut self) -> napi::Result<Self::Output> {
        guarded("load", || match self.mmap {
            true => map(&self.path, self.seed),
            false => F::load(&self.path, self.seed),
        })
    }

    fn resolve(&mut self, env: Env, loaded: Self::Output) -> napi::Result<f64> {
        let filter = loaded.map_err(|e| self.home.reject(env, e))?;
        let entry = Entry::Filter(Arc::new(filter.into()));
        self.home.0.put(env.raw(), entry).map_err(|_| napi::Error::from_reason("tepal: too many filters"))
    }
}

pub fn load_file<F: Kind>(call: &Call<F>) -> Outcome<sys::napi_value> {
    let home = Home(call.home());
    spawn(call, Load { home, path: call.string(0)?, mmap: call.bool(1)?, seed: call.optional_seed(2)? })
}

struct Save<F: Kind> {
    home: Home<F>,
    shared: Arc<Shared<F>>,
    path: String,
    withhold_seed: bool,
}

impl<F: Kind> Task for Save<F> {
    type Output = Result<()>;
    type JsValue = ();

    fn compute(&mut self) -> napi::Result<Self::Output> {
        guarded("save", || self.shared.filter.save(&self.path, self.withhold_seed))
    }

    fn resolve(&mut self, env: Env, saved: Self::Output) -> napi::Result<()> {
        saved.map_err(|e| self.home.reject(env, e))
    }
}

pub fn save_file<F: Kind>(call: &Call<F>) -> Outcome<sys::napi_value> {
    let shared = call.instance.filter(call.index(0)?)?;
    spawn(call, Save { home: Home(call.home()), shared, path: call.string(1)?, withhold_seed: call.bool(2)? })
}

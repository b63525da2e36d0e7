//! Load and save on libuv's threads, so that JavaScript goes on meanwhile.
//!
//! A task holds its filter: freeing the handle does not stop a save. Keys that are added during a save are in the file or not, and
//! the file is whole either way. A panic becomes an `ERR_IO` like any other failure.
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use napi::bindgen_prelude::Unknown;
use napi::{sys, Env, JsValue, Task};
use tepal::{BloomFilter, Error, Result, Storage};

use crate::call::{Call, Fail, Outcome};
use crate::files;
use crate::instance::{Entry, Instance};
use crate::share::Shared;

/// Carried through another thread, touched only on its own.
struct Home(Rc<Instance>);
// SAFETY: `compute` does not touch it; Node drops the task where it was made.
unsafe impl Send for Home {}

impl Home {
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
fn spawn<T: Task>(call: &Call, task: T) -> Outcome<sys::napi_value>
where
    T: 'static,
{
    let promise = Env::from_raw(call.env).spawn(task).map_err(|_| Fail::Seam("cannot start a task"))?;
    Ok(promise.promise_object().raw())
}

struct Load {
    home: Home,
    path: String,
    mmap: bool,
    seed: Option<u64>,
}

impl Task for Load {
    type Output = Result<BloomFilter<Storage>>;
    type JsValue = f64;

    fn compute(&mut self) -> napi::Result<Self::Output> {
        guarded("load", || files::load(Path::new(&self.path), self.mmap, self.seed))
    }

    fn resolve(&mut self, env: Env, loaded: Self::Output) -> napi::Result<f64> {
        let filter = loaded.map_err(|e| self.home.reject(env, e))?;
        let entry = Entry::Filter(Arc::new(filter.into()));
        self.home.0.put(env.raw(), entry).map_err(|_| napi::Error::from_reason("tepal: too many filters"))
    }
}

pub fn load_file(call: &Call) -> Outcome<sys::napi_value> {
    let home = Home(call.home());
    spawn(call, Load { home, path: call.string(0)?, mmap: call.bool(1)?, seed: call.optional_seed(2)? })
}

struct Save {
    home: Home,
    shared: Arc<Shared>,
    path: String,
    withhold_seed: bool,
}

impl Task for Save {
    type Output = Result<()>;
    type JsValue = ();

    fn compute(&mut self) -> napi::Result<Self::Output> {
        guarded("save", || files::save(Path::new(&self.path), &self.shared.filter, self.withhold_seed))
    }

    fn resolve(&mut self, env: Env, saved: Self::Output) -> napi::Result<()> {
        saved.map_err(|e| self.home.reject(env, e))
    }
}

pub fn save_file(call: &Call) -> Outcome<sys::napi_value> {
    let shared = call.instance.filter(call.index(0)?)?;
    spawn(call, Save { home: Home(call.home()), shared, path: call.string(1)?, withhold_seed: call.bool(2)? })
}

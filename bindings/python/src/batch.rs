//! Many keys at once: hash a chunk while attached to the interpreter, then work on the hashes without it.
//!
//! User code (iterators, `__index__`) runs only while a chunk is collected, when no lock is held. Only hashes cross the
//! border, so nothing that somebody may change is read after the interpreter is let go. A bad key ends the batch; what
//! came before it is worked on first, as a loop would have done.

use crate::args::wrong_type;
use crate::buffer::{Integers, View};
use crate::error::{exception, unfinished, with_index};
use crate::keys::{hash_key, plain_bytes, type_name, Hasher};
use crate::kind::Kind;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyTuple};
use std::sync::Mutex;
use std::thread;
use tepal::{Error, Hash128};

/// Keys per chunk: their hashes (256 KB) stay in the second-level cache.
const CHUNK: usize = 1 << 14;
/// With several threads, and for columns of integers, fewer and larger steps.
const BIG_CHUNK: usize = 1 << 18;
/// Fewer are done within a fraction of a millisecond: to let go of the interpreter and wait for it again (5 ms when others
/// are busy) would cost more than it gives them.
const DETACH_FROM: usize = 1 << 13;
/// Less than this per thread is not worth a thread.
const PER_THREAD: usize = 1 << 14;

/// What is done with each chunk of hashes.
pub trait Work {
    /// Takes the next hashes, in order.
    fn take(&mut self, py: Python<'_>, hashes: &[Hash128]) -> PyResult<()>;
}

/// Feeds all keys of `keys` to `work`, hashed by `hasher`.
///
/// # Errors
/// `ERR_ARGUMENT_TYPE` for what is one key, or not iterable; for a bad key its error with `.index`; whatever user code
/// raises.
pub fn feed(keys: &Bound<'_, PyAny>, hasher: Hasher, threads: usize, work: &mut dyn Work) -> PyResult<()> {
    let py = keys.py();
    if is_one_key(keys) {
        return Err(exception(py, &Error::single_key(&type_name(keys))));
    }
    if let Some(view) = View::typed(keys) {
        if let Some(column) = view.integers() {
            return feed_column(py, &column, hasher, work);
        }
    }
    let mut chunk =
        Chunk { hashes: Vec::new(), limit: if threads > 1 { BIG_CHUNK } else { CHUNK }, done: 0, hasher, work };
    let fed = if let Ok(list) = keys.cast_exact::<PyList>() {
        chunk.feed_list(list)
    } else if let Ok(tuple) = keys.cast_exact::<PyTuple>() {
        tuple.iter_borrowed().try_for_each(|key| chunk.push(&key))
    } else {
        let iterator = match keys.try_iter() {
            Ok(iterator) => iterator,
            Err(raised) if raised.is_instance_of::<PyTypeError>(py) => {
                return Err(wrong_type("keys", "an iterable of keys", keys));
            }
            Err(raised) => return Err(raised),
        };
        chunk.feed_iterator(iterator)
    };
    chunk.flush(py)?;
    fed
}

/// `str`, bytes and views of bytes are keys themselves; a column of integers is not.
fn is_one_key(keys: &Bound<'_, PyAny>) -> bool {
    keys.is_instance_of::<PyString>() || plain_bytes(keys).is_some()
}

fn feed_column(py: Python<'_>, column: &Integers<'_>, hasher: Hasher, work: &mut dyn Work) -> PyResult<()> {
    let mut hashes = reserved(py, column.len.min(BIG_CHUNK))?;
    let mut start = 0;
    while start < column.len {
        let end = column.len.min(start + BIG_CHUNK);
        hashes.clear();
        column.for_each(start, end, |value| hashes.push(hasher.int(value)));
        work.take(py, &hashes)?;
        py.check_signals()?;
        start = end;
    }
    Ok(())
}

struct Chunk<'w> {
    hashes: Vec<Hash128>,
    limit: usize,
    done: usize,
    hasher: Hasher,
    work: &'w mut dyn Work,
}

impl Chunk<'_> {
    /// The list may be changed by the `__index__` of its keys: looked at anew for every key, like its iterator.
    fn feed_list(&mut self, list: &Bound<'_, PyList>) -> PyResult<()> {
        let mut at = 0;
        while let Ok(key) = list.get_item(at) {
            self.push(&key)?;
            at += 1;
            if at >= list.len() {
                break;
            }
        }
        Ok(())
    }

    fn feed_iterator(&mut self, iterator: Bound<'_, pyo3::types::PyIterator>) -> PyResult<()> {
        for key in iterator {
            self.push(&key?)?;
        }
        Ok(())
    }

    #[inline]
    fn push(&mut self, key: &Bound<'_, PyAny>) -> PyResult<()> {
        match hash_key(key, &self.hasher) {
            Ok(hash) => self.hashes.push(hash),
            Err(raised) => return Err(with_index(key.py(), raised, self.done + self.hashes.len())),
        }
        if self.hashes.len() == self.limit {
            self.flush(key.py())?;
            key.py().check_signals()?;
        }
        Ok(())
    }

    fn flush(&mut self, py: Python<'_>) -> PyResult<()> {
        self.done += self.hashes.len();
        let worked = self.work.take(py, &self.hashes);
        self.hashes.clear();
        worked
    }
}

fn reserved<T>(py: Python<'_>, len: usize) -> PyResult<Vec<T>> {
    let mut vec = Vec::new();
    reserve(py, &mut vec, len)?;
    Ok(vec)
}

/// Makes room or raises: a batch too large for the memory is an error, not the end of the process.
pub fn reserve<T>(py: Python<'_>, vec: &mut Vec<T>, more: usize) -> PyResult<()> {
    let bytes = (vec.len() + more) as u64 * size_of::<T>() as u64;
    vec.try_reserve(more).map_err(|_| exception(py, &Error::out_of_memory(bytes)))
}

/// Runs `work` without the interpreter when it is long enough for that to pay.
fn perhaps_detached<T: Send>(py: Python<'_>, len: usize, work: impl FnOnce() -> T + Send) -> T {
    if len >= DETACH_FROM {
        py.detach(work)
    } else {
        work()
    }
}

/// Inserts in order; remembers which keys were new.
pub struct Insert<'a, F> {
    filter: &'a F,
    keep: bool,
    done: usize,
    answers: Vec<bool>,
}

impl<'a, F> Insert<'a, F> {
    pub fn new(filter: &'a F, keep: bool) -> Self {
        Insert { filter, keep, done: 0, answers: Vec::new() }
    }

    /// The answers, if they were wanted.
    pub fn answers(self) -> Vec<bool> {
        self.answers
    }
}

impl<F: Kind> Work for Insert<'_, F> {
    fn take(&mut self, py: Python<'_>, hashes: &[Hash128]) -> PyResult<()> {
        let start = if self.keep { self.answers.len() } else { 0 };
        self.answers.truncate(start);
        reserve(py, &mut self.answers, hashes.len())?;
        self.answers.resize(start + hashes.len(), false);
        let (filter, out) = (self.filter, &mut self.answers[start..]);
        let (done, ended) = perhaps_detached(py, hashes.len(), || filter.insert_hashes(hashes, out));
        self.done += done;
        ended.map_err(|error| {
            self.answers.truncate(start + done);
            unfinished(py, &error, self.done, self.keep.then(|| std::mem::take(&mut self.answers)))
        })
    }
}

/// Asks, with as many threads as allowed and useful.
pub struct Contains<'a, F> {
    pub filter: &'a F,
    pub answers: Vec<bool>,
    pub threads: usize,
}

impl<F: Kind> Work for Contains<'_, F> {
    fn take(&mut self, py: Python<'_>, hashes: &[Hash128]) -> PyResult<()> {
        let start = self.answers.len();
        reserve(py, &mut self.answers, hashes.len())?;
        self.answers.resize(start + hashes.len(), false);
        let (filter, threads, out) = (self.filter, self.threads, &mut self.answers[start..]);
        perhaps_detached(py, hashes.len(), || contains_in_parallel(filter, hashes, out, threads));
        Ok(())
    }
}

fn contains_in_parallel(filter: &impl Kind, hashes: &[Hash128], out: &mut [bool], threads: usize) {
    let pieces = hashes.len().div_ceil(PER_THREAD);
    let queue = Mutex::new(hashes.chunks(PER_THREAD).zip(out.chunks_mut(PER_THREAD)));
    let next = || queue.lock().ok()?.next();
    let work = || {
        while let Some((hashes, out)) = next() {
            filter.contains_hashes(hashes, out);
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads.min(pieces) {
            // A thread that the system refuses costs speed, nothing else.
            let _ = thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
}

/// Collects hashes, for a filter that is sized by them.
pub struct Collect(pub Vec<Hash128>);

impl Work for Collect {
    fn take(&mut self, py: Python<'_>, hashes: &[Hash128]) -> PyResult<()> {
        reserve(py, &mut self.0, hashes.len())?;
        self.0.extend_from_slice(hashes);
        Ok(())
    }
}

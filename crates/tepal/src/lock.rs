//! Stripe locks: 64 one-word spin locks a filter, no std needed.
//!
//! They make an insertion one step: of several threads that insert one new key, one is told that it was new. Held for a
//! few nanoseconds, never while a caller's code runs. A lock that was held by a thread which a fork left behind counts
//! as free in the child: the word holds the holder's fork epoch, and [`fork_happened`] begins a new one.
use core::sync::atomic::{AtomicU32, Ordering::*};

/// Starts at 1: 0 in a lock word means free.
static EPOCH: AtomicU32 = AtomicU32::new(1);

/// To be called in a forked child before any filter is used there. Locks whose holders did not survive the fork become
/// free; a half-done insertion of such a thread is lost with the thread.
pub fn fork_happened() {
    EPOCH.fetch_add(1, SeqCst);
}

pub(crate) const STRIPES: usize = 64;

pub(crate) struct Stripes([AtomicU32; STRIPES]);

impl Stripes {
    pub const fn new() -> Self {
        Stripes([const { AtomicU32::new(0) }; STRIPES])
    }

    /// Runs `f` while holding one stripe.
    #[inline(always)]
    pub fn with<R>(&self, stripe: usize, f: impl FnOnce() -> R) -> R {
        let word = &self.0[stripe % STRIPES];
        let epoch = EPOCH.load(Relaxed);
        if word.compare_exchange(0, epoch, Acquire, Relaxed).is_err() {
            wait(word, epoch);
        }
        let guard = Guard(word);
        let result = f();
        drop(guard);
        result
    }

    /// Runs `f` while no insertion is under way.
    pub fn with_all<R>(&self, f: impl FnOnce() -> R) -> R {
        let epoch = EPOCH.load(Relaxed);
        let guards = self.0.each_ref().map(|word| {
            if word.compare_exchange(0, epoch, Acquire, Relaxed).is_err() {
                wait(word, epoch);
            }
            Guard(word)
        });
        let result = f();
        drop(guards);
        relax(); // a loop of these would starve the waiting insertions
        result
    }
}

struct Guard<'a>(&'a AtomicU32);

impl Drop for Guard<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        self.0.store(0, Release);
    }
}

#[cold]
fn wait(word: &AtomicU32, epoch: u32) {
    let mut turns = 0u32;
    loop {
        let holder = word.load(Relaxed);
        // Free, or held since before a fork: by nobody in this process.
        if holder != epoch && word.compare_exchange(holder, epoch, Acquire, Relaxed).is_ok() {
            return;
        }
        turns += 1;
        if turns % 64 == 0 {
            relax();
        }
        core::hint::spin_loop();
    }
}

#[cfg(feature = "std")]
fn relax() {
    std::thread::yield_now(); // the holder may be waiting for this very core
}

#[cfg(not(feature = "std"))]
fn relax() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_held_across_a_fork_is_free_in_the_child() {
        let locks = Stripes::new();
        locks.0[3].store(EPOCH.load(Relaxed), Relaxed); // a thread that will not exist
        fork_happened();
        assert_eq!(locks.with(3, || 7), 7);
        locks.0[5].store(EPOCH.load(Relaxed), Relaxed);
        fork_happened();
        assert_eq!(locks.with_all(|| 8), 8);
    }
}

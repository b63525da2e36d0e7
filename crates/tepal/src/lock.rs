//! Stripe locks: 64 one-word spin locks a filter, no std needed.
//!
//! They make an insertion one step: of several threads that insert one new key, one is told that it was new. Held for a
//! few nanoseconds, never while a caller's code runs. A lock that was held by a thread which a fork left behind counts
//! as free in the child: the word holds the holder's fork epoch, and [`fork_happened`] begins a new one.
use core::sync::atomic::{AtomicU32, Ordering::*};

/// Without threads nobody is there to wait for: the locks then take no time, and no room in the module.
const THREADS: bool = cfg!(any(not(target_family = "wasm"), target_feature = "atomics"));

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

    /// Holds one stripe until the guard is dropped.
    #[inline(always)]
    pub fn hold(&self, stripe: usize) -> Guard<'_> {
        hold(&self.0[stripe % STRIPES])
    }

    /// Holds two stripes, which may be one. The lower comes first, so that no two callers wait for each other.
    #[inline(always)]
    pub fn hold_both(&self, a: usize, b: usize) -> (Guard<'_>, Option<Guard<'_>>) {
        let (a, b) = (a % STRIPES, b % STRIPES);
        (hold(&self.0[a.min(b)]), (a != b).then(|| hold(&self.0[a.max(b)])))
    }

    /// Runs `f` while no insertion is under way.
    pub fn with_all<R>(&self, f: impl FnOnce() -> R) -> R {
        if !THREADS {
            return f();
        }
        let guards = self.0.each_ref().map(hold);
        let result = f();
        drop(guards);
        relax(); // a loop of these would starve the waiting insertions
        result
    }
}

/// One such lock by itself.
pub(crate) struct Lock(AtomicU32);

impl Lock {
    pub const fn new() -> Self {
        Lock(AtomicU32::new(0))
    }

    /// Holds it until the guard is dropped.
    pub fn hold(&self) -> Guard<'_> {
        hold(&self.0)
    }
}

/// Waits until nobody holds the word. A swap leaves a word that is held as it was, and is cheaper than a comparison.
#[inline(always)]
fn hold(word: &AtomicU32) -> Guard<'_> {
    if !THREADS {
        return Guard(word);
    }
    let epoch = EPOCH.load(Relaxed);
    // Any other value: free, or held since before a fork, by nobody in this process.
    if word.swap(epoch, Acquire) == epoch {
        wait(word, epoch);
    }
    Guard(word)
}

pub(crate) struct Guard<'a>(&'a AtomicU32);

impl Drop for Guard<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        if THREADS {
            self.0.store(0, Release);
        }
    }
}

#[cold]
fn wait(word: &AtomicU32, epoch: u32) {
    let mut turns = 0u32;
    loop {
        let holder = word.load(Relaxed);
        if holder != epoch && word.swap(epoch, Acquire) != epoch {
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
        drop(locks.hold(3));
        locks.0[5].store(EPOCH.load(Relaxed), Relaxed);
        fork_happened();
        assert_eq!(locks.with_all(|| 8), 8);
    }
}

//! A list that only grows at its newest end while others walk it, without std.
//!
//! Always true: a node that was ever reachable stays allocated until the chain is dropped, so that a walk needs no lock and
//! no counting. What `cut` takes off the list is kept as spare nodes, and `revive` uses them again. Changes
//! (`push`, `insert`, `cut`, `revive`) are for one caller at a time: the filter's growth lock sees to that.
use crate::error::{Error, Result};
use crate::lock::Lock;
use alloc::boxed::Box;
use core::cell::UnsafeCell;
use core::ptr::{null_mut, NonNull};
use core::sync::atomic::{AtomicPtr, Ordering::*};

pub(crate) struct Chain<T> {
    newest: AtomicPtr<Node<T>>,
    spare: AtomicPtr<Node<T>>,
}

struct Node<T> {
    value: T,
    older: AtomicPtr<Node<T>>,
}

// SAFETY: nodes are shared by reference only, and freed by the chain's owner alone.
unsafe impl<T: Send + Sync> Send for Chain<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for Chain<T> {}

impl<T> Node<T> {
    fn allocate(value: T, older: *mut Node<T>) -> Result<NonNull<Node<T>>> {
        let mut room: alloc::vec::Vec<Node<T>> = crate::bits::try_vec(1)?;
        room.push(Node { value, older: AtomicPtr::new(older) });
        // One element and room for one: the boxed slice is that very allocation.
        let node: *mut [Node<T>] = Box::into_raw(room.into_boxed_slice());
        NonNull::new(node.cast()).ok_or_else(|| Error::out_of_memory(size_of::<Node<T>>() as u64))
    }
}

impl<T> Chain<T> {
    /// A chain of these values, oldest first; at least one.
    pub fn new(values: impl IntoIterator<Item = T>) -> Result<Self> {
        let chain = Chain { newest: AtomicPtr::new(null_mut()), spare: AtomicPtr::new(null_mut()) };
        values.into_iter().try_for_each(|value| chain.push(value))?;
        Ok(chain)
    }

    /// The newest value.
    #[inline(always)]
    pub fn newest(&self) -> &T {
        // SAFETY: a chain has at least one node from its making on, and nodes live as long as the chain.
        unsafe { &(*self.newest.load(Acquire)).value }
    }

    /// All values, newest first.
    #[inline(always)]
    pub fn iter(&self) -> Iter<'_, T> {
        Iter { chain: core::marker::PhantomData, next: self.newest.load(Acquire) }
    }

    /// Appends a value: it is the newest then.
    pub fn push(&self, value: T) -> Result<()> {
        let node = Node::allocate(value, self.newest.load(Acquire))?;
        self.newest.store(node.as_ptr(), Release);
        Ok(())
    }

    /// Inserts a value right below the newest.
    pub fn insert(&self, value: T) -> Result<()> {
        // SAFETY: as in `newest`.
        let newest = unsafe { &*self.newest.load(Acquire) };
        let node = Node::allocate(value, newest.older.load(Acquire))?;
        newest.older.store(node.as_ptr(), Release);
        Ok(())
    }

    /// Leaves only the oldest value on the list.
    pub fn cut(&self) {
        let newest = self.newest.load(Acquire);
        let (mut oldest, mut above) = (newest, null_mut::<Node<T>>());
        // SAFETY: all of these nodes live as long as the chain.
        unsafe {
            while !(*oldest).older.load(Acquire).is_null() {
                above = oldest;
                oldest = (*oldest).older.load(Acquire);
            }
            if !above.is_null() {
                // A walk under way goes on through the spare nodes and ends: neither list ever has a ring.
                (*above).older.store(self.spare.load(Acquire), Release);
                self.spare.store(newest, Release);
                self.newest.store(oldest, Release);
            }
        }
    }

    /// Appends a spare value that fits, if there is one.
    pub fn revive(&self, fits: impl Fn(&T) -> bool) -> bool {
        let mut link = &self.spare;
        loop {
            let node = link.load(Acquire);
            if node.is_null() {
                return false;
            }
            // SAFETY: spare nodes live as long as the chain.
            let found = unsafe { &*node };
            if fits(&found.value) {
                link.store(found.older.load(Acquire), Release);
                found.older.store(self.newest.load(Acquire), Release);
                self.newest.store(node, Release);
                return true;
            }
            link = &found.older;
        }
    }
}

pub(crate) struct Iter<'a, T> {
    chain: core::marker::PhantomData<&'a Chain<T>>,
    next: *mut Node<T>,
}

impl<T> Clone for Iter<'_, T> {
    fn clone(&self) -> Self {
        Iter { chain: self.chain, next: self.next }
    }
}

impl<'a, T> Iterator for Iter<'a, T> {
    type Item = &'a T;

    #[inline(always)]
    fn next(&mut self) -> Option<&'a T> {
        if self.next.is_null() {
            return None;
        }
        // SAFETY: reachable nodes live as long as the chain, which is borrowed.
        let node: &'a Node<T> = unsafe { &*self.next };
        self.next = node.older.load(Acquire);
        Some(&node.value)
    }
}

impl<T> Drop for Chain<T> {
    fn drop(&mut self) {
        for list in [*self.newest.get_mut(), *self.spare.get_mut()] {
            let mut next = list;
            while !next.is_null() {
                // SAFETY: each node is on exactly one of the two lists; allocated as a boxed slice of one.
                let mut node = unsafe { Box::from_raw(core::ptr::slice_from_raw_parts_mut(next, 1)) };
                next = *node[0].older.get_mut();
            }
        }
    }
}

/// A value that one caller at a time may change.
pub(crate) struct Guarded<T> {
    lock: Lock,
    value: UnsafeCell<T>,
}

// SAFETY: the lock lets one caller in at a time.
unsafe impl<T: Send> Sync for Guarded<T> {}

impl<T> Guarded<T> {
    pub const fn new(value: T) -> Self {
        Guarded { lock: Lock::new(), value: UnsafeCell::new(value) }
    }

    /// Runs `f` alone. `f` does not come back here.
    pub fn with<R>(&self, f: impl FnOnce(&mut T) -> R) -> R {
        let _alone = self.lock.hold();
        // SAFETY: nobody else is in here.
        f(unsafe { &mut *self.value.get() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn grows_is_cut_and_revives() {
        let chain = Chain::new([1, 2, 3]).unwrap();
        chain.insert(9).unwrap();
        assert_eq!(chain.iter().copied().collect::<Vec<_>>(), [3, 9, 2, 1]);
        chain.cut();
        assert_eq!(chain.iter().copied().collect::<Vec<_>>(), [1]);
        assert!(chain.revive(|v| *v == 2) && !chain.revive(|v| *v == 5));
        assert_eq!(chain.iter().copied().collect::<Vec<_>>(), [2, 1]);
        chain.cut();
        assert!([2, 3, 9].into_iter().all(|n| chain.revive(|v| *v == n)));
        assert_eq!((*chain.newest(), chain.iter().count()), (9, 4));
    }
}

//! Filters that several threads hold: a process-wide table from token to filter.
//!
//! The table holds no filter alive, the handles do: a shared filter ends with the last handle to it in any thread, and
//! its token with it. So nothing leaks when a thread ends without a word, and a token that comes too late is `ERR_FREED`.
//! Tokens are random, so that one that strays into another process does not meet another filter there.
use std::collections::hash_map::{HashMap, RandomState};
use std::hash::{BuildHasher, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use tepal::{Error, Result};

use crate::kind::Kind;

type Filters<F> = HashMap<u64, Weak<Shared<F>>>;

/// The filters of one class that threads share, by token.
pub struct Table<F: Kind>(OnceLock<Mutex<Filters<F>>>);

impl<F: Kind> Table<F> {
    pub const fn new() -> Self {
        Table(OnceLock::new())
    }

    fn lock(&self) -> MutexGuard<'_, Filters<F>> {
        self.0.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A filter and, once it is shared, its token.
pub struct Shared<F: Kind> {
    pub filter: F,
    token: OnceLock<u64>,
}

impl<F: Kind> From<F> for Shared<F> {
    fn from(filter: F) -> Self {
        Shared { filter, token: OnceLock::new() }
    }
}

/// The token of a filter, the same each time: an integer that a JavaScript number holds exactly.
pub fn share<F: Kind>(shared: &Arc<Shared<F>>) -> u64 {
    *shared.token.get_or_init(|| {
        let mut table = F::table().lock();
        loop {
            let token = RandomState::new().build_hasher().finish() >> 11; // 53 random bits
            if token != 0 && !table.contains_key(&token) {
                table.insert(token, Arc::downgrade(shared));
                return token;
            }
        }
    })
}

/// The filter of a token.
pub fn attach<F: Kind>(token: u64) -> Result<Arc<Shared<F>>> {
    F::table().lock().get(&token).and_then(Weak::upgrade).ok_or_else(Error::freed)
}

impl<F: Kind> Drop for Shared<F> {
    fn drop(&mut self) {
        if let Some(token) = self.token.get() {
            F::table().lock().remove(token);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tepal::{BloomFilter, Storage};

    #[test]
    fn a_token_ends_with_the_last_handle() {
        let first = Arc::new(Shared::from(BloomFilter::new(10, 0.01).unwrap().into_storage()));
        let token = share(&first);
        assert_eq!(token, share(&first));
        let second = attach::<BloomFilter<Storage>>(token).unwrap();
        drop(first);
        assert_eq!(share(&attach::<BloomFilter<Storage>>(token).unwrap()), token);
        drop(second);
        assert_eq!(attach::<BloomFilter<Storage>>(token).err().unwrap().code(), "ERR_FREED");
        assert!(!<BloomFilter<Storage>>::table().lock().contains_key(&token));
    }
}

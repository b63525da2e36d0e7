//! Filters that several threads hold: a process-wide table from token to filter.
//!
//! The table holds no filter alive, the handles do: a shared filter ends with the last handle to it in any thread, and
//! its token with it. So nothing leaks when a thread ends without a word, and a token that comes too late is `ERR_FREED`.
//! Tokens are random, so that one that strays into another process does not meet another filter there.
use std::collections::hash_map::{HashMap, RandomState};
use std::hash::{BuildHasher, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use tepal::{BloomFilter, Error, Result, Storage};

type Filter = BloomFilter<Storage>;
type Table = HashMap<u64, Weak<Shared>>;

static TABLE: OnceLock<Mutex<Table>> = OnceLock::new();

fn table() -> MutexGuard<'static, Table> {
    TABLE.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner)
}

/// A filter and, once it is shared, its token.
pub struct Shared {
    pub filter: Filter,
    token: OnceLock<u64>,
}

impl From<Filter> for Shared {
    fn from(filter: Filter) -> Self {
        Shared { filter, token: OnceLock::new() }
    }
}

/// The token of a filter, the same each time: an integer that a JavaScript number holds exactly.
pub fn share(shared: &Arc<Shared>) -> u64 {
    *shared.token.get_or_init(|| {
        let mut table = table();
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
pub fn attach(token: u64) -> Result<Arc<Shared>> {
    table().get(&token).and_then(Weak::upgrade).ok_or_else(Error::freed)
}

impl Drop for Shared {
    fn drop(&mut self) {
        if let Some(token) = self.token.get() {
            table().remove(token);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_ends_with_the_last_handle() {
        let first = Arc::new(Shared::from(BloomFilter::new(10, 0.01).unwrap().into_storage()));
        let token = share(&first);
        assert_eq!(token, share(&first));
        let second = attach(token).unwrap();
        drop(first);
        assert_eq!(share(&attach(token).unwrap()), token);
        drop(second);
        assert_eq!(attach(token).err().unwrap().code(), "ERR_FREED");
        assert!(!table().contains_key(&token));
    }
}

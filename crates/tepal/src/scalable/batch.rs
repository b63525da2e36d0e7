//! `ScalableBloomFilter` by the batch: the lines of a key in all levels are asked for some keys before its turn.
use super::{ScalableBloomFilter, ScalableOptions};
use crate::error::{Error, Result};
use crate::hash::{Hash128, BATCH};
use crate::key::Key;
use crate::level::each_ahead;
use alloc::vec::Vec;
use core::fmt;

/// A batch that a filter could not take to its end.
///
/// The keys before `answers.len()` were inserted and have their answers; the key there, and all after it, were not.
#[derive(Debug, Clone, PartialEq)]
pub struct Unfinished {
    /// What each key that was inserted got for an answer.
    pub answers: Vec<bool>,
    /// Why the next one was refused.
    pub error: Error,
}

impl fmt::Display for Unfinished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "key {} of the batch: {}", self.answers.len(), self.error)
    }
}

impl core::error::Error for Unfinished {}

impl ScalableBloomFilter {
    /// Asks for many hashes made with this filter's scheme and seed; `found[i]` answers `hashes[i]`. `found` must be as long as `hashes`.
    pub fn contains_hashes(&self, hashes: &[Hash128], found: &mut [bool]) {
        for (hashes, found) in hashes.chunks(BATCH).zip(found[..hashes.len()].chunks_mut(BATCH)) {
            // The newest level has most keys: what it knows needs no line of the others.
            let mut older = self.levels.iter();
            let mut places = [0; BATCH];
            let left = older.next().map_or(0, |newest| newest.sift(hashes, &mut places[..hashes.len()]));
            found.fill(true);
            let mut open = [Hash128::default(); BATCH];
            open.iter_mut().zip(&places[..left]).for_each(|(hash, place)| *hash = hashes[*place]);
            each_ahead(
                &open[..left],
                |hash| older.clone().for_each(|level| level.prefetch(hash)),
                |i, hash| found[places[i]] = older.clone().any(|level| level.contains(hash)),
            );
        }
    }

    /// Inserts many hashes made with this filter's scheme and seed, in order; `new[i]` tells whether `hashes[i]` was new. How many
    /// were inserted, and why it were not all. `new` must be as long as `hashes`.
    pub fn insert_hashes(&self, hashes: &[Hash128], new: &mut [bool]) -> (usize, Result<()>) {
        let new = &mut new[..hashes.len()];
        let (mut done, mut result) = (0, self.writable()); // an empty batch is refused as any other
        each_ahead(
            hashes,
            |hash| self.levels.iter().for_each(|level| level.prefetch(hash)),
            |i, hash| {
                if result.is_ok() {
                    result = self.insert_hash_raw(hash).map(|answer| {
                        new[i] = answer;
                        done += 1;
                    });
                }
            },
        );
        (done, result)
    }

    /// Asks for many keys, in order.
    ///
    /// ```
    /// let filter = tepal::ScalableBloomFilter::build(["a", "b"], 0.001)?;
    /// assert_eq!(filter.contains_many(["a", "x", "b"]), [true, false, true]);
    /// # Ok::<(), tepal::Error>(())
    /// ```
    pub fn contains_many<K: Key>(&self, keys: impl IntoIterator<Item = K>) -> Vec<bool> {
        let mut answers = Vec::new();
        let _ = self.each_chunk(keys, |hashes| {
            let done = answers.len();
            answers.resize(done + hashes.len(), false);
            self.contains_hashes(hashes, &mut answers[done..]);
            Ok::<(), Error>(())
        });
        answers
    }

    /// Inserts many keys, in order, as a loop over [`ScalableBloomFilter::insert`] would; each answer tells whether that key was new.
    /// Where a key is refused, what came before it stays, and its answers come with the error.
    pub fn insert_many<K: Key>(&self, keys: impl IntoIterator<Item = K>) -> Result<Vec<bool>, Unfinished> {
        let mut answers = Vec::new();
        let ended = self.each_chunk(keys, |hashes| {
            let start = answers.len();
            answers.resize(start + hashes.len(), false);
            let (done, result) = self.insert_hashes(hashes, &mut answers[start..]);
            answers.truncate(start + done);
            result
        });
        match ended {
            Ok(()) => Ok(answers),
            Err(error) => Err(Unfinished { answers, error }),
        }
    }

    fn each_chunk<K: Key, E>(
        &self,
        keys: impl IntoIterator<Item = K>,
        mut work: impl FnMut(&[Hash128]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut keys = keys.into_iter();
        let mut hashes = [Hash128::default(); BATCH];
        loop {
            let mut n = 0;
            for (slot, key) in hashes.iter_mut().zip(&mut keys) {
                *slot = key.with_bytes(|key| self.hash_bytes(key));
                n += 1;
            }
            work(&hashes[..n])?;
            if n < BATCH {
                return Ok(());
            }
        }
    }

    /// A filter of these keys that can still grow: of scheme `tepal`, with its default capacity.
    ///
    /// Who knows all keys and adds none gets a smaller and faster filter from [`BloomFilter::build`](crate::BloomFilter::build).
    pub fn build<K: Key>(keys: impl IntoIterator<Item = K>, fpr: f64) -> Result<Self> {
        let options = ScalableOptions::default();
        let filter = Self::with_options(super::default_capacity(options.scheme), fpr, options)?;
        filter.insert_many(keys).map_err(|unfinished| unfinished.error)?;
        Ok(filter)
    }
}

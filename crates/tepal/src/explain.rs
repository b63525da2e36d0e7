//! Why a filter said yes: the lines it looked at, the bits it tested, and how likely such a yes is wrong.
use crate::bits::Body;
use crate::bloom::{with_shape, BloomFilter};
use crate::facts::line_fpr;
use crate::hash::Hash128;
use crate::key::Key;
use crate::layout::{Classic, Layout, Line16, Line8, Pair, Shape};
use crate::math::powi;
use crate::sizing::Params;
use alloc::vec::Vec;

/// What [`BloomFilter::explain`] tells.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// The key's hash.
    pub hash: Hash128,
    /// The answer.
    pub contained: bool,
    /// The chance that a stranger who is sent to these same lines gets a yes, from the bits that are set in them.
    pub false_positive_chance: f64,
    /// The lines that were looked at, in order of first use.
    pub lines: Vec<ExplainedLine>,
}

/// One line of an [`Explanation`].
#[derive(Debug, Clone, PartialEq)]
pub struct ExplainedLine {
    /// Index of the line.
    pub line: u64,
    /// Where the line stands in the body, in bytes.
    pub body_offset: u64,
    /// Its eight lanes.
    pub words: [u64; 8],
    /// The bits that the key tests in it, each once.
    pub bits: Vec<ExplainedBit>,
}

/// One tested bit of an [`ExplainedLine`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExplainedBit {
    /// Lane, 0 to 7.
    pub lane: u8,
    /// Bit in the lane, 0 to 63.
    pub bit: u8,
    /// Whether it is set.
    pub set: bool,
}

impl Explanation {
    /// All of it as bytes, for a language that takes it apart itself: chance (f64), hi, lo, contained (u32), number of lines
    /// (u32); for each line its index, offset, eight words, number of bits (u32), and for each bit lane, bit, set. Little-endian.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut packed = Vec::new();
        let mut put = |bytes: &[u8]| packed.extend_from_slice(bytes);
        for word in [self.false_positive_chance.to_bits(), self.hash.hi, self.hash.lo] {
            put(&word.to_le_bytes());
        }
        put(&[u8::from(self.contained), 0, 0, 0]);
        put(&(self.lines.len() as u32).to_le_bytes());
        for line in &self.lines {
            put(&line.line.to_le_bytes());
            put(&line.body_offset.to_le_bytes());
            line.words.iter().for_each(|word| put(&word.to_le_bytes()));
            put(&(line.bits.len() as u32).to_le_bytes());
            line.bits.iter().for_each(|bit| put(&[bit.lane, bit.bit, u8::from(bit.set)]));
        }
        packed
    }
}

impl Params {
    /// The bits that a hash tests, as (line, lane, bit): the bare addresses, for a filter that need not exist.
    pub fn addresses(&self, hash: Hash128) -> Vec<(u64, u8, u8)> {
        let mut all = Vec::new();
        let mut push = |line, lane, bit| all.push((line, lane, bit));
        with_shape!(self, shape => shape.each(hash, &mut push));
        all
    }
}

impl<B: Body> BloomFilter<B> {
    /// Explains the answer for a key: lines, bits, which are set, the chance that a yes is false. Cost: a few allocations; for `classic` it reads the whole body.
    ///
    /// ```
    /// let filter = tepal::BloomFilter::build(["a"], 0.01)?;
    /// let why = filter.explain("a");
    /// assert!(why.contained && why.lines[0].bits.iter().all(|bit| bit.set));
    /// # Ok::<(), tepal::Error>(())
    /// ```
    pub fn explain<K: Key>(&self, key: K) -> Explanation {
        self.explain_hash(key.hash_key(self.params.seed))
    }

    /// [`BloomFilter::explain`] for a hash made with this filter's seed.
    pub fn explain_hash(&self, hash: Hash128) -> Explanation {
        let body = self.body.lines();
        let mut lines: Vec<ExplainedLine> = Vec::new();
        for (line, lane, bit) in self.params.addresses(hash) {
            let at = lines.iter().position(|l| l.line == line).unwrap_or_else(|| {
                let words = body.line(line as usize);
                lines.push(ExplainedLine { line, body_offset: line * 64, words, bits: Vec::new() });
                lines.len() - 1
            });
            let tested = ExplainedBit { lane, bit, set: lines[at].words[lane as usize] >> bit & 1 == 1 };
            if !lines[at].bits.contains(&tested) {
                lines[at].bits.push(tested);
            }
        }
        let false_positive_chance = match self.params.layout {
            Layout::Line => line_fpr(&lines[0].words, self.params.probes / 8),
            Layout::Pair => lines.iter().map(|l| line_fpr(&l.words, 1)).product(),
            Layout::Classic => powi(self.fill_ratio(), self.params.probes as u64),
        };
        let contained = lines.iter().all(|l| l.bits.iter().all(|b| b.set));
        Explanation { hash, contained, false_positive_chance, lines }
    }
}

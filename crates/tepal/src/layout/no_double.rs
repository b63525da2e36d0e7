//! Without the feature `schemes` no level has the probes of another library: a type without a value, so that what would be done with one is not compiled.
use super::{Read, Shape, Write};
use crate::hash::Hash128;
use crate::lock::Stripes;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Double {}

impl Double {
    pub fn bits(&self) -> u64 {
        match *self {}
    }

    pub fn probes(&self) -> u32 {
        match *self {}
    }
}

impl Shape for Double {
    fn test<R: Read>(self, _: &R, _: Hash128) -> bool {
        match self {}
    }

    fn set<W: Write>(self, _: &W, _: &Stripes, _: Hash128) -> bool {
        match self {}
    }

    fn prefetch<R: Read>(self, _: &R, _: Hash128) {
        match self {}
    }

    fn each(self, _: Hash128, _: &mut dyn FnMut(u64, u8, u8)) {
        match self {}
    }
}

//! The core's explanation as the dataclasses of python/tepal/explain.py.

use crate::keyhash::KeyHash;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tepal::Explanation;

/// An `Explanation` object.
pub fn to_python<'py>(py: Python<'py>, explanation: &Explanation, seed: u64) -> PyResult<Bound<'py, PyAny>> {
    let module = py.import("tepal.explain")?;
    let (line_class, bit_class) = (module.getattr("ExplainedLine")?, module.getattr("ExplainedBit")?);
    let mut lines = Vec::with_capacity(explanation.lines.len());
    for line in &explanation.lines {
        let bits: Vec<_> =
            line.bits.iter().map(|bit| bit_class.call1((bit.lane, bit.bit, bit.set))).collect::<PyResult<_>>()?;
        let words = PyTuple::new(py, line.words)?;
        lines.push(line_class.call1((line.line, line.body_offset, words, PyTuple::new(py, bits)?))?);
    }
    let hash = KeyHash(tepal::KeyHash::new(explanation.hash, seed));
    let lines = PyTuple::new(py, lines)?;
    module.getattr("Explanation")?.call1((hash, explanation.contained, explanation.false_positive_chance, lines))
}

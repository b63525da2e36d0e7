//! Errors are data: a code, a class, and one sentence that names the field, what was expected and what came.
//!
//! All codes and sentences of every language are born here; a binding only chooses the exception for the [`Class`].
//! No sentence contains a key. The sentence is put together without `core::fmt`, whose machinery would be a third of
//! the WebAssembly module.
#![allow(clippy::single_char_add_str)] // one function, not a copy of the encoder of characters at each place
use alloc::{boxed::Box, string::String};
use core::fmt;

/// A `Result` with tepal's [`Error`].
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// What kind of mistake an [`Error`] is. Bindings map each class to one exception.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Class {
    /// A parameter is out of range or of the wrong type.
    Argument,
    /// A key is of a type, or has a value, that is no key.
    KeyType,
    /// Bytes that are not a filter, or not a whole one.
    Data,
    /// Two filters, or a filter and a hash, that do not belong together.
    Mismatch,
    /// A filter that takes no more keys.
    Full,
    /// Memory that cannot be had.
    Memory,
    /// A filter that is read-only, or already freed.
    State,
    /// Something that this runtime cannot do.
    Unsupported,
    /// The operating system refused.
    Io,
}

impl Class {
    /// The class as a word: `"argument"`, `"key_type"`, `"data"`, `"mismatch"`, `"full"`, `"memory"`, `"state"`,
    /// `"unsupported"` or `"io"`.
    pub const fn name(self) -> &'static str {
        match self {
            Class::Argument => "argument",
            Class::KeyType => "key_type",
            Class::Data => "data",
            Class::Mismatch => "mismatch",
            Class::Full => "full",
            Class::Memory => "memory",
            Class::State => "state",
            Class::Unsupported => "unsupported",
            Class::Io => "io",
        }
    }
}

/// What came instead of what was expected.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Got {
    Nothing,
    Integer(i128),
    Float(f64),
    Text(String),
    Word(&'static str),
}

#[derive(Debug, Clone, PartialEq)]
struct Inner {
    code: &'static str,
    class: Class,
    field: &'static str,
    expected: &'static str,
    /// A number that belongs behind `expected`.
    bound: Option<u64>,
    got: Got,
    hint: &'static str,
    os_code: Option<i32>,
}

/// What went wrong: [`code`](Error::code) for programs, [`class`](Error::class) for bindings, `Display` for people.
///
/// ```
/// let error = tepal::BloomFilter::new(1_000, 1.5).unwrap_err();
/// assert_eq!(error.code(), "ERR_FPR_RANGE");
/// assert_eq!(error.to_string(), "fpr: expected a rate from 1e-9 to 0.5, got 1.5");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Error(Box<Inner>);

impl Error {
    /// The code, the same in every language, for instance `"ERR_FPR_RANGE"`.
    pub fn code(&self) -> &'static str {
        self.0.code
    }

    /// The class, which decides the exception in a binding.
    pub fn class(&self) -> Class {
        self.0.class
    }

    /// The sentence, as `Display` gives it.
    pub fn message(&self) -> String {
        let e = &*self.0;
        let mut s = String::from(e.field);
        if !e.expected.is_empty() {
            s.push_str(": expected ");
            s.push_str(e.expected);
            if let Some(bound) = e.bound {
                s.push_str(" ");
                push_integer(&mut s, bound as i128);
            }
        }
        match &e.got {
            Got::Nothing => {}
            got => {
                s.push_str(", got ");
                match got {
                    Got::Integer(i) => push_integer(&mut s, *i),
                    Got::Float(x) => push_float(&mut s, *x),
                    Got::Text(t) => s.push_str(t),
                    Got::Word(w) => s.push_str(w),
                    Got::Nothing => {}
                }
            }
        }
        if !e.hint.is_empty() {
            s.push_str("; ");
            s.push_str(e.hint);
        }
        s
    }

    pub(crate) fn new(class: Class, code: &'static str, field: &'static str, expected: &'static str, got: Got) -> Self {
        Error(Box::new(Inner { code, class, field, expected, bound: None, got, hint: "", os_code: None }))
    }

    fn hint(mut self, hint: &'static str) -> Self {
        self.0.hint = hint;
        self
    }

    pub(crate) fn bound(mut self, bound: u64) -> Self {
        self.0.bound = Some(bound);
        self
    }

    // Arguments

    pub(crate) fn argument(code: &'static str, field: &'static str, expected: &'static str, got: Got) -> Self {
        Error::new(Class::Argument, code, field, expected, got)
    }

    /// `ERR_ARGUMENT_TYPE`: an argument of a wrong type, which only a dynamically typed language can notice.
    pub fn argument_type(field: &'static str, expected: &'static str, got: &str) -> Self {
        Error::argument("ERR_ARGUMENT_TYPE", field, expected, Got::Text(got.into()))
    }

    /// `ERR_ARGUMENT_TYPE`: one key where many were expected.
    pub fn single_key(got: &str) -> Self {
        Error::argument_type("keys", "several keys (a list, an array or another iterable)", got)
            .hint("for one key call add, or put it into a list")
    }

    // Keys

    /// `ERR_KEY_TYPE`: a value of this type is no key. The sentence says what to do instead.
    pub fn key_type(type_name: &str) -> Self {
        Error::new(Class::KeyType, "ERR_KEY_TYPE", "key", KEY_EXPECTED, Got::Text(type_name.into()))
            .hint(key_hint(type_name))
    }

    /// `ERR_KEY_TYPE`: a JavaScript number that is not an integer; the same sentence as for a Python float.
    pub fn key_fraction() -> Self {
        Error::key_type("float")
    }

    /// `ERR_KEY_RANGE`: an integer outside −2^63 … 2^64 − 1.
    pub fn key_range() -> Self {
        Error::new(
            Class::KeyType,
            "ERR_KEY_RANGE",
            "key",
            "an integer from -2^63 to 2^64 - 1",
            Got::Word("one outside"),
        )
        .hint("pass its decimal text or its bytes")
    }

    /// `ERR_KEY_RANGE`: a JavaScript number beyond 2^53 − 1, whose last digits are already lost.
    pub fn key_unsafe_integer() -> Self {
        Error::new(
            Class::KeyType,
            "ERR_KEY_RANGE",
            "key",
            "a safe integer (at most 2^53 - 1 in size)",
            Got::Word("a larger number, whose last digits are lost"),
        )
        .hint("pass a BigInt")
    }

    /// `ERR_KEY_SURROGATE`: text with an unpaired surrogate has no UTF-8 form.
    pub fn key_surrogate() -> Self {
        Error::new(
            Class::KeyType,
            "ERR_KEY_SURROGATE",
            "key",
            "well-formed text",
            Got::Word("text with an unpaired surrogate"),
        )
        .hint("mend the text, or pass its bytes")
    }

    // Data

    pub(crate) fn data(code: &'static str, field: &'static str, expected: &'static str, got: Got) -> Self {
        Error::new(Class::Data, code, field, expected, got)
    }

    pub(crate) fn truncated(field: &'static str, need: u64, got: u64) -> Self {
        Error::data("ERR_TRUNCATED", field, "at least this many bytes:", Got::Integer(got as i128)).bound(need)
    }

    pub(crate) fn seed_required() -> Self {
        Error::data("ERR_SEED_REQUIRED", "seed", "the seed that was withheld from these bytes", Got::Word("none"))
    }

    // Mismatch

    pub(crate) fn mismatch(code: &'static str, field: &'static str, expected: &'static str, got: Got) -> Self {
        Error::new(Class::Mismatch, code, field, expected, got)
    }

    // Full

    pub(crate) fn full(code: &'static str, field: &'static str, expected: &'static str, got: Got) -> Self {
        Error::new(Class::Full, code, field, expected, got)
    }

    // Memory

    /// `ERR_OUT_OF_MEMORY`: so many bytes cannot be had.
    pub fn out_of_memory(bytes: u64) -> Self {
        Error::new(Class::Memory, "ERR_OUT_OF_MEMORY", "memory", "this many free bytes:", Got::Word("fewer"))
            .bound(bytes)
    }

    pub(crate) fn too_large(bytes: u64) -> Self {
        Error::new(
            Class::Memory,
            "ERR_TOO_LARGE",
            "size",
            "at most as many bytes as this platform can address",
            Got::Integer(bytes as i128),
        )
    }

    // State, platform

    /// `ERR_READ_ONLY`: a mapped or borrowed filter cannot be changed.
    pub fn read_only() -> Self {
        Error::new(Class::State, "ERR_READ_ONLY", "filter", "a writable filter", Got::Word("a read-only view"))
            .hint("copy it first")
    }

    /// `ERR_FREED`: the filter was closed or freed.
    pub fn freed() -> Self {
        Error::new(Class::State, "ERR_FREED", "filter", "an open filter", Got::Word("one that was closed or freed"))
    }

    /// `ERR_UNSUPPORTED`: this runtime cannot do it.
    pub fn unsupported(what: &'static str) -> Self {
        Error::new(Class::Unsupported, "ERR_UNSUPPORTED", what, "", Got::Nothing)
    }

    /// `ERR_IO`: the operating system's reason, about `what` (for instance `"save"`).
    pub fn io(what: &'static str, reason: &str) -> Self {
        Error::new(Class::Io, "ERR_IO", what, "success", Got::Text(reason.into()))
    }

    /// [`Error::io`] from the operating system's error, whose number is kept.
    #[cfg(feature = "std")]
    pub fn os(what: &'static str, error: &std::io::Error) -> Self {
        let mut e = Error::io(what, &std::string::ToString::to_string(error));
        e.0.os_code = error.raw_os_error();
        e
    }

    /// The operating system's error number (`errno`), where there is one.
    pub fn os_code(&self) -> Option<i32> {
        self.0.os_code
    }
}

const KEY_EXPECTED: &str = "text, bytes or an integer";

/// What to do instead, by the names that languages give a type.
const KEY_HINTS: [(&str, &str); 8] = [
    ("bool boolean numpy.bool numpy.bool_", "pass int(key) or its text"),
    (
        "float number float64 float32 float16 numpy.float64 numpy.float32 numpy.float16",
        "ids that became floats: convert them back (in pandas: astype(\"Int64\")), else pass their text",
    ),
    ("NoneType null undefined NAType NaTType", "leave missing values out"),
    ("UUID", "pass its .bytes"),
    (
        "datetime date time Date Timestamp datetime64 numpy.datetime64",
        "pass an integer (time since the epoch) or ISO 8601 text",
    ),
    ("list tuple Array", "for a compound key call key(part, ...), for many keys the many-key method"),
    ("dict set frozenset Object object Map Set", "pass the text or bytes that identify it"),
    ("memoryview array ndarray DataView", "pass contiguous bytes, or use the many-key method"),
];

fn key_hint(type_name: &str) -> &'static str {
    let known = KEY_HINTS
        .iter()
        .find(|(names, _)| names.as_bytes().split(|b| *b == b' ').any(|name| name == type_name.as_bytes()));
    known.map_or("pass its text or its bytes", |(_, hint)| hint)
}

/// Decimal digits of an integer. (Dividing 128-bit numbers would be a library call that nothing else needs.)
pub(crate) fn push_integer(s: &mut String, value: i128) {
    if value < 0 {
        s.push_str("-");
    }
    let Ok(mut rest) = u64::try_from(value.unsigned_abs()) else {
        return s.push_str("2^64 or beyond");
    };
    let mut digits = [0u8; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    s.push_str(core::str::from_utf8(&digits[at..]).unwrap_or_default());
}

/// A float to six significant digits, plain between 1e-4 and 1e15, else with an exponent.
pub(crate) fn push_float(s: &mut String, value: f64) {
    if value.is_nan() {
        return s.push_str("NaN");
    }
    if value.is_sign_negative() {
        s.push_str("-");
    }
    let x = value.abs();
    if x == f64::INFINITY {
        return s.push_str("infinity");
    }
    if x < 1e15 && x as u64 as f64 == x {
        return push_integer(s, x as u64 as i128);
    }
    let mut exponent = 0i32;
    let mut m = x;
    while m >= 10.0 {
        m /= 10.0;
        exponent += 1;
    }
    while m < 1.0 {
        m *= 10.0;
        exponent -= 1;
    }
    let mut digits = (m * 100_000.0 + 0.5) as u64; // six digits
    if digits >= 1_000_000 {
        digits /= 10;
        exponent += 1;
    }
    while digits % 10 == 0 {
        digits /= 10; // at least the first digit is not zero
    }
    let mut text = String::new();
    push_integer(&mut text, digits as i128);
    let plain = (-4..15).contains(&exponent);
    // How many digits stand before the point: at least as many as there are, or zeros take their place.
    let whole = if plain { exponent + 1 } else { 1 };
    if whole <= 0 {
        s.push_str("0.");
        (whole..0).for_each(|_| s.push_str("0"));
    }
    let (before, after) = text.split_at(text.len().min(whole.max(0) as usize));
    s.push_str(before);
    if whole > 0 && !after.is_empty() {
        s.push_str(".");
    }
    s.push_str(after);
    (text.len() as i32..whole).for_each(|_| s.push_str("0"));
    if !plain {
        s.push_str("e");
        push_integer(s, exponent as i128);
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message())
    }
}

impl core::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_read_well() {
        for (x, text) in [
            (1.5, "1.5"),
            (-0.25, "-0.25"),
            (2.0, "2"),
            (0.0, "0"),
            (0.001, "0.001"),
            (0.00012345, "0.00012345"),
            (1e-9, "1e-9"),
            (1.25e-12, "1.25e-12"),
            (1234.5678, "1234.57"),
            (0.9999999, "1"),
            (1e300, "1e300"),
            (9.223372036854776e18, "9.22337e18"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-infinity"),
        ] {
            let mut s = String::new();
            push_float(&mut s, x);
            assert_eq!(s, text);
        }
    }

    #[test]
    fn sentences_name_field_expected_and_got() {
        assert_eq!(
            Error::key_type("UUID").message(),
            "key: expected text, bytes or an integer, got UUID; pass its .bytes"
        );
        assert_eq!(
            Error::truncated("header", 128, 3).message(),
            "header: expected at least this many bytes: 128, got 3"
        );
    }
}

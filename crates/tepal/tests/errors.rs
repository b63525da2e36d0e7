//! Every wrong argument is an error with its code and sentence, never a panic or an abort.
//!
//! The sentences are part of the contract between the languages: they are born here and compared here word for word.
use tepal::{arg, BloomFilter, Class, Error, LayoutChoice, Metadata, Options, Params};

#[track_caller]
fn check<T>(result: Result<T, Error>, class: Class, code: &str, sentence: &str) {
    let error = result.err().expect("an error");
    assert_eq!((error.code(), error.class(), error.to_string().as_str()), (code, class, sentence));
    assert_eq!(error.message(), error.to_string());
}

#[track_caller]
fn argument<T>(result: Result<T, Error>, code: &str, sentence: &str) {
    check(result, Class::Argument, code, sentence);
}

/// An integer as the sentences show it.
fn shown(n: i128) -> String {
    match n.unsigned_abs() >> 64 {
        0 => n.to_string(),
        _ => format!("{}2^64 or beyond", if n < 0 { "-" } else { "" }),
    }
}

#[test]
fn rates() {
    for (fpr, got) in [
        (0.0, "0"),
        (-0.0, "-0"),
        (1.0, "1"),
        (0.500001, "0.500001"),
        (0.9, "0.9"),
        (-0.01, "-0.01"),
        (9.99e-10, "9.99e-10"),
        (1e-300, "1e-300"),
        (f64::MIN_POSITIVE / 4.0, "5.56268e-309"),
        (1e300, "1e300"),
        (f64::NAN, "NaN"),
        (-f64::NAN, "NaN"),
        (f64::INFINITY, "infinity"),
        (f64::NEG_INFINITY, "-infinity"),
    ] {
        let sentence = format!("fpr: expected a rate from 1e-9 to 0.5, got {got}");
        argument(BloomFilter::new(1_000, fpr), "ERR_FPR_RANGE", &sentence);
        argument(arg::fpr(fpr), "ERR_FPR_RANGE", &sentence);
        argument(BloomFilter::build(["a"], fpr), "ERR_FPR_RANGE", &sentence);
        argument(Params::new(1 << 48, fpr, 0, LayoutChoice::Auto), "ERR_FPR_RANGE", &sentence);
    }
    assert_eq!((arg::fpr(0.5), arg::fpr(1e-9)), (Ok(0.5), Ok(1e-9)));
}

#[test]
fn capacities() {
    let text = |got: &str| format!("capacity: expected an integer from 1 to 2^48, got {got}");
    argument(BloomFilter::new(0, 0.01), "ERR_CAPACITY_ZERO", &text("0"));
    argument(arg::capacity_f64(0.0), "ERR_CAPACITY_ZERO", &text("0"));
    argument(arg::capacity_f64(-0.0), "ERR_CAPACITY_ZERO", &text("0"));
    argument(arg::capacity_i128(0), "ERR_CAPACITY_ZERO", &text("0"));
    for n in [(1 << 48) + 1, 1 << 53, 1 << 63, u64::MAX] {
        argument(BloomFilter::new(n, 0.01), "ERR_CAPACITY_RANGE", &text(&n.to_string()));
        argument(Params::new(n, 0.01, 0, LayoutChoice::Auto), "ERR_CAPACITY_RANGE", &text(&n.to_string()));
        argument(arg::capacity_i128(n as i128), "ERR_CAPACITY_RANGE", &text(&n.to_string()));
    }
    for n in [-1, i64::MIN as i128, 1 << 64, i128::MIN, i128::MAX] {
        argument(arg::capacity_i128(n), "ERR_CAPACITY_RANGE", &text(&shown(n)));
    }
    for (x, got) in [
        (-1.0, "-1"),
        (0.5, "0.5"),
        (1000.5, "1000.5"),
        (2f64.powi(48) + 1.0, "281474976710657"),
        (2f64.powi(63), "9.22337e18"),
        (2f64.powi(64), "1.84467e19"),
        (1e300, "1e300"),
        (f64::NAN, "NaN"),
        (f64::INFINITY, "infinity"),
        (f64::NEG_INFINITY, "-infinity"),
    ] {
        argument(arg::capacity_f64(x), "ERR_CAPACITY_RANGE", &text(got));
    }
    assert_eq!(arg::capacity_f64(1e6), Ok(1_000_000));
    assert_eq!(arg::capacity_f64(2f64.powi(48)), Ok(arg::MAX_CAPACITY));
    assert_eq!(arg::capacity_i128(1 << 48), Ok(1 << 48));
    // The order of checks: capacity before rate.
    argument(BloomFilter::new(0, f64::NAN), "ERR_CAPACITY_ZERO", &text("0"));
}

#[test]
fn seeds() {
    let text = |got: &str| format!("seed: expected an integer from 0 to 2^64 - 1, got {got}");
    for n in [-1, 1 << 64, i128::MIN, i128::MAX] {
        argument(arg::seed_i128(n), "ERR_SEED_RANGE", &text(&shown(n)));
    }
    for (x, got) in [
        (-1.0, "-1"),
        (0.1, "0.1"),
        (2f64.powi(53), "9.0072e15"),
        (2f64.powi(64), "1.84467e19"),
        (f64::NAN, "NaN"),
        (f64::INFINITY, "infinity"),
    ] {
        argument(arg::seed_f64(x), "ERR_SEED_RANGE", &text(got));
    }
    assert_eq!(arg::seed_i128(u64::MAX as i128), Ok(u64::MAX));
    assert_eq!(arg::seed_f64(2f64.powi(53) - 1.0), Ok((1 << 53) - 1));
    assert_eq!((arg::seed_f64(-0.0), arg::seed_i128(0)), (Ok(0), Ok(0)));
}

#[test]
fn factors() {
    let text = |got: &str| format!("factor: expected an integer from 1 to 2^48, got {got}");
    let filter = BloomFilter::new(10_000, 0.01).unwrap();
    assert_eq!(filter.num_lines(), 198);
    argument(filter.fold(0), "ERR_FACTOR", &text("0"));
    argument(filter.fold(u64::MAX), "ERR_FACTOR", &text("18446744073709551615"));
    for factor in [4, 7, 199, 1 << 48] {
        let sentence = format!("factor: expected a divisor of the line count, got {factor}");
        argument(filter.fold(factor), "ERR_FACTOR", &sentence);
    }
    let pair = Options { layout: LayoutChoice::from_name("pair").unwrap(), ..Options::default() };
    let pair = BloomFilter::with_options(1, 0.01, pair).unwrap();
    argument(pair.fold(2), "ERR_FACTOR", "factor: expected a divisor of half the line count, got 2");
    for n in [0, -1, (1 << 48) + 1, i128::MAX] {
        argument(arg::factor_i128(n), "ERR_FACTOR", &text(&shown(n)));
    }
    for (x, got) in [(0.0, "0"), (-2.0, "-2"), (1.5, "1.5"), (f64::NAN, "NaN"), (f64::INFINITY, "infinity")] {
        argument(arg::factor_f64(x), "ERR_FACTOR", &text(got));
    }
    assert_eq!((arg::factor_f64(2.0), arg::factor_i128(2)), (Ok(2), Ok(2)));
}

#[test]
fn shrinking() {
    let filter = BloomFilter::new(1_000, 0.01).unwrap();
    let sentence = "capacity: expected an integer from 1 to 2^48, got 0";
    argument(filter.shrink_to(0), "ERR_CAPACITY_ZERO", sentence);
    let sentence = "capacity: expected at most the present capacity, got 1001";
    argument(filter.shrink_to(1_001), "ERR_CAPACITY_RANGE", sentence);
    let sentence = "capacity: expected an integer from 1 to 2^48, got 18446744073709551615";
    argument(filter.shrink_to(u64::MAX), "ERR_CAPACITY_RANGE", sentence);
}

#[test]
fn names() {
    for name in ["", "LINE", "line ", "auto\0", "blocked", "ä"] {
        let sentence = format!("layout: expected auto, line, pair or classic, got {name}");
        argument(LayoutChoice::from_name(name), "ERR_LAYOUT_NAME", &sentence);
    }
}

#[test]
fn metadata() {
    let empty_key = "metadata: expected keys that are not empty, got an empty key";
    argument(Metadata::from_pairs([("", "x")]), "ERR_METADATA", empty_key);
    let repeated = "metadata: expected each key once, got a repeated key";
    argument(Metadata::from_pairs([("a", "1"), ("b", "2"), ("a", "3")]), "ERR_METADATA", repeated);
    argument(Metadata::from_pairs([("a", "1"), ("a", "1")]), "ERR_METADATA", repeated);
    let most = "x".repeat(65_536 - 9);
    let fits = Metadata::from_pairs([("k", most.as_str())]).unwrap();
    assert_eq!(fits.get("k").map(str::len), Some(65_527));
    let sentence = "metadata: expected at most 65536 bytes, got more";
    argument(Metadata::from_pairs([("k", most + "x")]), "ERR_METADATA", sentence);
}

#[test]
fn combinations() {
    let options =
        |seed, layout: &str| Options { seed, layout: LayoutChoice::from_name(layout).unwrap(), ..Options::default() };
    let make = |n, fpr, seed, layout| BloomFilter::with_options(n, fpr, options(seed, layout)).unwrap();
    let base = make(1_000, 0.01, 0, "line");
    let mut cases = vec![];
    let pair = make(1_000, 0.01, 1, "pair"); // seed differs too: the layout is told first
    cases.push((pair, "ERR_LAYOUT_DIFFERS", "layout: expected line, got pair"));
    let seed = make(1_000, 0.0001, 1, "line"); // and so do the probes
    cases.push((seed, "ERR_SEED_DIFFERS", "seed: expected filters with equal seeds, got a filter with another seed"));
    let probes = make(900, 0.0001, 0, "line"); // and the size
    let sentence = "num_probes: expected filters with equal probe counts, got 16";
    cases.push((probes, "ERR_PROBES_DIFFERS", sentence));
    let size = make(1_100, 0.01, 0, "line");
    let sentence = format!("num_lines: expected line counts of which one divides the other, got {}", size.num_lines());
    cases.push((size, "ERR_SIZE_DIFFERS", &sentence));
    for (other, code, sentence) in &cases {
        check(base.union(other), Class::Mismatch, code, sentence);
        check(base.intersection(other), Class::Mismatch, code, sentence);
        check(base.union_with(other), Class::Mismatch, code, sentence);
        check(base.intersect_with(other), Class::Mismatch, code, sentence);
        assert_eq!(tepal::union_all([&base, other]).unwrap_err().code(), *code);
    }
    let half = base.fold(2).unwrap();
    let sentence = format!(
        "num_lines: expected a filter at least as large as this one (or the union as a new filter), got {}",
        half.num_lines()
    );
    check(base.union_with(&half), Class::Mismatch, "ERR_SIZE_DIFFERS", &sentence);
    check(base.intersect_with(&half), Class::Mismatch, "ERR_SIZE_DIFFERS", &sentence);
    half.union_with(&base).unwrap();

    let none: [&BloomFilter; 0] = [];
    argument(tepal::union_all(none), "ERR_EMPTY", "filters: expected at least one filter, got none");

    let foreign = make(10, 0.1, 9, "line").key_hash("a");
    let sentence = "seed: expected a hash made with the filter's seed, got a hash made with another seed";
    check(base.contains_hash(&foreign), Class::Mismatch, "ERR_SEED_DIFFERS", sentence);
    check(base.insert_hash(&foreign), Class::Mismatch, "ERR_SEED_DIFFERS", sentence);
    check(base.check_hash(&foreign), Class::Mismatch, "ERR_SEED_DIFFERS", sentence);
}

#[test]
fn seeds_of_bytes() {
    let filter = BloomFilter::build_with_options(["a"], 0.01, Options { seed: 5, ..Options::default() }).unwrap();
    let withheld = filter.to_bytes_without_seed().unwrap();
    let sentence = "seed: expected the seed that was withheld from these bytes, got none";
    check(BloomFilter::from_bytes(&withheld), Class::Data, "ERR_SEED_REQUIRED", sentence);
    check(BloomFilter::view(&withheld), Class::Data, "ERR_SEED_REQUIRED", sentence);
    let sentence = "seed: expected the seed that these bytes were built with, got another seed";
    for bytes in [&withheld, &filter.to_bytes().unwrap()] {
        for seed in [0, 4, u64::MAX] {
            check(BloomFilter::from_bytes_with_seed(bytes, seed), Class::Mismatch, "ERR_SEED_DIFFERS", sentence);
        }
        assert!(BloomFilter::from_bytes_with_seed(bytes, 5).unwrap() == filter);
    }
}

#[test]
fn read_only_views() {
    let bytes = BloomFilter::build(["a"], 0.01).unwrap().to_bytes().unwrap();
    let view = BloomFilter::from_shared(std::sync::Arc::new(bytes), None).unwrap();
    let sentence = "filter: expected a writable filter, got a read-only view; copy it first";
    let hash = view.hash_bytes(b"b");
    check(view.insert_hash_raw(hash), Class::State, "ERR_READ_ONLY", sentence);
    check(view.insert_hashes(&[hash], &mut [false]), Class::State, "ERR_READ_ONLY", sentence);
    check(view.clear(), Class::State, "ERR_READ_ONLY", sentence);
    check(view.union_with(&view), Class::State, "ERR_READ_ONLY", sentence);
    check(view.intersect_with(&view), Class::State, "ERR_READ_ONLY", sentence);
    let copy = view.copy().unwrap().into_storage();
    assert!(!copy.is_read_only() && copy.insert_hash_raw(hash).unwrap());
}

/// Sizes that no machine of today has: an error, not an abort.
#[test]
fn memory_that_cannot_be_had() {
    let error = BloomFilter::new(1 << 48, 1e-9).unwrap_err(); // 1.5 PB
    let code = if cfg!(target_pointer_width = "64") { "ERR_OUT_OF_MEMORY" } else { "ERR_TOO_LARGE" };
    assert_eq!((error.code(), error.class()), (code, Class::Memory));
    let bytes = Params::new(1 << 48, 1e-9, 0, LayoutChoice::Auto).unwrap().num_bits() / 8;
    assert!(error.to_string().contains(&bytes.to_string()), "{error}");
}

/// 10^12 keys: 1.3 TB. A system that promises memory it does not have may give even that.
#[test]
fn a_trillion_keys() {
    let bytes = Params::new(1_000_000_000_000, 0.01, 0, LayoutChoice::Auto).unwrap().num_bits() / 8;
    match BloomFilter::new(1_000_000_000_000, 0.01) {
        Err(error) if cfg!(target_pointer_width = "32") => {
            let sentence = format!("size: expected at most as many bytes as this platform can address, got {bytes}");
            check::<()>(Err(error), Class::Memory, "ERR_TOO_LARGE", &sentence);
        }
        Err(error) => {
            let sentence = format!("memory: expected this many free bytes: {bytes}, got fewer");
            check::<()>(Err(error), Class::Memory, "ERR_OUT_OF_MEMORY", &sentence);
        }
        Ok(filter) => {
            let overcommit = std::fs::read_to_string("/proc/sys/vm/overcommit_memory").unwrap_or_default();
            assert!(cfg!(target_pointer_width = "64") && overcommit.trim() != "2", "{filter:?} on a small machine");
        }
    }
}

/// Between what usize can count and what the allocator may be asked for.
#[test]
#[cfg(target_pointer_width = "32")]
fn four_gigabytes_on_32_bits() {
    for capacity in [1_800_000_000, 3_300_000_000, 3_500_000_000, 100_000_000_000] {
        assert_eq!(BloomFilter::new(capacity, 0.01).unwrap_err().code(), "ERR_TOO_LARGE");
    }
}

#[test]
fn errors_of_the_bindings_are_born_here() {
    let key = Class::KeyType;
    let expected = "key: expected text, bytes or an integer, got";
    for (name, hint) in [
        ("UUID", "pass its .bytes"),
        ("bool", "pass int(key) or its text"),
        ("float", "ids that became floats: convert them back (in pandas: astype(\"Int64\")), else pass their text"),
        ("NoneType", "leave missing values out"),
        ("undefined", "leave missing values out"),
        ("Whatever", "pass its text or its bytes"),
    ] {
        check::<()>(Err(Error::key_type(name)), key, "ERR_KEY_TYPE", &format!("{expected} {name}; {hint}"));
    }
    assert_eq!(Error::key_fraction(), Error::key_type("float"));
    assert_eq!((Error::key_range().code(), Error::key_range().class()), ("ERR_KEY_RANGE", key));
    assert_eq!((Error::key_unsafe_integer().code(), Error::key_unsafe_integer().class()), ("ERR_KEY_RANGE", key));
    assert_eq!((Error::key_surrogate().code(), Error::key_surrogate().class()), ("ERR_KEY_SURROGATE", key));
    assert_eq!((Error::freed().code(), Error::freed().class()), ("ERR_FREED", Class::State));
    assert_eq!(Error::unsupported("share").class(), Class::Unsupported);
    assert_eq!(Error::unsupported("share").code(), "ERR_UNSUPPORTED");
    check::<()>(Err(Error::io("save", "disk full")), Class::Io, "ERR_IO", "save: expected success, got disk full");
    let sentence = "capacity: expected an integer, got a str";
    argument::<()>(Err(Error::argument_type("capacity", "an integer", "a str")), "ERR_ARGUMENT_TYPE", sentence);
}

//! The golden vectors in Rust: every file built again and read, every bad file refused, every table recomputed.
//!
//! The same tests run on 32-bit (i686) and big-endian (s390x) targets; the work is in `tepal_vectors::golden`.
use tepal_vectors::golden::Golden;

fn golden() -> Golden {
    Golden::open(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn scalable() -> Golden {
    Golden::scalable(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

#[test]
fn every_scalable_file_is_built_again_to_the_byte() {
    assert!(scalable().build_again() >= 60);
}

#[test]
fn every_scalable_file_is_read_with_its_facts_and_answers() {
    assert!(scalable().read() >= 60);
}

#[test]
fn every_malformed_scalable_file_has_its_code() {
    assert!(scalable().refuse() >= 120);
}

#[test]
fn payloads_of_other_libraries_are_read_refused_and_written() {
    assert!(scalable().exchange() >= 180);
}

#[test]
fn every_mistake_with_a_scalable_filter_has_its_code() {
    assert!(scalable().growing_mistake() >= 150);
}

#[test]
fn every_file_is_built_again_to_the_byte() {
    assert!(golden().build_again() >= 50);
}

#[test]
fn every_file_is_read_with_its_facts_and_answers() {
    assert!(golden().read() >= 50);
}

#[test]
fn every_malformed_file_has_its_code() {
    assert!(golden().refuse() >= 40);
}

#[test]
fn hashes() {
    assert!(golden().hash() >= 300);
}

#[test]
fn sizes() {
    assert!(golden().size() >= 1000);
}

#[test]
fn addresses_of_filters_too_large_to_allocate() {
    assert!(golden().address() >= 28);
}

#[test]
fn every_mistake_has_its_code() {
    assert!(golden().mistake() >= 80);
}

/// A stream says what a whole file says: the same filter, the same code, whether or not its length is known.
#[test]
#[cfg(feature = "std")]
fn streams_are_read_and_refused_like_bytes() {
    use tepal::BloomFilter;
    for (name, bytes, seed) in golden().good_files() {
        let mut input = [&bytes[..], b"next"].concat();
        let mut rest = &input[..];
        let filter = BloomFilter::read_from(&mut rest, seed, None).unwrap();
        assert_eq!(rest, b"next", "{name}: what follows is left unread");
        input.clear();
        match name.starts_with("withheld") {
            true => input = filter.to_bytes_without_seed().unwrap(),
            false => filter.write_to(&mut input).unwrap(),
        }
        assert!(input == bytes, "{name}");
    }
    for (name, bytes, seed, code) in golden().bad_files() {
        let known = BloomFilter::read_from(&mut &bytes[..], seed, Some(bytes.len() as u64));
        assert_eq!(known.unwrap_err().code(), code, "{name}");
        let unknown = BloomFilter::read_from(&mut &bytes[..], seed, None);
        match code.as_str() {
            "ERR_TRAILING" => assert!(unknown.is_ok(), "{name}: the rest belongs to somebody else"),
            code => assert_eq!(unknown.unwrap_err().code(), code, "{name}"),
        }
    }
}

#[test]
#[cfg(feature = "std")]
fn streams_of_scalable_filters_are_read_and_refused_like_bytes() {
    use tepal::ScalableBloomFilter;
    for (name, bytes, seed) in scalable().good_files() {
        let input = [&bytes[..], b"next"].concat();
        let mut rest = &input[..];
        let filter = ScalableBloomFilter::read_from(&mut rest, seed, None).unwrap();
        assert_eq!(rest, b"next", "{name}: what follows is left unread");
        let mut again = Vec::new();
        match seed {
            Some(_) => again = filter.to_bytes_without_seed().unwrap(),
            None => filter.write_to(&mut again).unwrap(),
        }
        assert!(again == bytes, "{name}");
    }
    for (name, bytes, seed, code) in scalable().bad_files() {
        let known = ScalableBloomFilter::read_from(&mut &bytes[..], seed, Some(bytes.len() as u64));
        assert_eq!(known.unwrap_err().code(), code, "{name}");
        let unknown = ScalableBloomFilter::read_from(&mut &bytes[..], seed, None);
        match code.as_str() {
            "ERR_TRAILING" => assert!(unknown.is_ok(), "{name}: the rest belongs to somebody else"),
            "ERR_TRUNCATED" => assert!(unknown.is_err(), "{name}: what is there may be wrong before the end is met"),
            code => assert_eq!(unknown.unwrap_err().code(), code, "{name}"),
        }
    }
}

/// Bytes of any kind become a filter of their kind.
#[test]
fn any_kind_is_told_apart() {
    use tepal::AnyFilter;
    for (name, bytes, seed) in golden().good_files() {
        if seed.is_none() {
            assert!(matches!(tepal::from_bytes(&bytes), Ok(AnyFilter::Bloom(_))), "{name}");
        }
        assert!(tepal::ScalableBloomFilter::from_bytes(&bytes).is_err_and(|e| e.code() == "ERR_KIND"), "{name}");
    }
    for (name, bytes, seed) in scalable().good_files() {
        if seed.is_none() {
            assert!(matches!(tepal::from_bytes(&bytes), Ok(AnyFilter::Scalable(_))), "{name}");
        }
        assert!(tepal::BloomFilter::from_bytes(&bytes).is_err_and(|e| e.code() == "ERR_KIND"), "{name}");
    }
}

//! Any bytes are a scalable filter or an error, in every reader alike, and a filter gives back the very same bytes.
//!
//! Half of the inputs get their three checksums mended first: behind an honest checksum are the checks that matter.
#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use tepal::{checksum, ScalableBloomFilter};

fuzz_target!(|data: &[u8]| {
    check(data);
    if let Some(mended) = mend(data) {
        check(&mended);
    }
});

/// The checksums of header, table and body as a writer would have put them; the places are FORMAT.md's.
fn mend(data: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = data.to_vec();
    let offset = u32::from_le_bytes(bytes.get(20..24)?.try_into().ok()?) as usize;
    let end = bytes.len().checked_sub(64).filter(|end| (32..=*end).contains(&offset))?;
    let mut seal = |at: usize, from: usize, to: usize| {
        bytes[at..at + 8].fill(0); // the table's checksum is taken over itself as zero
        let sum = checksum(&bytes[from..to]);
        bytes[at..at + 8].copy_from_slice(&sum.to_le_bytes());
    };
    seal(offset - 8, 0, offset - 8);
    let levels = u32::from_le_bytes(data.get(offset..offset + 4)?.try_into().ok()?) as usize;
    let table_end = offset + 64 * (1 + levels);
    if table_end <= end {
        seal(offset + 56, offset, table_end);
    }
    seal(end + 8, offset, end);
    Some(bytes)
}

fn check(data: &[u8]) {
    let owned = ScalableBloomFilter::from_bytes(data);
    let code = owned.as_ref().err().map(|error| error.code());

    // A reader of a stream, its length known or not, says the same (but leaves what follows a filter unread, and meets the table
    // before the trailer).
    let known = ScalableBloomFilter::read_from(&mut &data[..], None, Some(data.len() as u64));
    let known_code = known.as_ref().err().map(|error| error.code());
    assert!(
        known_code == code || code == Some("ERR_TRAILER") && known_code.is_some(),
        "read_from: {known_code:?}, {code:?}"
    );
    let stream = ScalableBloomFilter::read_from(&mut &data[..], None, None);
    assert!(code.is_some() || stream.is_ok(), "a stream is refused that from_bytes takes");

    // A view looks at header and table alone; verify() does the rest. What is not verified may be asked too.
    let view = ScalableBloomFilter::from_shared(Arc::new(data.to_vec()), None);
    if let Ok(unverified) = &view {
        use_it(unverified);
    }
    let view = view.and_then(|view| view.verify().map(|()| view));
    assert_eq!(view.as_ref().err().map(|error| error.code()), code, "from_shared differs");

    match owned {
        Ok(filter) => {
            use_it(&filter);
            assert!((0.0..=1.0).contains(&filter.fill_ratio()) && (0.0..=1.0).contains(&filter.estimated_fpr()));
            let bytes = filter.to_bytes().expect("what was read can be written");
            assert_eq!(bytes, data, "not the bytes that were read");
            assert!(filter == view.expect("checked above"));
            let copy = filter.copy().expect("what was read can be copied");
            assert!(copy == filter);
            let _ = filter.union(&copy).map(|both| use_it(&both));
            grow(&filter);
        }
        Err(error) => {
            // The sentence is made of untrusted numbers.
            assert!(!error.to_string().is_empty());
        }
    }
}

fn use_it(filter: &ScalableBloomFilter) {
    let levels = filter.levels();
    assert_eq!(levels.len() as u64, filter.filter_count());
    assert!(!filter.saturation().is_nan());
    let _ =
        (filter.estimated_count(), filter.info(), filter.max_scaled_capacity(), filter.seed(), filter.inserted_count());
    let _ = (filter.to_redisbloom(), filter.to_valkey_load(), filter.to_valkey_dump());
    for key in [&b""[..], b"key", &[0xff; 300]] {
        assert_eq!(filter.contains_many([key, b"other"]), [filter.contains(key), filter.contains("other")]);
    }
}

/// A few more keys, unless the next level would be too large to make here.
fn grow(filter: &ScalableBloomFilter) {
    let last = filter.levels().pop().expect("at least one level");
    let next = last.capacity.saturating_mul(filter.expansion().unwrap_or(0) as u64);
    if next > 10_000 {
        return;
    }
    for i in 0..50u64 {
        match filter.insert(i) {
            Ok(_) => assert!(filter.contains(i)),
            Err(error) => assert!(
                ["ERR_FULL", "ERR_MEMORY_LIMIT", "ERR_FPR_UNDERFLOW", "ERR_TOO_LARGE", "ERR_READ_ONLY"]
                    .contains(&error.code()),
                "{error}"
            ),
        }
    }
}

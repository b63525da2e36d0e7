//! Any bytes are a filter or an error, in every reader alike, and a filter gives back the very same bytes.
//!
//! Half of the inputs get their checksums mended first: behind an honest checksum are the checks that matter.
#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use tepal::checksum;
use tepal::{BloomFilter, Body};

fuzz_target!(|data: &[u8]| {
    check(data);
    if let Some(mended) = mend(data) {
        check(&mended);
    }
});

/// The header's and the body's checksums as a writer would have put them; the places are FORMAT.md's.
fn mend(data: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = data.to_vec();
    let offset = u32::from_le_bytes(bytes.get(20..24)?.try_into().ok()?) as usize;
    let end = bytes.len().checked_sub(64).filter(|end| (32..=*end).contains(&offset))?;
    let header = checksum(&bytes[..offset - 8]);
    bytes[offset - 8..offset].copy_from_slice(&header.to_le_bytes());
    let body = checksum(&bytes[offset..end]);
    bytes[end + 8..end + 16].copy_from_slice(&body.to_le_bytes());
    Some(bytes)
}

fn check(data: &[u8]) {
    let owned = BloomFilter::from_bytes(data);
    let code = owned.as_ref().err().map(|error| error.code());

    // A reader of a stream, its length known or not, says the same (but leaves what follows a filter unread).
    let known = BloomFilter::read_from(&mut &data[..], None, Some(data.len() as u64));
    assert_eq!(known.as_ref().err().map(|error| error.code()), code, "read_from differs");
    let stream = BloomFilter::read_from(&mut &data[..], None, None);
    assert!(code.is_some() || stream.is_ok(), "a stream is refused that from_bytes takes");

    // A view looks at the header alone; verify() does the rest.
    let view = BloomFilter::view(data).and_then(|view| view.verify(data).map(|()| view));
    assert_eq!(view.as_ref().err().map(|error| error.code()), code, "view differs");
    let shared = BloomFilter::from_shared(Arc::new(data.to_vec()), None).and_then(|it| it.verify().map(|()| it));
    assert_eq!(shared.as_ref().err().map(|error| error.code()), code, "from_shared differs");

    // What is not verified may be asked too: any answer, never a panic.
    if let Ok(unverified) = BloomFilter::view(data) {
        use_it(&unverified);
    }
    match owned {
        Ok(filter) => {
            use_it(&filter);
            let bytes = filter.to_bytes().expect("what was read can be written");
            // A seed that was withheld is not in the bytes, so there they may differ.
            assert_eq!(bytes, data, "not the bytes that were read");
            assert!(filter == view.expect("checked above"));
            let _ = filter.insert("key");
            assert!(filter.contains("key"));
        }
        Err(error) => {
            // The sentence is made of untrusted numbers.
            assert!(!error.to_string().is_empty());
        }
    }
}

fn use_it<B: Body>(filter: &BloomFilter<B>) {
    let _ = (filter.seed(), filter.capacity(), filter.fpr(), filter.layout().name(), filter.num_probes());
    assert_eq!(filter.num_bits(), filter.num_lines() * 512);
    assert!((0.0..=1.0).contains(&filter.fill_ratio()));
    assert!((0.0..=1.0).contains(&filter.estimated_fpr()));
    assert!(!filter.saturation().is_nan());
    let _ = filter.estimated_count();
    for (name, value) in filter.metadata().iter() {
        assert_eq!(filter.metadata().get(name), Some(value));
    }
    for key in [&b""[..], b"key", &[0xff; 300]] {
        assert_eq!(filter.contains(key), filter.explain(key).contained);
    }
    assert_eq!(filter.contains_many([1u64, 2, 3]), [1u64, 2, 3].map(|key| filter.contains(key)));
}

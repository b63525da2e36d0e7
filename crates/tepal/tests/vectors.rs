//! The golden vectors in Rust: every file built again and read, every bad file refused, every table recomputed.
//!
//! The same tests run on 32-bit (i686) and big-endian (s390x) targets; the work is in `tepal_vectors::golden`.
use tepal_vectors::golden::Golden;

fn golden() -> Golden {
    Golden::open(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
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

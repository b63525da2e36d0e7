//! Linker arguments for an addon whose symbols come from the Node process that loads it.
fn main() {
    napi_build::setup();
}

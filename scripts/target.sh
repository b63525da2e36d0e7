# Sourced after lib.sh by the scripts that build for another target: finds a Rust with a standard library for it.
# rustup's ready-made one is taken where it is there or can be fetched. Elsewhere Debian's rustc-web packages bring a
# second compiler and the library's source, and cargo builds the library as part of the build. Both use one Cargo.lock.
# TEPAL_STD=debian takes the second way everywhere.
# shellcheck shell=bash

# has_std TRIPLE: rustup's (or the distribution's) compiler can build for it, perhaps after fetching.
has_std() {
  [ "${TEPAL_STD:-}" != debian ] || return 1
  have rustc || return 1
  [ -d "$(rustc --print target-libdir --target "$1" 2>/dev/null)" ] && return 0
  have rustup || return 1
  # A failure is remembered for a day: a closed network may take its time to say no.
  [ -n "$(find ".cache/no-std-$1" -mmin -1440 2>/dev/null)" ] && return 1
  timeout 90 rustup target add "$1" >/dev/null 2>&1 && return 0
  touch ".cache/no-std-$1"
  return 1
}

# use_target TRIPLE CRATES: sets the arrays `cargo` (the program) and `std_args` (options to append) and the variable
# `out` (where artefacts land, without the profile). CRATES is the part of std to build, should it come to that.
use_target() {
  if has_std "$1"; then
    cargo=(cargo)
    std_args=(--target "$1")
    out=$CARGO_TARGET_DIR/$1
  else
    apt_need rustc-web cargo-web rust-web-src rust-web-llvm lld-22
    # Artefacts of the two compilers must not meet: each has a directory.
    export CARGO_TARGET_DIR=$CARGO_TARGET_DIR/web
    # rustup's programs come first on PATH, so both are named in full. BOOTSTRAP unlocks -Zbuild-std.
    cargo=(env -u RUSTUP_TOOLCHAIN RUSTC_BOOTSTRAP=1 RUSTC=/usr/bin/rustc RUSTDOC=/usr/bin/rustdoc /usr/bin/cargo)
    std_args=(--target "$1" "-Zbuild-std=$2" -Zbuild-std-features=)
    out=$CARGO_TARGET_DIR/$1
  fi
}

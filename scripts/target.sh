# Sourced after lib.sh by the scripts that build for another target: finds a Rust with a standard library for it.
# rustup's is taken where it is there or can be fetched. Elsewhere Debian's rustc-web packages bring a second compiler
# and the library's source, and cargo builds the library as part of the build. Both use one Cargo.lock.
# TEPAL_STD=debian takes the second way everywhere.
# shellcheck shell=bash

debian=(rustc-web cargo-web rust-web-src rust-web-llvm lld-22)

# A failed download is remembered for a day: a closed network may take its time to say no.
failed_lately() { [ -n "$(find ".cache/no-$1" -mmin -1440 2>/dev/null)" ]; }

# fetched NAME COMMAND…: the download worked, now or not at all today.
fetched() {
  local name=$1
  shift
  have rustup && ! failed_lately "$name" || return 1
  timeout 90 "$@" >/dev/null 2>&1 && return 0
  touch ".cache/no-$name"
  return 1
}

# has_std TRIPLE: the installed compiler has a ready-made library for it, perhaps after fetching.
has_std() {
  [ "${TEPAL_STD:-}" != debian ] && have rustc || return 1
  [ -d "$(rustc --print target-libdir --target "$1" 2>/dev/null)" ] || fetched "std-$1" rustup target add "$1"
}

# has_source: the installed compiler can build the library itself, perhaps after fetching its source.
has_source() {
  [ "${TEPAL_STD:-}" != debian ] && have rustc || return 1
  # Compilers before 1.92 spell this option another way.
  RUSTC_BOOTSTRAP=1 rustc -Zunstable-options -Cpanic=immediate-abort --print cfg >/dev/null 2>&1 || return 1
  [ -e "$(rustc --print sysroot)/lib/rustlib/src/rust/library/Cargo.lock" ] || fetched rust-src rustup component add rust-src
}

# use_debian TRIPLE: Debian's compiler, without a library. The callers say what of it to build.
use_debian() {
  apt_need "${debian[@]}"
  # rustup's programs come first on PATH, so Debian's are named in full. BOOTSTRAP unlocks -Zbuild-std.
  cargo=(env -u RUSTUP_TOOLCHAIN RUSTC_BOOTSTRAP=1 RUSTC=/usr/bin/rustc RUSTDOC=/usr/bin/rustdoc /usr/bin/cargo)
  # Artefacts of two compilers must not meet.
  export CARGO_TARGET_DIR=$CARGO_TARGET_DIR/web
}

# use_target TRIPLE CRATES: sets the arrays `cargo` (the program) and `std_args` (options to append) and the variable
# `out` (where artefacts land, without the profile). CRATES is the part of std to build, should it come to that.
use_target() {
  std_args=(--target "$1")
  if has_std "$1"; then
    cargo=(cargo)
  else
    use_debian "$1"
    std_args+=("-Zbuild-std=$2" -Zbuild-std-features=)
  fi
  out=$CARGO_TARGET_DIR/$1
}

# use_small_target TRIPLE: the same for the smallest code there is. core and alloc are built with the crate, for size,
# and a panic is one trap without its sentence, which nobody could read there anyway: a quarter of the module.
use_small_target() {
  if has_source; then
    cargo=(env RUSTC_BOOTSTRAP=1 cargo)
    export CARGO_TARGET_DIR=$CARGO_TARGET_DIR/small
  elif have apt-get && (apt_need "${debian[@]}"); then
    use_debian "$1"
  else
    # The ready-made library makes the same module, only larger.
    use_target "$1" core,alloc
    return
  fi
  std_args=(--target "$1" -Zbuild-std=core,alloc -Zbuild-std-features=optimize_for_size)
  local flags=CARGO_TARGET_${1//-/_}_RUSTFLAGS
  export "${flags^^}=-Zunstable-options -Cpanic=immediate-abort"
  out=$CARGO_TARGET_DIR/$1
}

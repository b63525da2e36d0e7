#!/usr/bin/env bash
# Fuzzes every reader, and the core's operations, for SECONDS each (default 20): scripts/fuzz.sh [SECONDS] [TARGET…]
# Targets: from_bytes, scalable, foreign and ops (cargo fuzz), python, node. What was found before is kept in .cache/fuzz/ and tried first.
. "$(dirname "$0")/lib.sh"

seconds=${1:-20}
shift || true
[ $# -gt 0 ] || set -- from_bytes scalable foreign ops python node

core() {
  scripts/setup-rust.sh
  local tools=$root/.cache/tools
  if [ ! -x "$tools/bin/cargo-fuzz" ]; then
    echo "installing cargo-fuzz" >&2
    CARGO_TARGET_DIR=$root/.cache/tools/target quietly cargo install --debug cargo-fuzz --version 0.13.2 --root "$tools"
    rm -rf "$tools/target"
  fi
  # libFuzzer is C++.
  have c++ || apt_need g++
  local corpus=.cache/fuzz/$1
  mkdir -p "$corpus"
  [ "$1" != from_bytes ] || cp -n tests/vectors/v1/*.tepal tests/vectors/v1/malformed/*.tepal "$corpus"
  [ ! -d "crates/tepal/fuzz/seeds/$1" ] || cp -n "crates/tepal/fuzz/seeds/$1"/* "$corpus"
  # The sanitizers want an unstable compiler, or a stable one that is told to act as one.
  local -x PATH=$tools/bin:$PATH RUSTC_BOOTSTRAP=1 CARGO_TARGET_DIR=$root/target/fuzz
  reported cargo fuzz run --fuzz-dir crates/tepal/fuzz "$1" "$corpus" -- -max_total_time="$seconds" -max_len=16384 \
    -rss_limit_mb=1024 -malloc_limit_mb=256
}

# reported CMD…: of all that libFuzzer says, the last line; everything if it found something.
reported() {
  local log
  log=$(mktemp)
  "$@" >"$log" 2>&1 || { cat "$log" && exit 1; }
  grep '^Done' "$log"
  rm -f "$log"
}

for target in "$@"; do
  echo "-- $target, $seconds s"
  case $target in
    from_bytes | scalable | foreign | ops) core "$target" ;;
    python)
      scripts/install-wheel.sh
      reported "$py" python/tests/fuzz_reader.py -max_total_time="$seconds"
      ;;
    node)
      . scripts/package.sh
      node npm/test/fuzz_reader.mjs "$seconds"
      ;;
    *) die "no such target: $target" ;;
  esac
done

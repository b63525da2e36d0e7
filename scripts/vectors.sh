#!/usr/bin/env bash
# The committed golden files equal, to the byte, what the generator writes today.
. "$(dirname "$0")/lib.sh"
scripts/setup-rust.sh

cargo run --quiet --locked --release -p tepal-vectors -- --check

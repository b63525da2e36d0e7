#!/usr/bin/env bash
# The promise in figures: every layout and rate from 1 to 10^7 keys, measured beside predicted. Prints the table.
. "$(dirname "$0")/lib.sh"
scripts/setup-rust.sh

cargo test --quiet --locked --release -p tepal --test accuracy -- --include-ignored --nocapture --test-threads 1

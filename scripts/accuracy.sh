#!/usr/bin/env bash
# The promise in figures: every layout and rate from 1 to 10^7 keys, and growing filters at every step; measured beside predicted.
. "$(dirname "$0")/lib.sh"
scripts/setup-rust.sh

cargo test --quiet --locked --release -p tepal --test accuracy --test accuracy_scalable -- --include-ignored --nocapture --test-threads 1

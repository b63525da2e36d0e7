#!/usr/bin/env bash
# The tests of the core and of the vectors, examples in the documentation included.
. "$(dirname "$0")/lib.sh"
scripts/setup-rust.sh

cargo test --quiet --locked "$@"

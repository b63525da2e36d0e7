#!/usr/bin/env bash
# Every language builds filters and reads every other's: equal bytes, answers and errors; the same names everywhere.
. "$(dirname "$0")/lib.sh"
scripts/setup-rust.sh
scripts/setup-browser.sh
scripts/setup-node.sh
scripts/dist.sh

tests/cross/run.sh "$@"

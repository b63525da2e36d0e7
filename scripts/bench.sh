#!/usr/bin/env bash
# The core, Python and JavaScript beside other libraries, in one run on this machine; a table with ratios.
. "$(dirname "$0")/lib.sh"
scripts/setup-rust.sh
scripts/dist.sh

exec bench/run.sh "$@"

#!/usr/bin/env bash
# The code of the README, run in all three languages with what dist/ installs.
. "$(dirname "$0")/lib.sh"
scripts/setup-rust.sh
scripts/install-wheel.sh
. scripts/package.sh

"$py" tests/readme/run.py "$py" "$TEPAL_PACKAGE/node_modules"

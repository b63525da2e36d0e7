#!/usr/bin/env bash
# The code of the README and of docs/, run in all three languages with what dist/ installs, against real servers.
. "$(dirname "$0")/lib.sh"
scripts/setup-rust.sh
scripts/setup-servers.sh
scripts/install-wheel.sh
. scripts/package.sh

# The clients of servers that the pages import stand in npm/node_modules.
"$py" tests/readme/run.py "$py" "$TEPAL_PACKAGE/node_modules:npm/node_modules" README.md docs/from-valkey-and-redisbloom.md

#!/usr/bin/env bash
# The demo's own tests, and a browser that uses the page as visitors do.
. "$(dirname "$0")/lib.sh"

scripts/dist.sh
scripts/setup-browser.sh
exec examples/username-precheck/test.sh "$@"

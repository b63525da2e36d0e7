#!/usr/bin/env bash
# Builds wheel and npm package, then hands over to the demo, which installs both as a user would and serves the page.
. "$(dirname "$0")/lib.sh"

scripts/dist.sh
exec examples/username-precheck/run.sh "$@"

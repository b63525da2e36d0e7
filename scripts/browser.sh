#!/usr/bin/env bash
# The npm package, installed from the tarball, in Chromium.
. "$(dirname "$0")/lib.sh"
. scripts/package.sh
scripts/setup-browser.sh

npm --prefix npm run --silent test:browser

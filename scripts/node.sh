#!/usr/bin/env bash
# The npm package, installed from the tarballs: its tests on the addon and on wasm, and how it is packed.
. "$(dirname "$0")/lib.sh"
. scripts/package.sh

npm --prefix npm run --silent test
npm --prefix npm run --silent test:package

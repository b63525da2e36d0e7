#!/usr/bin/env bash
# Installs npm/'s pinned development tools (TypeScript, esbuild, wasm-opt …). Quick when nothing changed.
. "$(dirname "$0")/lib.sh"

have npm || die "npm is missing: install Node.js (20 or newer) first"
lock setup-node
want=$(digest "" npm/package-lock.json)
if [ ! -x npm/node_modules/.bin/tsc ] || ! fresh node_modules "$want"; then
  quietly npm --prefix npm ci
  mark node_modules "$want"
fi

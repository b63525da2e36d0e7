#!/usr/bin/env bash
# What is shipped stays small. A page pays for the npm entry, bundled and gzipped, and for nothing else.
. "$(dirname "$0")/lib.sh"
. scripts/package.sh

# check WHAT BYTES WANTED LIMIT: over WANTED is said, over LIMIT fails. kB are 1000 bytes.
failed=0
check() {
  local verdict=ok
  [ "$2" -le "$3" ] || verdict="over $(($3 / 1000)) kB"
  [ "$2" -le "$4" ] || { verdict="TOO LARGE" && failed=1; }
  printf '%-44s %8d bytes  (at most %d kB)  %s\n' "$1" "$2" $(($3 / 1000)) "$verdict"
}
gzipped() { gzip -9c "$@" | wc -c; }

installed=$TEPAL_PACKAGE/node_modules/tepal
check "wasm module, gzipped" "$(gzipped "$installed/dist/tepal.wasm")" 22000 22000
# As a bundler takes it: everything exported is used.
entry=$(mktemp -d)
trap 'rm -rf "$entry"' EXIT
echo 'export * from "tepal";' >"$entry/page.js"
NODE_PATH=$TEPAL_PACKAGE/node_modules npm/node_modules/.bin/esbuild "$entry/page.js" --bundle --minify --format=esm \
  --platform=browser --log-level=error --outfile="$entry/out.js"
check "npm entry for the browser, gzipped" "$(gzipped "$entry/out.js")" 36000 45000
for wheel in dist/*.whl; do
  check "wheel" "$(stat -c %s "$wheel")" 600000 600000
done
for tarball in dist/*.tgz; do
  printf '%-44s %8d bytes\n' "$(basename "$tarball")" "$(stat -c %s "$tarball")"
done
exit $failed

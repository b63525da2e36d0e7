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
# A module a class: a page pays for those that it uses.
check "wasm of BloomFilter, gzipped" "$(gzipped "$installed/dist/tepal.wasm")" 22000 22000
check "wasm of ScalableBloomFilter, gzipped" "$(gzipped "$installed/dist/tepal-scalable.wasm")" 34000 36000
check "the same with servers' schemes, gzipped" "$(gzipped "$installed/dist/tepal-schemes.wasm")" 48000 51000

entry=$(mktemp -d)
trap 'rm -rf "$entry"' EXIT
# page LINE: what a page of this line costs, bundled and gzipped.
page() {
  echo "$1" >"$entry/page.js"
  NODE_PATH=$TEPAL_PACKAGE/node_modules npm/node_modules/.bin/esbuild "$entry/page.js" --bundle --minify --format=esm \
    --platform=browser --log-level=error --outfile="$entry/out.js"
  gzipped "$entry/out.js"
}
check "a page with BloomFilter, gzipped" "$(page 'export { BloomFilter } from "tepal";')" 36000 36000
# The first bytes of each module, deflated, as text: which of them are in the page?
carries() { grep -qF "$(node -e '
  const { deflateRawSync } = require("zlib");
  console.log(deflateRawSync(require("fs").readFileSync(process.argv[1]), { level: 9, memLevel: 9 }).toString("base64").slice(0, 200))' \
  "$installed/dist/$1.wasm")" "$entry/out.js"; }
carries tepal || die "the page does not carry the module of BloomFilter"
! carries tepal-scalable || die "a page with BloomFilter alone carries the module of ScalableBloomFilter"
check "a page with ScalableBloomFilter, gzipped" "$(page 'export { ScalableBloomFilter } from "tepal";')" 49000 52000
carries tepal-scalable || die "the page does not carry the module of ScalableBloomFilter"
! carries tepal-schemes || die "a page carries the schemes of servers, which it does not use"
check "a page with everything, gzipped" "$(page 'export * from "tepal";')" 75000 80000
check "a page with servers' schemes, gzipped" "$(page 'export * from "tepal/schemes";')" 90000 95000
for wheel in dist/*.whl; do
  check "wheel" "$(stat -c %s "$wheel")" 600000 600000
done
for tarball in dist/*.tgz; do
  printf '%-44s %8d bytes\n' "$(basename "$tarball")" "$(stat -c %s "$tarball")"
done
exit $failed

# Sourced after lib.sh by the tests of the npm package: installs the tarballs of dist/ as a user would, into a folder of
# their own, and names it in TEPAL_PACKAGE.
# shellcheck shell=bash

scripts/setup-node.sh
scripts/dist.sh
export TEPAL_PACKAGE=$root/.cache/package
want=$(digest "" dist/*.tgz)
if ! fresh package "$want"; then
  rm -rf "$TEPAL_PACKAGE"
  mkdir -p "$TEPAL_PACKAGE"
  echo '{ "private": true }' >"$TEPAL_PACKAGE/package.json"
  tarballs=("$root"/dist/*.tgz)
  quietly npm --prefix "$TEPAL_PACKAGE" install --offline --no-save "${tarballs[@]}"
  mark package "$want"
fi

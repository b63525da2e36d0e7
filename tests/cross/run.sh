#!/usr/bin/env bash
# The same scripts in Rust, Python, Node (addon, wasm, both as a user has it), Chromium and the oracle: equal bytes, answers, errors.
# Python and npm packages come from dist/, installed as a user would; TEPAL_PYTHON (an interpreter that has the wheel) and TEPAL_PACKAGE
# (a folder whose node_modules has the package) name installations that are there already.
. "$(dirname "$0")/../../scripts/lib.sh"

shopt -s nullglob
wheels=(dist/*.whl) tarballs=(dist/*.tgz)
if [ -z "${TEPAL_PYTHON:-}" ] || [ -z "${TEPAL_PACKAGE:-}" ]; then
  [ ${#wheels[@]} = 1 ] && [ ${#tarballs[@]} -ge 1 ] || die "nothing to install in dist/: make dist"
  want=$(digest "" "${wheels[@]}" "${tarballs[@]}")
  if ! fresh cross "$want"; then
    rm -rf .cache/cross
    mkdir -p .cache/cross/package
    quietly python3 -m venv .cache/cross/venv
    quietly .cache/cross/venv/bin/python -m pip install -q --no-index --no-deps "${wheels[@]}"
    echo '{"private": true}' >.cache/cross/package/package.json
    quietly npm --prefix .cache/cross/package install --offline --no-save "${tarballs[@]/#/$root/}"
    mark cross "$want"
  fi
fi
export TEPAL_PYTHON=${TEPAL_PYTHON:-$root/.cache/cross/venv/bin/python}
export TEPAL_PACKAGE=${TEPAL_PACKAGE:-$root/.cache/cross/package}

cargo build --quiet --locked --release -p tepal-vectors
python3 tests/cross/run.py \
  "rust=$CARGO_TARGET_DIR/release/tepal-vectors run" \
  "python=$TEPAL_PYTHON tests/cross/adapter.py" \
  "node=node tests/cross/node.mjs both" \
  "node-native=node tests/cross/node.mjs native" \
  "node-wasm=node tests/cross/node.mjs wasm" \
  "chromium-wasm=node tests/cross/chromium.mjs" \
  "oracle=python3 tests/oracle/script.py"
python3 tests/surface/check.py
scripts/setup-python.sh
"$py" -m pytest -q tests/cross tests/surface

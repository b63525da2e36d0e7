#!/usr/bin/env bash
# The recipes, with the wheel and the npm package of dist/: their tests, and that they print what their page says.
. "$(dirname "$0")/lib.sh"
scripts/install-wheel.sh
. scripts/package.sh

(cd .cache && "$py" -m pytest -q -p no:cacheprovider --rootdir "$root/examples/recipes" "$root/examples/recipes" "$@")
"$py" tests/readme/run.py "$py" "$TEPAL_PACKAGE/node_modules" examples/recipes/README.md

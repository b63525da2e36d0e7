#!/usr/bin/env bash
# The wheel from dist/, installed as a user would install it: its tests, and its stubs against what is in it.
. "$(dirname "$0")/lib.sh"
scripts/install-wheel.sh

(cd python && "$py" -m mypy)
# From another folder, so that only the installed package can be found.
cd .cache
"$py" -m mypy.stubtest tepal._native --concise
"$py" -m pytest -c "$root/python/pyproject.toml" "$root/python/tests" "$@"

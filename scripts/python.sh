#!/usr/bin/env bash
# The wheel from dist/, installed as a user would install it: its tests, and its stubs against what is in it.
. "$(dirname "$0")/lib.sh"
scripts/setup-python.sh
scripts/dist.sh

want=$(digest "" dist/*.whl .cache/venv.stamp)
if ! fresh wheel "$want"; then
  quietly "$py" -m pip install -q --no-index --no-deps --force-reinstall dist/*.whl
  mark wheel "$want"
fi
# From another folder, so that only the installed package can be found.
cd .cache
"$py" -m mypy.stubtest tepal --concise
"$py" -m pytest -q -c "$root/python/pyproject.toml" "$root/python/tests" "$@"

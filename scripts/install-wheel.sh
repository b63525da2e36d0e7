#!/usr/bin/env bash
# The wheel from dist/ into .venv, as pip installs it for a user. Free when it is there already.
. "$(dirname "$0")/lib.sh"
scripts/setup-python.sh
scripts/dist.sh

want=$(digest "" dist/*.whl .cache/venv.stamp)
if ! fresh wheel "$want"; then
  quietly "$py" -m pip install -q --no-index --no-deps --force-reinstall dist/*.whl
  mark wheel "$want"
fi

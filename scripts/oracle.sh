#!/usr/bin/env bash
# The second implementation, plain Python written from FORMAT.md alone, recomputes every golden file.
. "$(dirname "$0")/lib.sh"
scripts/setup-python.sh

"$py" -m pytest -q tests/oracle "$@"

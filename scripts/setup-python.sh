#!/usr/bin/env bash
# Makes .venv with the pinned development tools of python/requirements-dev.txt. Quick when nothing changed.
. "$(dirname "$0")/lib.sh"

have python3 || die "python3 is missing: install Python (3.11 or newer) first"
lock setup-python
want=$(digest "" python/requirements-dev.txt)
if [ ! -x "$py" ] || ! fresh venv "$want"; then
  # Debian keeps what `venv` needs in a package of its own.
  python3 -c 'import ensurepip, venv' 2>/dev/null || apt_need python3-venv
  quietly python3 -m venv .venv
  quietly "$py" -m pip install -q -r python/requirements-dev.txt
  mark venv "$want"
fi

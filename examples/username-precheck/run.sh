#!/usr/bin/env bash
# The demo, from wheel and tarballs to the served page; arguments go to the server (`--port 3000`). Prints the address and,
# measured in this run, names, bytes, seconds and rate. The second start takes seconds.
. "$(dirname "$0")/prepare.sh"

cd "$demo"
exec node server/main.mjs "$@"

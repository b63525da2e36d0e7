#!/usr/bin/env bash
# The demo's tests: the rule in both languages, the builder, the server, types, and the page in Chromium with the real names.
. "$(dirname "$0")/prepare.sh"

cd "$demo"
echo "-- builder (pytest)"
"$cache/venv/bin/python" -m pytest -q
echo "-- types (tsc)"
node_modules/.bin/tsc --noEmit
echo "-- rule and server (node --test)"
node --test --test-reporter=dot normalise/ server/
echo "-- page (Chromium, real names)"
node --test --test-reporter=spec --test-concurrency=1 e2e/

#!/usr/bin/env bash
# tepal.redis and tepal/redis against real servers on loopback, from the wheel and the tarballs in dist/.
. "$(dirname "$0")/lib.sh"
scripts/setup-servers.sh
scripts/install-wheel.sh

(cd python && "$py" -m mypy tepal/redis tests_redis)
# From another folder, so that only the installed package can be found.
(cd .cache && "$py" -m pytest -c "$root/python/pyproject.toml" "$root/python/tests_redis" "$@")
if npm --prefix npm pkg get scripts.test:redis | grep -q '[a-z]'; then
  npm --prefix npm run --silent test:redis
fi

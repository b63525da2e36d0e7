# Sourced first by every script in this folder: strict mode, the checkout's root as working directory, and the few
# helpers they share. What a helper installs it installs only when missing, so a second run costs milliseconds.
# Everything stays inside the checkout (target/, .cache/, .venv/, npm/node_modules/) except Debian packages.
# shellcheck shell=bash

set -euo pipefail
shopt -s inherit_errexit
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
mkdir -p .cache

export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/target}
export PIP_DISABLE_PIP_VERSION_CHECK=1 npm_config_fund=false npm_config_audit=false npm_config_update_notifier=false

# The interpreter with the development tools (scripts/setup-python.sh makes it).
py=$root/.venv/bin/python

die() {
  echo "error: $*" >&2
  exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

# quietly CMD…: runs it; shows what it printed only when it fails.
quietly() {
  local log
  log=$(mktemp)
  if "$@" >"$log" 2>&1; then
    rm -f "$log"
  else
    local status=$?
    cat "$log" >&2
    rm -f "$log"
    return $status
  fi
}

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif have sudo; then
    sudo "$@"
  else
    die "this needs root, and there is no sudo: $*"
  fi
}

# apt_need PACKAGE…: installs the Debian packages that are missing, all in one go.
apt_need() {
  local package missing=()
  for package in "$@"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
  done
  [ ${#missing[@]} = 0 ] && return 0
  have apt-get || die "please install: ${missing[*]} (no apt-get here to do it)"
  echo "installing Debian packages: ${missing[*]}" >&2
  local lock=(-o DPkg::Lock::Timeout=600)
  # The lists are fetched once a day; a fresh machine has none.
  if [ -z "$(find .cache/apt-lists -mmin -1440 2>/dev/null)" ]; then
    quietly as_root apt-get "${lock[@]}" update -qq
    touch .cache/apt-lists
  fi
  quietly as_root env DEBIAN_FRONTEND=noninteractive apt-get "${lock[@]}" install -y -qq --no-install-recommends "${missing[@]}"
}

# lock NAME: one at a time from here to the end of the script, so that two commands can run side by side.
lock() {
  have flock || return 0
  local fd
  exec {fd}>".cache/$1.lock"
  flock "$fd"
}

# digest SALT PATH…: one hash over SALT and the names and contents of the source files below the paths.
digest() {
  {
    echo "$1"
    shift
    find "$@" \( -name node_modules -o -name target -o -name build -o -name dist -o -name '.*_cache' -o -name __pycache__ \
      -o -name .hypothesis \) -prune -o -type f ! -name '*.so' ! -name '*.node' -print0 |
      LC_ALL=C sort -z | xargs -0 sha256sum
  } | sha256sum | cut -d' ' -f1
}

# fresh NAME DIGEST / mark NAME DIGEST: was this made from that? Stamps live in .cache/.
fresh() { [ "$(cat ".cache/$1.stamp" 2>/dev/null)" = "$2" ]; }
mark() { echo "$2" >".cache/$1.stamp"; }

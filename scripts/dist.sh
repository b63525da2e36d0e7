#!/usr/bin/env bash
# Leaves in dist/ what is published: the wheel (wheel only, for this machine) and the npm tarballs (tepal, with the wasm
# module inside, and the package with the addon for this platform). Everything else installs from there. Free when nothing changed.
. "$(dirname "$0")/lib.sh"

lock dist
want=$(digest "${TEPAL_STD:-}" Cargo.toml Cargo.lock crates/tepal bindings python/tepal python/pyproject.toml python/README.md \
  python/requirements-dev.txt npm/package.json npm/package-lock.json npm/tsconfig.json npm/src npm/scripts README.md LICENSE* \
  scripts/dist.sh scripts/wasm.sh scripts/addon.sh scripts/target.sh)
if compgen -G "dist/*.whl" >/dev/null && compgen -G "dist/*.tgz" >/dev/null && fresh dist "$want"; then
  echo "dist/: up to date"
  exit 0
fi

scripts/setup-rust.sh
scripts/setup-python.sh
scripts/setup-node.sh
rm -f .cache/dist.stamp
mkdir -p dist
rm -f dist/*.whl dist/*.tgz

(cd python && quietly "$root/.venv/bin/maturin" build --release --locked --interpreter "$py" --out "$root/dist")
scripts/wasm.sh
scripts/addon.sh
quietly npm --prefix npm run build
quietly npm --prefix npm run pack
mark dist "$want"
(cd dist && stat -c '%n: %s bytes' -- *)

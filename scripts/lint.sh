#!/usr/bin/env bash
# Format, lint and type-check all three languages; rustdoc without warnings. Changes nothing.
. "$(dirname "$0")/lib.sh"
scripts/setup-rust.sh
scripts/setup-python.sh
scripts/setup-node.sh

say() { printf '%-12s ok\n' "$1"; }

cargo fmt --all --check
cargo fmt --manifest-path crates/tepal/fuzz/Cargo.toml --check
say rustfmt
cargo clippy --quiet --locked --workspace --all-targets -- -D warnings
for features in "" std schemes; do
  cargo clippy --quiet --locked -p tepal --no-default-features --features "$features" -- -D warnings
done
for features in scalable schemes; do
  cargo clippy --quiet --locked -p tepal-wasm --no-default-features --features "$features" -- -D warnings
done
say clippy
RUSTDOCFLAGS="-D warnings" cargo doc --quiet --locked --no-deps -p tepal -p tepal-vectors
say rustdoc

# Each folder's own pyproject.toml says which rules.
.venv/bin/ruff check --quiet python tests examples
.venv/bin/ruff format --quiet --check python tests examples
say ruff

npm --prefix npm run --silent lint
say biome
scripts/wasm.sh # its glue has the types that the package is checked against
npm --prefix npm run --silent typecheck
say tsc

# No host of a registry, and no path of one machine, in anything that is committed.
if git ls-files -z | xargs -0 grep -nIE '"resolved": *"https?://|/(root|home/[a-z]+)/' -- 2>/dev/null; then
  die "the lines above name a registry or a path of one machine"
fi
say paths

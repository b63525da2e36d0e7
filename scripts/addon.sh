#!/usr/bin/env bash
# Builds Node's addon into npm/native/, named for this platform as npm names its packages.
. "$(dirname "$0")/lib.sh"
scripts/setup-rust.sh

lock addon
platform=$(node -p 'const glibc = process.report.getReport().header.glibcVersionRuntime;
  `${process.platform}-${process.arch}${process.platform === "linux" ? (glibc ? "-gnu" : "-musl") : ""}`')
cargo build --quiet --locked --release -p tepal-node
mkdir -p npm/native
# Made ready by another name: a process that has the old one loaded keeps it.
for built in "$CARGO_TARGET_DIR"/release/libtepal_node.{so,dylib}; do
  [ -e "$built" ] || continue
  cp "$built" npm/native/new
  # Half of the file is the symbol table.
  if have strip; then strip --strip-unneeded npm/native/new; fi
  mv npm/native/new "npm/native/tepal.$platform.node"
done
echo "addon: $(stat -c %s "npm/native/tepal.$platform.node") bytes for $platform"

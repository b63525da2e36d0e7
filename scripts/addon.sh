#!/usr/bin/env bash
# Builds the Node addon for this machine into npm/native/tepal.<platform>-<arch>[-<abi>].node, the name that the package
# looks for and that its platform package carries.
. "$(dirname "$0")/lib.sh"

case $(uname -s) in
  Darwin) built=libtepal_node.dylib platform=darwin abi='' ;;
  MINGW* | MSYS*) built=tepal_node.dll platform=win32 abi=-msvc ;;
  *)
    built=libtepal_node.so platform=linux abi=-gnu
    if ldd --version 2>&1 | grep -qi musl; then abi=-musl; fi
    ;;
esac
case $(uname -m) in
  x86_64 | amd64) arch=x64 ;;
  aarch64 | arm64) arch=arm64 ;;
  *) arch=$(uname -m) ;;
esac

scripts/setup-rust.sh
cargo rustc --quiet --locked --release -p tepal-node --crate-type cdylib -- -C strip=symbols

mkdir -p npm/native
addon=npm/native/tepal.$platform-$arch$abi.node
# Copied under another name and renamed: a running process may have the old file mapped.
cp "$CARGO_TARGET_DIR/release/$built" "$addon.new"
mv "$addon.new" "$addon"
echo "addon: $addon, $(wc -c <"$addon") bytes"

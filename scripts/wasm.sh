#!/usr/bin/env bash
# Builds the wasm modules, one a class and one with the schemes of others, into npm/build/wasm/. They import nothing and export plain functions, so that they need no
# generated glue: compile, shrink with wasm-opt, and let an engine say that the result is valid.
. "$(dirname "$0")/lib.sh"
. scripts/target.sh

lock wasm
out_dir=npm/build/wasm
want=$(digest "${TEPAL_STD:-}" crates/tepal/src crates/tepal/Cargo.toml bindings/wasm Cargo.toml Cargo.lock npm/package-lock.json \
  scripts/wasm.sh scripts/target.sh)
if [ -s $out_dir/tepal-schemes.wasm ] && fresh wasm "$want"; then
  echo "wasm: up to date"
  exit 0
fi

scripts/setup-rust.sh
scripts/setup-node.sh
rm -rf $out_dir
mkdir -p $out_dir

# module NAME FEATURE
module() {
  local built
  # In its own shell: the compiler for wasm may be another one, the host's builds must not see that.
  built=$(
    use_small_target wasm32-unknown-unknown
    "${cargo[@]}" build --quiet --locked -p tepal-wasm --no-default-features --features "$2" --profile wasm "${std_args[@]}" >&2
    echo "$out/wasm/tepal_wasm.wasm"
  )
  # The features that rustc turns on by default, and no others: --all-features emits what engines refuse.
  npm/node_modules/.bin/wasm-opt -O3 --converge --strip-debug --strip-producers \
    --enable-bulk-memory --enable-bulk-memory-opt --enable-reference-types --enable-sign-ext \
    --enable-nontrapping-float-to-int --enable-mutable-globals --enable-multivalue \
    -o "$out_dir/$1.wasm" "$built"
  node -e 'process.exit(WebAssembly.validate(require("fs").readFileSync(process.argv[1])) ? 0 : 1)' "$out_dir/$1.wasm" ||
    die "the optimised module $1 is not valid wasm"
  echo "$1.wasm: $(stat -c %s "$out_dir/$1.wasm") bytes, $(gzip -9c "$out_dir/$1.wasm" | wc -c) gzipped"
}
module tepal bloom
module tepal-scalable scalable
module tepal-schemes schemes
mark wasm "$want"

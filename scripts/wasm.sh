#!/usr/bin/env bash
# Builds the wasm module into npm/build/wasm/tepal_bg.wasm. It imports nothing and exports plain functions, so that it needs no
# generated glue: compile, shrink with wasm-opt, and let an engine say that the result is valid.
. "$(dirname "$0")/lib.sh"
. scripts/target.sh

lock wasm
out_dir=npm/build/wasm
want=$(digest "${TEPAL_STD:-}" crates/tepal/src crates/tepal/Cargo.toml bindings/wasm Cargo.toml Cargo.lock npm/package-lock.json \
  scripts/wasm.sh scripts/target.sh)
if [ -s $out_dir/tepal_bg.wasm ] && fresh wasm "$want"; then
  echo "wasm: up to date"
  exit 0
fi

scripts/setup-rust.sh
scripts/setup-node.sh
# In its own shell: the compiler for wasm may be another one, the host's builds must not see that.
built=$(
  use_small_target wasm32-unknown-unknown
  "${cargo[@]}" build --quiet --locked -p tepal-wasm --profile wasm "${std_args[@]}" >&2
  echo "$out/wasm/tepal_wasm.wasm"
)
rm -rf $out_dir
mkdir -p $out_dir

# The features that rustc turns on by default, and no others: --all-features emits what engines refuse.
npm/node_modules/.bin/wasm-opt -O3 --converge --strip-debug --strip-producers \
  --enable-bulk-memory --enable-bulk-memory-opt --enable-reference-types --enable-sign-ext \
  --enable-nontrapping-float-to-int --enable-mutable-globals --enable-multivalue \
  -o $out_dir/tepal_bg.wasm "$built"
node -e 'process.exit(WebAssembly.validate(require("fs").readFileSync(process.argv[1])) ? 0 : 1)' $out_dir/tepal_bg.wasm ||
  die "the optimised module is not valid wasm"
mark wasm "$want"
echo "wasm: $(stat -c %s $out_dir/tepal_bg.wasm) bytes, $(gzip -9c $out_dir/tepal_bg.wasm | wc -c) gzipped"

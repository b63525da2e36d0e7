#!/usr/bin/env bash
# The core without std: on the host, on wasm32, and on a target that has no std at all, where a hidden use cannot link.
. "$(dirname "$0")/lib.sh"
. scripts/target.sh
scripts/setup-rust.sh

cargo build --quiet --locked -p tepal --no-default-features --features schemes
echo "host                    ok"
for triple in wasm32-unknown-unknown x86_64-unknown-none; do
  (
    use_target $triple core,alloc
    "${cargo[@]}" build --quiet --locked -p tepal --no-default-features --features schemes "${std_args[@]}"
  )
  printf '%-23s ok\n' $triple
done
(
  use_target wasm32-unknown-unknown std,panic_abort
  "${cargo[@]}" build --quiet --locked -p tepal "${std_args[@]}"
)
echo "wasm32, with std        ok"

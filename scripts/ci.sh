#!/usr/bin/env bash
# Runs every check in order, a heading and a time for each, and stops at the first that fails. Ends with a table.
# `scripts/ci.sh NAME…` runs only the steps of those names.
. "$(dirname "$0")/lib.sh"

# name | title | command
steps=(
  "setup|Set-up|make --no-print-directory setup"
  "lint|Formatters, linters, type checkers|scripts/lint.sh"
  "rust|Rust tests|scripts/rust.sh"
  "accuracy|Promised and measured rates, to 10^7 keys|scripts/accuracy.sh"
  "vectors|Golden vectors are up to date|scripts/vectors.sh"
  "oracle|Second implementation, from FORMAT.md|scripts/oracle.sh"
  "no-std|Core without std|scripts/no-std.sh"
  "i686|32-bit|scripts/test-i686.sh"
  "s390x|Big-endian, under qemu|scripts/test-s390x.sh"
  "dist|Wheel and npm tarballs|scripts/dist.sh"
  "python|Python, from the wheel|scripts/python.sh"
  "node|Node, native and wasm, from the tarballs|scripts/node.sh"
  "readme|The code of the README|scripts/readme.sh"
  "browser|Chromium|scripts/browser.sh"
  "cross|Across languages|scripts/cross.sh"
  "redis|Redis and Valkey, real servers|scripts/redis.sh"
  "recipes|Recipes|scripts/recipes.sh"
  "sizes|Sizes|scripts/sizes.sh"
  "fuzz|Fuzzing, briefly|scripts/fuzz.sh 20"
  "demo-test|Demo, end to end|scripts/demo-test.sh"
)

if [ $# -gt 0 ]; then
  wanted=" $* "
  picked=()
  for step in "${steps[@]}"; do
    case $wanted in *" ${step%%|*} "*) picked+=("$step") ;; esac
  done
  [ ${#picked[@]} = $# ] || die "no such step among: $*"
  steps=("${picked[@]}")
fi

table=()
started=$SECONDS
finish() {
  printf '\n== Summary ==\n'
  printf '%s\n' "${table[@]}"
  printf '%-44s %4d s\n' "$1" $((SECONDS - started))
}

number=0
for step in "${steps[@]}"; do
  IFS='|' read -r name title command <<<"$step"
  number=$((number + 1))
  printf '\n== %d/%d %s ==\n' "$number" ${#steps[@]} "$title"
  begun=$SECONDS
  if $command; then
    table+=("$(printf '%-10s %-40s ok   %4d s' "$name" "$title" $((SECONDS - begun)))")
  else
    table+=("$(printf '%-10s %-40s FAIL %4d s' "$name" "$title" $((SECONDS - begun)))")
    finish "failed at: $title (make $name)"
    exit 1
  fi
done
finish "all ${#steps[@]} steps passed"

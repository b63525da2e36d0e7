#!/usr/bin/env bash
# The core's tests and the golden vectors on a 32-bit target: usize is not u64 there.
. "$(dirname "$0")/lib.sh"
. scripts/target.sh
scripts/setup-rust.sh

# Not gcc-multilib: it conflicts with cross compilers.
apt_need lib32gcc-12-dev libc6-dev-i386
use_target i686-unknown-linux-gnu std,panic_unwind,test
"${cargo[@]}" test --quiet --locked -p tepal -p tepal-vectors --lib --bins --tests "${std_args[@]}" "$@"

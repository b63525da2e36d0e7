#!/usr/bin/env bash
# The core's tests and the golden vectors on a big-endian target, under qemu's user emulation.
. "$(dirname "$0")/lib.sh"
. scripts/target.sh
scripts/setup-rust.sh

apt_need qemu-user-static gcc-s390x-linux-gnu libc6-dev-s390x-cross
use_target s390x-unknown-linux-gnu std,panic_unwind,test
export CARGO_TARGET_S390X_UNKNOWN_LINUX_GNU_LINKER=s390x-linux-gnu-gcc
export CARGO_TARGET_S390X_UNKNOWN_LINUX_GNU_RUNNER="qemu-s390x-static -L /usr/s390x-linux-gnu"
"${cargo[@]}" test --quiet --locked -p tepal -p tepal-vectors --lib --bins --tests "${std_args[@]}" "$@"

#!/usr/bin/env bash
# Checks that there is a Rust and gives it a linker.
. "$(dirname "$0")/lib.sh"

have cargo || die "cargo is missing: install Rust (1.86 or newer) first"
have cc || apt_need gcc libc6-dev

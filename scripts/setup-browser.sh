#!/usr/bin/env bash
# Debian's Chromium, unless a chromium is there already. The tests start /usr/bin/chromium.
. "$(dirname "$0")/lib.sh"

[ -x /usr/bin/chromium ] || apt_need chromium

#!/usr/bin/env bash
# The core, Python and JavaScript beside other libraries, each in one process with its rivals; tables with ratios, which
# docs/benchmarks.md explains. QUICK=1 takes fewer rounds, leaves out the filter of 10^8 keys, the only one beyond 100 MB, and grows less far.
. "$(dirname "$0")/lib.sh"
scripts/setup-rust.sh
scripts/dist.sh

quick=${QUICK:-}
bench=$root/.cache/bench

echo
echo "Machine: $(sed -n 's/^model name[[:space:]]*: //p;T;q' /proc/cpuinfo 2>/dev/null || uname -m), $(getconf _NPROCESSORS_ONLN) cores," \
  "load $(cut -d' ' -f1 /proc/loadavg 2>/dev/null || echo unknown), $(uname -sr). Ratios within a table mean something; times depend on the machine."

cargo run --quiet --locked --release -p tepal-compare -- ${quick:+--quick}

# Rivals live in environments of their own, the wheel and the tarballs are installed there as a user would.
lock bench
want=$(digest "" bench/python/requirements.txt dist/*.whl)
if ! fresh bench-python "$want"; then
  rm -rf "$bench/python"
  quietly python3 -m venv "$bench/python"
  quietly "$bench/python/bin/python" -m pip install -q -r bench/python/requirements.txt
  quietly "$bench/python/bin/python" -m pip install -q --no-index --no-deps dist/*.whl
  mark bench-python "$want"
fi
want=$(digest "" bench/js/package.json bench/js/package-lock.json dist/*.tgz)
if ! fresh bench-js "$want"; then
  rm -rf "$bench/js"
  mkdir -p "$bench/js"
  cp bench/js/package.json bench/js/package-lock.json "$bench/js/"
  quietly npm --prefix "$bench/js" ci
  quietly npm --prefix "$bench/js" install --no-save "$root"/dist/*.tgz
  mark bench-js "$want"
fi

"$bench/python/bin/python" bench/python/bench.py ${quick:+-n 200000 --rounds 3}

# Beside a server too, where one can be had.
server=--no-server
if [ "$(uname -sm)" = "Linux x86_64" ]; then
  scripts/setup-servers.sh
  server=
fi
"$bench/python/bin/python" bench/python/growing.py ${server:+"$server"} ${quick:+-n 200000 --initial 1000 --rounds 3}

cp bench/js/*.mjs "$bench/js/" # Node looks for packages beside the program
for backend in tepal tepal/wasm; do
  node "$bench/js/bench.mjs" "$backend" 20000 "${quick:+21}"
  [ -n "$quick" ] || node "$bench/js/bench.mjs" "$backend" 1000000 5
  node "$bench/js/growing.mjs" "$backend" ${quick:+200000 5 10}
done

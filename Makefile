# Every command of this repository. Each works in a fresh clone on a bare Debian machine with Rust, Python and Node: it
# sets up what it needs first, and a second run takes what the first one made. The work is in scripts/, a file a job.

SHELL := bash
.DEFAULT_GOAL := help
.PHONY: help demo test ci dist bench lint setup wasm rust accuracy vectors oracle python node readme browser cross redis recipes no-std i686 s390x fuzz sizes demo-test clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9_-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: ## build, install as a user would, and serve the demo page
	@scripts/demo.sh

test: ## everything below, in order; stops at the first failure
	@scripts/ci.sh

ci: test ## what CI runs: the same

dist: ## the wheel and the npm tarballs, in dist/
	@scripts/dist.sh

bench: ## speed beside other libraries; prints a table
	@scripts/bench.sh

setup: ## compilers, .venv, node_modules, Chromium: what is missing
	@scripts/setup-rust.sh && scripts/setup-python.sh && scripts/setup-node.sh && scripts/setup-browser.sh

lint: ## formatters, linters and type checkers of all three languages
	@scripts/lint.sh

rust: ## the core's tests
	@scripts/rust.sh

accuracy: ## promised and measured rates, 1 to 10^7 keys; prints a table
	@scripts/accuracy.sh

vectors: ## the golden files are what the generator writes
	@scripts/vectors.sh

oracle: ## the second implementation of the format agrees
	@scripts/oracle.sh

wasm: ## the wasm module, in npm/build/wasm/
	@scripts/wasm.sh

python: ## the wheel, installed: tests, stubs
	@scripts/python.sh

node: ## the npm package, installed: tests on native and on wasm
	@scripts/node.sh

readme: ## the code of the README, in every language
	@scripts/readme.sh

browser: ## the npm package in Chromium
	@scripts/browser.sh

cross: ## every language reads what every other wrote; the same names everywhere
	@scripts/cross.sh

redis: ## push, pull and remote filters, against real Redis and Valkey
	@scripts/redis.sh

recipes: ## the recipes of examples/recipes
	@scripts/recipes.sh

no-std: ## the core without std, for the host, wasm32 and a target that has none
	@scripts/no-std.sh

i686: ## the core's tests on 32-bit
	@scripts/test-i686.sh

s390x: ## the core's tests on big-endian, under qemu
	@scripts/test-s390x.sh

fuzz: ## fuzz the readers, SECONDS=20 each
	@scripts/fuzz.sh $(or $(SECONDS),20)

sizes: ## what is shipped stays small
	@scripts/sizes.sh

demo-test: ## the demo in a browser, end to end
	@scripts/demo-test.sh

clean: ## what was built; keeps .venv and node_modules
	@rm -rf target dist npm/build .cache

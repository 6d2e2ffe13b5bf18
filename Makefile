# Front doors of nomu: `make demo` and `make test`. CMakePresets.json describes the builds; each goes to build/<preset>.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

export CMAKE_GENERATOR ?= Ninja
TEST_JOBS ?= 2
# Changed files that each fuzz target of `make check` tries, and the seconds after which it stops: a model or a study takes
# a thousand times as long as a table.
FUZZ_RUNS ?= 100000
FUZZ_SECONDS ?= 180
# A path that ninja knows: the tool, whatever the name of its target.
TOOL := cli/nomu

# Tests that train for long, or that pin results of the paper: continuous integration and `make check` run them too.
LONG := 'long|statistical'

# $(call ctest,preset[,prefix command[,more options]])
define ctest
echo "== test $(1)"; \
$(2) ctest --preset $(1) --output-on-failure --parallel $(TEST_JOBS) $(3)
endef

.PHONY: help demo test test-long python-test check bench static format lint clean setup setup-tests setup-dev

help:
	@echo "make demo    build the tool and run its demonstration; the output goes to demo/"
	@echo "make test    build everything and run the tests, all but the long ones"
	@echo "make test-long   the tests that train for long, and those that pin results of the paper"
	@echo "make python-test   build the Python package and run its tests, in an environment that PyPI fills"
	@echo "make check   lint, the tests under the sanitizers, fuzzing, clang-tidy over everything (long)"
	@echo "make bench   build the tool and run its benchmarks"
	@echo "make static  build the tool as one program that needs no library: build/static/cli/nomu"
	@echo "make format  format the sources"
	@echo "make lint    check formatting, layers, file sizes, shell scripts"
	@echo "make clean   remove build/ and demo/"

setup:
	@scripts/setup

setup-tests:
	@scripts/setup --with-tests

setup-dev:
	@scripts/setup --with-dev

demo: setup
	@scripts/build release $(TOOL)
	@echo "== demo"
	@build/release/$(TOOL) demo --out demo

test: setup-tests
	@scripts/build dev
	@$(call ctest,dev,,-LE $(LONG))

test-long: setup-tests
	@scripts/build dev
	@$(call ctest,dev,,-L $(LONG))

python-test: setup-tests
	@scripts/python_test

check: lint
	@scripts/build asan
	@$(call ctest,asan)
	@scripts/build tsan
	@$(call ctest,tsan,$$(setarch -R true 2>/dev/null && echo setarch -R))
	@scripts/build fuzz
	@for target in table config model study onnx; do \
	  [ -x build/fuzz/tests/fuzz/fuzz_$$target ] || { echo "== fuzz $$target: not built, its library is missing"; continue; }; \
	  echo "== fuzz $$target"; \
	  mkdir -p build/fuzz/corpus/$$target; \
	  build/fuzz/tests/fuzz/fuzz_$$target -runs=$(FUZZ_RUNS) -max_total_time=$(FUZZ_SECONDS) -verbosity=0 -print_funcs=0 -print_final_stats=1 \
	    -timeout=10 -rss_limit_mb=1024 \
	    build/fuzz/corpus/$$target tests/fuzz/corpus/$$target $$([ $$target != onnx ] || echo tests/golden/onnx); \
	done
	@scripts/python_test
	@scripts/python_test --wheel
	@echo "== tidy"
	@scripts/tidy

bench: setup
	@scripts/build release $(TOOL)
	@echo "== bench"
	@build/release/$(TOOL) bench

static:
	@scripts/setup --with-static
	@scripts/static_nlopt
	@scripts/build static $(TOOL)
	@scripts/check_static build/static/$(TOOL)

format: setup-dev
	@scripts/format

lint: setup-dev
	@echo "== lint"
	@scripts/format --check
	@scripts/check_layers
	@scripts/check_sizes
	@git ls-files -z ':!*.md' | xargs -0 grep -lE '^#!.*\b(ba)?sh$$' | xargs shellcheck docs/completion/nomu.bash

clean:
	@rm -rf build demo

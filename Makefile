# Hedgerow. `make help` lists the targets. A fresh machine needs CPython 3.11 or newer, pip and make.

SHELL       := /bin/bash
MAKEFLAGS   += --no-print-directory
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

PYTHON ?= python3
UV     ?= yes#         UV=no installs with pip alone
ARGS   ?=#             more options for pytest, the demo or the bench

# Packages of the surrounding shell must not leak into ours.
unexport PYTHONPATH PYTHONHOME VIRTUAL_ENV
# Without byte code each process of the suite would compile all tests for itself.
unexport PYTHONDONTWRITEBYTECODE
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_ROOT_USER_ACTION := ignore
export PIP_NO_INPUT := 1

VENV   := .venv
PY     := $(VENV)/bin/python
READY  := $(VENV)/ready
PEERS  := $(VENV)/peers
PIP    := $(PYTHON) -m pip --python $(PY) -qq
PYTEST := $(PY) -m pytest --numprocesses auto --maxprocesses 8 --dist worksteal

# The whole suite leaves assertions as they are written: pytest would take most of a minute to rewrite them. What fails runs once more
# with its values shown; that it may pass then changes nothing.
WHOLE := $(PYTEST) --assert=plain --showlocals
AGAIN := $(PY) -m pytest --last-failed --last-failed-no-failures none

# What `make check` chooses from. It runs the tools by themselves, first.
FAST := -m "not slow and not long" --ignore=tests/slow --ignore=tests/house/test_tools.py

# The short tests of the trusted core run every branch of it by themselves, so only they are traced.
CORE := $(addprefix tests/,numeric privacy sensitivity mechanisms plan ledger release test_errors.py)

.PHONY: help setup run test check costs format lint types slow bench docs lock clean anew

help:  ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(READY)  ## create or refresh .venv from the locked dependencies

run: $(READY)  ## serve a sample clinic: web pages, HTTP, PostgreSQL protocol
	@$(VENV)/bin/hedgerow demo $(ARGS)

test: $(READY)  ## the whole suite: lint, types, layers, tests, every branch of the trusted core
	@if command -v dpkg-query >/dev/null; then tests/debian_packages.sh; fi
	@$(WHOLE) --cov --cov-report=term -m "not slow and not long" $(CORE) $(ARGS) && core=ok || core=broken; \
	$(WHOLE) --ignore=tests/slow $(addprefix --long-only=,$(CORE)) $(ARGS) && test $$core = ok || { $(AGAIN); exit 1; }

check: lint types  ## format, lint, strict types, layers, fast tests; about a minute on two cores
	@$(WHOLE) $(FAST) --brief $(ARGS) || { $(AGAIN); exit 1; }

costs: $(READY)  ## measure anew which tests are too costly for check; wants a quiet machine
	@$(WHOLE) $(FAST) --costs

lint: $(READY)
	@$(PY) -m ruff format --check --quiet . || { echo "Run 'make format'."; exit 1; }
	@$(PY) -m ruff check --quiet .

types: $(READY)
	@$(PY) -m mypy --no-error-summary

format: $(READY)  ## rewrite the sources in house style
	@$(PY) -m ruff check --fix --quiet . || true
	@$(PY) -m ruff format --quiet .

slow: $(READY)  ## the long statistical and fault tests
	@DEPTH=5 $(PYTEST) -m "slow or long" $(ARGS)

bench: $(PEERS)  ## speed and accuracy against named peers
	@$(PY) -m bench $(ARGS)

docs: $(READY)  ## run every code block and follow every link of README and docs
	@$(PYTEST) tests/house/test_docs.py $(ARGS)

lock: $(READY)  ## resolve the dependencies anew (needs uv)
	@$(PY) -m uv lock --quiet --upgrade
	@$(PY) -m uv export --quiet --frozen --no-emit-project --all-extras --group dev -o requirements.lock
	@$(PY) -m uv export --quiet --frozen --only-group bench -o bench/requirements.lock
	@$(PY) -m uv export --quiet --frozen --only-group spark-server -o tests/engines/spark/requirements.lock

clean:  ## remove .venv, caches and the demo
	@rm -rf $(VENV) demo dist build .coverage .coverage.* .pytest_cache .mypy_cache .ruff_cache .hypothesis
	@find . -name __pycache__ -prune -exec rm -rf {} +

# A .venv that was moved, or whose python has gone, is made anew: its scripts point elsewhere.
ifneq ($(wildcard $(READY)),)
ifneq ($(shell test -x $(PY) && cat $(READY)),$(CURDIR))
$(READY): anew
endif
endif

anew:
	@rm -rf $(VENV)

# One lock, two installers: uv when it can be had (seconds), else pip (about half a minute). Both check every hash.
# venv --without-pip works where Debian's python3-venv is missing; pip then reaches into .venv from outside.
$(READY): pyproject.toml requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Hedgerow needs CPython 3.11 or newer; $(PYTHON) is $$($(PYTHON) -V 2>&1). Try: make $(MAKECMDGOALS) PYTHON=python3.11" >&2; exit 1; }
	@$(PYTHON) -m pip --version >/dev/null 2>&1 || { echo "$(PYTHON) has no pip. On Debian or Ubuntu: apt install python3-pip" >&2; exit 1; }
	@echo "Setting up $(VENV) …"
	@test -x $(PY) || $(PYTHON) -m venv --without-pip $(VENV)
	@$(call install,requirements.lock,sync)
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@$(PY) -m compileall -q src # where Python may write no byte code of its own, every process would compile all of it
	@echo "$(CURDIR)" > $@

$(PEERS): $(READY) bench/requirements.lock
	@echo "Fetching the peers to measure against …"
	@$(call install,bench/requirements.lock,install)
	@touch $@

# $(call install,LOCK,uv's verb)
define install
if ! { [ "$(UV)" = yes ] && $(get_uv) && $(PY) -m uv pip $(2) --quiet --compile-bytecode --python $(PY) --require-hashes $(if $(filter install,$(2)),--requirement) $(1); }; then \
  [ "$(UV)" = yes ] && echo "uv could not do it; pip takes over." || true; \
  $(PIP) install --require-hashes --no-deps --requirement $(1); \
fi
endef

# uv's own line of the lock, hashes included.
get_uv = { $(PY) -m uv --version >/dev/null 2>&1 || \
  { awk '/^uv==/ {on = 1} on {print} on && !/\\$$/ {exit}' requirements.lock > $(VENV)/uv.lock && $(PIP) install --require-hashes --no-deps --requirement $(VENV)/uv.lock; }; }

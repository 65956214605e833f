# Every target makes what it needs first; nothing has to be installed by hand but Python 3.11 and make.
.DEFAULT_GOAL := help
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:

PYTHON ?= python3
UV_VERSION := 0.13.9
UV := build/uv/bin/uv
BIN := .venv/bin
INSTALLED := .venv/.installed
PACKAGES := bayplan descheduler extender policies simulator sources
CHECKED := $(PACKAGES) bench controlplane demo launching tests
# Debian packages of the end-to-end tests and the demonstration: the program that shows that each is there, and its package.
DEBIAN := prometheus:prometheus prometheus-node-exporter:prometheus-node-exporter

.PHONY: help
help: ## list the targets (this)
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9-]+):.*## (.*)/\1|\2/' \
		| while IFS='|' read -r name text; do printf '  %-22s %s\n' "$$name" "$$text"; done

.PHONY: test
test: lint types imports unit ## everything that needs no cluster: lint, types, imports, unit tests, coverage

.PHONY: e2e
e2e: $(INSTALLED) debian-packages build-control-plane ## end-to-end tests on a real control plane
	@# Real processes on a shared machine can be late: what failed gets one more run, alone, and the log shows both.
	$(BIN)/pytest -m e2e tests/e2e || { \
		echo "=== failed above; once more, only those"; \
		$(BIN)/pytest -m e2e tests/e2e --last-failed --last-failed-no-failures none; }

.PHONY: demo-cluster
demo-cluster: $(INSTALLED) debian-packages build-control-plane ## a cluster in trouble, mended before your eyes (90 s once built)
	$(BIN)/python -m demo

.PHONY: bench
bench: $(INSTALLED) build-control-plane ## speed and memory, written to docs/; one row with ROW=filter, the optimiser's with ROW=placements
	$(BIN)/python -m bench $(ROW)

.PHONY: unit
unit: $(INSTALLED) ## unit tests with branch coverage and its floors
	$(BIN)/pytest --cov --cov-report= --durations=5
	$(BIN)/coverage json -q -o build/coverage.json
	$(BIN)/python -m tests.coverage_floors build/coverage.json

.PHONY: lint
lint: $(INSTALLED) ## ruff: rules and format
	$(BIN)/ruff check
	$(BIN)/ruff format --check

.PHONY: format
format: $(INSTALLED) ## let ruff repair what it can
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

.PHONY: types
types: $(INSTALLED) ## mypy, strict, source and tests
	$(BIN)/mypy $(CHECKED)

.PHONY: imports
imports: $(INSTALLED) ## import-linter: the one direction of imports
	$(BIN)/lint-imports

.PHONY: docs
docs: $(INSTALLED) ## write generated pages and the policies in deploy/ anew (unit tests fail when they are stale)
	$(BIN)/python -m bayplan.reference
	deploy/refresh-policies

.PHONY: build-control-plane
build-control-plane: $(INSTALLED) ## build etcd, Kubernetes and KWOK once into the cache (about 10 minutes)
	$(BIN)/python -m controlplane

.PHONY: debian-packages
debian-packages: ## install the Debian packages of the demonstration and the end-to-end tests
	@missing=""; \
	for pair in $(DEBIAN); do command -v "$${pair%%:*}" >/dev/null || missing="$$missing $${pair#*:}"; done; \
	if [ -z "$$missing" ]; then exit 0; fi; \
	if [ "$$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then \
		echo "not installed:$$missing. Install with: sudo apt-get install$$missing" >&2; exit 1; fi; \
	echo "installing$$missing with apt-get"; \
	apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $$missing

.PHONY: clean
clean: ## remove the environment and everything made (the control plane stays in the cache)
	rm -rf .venv build .coverage .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(UV):
	@echo "fetching uv $(UV_VERSION) from PyPI (25 MB)"
	$(PYTHON) -m venv build/uv || { echo "python3-venv is missing: apt-get install python3-venv" >&2; exit 1; }
	build/uv/bin/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)

# No --python-downloads: the interpreter is the machine's own.
$(INSTALLED): pyproject.toml uv.lock $(UV)
	@echo "installing the locked packages into .venv (about 500 MB)"
	UV_PYTHON_DOWNLOADS=never $(UV) sync --frozen --all-extras --python $(PYTHON)
	touch $@

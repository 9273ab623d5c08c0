# The commands of the guide. `make` alone lists them. On Windows use the plain commands of README.md.

PYTHON ?= python3
PORT ?= 8000
VENV := .venv
BIN := $(VENV)/bin
# mkdocs-material would print a notice of ten lines about MkDocs 2 on every build; the versions are pinned here.
export NO_MKDOCS_2_WARNING := 1
# What a set-up depends on: when one of these changes, it is done again.
PINNED := pyproject.toml constraints.txt
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.DEFAULT_GOAL := help
.PHONY: help setup test lint run serve site record translations bench clean

help:  ## list the commands
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

setup: $(VENV)/.ready-test  ## set up .venv with torch and all that the tests need

test: setup  ## check style and types, verify every entry, test the program and the site
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest

lint: setup  ## check style and types only
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

run: setup  ## ERROR=id: run an entry's broken and fixed script and show how they differ
	@test -n "$(ERROR)" || { echo "make run ERROR=matmul-shape-mismatch; the ids: $(BIN)/torch-errors list"; exit 2; }
	@$(BIN)/torch-errors compare $(ERROR)

serve: $(VENV)/.ready-site  ## build the site and serve it, without torch
	$(BIN)/mkdocs serve --dev-addr 127.0.0.1:$(PORT)

site: $(VENV)/.ready-site  ## build the site into site/
	$(BIN)/mkdocs build --strict --site-dir site

record: setup  ## run all scripts and write down what they print
	$(BIN)/torch-errors record

translations: $(VENV)/.ready-site  ## list the translations that are missing, stale or unlike their English page
	@$(BIN)/torch-errors translations

bench: $(VENV)/.ready-test  ## COPIES=5, SUITES=1: measure verification, explain, site, search and the test suites
	@$(BIN)/torch-errors bench $(if $(COPIES),--copies $(COPIES)) $(if $(SUITES),--suites)

clean:  ## remove what was built, and .venv
	rm -rf $(VENV) site dist

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Python 3.11 or newer is needed, and $(PYTHON) is not; name one: make PYTHON=python3.12 ..."; exit 2; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.ready-site: $(PINNED) | $(VENV)/bin/python
	$(PIP_INSTALL) -e '.[site]'
	@touch $@

# The browser tests take an installed Chromium or Chrome; without one Playwright fetches its own.
$(VENV)/.ready-test: $(PINNED) | $(VENV)/bin/python
	$(PIP_INSTALL) -e '.[test]'
	@command -v chromium chromium-browser google-chrome >/dev/null || $(BIN)/playwright install chromium
	@touch $@ $(VENV)/.ready-site

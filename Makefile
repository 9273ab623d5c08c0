# The commands of the guide. `make` alone lists them. On Windows use the plain commands of README.md.

PYTHON ?= python3
PORT ?= 8000
VENV := .venv
BIN := $(VENV)/bin
# mkdocs-material would print a notice of ten lines about MkDocs 2 on every build; the versions are pinned here.
export NO_MKDOCS_2_WARNING := 1
# Each layer of .venv has a stamp, .ready-NAME, written when pip is done with it: a set-up that was interrupted goes on
# with the next command, and is done again when one of these files changes.
PINNED := pyproject.toml constraints.txt
PIP_INSTALL := $(BIN)/python -m pip install --disable-pip-version-check -c constraints.txt
# Wheels for Python 3.11 to 3.13 and torch 2.15; installed, the CUDA libraries take 5.4 GB.
TORCH_SIZE := PyTorch and torchvision, 3 GB on Linux (with CUDA libraries) and 0.15 GB on macOS and Windows
PYTEST := $(BIN)/python -m pytest -n auto

.DEFAULT_GOAL := help
.PHONY: help setup test test-all test-weekly lint run serve site record versions translations properdocs addresses pictures bench clean

help:  ## list the commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

setup: $(VENV)/.ready-test  ## set up .venv with torch and all that the tests need

test: lint  ## check style and types, run the scripts that changed, test the program and the site; ALL=1: run all scripts
	$(if $(ALL),rm -f .held.json)
	$(PYTEST) -m "not exhaustive and not weekly"

test-all: lint  ## the same with ten seeds, all cases and detectors, and every view of the site
	$(PYTEST) -m "not weekly"

test-weekly: lint  ## the same as other processors compute, and whether the tests notice planted faults
	$(PYTEST)

lint: $(VENV)/.ready-test  ## check style and types only
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

run: $(VENV)/.ready-run  ## ERROR=id: run an entry's broken and fixed script and show how they differ
	@test -n "$(ERROR)" || { echo "make run ERROR=matmul-shape-mismatch; the ids: $(BIN)/torch-errors list"; exit 2; }
	@$(BIN)/torch-errors compare $(ERROR)

serve: $(VENV)/.ready-site  ## build the site and serve it, without torch
	$(BIN)/mkdocs serve --dev-addr 127.0.0.1:$(PORT)

site: $(VENV)/.ready-site  ## build the site into site/
	$(BIN)/mkdocs build --strict --site-dir site

record: $(VENV)/.ready-run  ## run all scripts and write down what they print
	$(BIN)/torch-errors record

versions: $(VENV)/.ready-site  ## VERSIONS="2.6 2.10": verify every entry with each version of torch, one after the other
	$(BIN)/python -m tools.versions $(VERSIONS)

translations: $(VENV)/.ready-site  ## list the translations that are missing, stale or unlike their English page
	@$(BIN)/torch-errors translations

properdocs: $(VENV)/.ready-site  ## build the site with MkDocs and with ProperDocs, its fork, and compare the lists of files
	$(PIP_INSTALL) -e '.[properdocs]'
	$(BIN)/python -m tools.site_with_properdocs

addresses: $(VENV)/.ready-site  ## add the addresses of new pages to those that must stay
	@$(BIN)/python -m tools.addresses

pictures: $(VENV)/.ready-test  ## take the pictures of the paste box that README.md shows
	@$(BIN)/python -m tools.take_pictures

bench: $(VENV)/.ready-test  ## PART=watch, guide, verification or suites, COPIES=5: measure what people wait for
	@$(BIN)/python -m tools.bench $(if $(PART),--part $(PART)) $(if $(COPIES),--copies $(COPIES))

clean:  ## remove what was built, and .venv
	rm -rf $(VENV) site dist .held.json

# Not `$(BIN)/python`: it is there before pip is, and stays when this is interrupted.
$(VENV)/.ready-python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Python 3.11 or newer is needed, and $(PYTHON) is not; name one: make PYTHON=python3.12 ..."; exit 2; }
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.ready-run: $(PINNED) | $(VENV)/.ready-python
	@echo "Installing what the scripts need into $(VENV). Downloads: $(TORCH_SIZE)."
	$(PIP_INSTALL) -e '.[run]'
	@touch $@

$(VENV)/.ready-site: $(PINNED) | $(VENV)/.ready-python
	@echo "Installing what the site needs into $(VENV). Downloads: MkDocs and its theme, 50 MB; no PyTorch."
	$(PIP_INSTALL) -e '.[site]'
	@touch $@

$(VENV)/.ready-test: $(PINNED) | $(VENV)/.ready-python
	@echo "Installing what the tests need into $(VENV). Downloads: $(TORCH_SIZE); MkDocs and tools, 0.2 GB."
	$(PIP_INSTALL) -e '.[test]'
	@$(BIN)/python -m tests.chromium
	@touch $@ $(VENV)/.ready-run $(VENV)/.ready-site

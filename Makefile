# The commands of the guide; `make` without arguments lists them. On Windows, use the commands in README.md instead.

PYTHON ?= python3
PORT ?= 8000
VENV := .venv
BIN := $(VENV)/bin
# Without this, mkdocs-material prints ten lines about MkDocs 2 on every build; they don't apply, as versions are pinned.
export NO_MKDOCS_2_WARNING := 1
# Each layer of .venv has a stamp, .ready-NAME, written after pip has finished. So the next command completes a setup
# that was interrupted, and repeats a setup after one of these files has changed.
PINNED := pyproject.toml constraints.txt
PIP_INSTALL := $(BIN)/python -m pip install --disable-pip-version-check -c constraints.txt
# Sizes of the wheels of torch 2.15 for Python 3.11 to 3.13; once installed, the CUDA libraries take 5.4 GB.
TORCH_SIZE := PyTorch and torchvision, 3 GB on Linux (with CUDA libraries) and 0.15 GB on macOS and Windows
PYTEST := $(BIN)/python -m pytest -n auto

.DEFAULT_GOAL := help
.PHONY: help setup test test-all test-weekly lint run serve site record versions translations properdocs addresses pictures bench clean

help:  ## list the commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

setup: $(VENV)/.ready-test  ## set up .venv with torch and everything that the tests need

test: lint  ## check style and types, run the scripts that changed, test the program and the site; ALL=1: run all scripts
	$(if $(ALL),rm -f .held.json)
	$(PYTEST) -m "not exhaustive and not weekly"

test-all: lint  ## like test, with three seeds, all cases and detectors, and every view of the site
	$(PYTEST) -m "not weekly"

test-weekly: lint  ## like test-all, also with the kernels of other processors, and check that the tests notice planted faults
	$(PYTEST)

lint: $(VENV)/.ready-test  ## check style and types only
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

run: $(VENV)/.ready-run  ## ERROR=id: run an entry's broken and fixed script and show their differences
	@test -n "$(ERROR)" || { echo "usage: make run ERROR=matmul-shape-mismatch; list the ids: $(BIN)/torch-errors list"; exit 2; }
	@$(BIN)/torch-errors compare $(ERROR)

serve: $(VENV)/.ready-site  ## build and serve the site; needs no torch
	$(BIN)/mkdocs serve --dev-addr 127.0.0.1:$(PORT)

site: $(VENV)/.ready-site  ## build the site into site/
	$(BIN)/mkdocs build --strict --site-dir site

record: $(VENV)/.ready-run  ## run all scripts and record their output
	$(BIN)/torch-errors record

versions: $(VENV)/.ready-site  ## VERSIONS="2.6 2.10": verify every entry with each of these versions of torch in turn
	$(BIN)/python -m tools.versions $(VERSIONS)

translations: $(VENV)/.ready-site  ## list translations that are missing, outdated or different from their English page
	@$(BIN)/torch-errors translations

properdocs: $(VENV)/.ready-site  ## build the site with MkDocs and with its fork ProperDocs, and compare the lists of files
	$(PIP_INSTALL) -e '.[properdocs]'
	$(BIN)/python -m tools.site_with_properdocs

addresses: $(VENV)/.ready-site  ## add the addresses of new pages to the list of permanent addresses
	@$(BIN)/python -m tools.addresses

pictures: $(VENV)/.ready-test  ## take the pictures of the paste box that README.md shows
	@$(BIN)/python -m tools.take_pictures

bench: $(VENV)/.ready-test  ## measure what users wait for; options: PART=watch, guide, verification or suites; COPIES=5
	@$(BIN)/python -m tools.bench $(if $(PART),--part $(PART)) $(if $(COPIES),--copies $(COPIES))

clean:  ## remove everything that was built, including .venv
	rm -rf $(VENV) site dist .held.json

# The target is not `$(BIN)/python`, which exists before pip does and stays if the setup is interrupted.
$(VENV)/.ready-python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Python 3.11 or newer is needed, and $(PYTHON) is older or missing; choose one: make PYTHON=python3.12 ..."; exit 2; }
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

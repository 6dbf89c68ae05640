# Every target sets up what it needs. Python 3.11 or later and make must be there; uv is used where it is there, else pip.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
RUN := $(VENV)/bin/python
UV := $(shell command -v uv)
PINS := pyproject.toml constraints.txt

ifdef UV
INSTALL := uv pip install --quiet --python $(RUN) --constraint constraints.txt
else
INSTALL := $(RUN) -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
endif

.PHONY: help test test-all test-library test-service test-elsewhere lint tables docs reproduce bench release clean

help:
	@echo "make test            the tests that a change usually needs: minutes"
	@echo "make test-all        all tests, with every engine (Dask, DuckDB, Ray, Spark) and the slow ones"
	@echo "make test-library    all but those of the service; make test-service: these. test-all runs both at once"
	@echo "make test-elsewhere  a part of them on other Pythons, the oldest packages allowed and the wheel; types (needs uv)"
	@echo "make lint            ruff (lint and format), mypy, the directions of imports, and what tools/house.py counts"
	@echo "make docs            the documentation, into site/index.html; examples run, links are checked"
	@echo "make tables          the table of rules in docs/algorithms.md, from the files of the rules"
	@echo "make reproduce       the paper's figures and claims, into report/index.html"
	@echo "make bench           speed against other libraries, into docs/benchmarks.md (OPTIONS=--quick: a trial)"
	@echo "make release         the source archive and the wheel in dist/, checked; uploads nothing"
	@echo "make clean           remove the virtual environment and everything that was made"

$(VENV)/made:
	$(PYTHON) -c 'import sys; assert sys.version_info >= (3, 11), "hedgerow needs Python 3.11 or later: make PYTHON=python3.11"'
ifdef UV
	uv venv --quiet --allow-existing --python $(PYTHON) $(VENV)
else
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) --upgrade pip
endif
	touch $@

$(VENV)/ready: $(VENV)/made $(PINS)
	$(INSTALL) --editable '.[cli,service,postgres]' --group tests
	touch $@

$(VENV)/ready-%: $(VENV)/ready
	$(INSTALL) --group $*
	touch $@

test: $(VENV)/ready
	$(RUN) -m pytest -m "not slow"

test-all: $(VENV)/ready-engines
	$(MAKE) --jobs 2 --output-sync=line test-library test-service

test-library: $(VENV)/ready-engines
	$(RUN) -m pytest --ignore tests/service --ignore docs/service.md

test-service: $(VENV)/ready-engines
	$(RUN) -m pytest tests/service docs/service.md

test-elsewhere:
	$(PYTHON) tools/elsewhere.py 3.12 3.13 lowest wheel types

lint: $(VENV)/ready-lint
	$(RUN) -m ruff check
	$(RUN) -m ruff format --check
	$(RUN) -m mypy
	$(VENV)/bin/lint-imports
	$(RUN) tools/house.py

tables: $(VENV)/ready
	$(RUN) tools/tables.py

docs: $(VENV)/ready-docs
	$(RUN) tools/docs.py

reproduce: $(VENV)/ready
	$(RUN) -m hedgerow reproduce

bench: $(VENV)/ready
	$(RUN) benchmarks/run.py $(OPTIONS)

release: $(VENV)/ready-release
	rm -rf dist
	$(RUN) -m build
	$(RUN) -m twine check --strict dist/*

clean:
	rm -rf $(VENV) report report-quick build dist site .elsewhere .pytest_cache .mypy_cache .ruff_cache .hypothesis

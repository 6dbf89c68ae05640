# make test and make reproduce do all the set-up themselves; they need Python 3.11 or later and make.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
RUN := $(VENV)/bin/python
READY := $(VENV)/ready

.PHONY: help test lint tables reproduce bench clean

help:
	@echo "make test       run the tests"
	@echo "make lint       ruff (lint and format), mypy, the directions of imports, and what tools/house.py counts"
	@echo "make tables     the table of rules in docs/algorithms.md, from the files of the rules"
	@echo "make reproduce  the paper's figures and claims, into report/index.html"
	@echo "make bench      speed against other libraries, into docs/benchmarks.md (OPTIONS=--quick: a trial)"
	@echo "make clean      remove the virtual environment and the report"

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; assert sys.version_info >= (3, 11), "hedgerow needs Python 3.11 or later: make PYTHON=python3.11"'
	$(PYTHON) -m venv $(VENV)
	$(RUN) -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[cli,dev,service,postgres]'
	touch $(READY)

test: $(READY)
	$(RUN) -m pytest

lint: $(READY)
	$(RUN) -m ruff check
	$(RUN) -m ruff format --check
	$(RUN) -m mypy
	$(VENV)/bin/lint-imports
	$(RUN) tools/house.py

tables: $(READY)
	$(RUN) tools/tables.py

reproduce: $(READY)
	$(RUN) -m hedgerow reproduce

bench: $(READY)
	$(RUN) benchmarks/run.py $(OPTIONS)

clean:
	rm -rf $(VENV) report report-quick build .pytest_cache .mypy_cache .ruff_cache .hypothesis

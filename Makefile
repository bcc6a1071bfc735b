# Everything a newcomer types. Virtual environments are made on first use and refreshed when pyproject.toml changes.
# Python compiles what it imports; pip would take two thirds longer to compile everything.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
JOBS ?= 2
PYTEST := -m pytest -q --numprocesses $(JOBS) --dist loadfile --no-loadscope-reorder

# OpenMP threads of processes side by side wait for each other, which makes tests of boosting 20 times as slow.
test test-oldest coverage: export OMP_NUM_THREADS := 1

# The lowest supported version of everything, Python included.
OLDEST_PYTHON ?= $(shell command -v python3.11 || echo $(PYTHON))
OLDEST := .venv-oldest

.PHONY: demo paper test test-oldest coverage lint docs bench bench-frontier attack clean
demo: $(VENV)/.demo
	$(BIN)/python tools/demo.py demo

paper: $(VENV)/.test
	$(BIN)/ecoc-paper reproduce --jobs $(JOBS) $(PAPER)  # e.g. PAPER='--preset paper --data-dir DATA'

test: lint
	$(BIN)/python $(PYTEST)

test-oldest: $(OLDEST)/.test
	$(OLDEST)/bin/python $(PYTEST) $$(cat tests/core.txt)  # what needs no command line, plots, clusters or documentation

coverage: $(VENV)/.test
	$(BIN)/python $(PYTEST) --cov

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python tools/prose.py

docs: $(VENV)/.test
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs build/docs
	@echo "build/docs/index.html"

bench: $(VENV)/.test
	$(BIN)/python -m benchmarks

bench-frontier: $(VENV)/.test
	$(BIN)/python -m benchmarks._frontier

attack: $(VENV)/.test
	$(BIN)/python -m tests.attacks $(ATTACK)  # e.g. ATTACK='--only designs --seconds 60'

$(VENV)/.demo: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --no-compile --editable '.[cli,plots]'
	@touch $@

$(VENV)/.test: pyproject.toml paper/pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --no-compile --editable '.[test]' --editable paper
	@touch $(VENV)/.demo $@

$(OLDEST)/.test: pyproject.toml tools/oldest.py
	$(OLDEST_PYTHON) -m venv --clear $(OLDEST)
	$(OLDEST)/bin/python tools/oldest.py > $(OLDEST)/constraints.txt
	$(OLDEST)/bin/python -m pip install --quiet --no-compile --constraint $(OLDEST)/constraints.txt --editable '.[test-core]'
	@touch $@

clean:
	rm -rf $(VENV) $(OLDEST) demo reproduction build dist docs/auto_examples docs/generated docs/sg_execution_times.rst .coverage \
		.pytest_cache .mypy_cache .ruff_cache .hypothesis

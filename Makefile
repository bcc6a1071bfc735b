# Everything a newcomer types. The virtual environment is made on first use and refreshed when pyproject.toml changes.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
JOBS ?= 2

.PHONY: demo test lint docs bench bench-frontier clean
demo: $(VENV)/.installed
	@mkdir -p demo
	$(BIN)/ecoc compare sklearn:digits --learner svc:C=10 --columns 0.5,1.0 --folds 5 --report demo/report.html
	$(BIN)/ecoc fit sklearn:digits --learner svc:C=10 --columns 5 -o demo/model.skops
	$(BIN)/ecoc show demo/model.skops
	@echo "demo/report.html is the comparison, for a browser; demo/model.skops is the model."

test: lint
	$(BIN)/python -m pytest -q --numprocesses $(JOBS) --dist loadfile

lint: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(VENV)/.installed
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs build/docs
	@echo "build/docs/index.html"

bench: $(VENV)/.installed
	$(BIN)/python -m benchmarks

bench-frontier: $(VENV)/.installed
	$(BIN)/python -m benchmarks._frontier

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable '.[test]'
	@touch $@

clean:
	rm -rf $(VENV) demo build dist docs/auto_examples docs/generated docs/sg_execution_times.rst .pytest_cache .mypy_cache .ruff_cache .hypothesis

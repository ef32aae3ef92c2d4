PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OUT ?= results

.PHONY: demo test lint types unit bench clean

demo: $(VENV)/.installed  ## run the pipeline on a sample of real measurements
	$(BIN)/pipeline run sample_profiles/hpcg-strong --out $(OUT)

test: lint types unit  ## all that must hold before a change is done

lint: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(VENV)/.installed-test
	$(BIN)/mypy

unit: $(VENV)/.installed-test
	$(BIN)/python -m pytest -n 2

bench: $(VENV)/.installed-test  ## side by side with the peers; takes minutes
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) $(OUT) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(VENV)/.installed: pyproject.toml tools/make_environment.py
	$(PYTHON) tools/make_environment.py $(VENV)
	touch $@

$(VENV)/.installed-test: pyproject.toml tools/make_environment.py
	$(PYTHON) tools/make_environment.py $(VENV) test
	touch $@ $(VENV)/.installed

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OUT ?= results
FUZZ_CASES ?= 1000000
MUTANTS ?= 300
SEED ?= 1
PYTEST = -n $(WORKERS) --dist worksteal -rs

unexport PYTHONDONTWRITEBYTECODE  # the tests start hundreds of processes

.PHONY: demo test slow lint types javascript docs unit browser slurm cost bench fuzz mutants lowest audit dist address requirements clean

demo: $(VENV)/.installed  ## run the pipeline on a sample of real measurements
	$(BIN)/pipeline run sample_profiles/hpcg-strong --out $(OUT)

test: lint types unit  ## what must hold before a change is done, in minutes: lint, import contracts, types, unit tests

slow: WORKERS ?= 3  # some wait for Slurm or a browser, so one more than cores in CI
slow: cost javascript docs browser slurm  ## what takes longer: bar on cost, pages in a browser, scripts, documentation, Slurm, fuzz, all examples
	$(BIN)/python -m pytest -m "slow or hypothesis" --hypothesis-profile=same $(PYTEST)

lint: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(VENV)/.installed-test
	$(BIN)/mypy

javascript:  ## types and style of the report's scripts; skipped where npm cannot be had, and says so
	@tools/javascript/check.sh

docs: $(VENV)/.installed-test  ## the documentation as a site in site/, searchable if served: python -m http.server -d site
	NO_MKDOCS_2_WARNING=true $(BIN)/mkdocs build --strict --quiet

unit: WORKERS ?= 2
unit: $(VENV)/.installed-test
	$(BIN)/python -m pytest -m "not slow" $(PYTEST)

browser:  ## the report is tested in Debian's chromium; without it those tests are skipped, and say so
	@command -v chromium chromium-browser google-chrome >/dev/null || \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "installing chromium for the browser tests"; \
	  apt-get -qq update && DEBIAN_FRONTEND=noninteractive \
	  apt-get -qq install --yes --no-install-recommends chromium >/dev/null || echo "no chromium to be had"; \
	else echo "no chromium here: the browser tests will be skipped"; fi

slurm:  ## campaigns are tested on a Slurm of this machine; without it those tests are skipped, and say so
	@command -v slurmctld >/dev/null || [ -x /usr/sbin/slurmctld ] || \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "installing Slurm for the tests of campaigns"; \
	  apt-get -qq update && DEBIAN_FRONTEND=noninteractive \
	  apt-get -qq install --yes --no-install-recommends slurm-wlm munge >/dev/null || echo "no Slurm to be had"; \
	else echo "no Slurm here: the tests of campaigns on it will be skipped"; fi

bench: $(VENV)/.installed-test  ## side by side with the peers; takes minutes
	$(BIN)/python -m benchmarks

cost: $(VENV)/.installed-test  ## processor time and memory of commands, at most a tenth above what was recorded
	$(BIN)/python -m benchmarks.cost

fuzz: $(VENV)/.installed-test  ## mutated inputs for all readers, on all cores; takes tens of minutes
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m tests.fuzz --cases $(FUZZ_CASES)

mutants: $(VENV)/.installed-test  ## defects put in one at a time: which do the tests catch? takes up to an hour
	$(BIN)/python -m tests.mutants --listed
	$(BIN)/python -m tests.mutants --count $(MUTANTS) --seed $(SEED) --reuse-coverage

lowest: .venv-lowest/.installed  ## the tests with the oldest releases that pyproject.toml allows
	.venv-lowest/bin/python -m pytest -n 2 -rs --ignore tests/docs  # whose last digits are those of today's releases

audit:  ## known vulnerabilities in what requirements/ pins; skipped where none are published, and says so
	@tools/audit.sh

dist: .venv-dist/.installed  ## wheel and source archive in dist/, the same bytes for the same commit, checked and tried
	@PYTHON=$(PYTHON) tools/dist.sh

address: ## where the project lives, in all files: make address REPOSITORY=https://host/owner/name
	$(PYTHON) tools/address.py "$(REPOSITORY)"

requirements: .venv-audit/.installed  ## newest releases into requirements/, then SBOM and licences
	PATH="$(CURDIR)/.venv-audit/bin:$$PATH" .venv-audit/bin/python tools/renew_requirements.py $(PACKAGES)
	$(PYTHON) tools/make_environment.py $(VENV) runtime
	$(BIN)/python tools/sbom.py

clean:
	rm -rf $(VENV) .venv-lowest .venv-audit .venv-dist dist $(OUT) site tools/javascript/node_modules .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(VENV)/.installed: pyproject.toml requirements/build.txt requirements/runtime.txt tools/make_environment.py
	$(PYTHON) tools/make_environment.py $(VENV) runtime
	touch $@

$(VENV)/.installed-test: pyproject.toml requirements/build.txt requirements/development.txt tools/make_environment.py
	$(PYTHON) tools/make_environment.py $(VENV) development
	touch $@ $(VENV)/.installed

.venv-lowest/.installed: pyproject.toml requirements/build.txt requirements/lowest.txt tools/make_environment.py
	$(PYTHON) tools/make_environment.py .venv-lowest lowest
	touch $@

.venv-audit/.installed: requirements/audit.txt
	$(PYTHON) -m venv .venv-audit
	.venv-audit/bin/pip install --quiet --require-hashes --requirement requirements/audit.txt
	touch $@

.venv-dist/.installed: requirements/dist.txt
	$(PYTHON) -m venv .venv-dist
	.venv-dist/bin/pip install --quiet --require-hashes --requirement requirements/dist.txt
	touch $@

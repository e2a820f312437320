# Everything a person needs: `make run` shows the product on the sample data, `make test` proves it.
PYTHON ?= $(firstword $(foreach p,python3.11 python3.12 python3.13 python3,$(if $(shell command -v $(p) 2>/dev/null),$(p))))
VENV   := .venv
BIN    := $(VENV)/bin
QUESTION ?= Wie stelle ich den VPN-Tunnel zum Lager wieder her, welche MTU gilt und welche Telefonnummer hat der Provider?

.PHONY: run test check lint types contracts faults fuzz audit bench searxng chromium lock clean

run: $(VENV)/.runtime            ## build the sample brain through Dagster and ask it one question
	$(BIN)/brain build
	$(BIN)/brain think "$(QUESTION)"
	@$(BIN)/brain articles list
	@echo
	@echo "Articles for review:  data/brain/staging/   (brain articles show ID)"
	@echo "The Dagster UI:       $(BIN)/brain up        then open http://127.0.0.1:3000"
	@echo "Your own notes:       $(BIN)/brain build --vault FOLDER --kb FOLDER --data-dir FOLDER"

test: $(VENV)/.dev check         ## lint, types, import contracts, then all tests
	$(BIN)/pytest -n 2 --dist loadgroup

check: lint types contracts

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/mypy

contracts: $(VENV)/.dev
	$(BIN)/lint-imports

faults: $(VENV)/.dev             ## the long form: kills, full disks, dead services
	$(BIN)/pytest -n 2 --dist loadgroup -m "slow or not slow" brain_assets_tests/faults

SIZES ?= 1000,5000
bench: $(VENV)/.dev              ## speed on vaults of several sizes beside rank-bm25 and SQLite FTS5 (docs/benchmarks.md)
	$(BIN)/python benchmarks/search.py --sizes $(SIZES)

FUZZ_EXAMPLES ?= 5000
fuzz: $(VENV)/.dev               ## the long form of the fuzz tests: readers, links, model answers, pages, queries
	FUZZ_EXAMPLES=$(FUZZ_EXAMPLES) $(BIN)/pytest -n 2 --timeout 7200 brain_assets_tests/fuzz

audit: $(VENV)/.dev              ## dependencies: pins, hashes, installed files, licences, known advisories
	$(BIN)/python .ci/audit.py

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "No Python 3.11 to 3.13 found; name one with: make PYTHON=/path/to/python3.11 …"; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25"

$(VENV)/.runtime: $(BIN)/python requirements.lock pyproject.toml
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements.lock
	PYTHONWARNINGS=ignore $(BIN)/python -m pip install --quiet --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.runtime requirements-dev.lock
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements-dev.lock
	@touch $@

searxng: .venv-searxng/.installed  ## the SearXNG peer of the research tests, in an environment of its own

.venv-searxng/.installed: requirements-searxng.lock
	$(PYTHON) -m venv .venv-searxng
	.venv-searxng/bin/python -m pip install --quiet --upgrade "pip>=25"
	.venv-searxng/bin/python -m pip install --quiet --require-hashes -r requirements-searxng.lock
	@touch $@

chromium:                        ## the browser of the UI test, from Debian's packages
	command -v chromium >/dev/null && command -v chromedriver >/dev/null || { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium chromium-driver; }

lock: $(VENV)/.dev               ## resolve the dependencies anew: hashes, no registry addresses
	$(BIN)/pip-compile -q $(LOCK) -o requirements.lock pyproject.toml
	$(BIN)/pip-compile -q $(LOCK) --extra dev -c requirements.lock -o requirements-dev.lock pyproject.toml
	$(BIN)/pip-compile -q $(filter-out --build-deps-for editable,$(LOCK)) -o requirements-searxng.lock requirements-searxng.in
LOCK := --build-deps-for editable --generate-hashes --no-emit-index-url --no-emit-trusted-host --no-emit-find-links --no-header --strip-extras --allow-unsafe

clean:
	rm -rf $(VENV) .venv-searxng data/brain

# make repro: set up and run the experiments of params.yaml; make test: set up and run the tests.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PYTEST_ARGS ?= -n auto --dist loadfile --no-loadscope-reorder

.PHONY: repro test setup sync lock prune format clean

repro: $(VENV)/.core
	$(BIN)/spanledger repro

test: $(VENV)/.dev
	$(BIN)/python -m pytest $(PYTEST_ARGS)

setup: $(VENV)/.core

# A run of pip that was killed leaves no stamp, so the next make starts it again.
$(VENV)/.core: requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Spanledger needs Python 3.11 or newer; name one with make PYTHON=...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --no-index --editable .
	touch $@

$(VENV)/.dev: $(VENV)/.core requirements-dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	touch $@

# Removes results and dvc.lock entries of experiments that params.yaml no longer names.
prune: $(VENV)/.core
	$(BIN)/spanledger prune

# Writes dvc.yaml and docs/reference.md anew, from the plan, the imports of the scripts and the schemas.
sync: $(VENV)/.core
	$(BIN)/spanledger sync

# Pins every dependency anew; needs uv.
LOCK := uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --no-annotate
lock:
	$(LOCK) pyproject.toml requirements-build.in -o requirements.lock
	$(LOCK) --extra dev --extra export --constraint requirements.lock pyproject.toml -o requirements-dev.lock

format: $(VENV)/.dev
	$(BIN)/ruff format workflow tests benchmarks
	$(BIN)/ruff check --fix workflow tests benchmarks
	$(BIN)/snakefmt Snakefile workflow/rules

clean:
	rm -rf $(VENV)

# `make help` lists the targets. All of them run in .venv, which is built once.
PYTHON ?= python3
PROBLEM ?=
ARGS ?=
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DEV_READY := $(VENV)/.dev-ready
GRADER := $(BIN)/python -m grader

.DEFAULT_GOAL := help
.PHONY: help grade watch bench test coverage test-peer test-fresh test-dask chaos bench-batch check audit mutate fuzz lint clean

help:
	@echo 'make grade                 grade your solutions'
	@echo 'make grade PROBLEM=SLUG    grade one exercise; ARGS=-v shows every failing case'
	@echo 'make watch                 grade on every save; Ctrl-C ends it'
	@echo 'make test                  run the tests of the grader itself'
	@echo 'make coverage              run them and list the lines that no test runs'
	@echo 'make check                 check exercises and cases (for authors)'
	@echo 'make audit                 prove that the cases reject every misconception'
	@echo 'make mutate                list the changes of judging and protocol that no test detects'
	@echo 'make fuzz                  many altered inputs of every kind that the grader reads'
	@echo 'make lint                  ruff and mypy'
	@echo 'make test-peer             compare the references with ONNX (installs it)'
	@echo 'make test-fresh            test the installed plug-in, notebooks and Gradescope'
	@echo 'make bench                 measure against pytest, EvalPlus and bare Python'
	@echo 'make test-dask             grade a class on a Dask cluster (installs it)'
	@echo 'make chaos                 grade a class while its processes are killed at random'
	@echo 'make bench-batch           grade full-size classes; writes docs/batch.md'
	@echo 'make clean                 remove the environment and caches'

# Outside CI, unmet requirements (exit code 1) do not fail the target.
grade: $(READY)
	@$(GRADER) grade $(PROBLEM) $(ARGS); code=$$?; \
	if [ "$$code" = 1 ] && [ -z "$$CI" ]; then exit 0; else exit $$code; fi

watch: $(READY)
	@$(GRADER) watch $(PROBLEM) $(ARGS)

MEASURING := tests/runners tests/test_doctor.py

# With COVERAGE=yes it measures the runners and the child by their own tests: to measure all tests
# takes a third more time. The floors lie a little below the figures of 2026-12-01.
test: $(DEV_READY)
ifndef COVERAGE
	@$(BIN)/python -m pytest -q -n auto $(ARGS)
else
	@$(BIN)/python -m pytest -q -n auto $(MEASURING:%=--ignore=%) $(ARGS)
	@$(BIN)/coverage erase
	@$(BIN)/coverage run -m pytest -q -n auto -p tests.child_coverage $(MEASURING) $(ARGS)
	@$(BIN)/coverage combine -q
	@$(BIN)/coverage report --include='grader/child/*' --fail-under=96
	@$(BIN)/coverage report --include='grader/runners/*' --fail-under=96
endif

coverage: $(DEV_READY)
	@$(BIN)/coverage erase
	@$(BIN)/coverage run -m pytest -q -n auto -p tests.child_coverage $(ARGS)
	@$(BIN)/coverage combine -q
	@$(BIN)/coverage report

check: $(READY)
	@$(GRADER) check $(PROBLEM) $(ARGS)

audit: $(READY)
	@$(GRADER) audit $(PROBLEM) $(ARGS)

lint: $(DEV_READY)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

# One worker: with more, mutmut would take a slow mutant for an endless one.
mutate: $(DEV_READY)
	@$(BIN)/python -m pip install -qq --disable-pip-version-check mutmut
	@rm -rf mutants
	@$(BIN)/mutmut run --max-children 1 $(ARGS)
	@$(BIN)/mutmut results

# It tries FUZZ altered inputs of each kind, other ones every time.
FUZZ ?= 3000
fuzz: $(DEV_READY)
	@GRADER_FUZZ=$(FUZZ) $(BIN)/python -m pytest -q -n auto tests/test_fuzz.py $(ARGS)

test-peer: $(DEV_READY)
	@$(BIN)/python -m pip install -qq --disable-pip-version-check onnx
	@$(BIN)/python -m pytest -q -m peer $(ARGS)

test-fresh: $(DEV_READY)
	@$(BIN)/python -m pytest -q -m fresh $(ARGS)

# The benchmark needs only the core of EvalPlus, not its dependencies.
bench: $(DEV_READY)
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-deps evalplus psutil
	@$(BIN)/python tests/bench/run.py $(ARGS)

test-dask: $(DEV_READY)
	@$(BIN)/python -m pip install -qq --disable-pip-version-check -e '.[dask]'
	@$(BIN)/python -m pytest -q -m dask $(ARGS)

chaos: $(DEV_READY)
	@$(BIN)/python tests/batch/chaos.py $(ARGS)

bench-batch: $(DEV_READY)
	@$(BIN)/python -m pip install -qq --disable-pip-version-check -e '.[dask]'
	@$(BIN)/python tests/batch/full_size.py $(ARGS)

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage* mutants
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	|| { echo 'The grader needs Python 3.11 or newer; try: make PYTHON=python3.12 $(MAKECMDGOALS)'; exit 2; }
	@echo 'Setting up the environment in $(VENV), once; this usually takes half a minute.'
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install -qq --disable-pip-version-check -e .
	@touch $@

$(DEV_READY): $(READY)
	@echo 'Installing the packages for the tests, once; this usually takes half a minute.'
	@$(BIN)/python -m pip install -qq --disable-pip-version-check -e '.[dev]'
	@touch $@

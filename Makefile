# `make` alone says what there is to make.
PYTHON ?= python3
export PYTHON
# nbgrader starts programs by name, so the environment's commands must come first.
RUN := PATH="$(CURDIR)/.venv/bin:$$PATH"
PYTEST := OMP_NUM_THREADS=1 pytest -n 2 --dist loadfile

.NOTPARALLEL:
.PHONY: help setup browser demo build lint test nightly clean

help:
	@echo "make demo     grade a bundled class of real, wrong, damaged and hostile submissions"
	@echo "make test     lint and run every test"
	@echo "make setup    make .venv and install what is missing (the others do it, too)"
	@echo "make build    make the notebooks and the release from the text of the lessons"
	@echo "make lint     ruff, mypy, and the lint of the lessons"
	@echo "make nightly  what is too slow for every change: the slow tests, every answer of the bank"
	@echo "make clean    delete what was built, the demonstration and caches; keeps .venv and a class's grades"

setup:
	@scripts/setup

browser:
	@scripts/setup --tests

demo: setup
	@$(RUN) autograde demo

build: setup
	@$(RUN) autograde build

lint: setup
	$(RUN) ruff check
	$(RUN) ruff format --check
	$(RUN) mypy
	$(RUN) autograde lint

test: browser lint
	$(RUN) autograde build --check
	$(RUN) $(PYTEST) -m "not nightly"

# 5 is pytest's word for: no test is marked so.
nightly: browser
	$(RUN) autograde build
	$(RUN) autograde verify
	$(RUN) $(PYTEST) -m nightly || [ $$? -eq 5 ]

clean:
	rm -rf demo source/*/*.ipynb notebooks/*.ipynb notebooks/live .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find autograde course_utils tests -name __pycache__ -type d -prune -exec rm -rf {} +

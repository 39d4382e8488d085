# `make` alone says what there is to make.
PYTHON ?= python3
export PYTHON
# nbgrader starts programs by name, so the environment's commands must come first.
RUN := PATH="$(CURDIR)/.venv/bin:$$PATH"
PYTEST := OMP_NUM_THREADS=1 pytest -n 2 --dist loadfile --durations 25 --durations-min 5

.NOTPARALLEL:
.PHONY: help setup browser demo build lint test nightly full benchmark clean

help:
	@echo "make demo     grade a bundled class of real, wrong, damaged and hostile submissions"
	@echo "make test     lint and run every test"
	@echo "make setup    make .venv and install what is missing (the others do it, too)"
	@echo "make build    make the notebooks and the release from the text of the lessons"
	@echo "make lint     ruff, mypy, and the lint of the lessons"
	@echo "make nightly  prove the whole course: every notebook, claim and answer; then the slow tests"
	@echo "make full     measure every claim at the lecture's own sizes (hours; stopped, it goes on where it was)"
	@echo "make benchmark  how fast the grader is, beside stock nbgrader (ten minutes of an idle machine)"
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

# Both are run, whatever the first says: a night should tell everything that it can.
nightly: browser
	$(RUN) autograde build --no-run
	$(RUN) autograde nightly; found=$$?; $(RUN) $(PYTEST) -m nightly && exit $$found

full: build
	$(RUN) autograde full

benchmark: setup
	$(RUN) python -m benchmarks

clean:
	rm -rf demo source/*/*.ipynb notebooks/*.ipynb notebooks/live .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find autograde course_utils tests -name __pycache__ -type d -prune -exec rm -rf {} +

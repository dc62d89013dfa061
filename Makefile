# Each target does its own set-up in .venv and can be run again at any time.
PYTHON ?= python3
BIN := .venv/bin
N ?= 20000

.DEFAULT_GOAL := help
.PHONY: help profile test check docs browser second-opinion faults switches scales store-damage fail fuzz harness bench locks

help:
	@echo "make profile          install, get the default model, measure it and its trained twin, write profile/profile.html"
	@echo "make test             install what the tests need; lint, types, tests"
	@echo "make check            lint and types alone"
	@echo "make docs             execute the tutorials, write the documentation to site/index.html"
	@echo "make second-opinion   compare the belief engine with a second program on N=$(N) generated stories"
	@echo "make faults           put a model server's faults, one kind after another, to the code that asks it"
	@echo "make switches         change models behind a server's back, and see that no run ends as if nothing had happened"
	@echo "make scales           report log-probabilities on wrong scales, and see that each is named before the first item"
	@echo "make store-damage     damage small stores 10,000 times, and see that nothing wrong is shown without a message"
	@echo "make fail             fail every open, write, rename and connect of the commands, one by one"
	@echo "make fuzz             spoil weights, stories, suites, stores and replies at random"
	@echo "make harness          compare response scores with lm-evaluation-harness on 200 items"
	@echo "make bench            print what things cost"
	@echo "make locks            write requirements/: the hash of everything that is installed, and the bill of materials"

profile: .venv/core
	@$(BIN)/otherminds profile -m smollm2 -m smollm2+beliefs --size quick -o profile

# Files in their own order: xdist would keep those with few tests for the end, and the longest test stands alone in its file.
test: check browser
	@$(BIN)/python -m pytest -n 3 --dist loadfile --no-loadscope-reorder

check: .venv/dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

# Offline, but for the weights of the default model. A link that leads nowhere or a cell that fails ends it.
docs: .venv/dev
	@$(BIN)/python docs/run_tutorials.py
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --quiet --strict
	@echo site/index.html

# Some tests drive a real Chromium. Where it is missing and cannot be installed, they are skipped and say so.
browser:
	@command -v chromium >/dev/null || command -v google-chrome >/dev/null \
	|| { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && echo "Installing chromium for the page tests" \
	     && apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y chromium >/dev/null; } \
	|| echo "No chromium here, so the tests of pages will be skipped"

second-opinion: .venv/dev
	@$(BIN)/python -m tests.agreement --stories $(N)

faults: .venv/dev
	@$(BIN)/python -m tests.faults.matrix --bad

switches: .venv/dev
	@$(BIN)/python -m tests.integrity.switches

scales: .venv/dev
	@$(BIN)/python -m tests.scales

store-damage: .venv/dev
	@$(BIN)/python -m tests.integrity.store_mutations --number 10000

fail: .venv/dev
	@$(BIN)/python -m tests.integrity.fail_everything --every $(or $(EVERY),1)

fuzz: .venv/dev
	@$(BIN)/python -m tests.fuzz --seconds $(or $(SECONDS),120)

harness: .venv/dev
	@EACH=20 $(BIN)/python -m pytest tests/studies/safety/test_lm_eval.py

bench: .venv/dev
	@for each in benchmarks/*.py; do \
		case $$each in */search.py) some=--quick;; */training.py) some=--help;; *) some=;; esac; \
		echo "== $$each $$some"; $(BIN)/python $$each $$some || exit 1; done

.venv/bin/python:
	@echo "Making a virtual environment in .venv"
	@$(PYTHON) -m venv .venv

# Every file is known by its hash (requirements/), so nothing but what was tried is installed. torch is known by its version,
# since it differs by what the machine computes with. Most modules are never imported, so Python compiles them when they are.
# Quiet twice leaves out pip's warnings; what fails is tried once more aloud, so that pip says why.
ALOUD = $(BIN)/python -m pip install --disable-pip-version-check --no-compile
PIP = quietly() { $(ALOUD) --quiet --quiet "$$@" || $(ALOUD) "$$@"; }; quietly
LOCKED = $(PIP) --no-deps --no-build-isolation

.venv/core: .venv/bin/python pyproject.toml requirements/core.txt
	@echo "Installing otherminds"
	@$(LOCKED) --require-hashes -r requirements/core.txt
	@$(LOCKED) -e .
	@touch $@

.venv/dev: .venv/bin/python pyproject.toml constraints.txt requirements/build.txt requirements/dev.txt
	@echo "Installing otherminds with what its tests need (torch among it: a few minutes)"
	@$(LOCKED) --require-hashes -r requirements/build.txt
	@$(LOCKED) --require-hashes -r requirements/dev.txt
	@$(PIP) -c constraints.txt torch
	@$(LOCKED) -e .
	@touch $@ .venv/core

# Versions stay as they are unless constraints.txt, pyproject.toml or UPGRADE=--upgrade say otherwise.
locks: .venv/dev
	@$(PIP) uv==0.13.8
	@$(BIN)/python requirements/make_locks.py $(UPGRADE)
	@$(BIN)/python requirements/make_sbom.py
	@git diff --stat -- requirements

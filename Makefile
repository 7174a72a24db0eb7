# Everything that one types. CPython 3.11 or later (with venv), git and make are all that it needs.

# The first Python that really runs and is new enough; name another with: make run PYTHON=/path/to/python3.12
NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do \
	"$$p" -c '$(NEW_ENOUGH)' 2>/dev/null && { echo "$$p"; break; }; done)
ASSAY_PORT ?= 8501
export ASSAY_PORT
# A query of DuckDB frees thousands of small pieces: where glibc keeps them at hand, it takes a quarter less time.
export GLIBC_TUNABLES ?= glibc.malloc.tcache_count=4000
# The products of matrices here are small: threads for one of them only wait for each other, at full speed.
export OPENBLAS_NUM_THREADS ?= 1

# Two processes for each core run the tests, because those with a browser wait at times. More than eight need much memory.
WORKERS ?= $(shell "$(PYTHON)" -c 'import os; print(min(8, 2 * (os.cpu_count() or 1)))')

PY := .venv/bin/python
PIP := $(PY) -m pip --disable-pip-version-check --no-input --quiet

.PHONY: help run test test-slow test-postgres check bench soak load mutants clean

help:  ## say what there is
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/:.*## /	/' | while IFS='	' read -r name what; do \
		printf '  make %-13s %s\n' "$$name" "$$what"; done

run: .venv/.installed  ## serve Assay on this machine (ASSAY_PORT, default 8501)
	@$(PY) -c "$$PORT_IS_FREE"
	@echo "Assay: http://127.0.0.1:$(ASSAY_PORT)  (Ctrl+C stops it)"
	@STREAMLIT_LOGGER_HIDE_WELCOME_MESSAGE=true exec $(PY) -m streamlit run app.py --server.port $(ASSAY_PORT)

test: .venv/.installed-dev  ## run the tests, in a real browser too, but for those that are marked slow
test-slow: .venv/.installed-dev  ## run the slow tests: with `make test`, these are all
test: MARKED := not slow
test-slow: MARKED := slow
test test-slow:
	@$(PY) -m tests.browser
	@PYTHONDONTWRITEBYTECODE= $(PY) -m pytest -q --workers $(WORKERS) -m "$(MARKED)" $(ARGS)

check: .venv/.installed-dev  ## style and types
	@$(PY) -m ruff check . --output-format concise; style=$$?; $(PY) -m mypy && exit $$style

test-postgres: .venv/.installed-dev  ## run the tests of the data on a PostgreSQL server of their own
	@ASSAY_TEST_STORE=postgresql $(PY) -m pytest -q --workers 3 tests/data $(ARGS)

bench: .venv/.installed-dev  ## measure what must be fast
	@$(PY) -m tests.bench $(ARGS)

soak: .venv/.installed-dev  ## try at release counts that nothing is lost; goes on where it was (ARGS="--minutes 60")
	@$(PY) -m tests.browser
	@$(PY) -m tests.soak $(ARGS)

load: .venv/.installed-dev  ## fifty people and ten browsers on the desk at once
	@$(PY) -m tests.browser
	@$(PY) -m tests.load $(ARGS)

mutants: .venv/.installed-dev  ## make the code wrong at random points, and see what no test notices (ARGS="--seed 7 --count 300")
	@$(PY) -m tests.mutants $(ARGS)

clean:  ## remove the environment and caches; a workspace is never touched
	@rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis .soak .mutants
	@find app.py pages data judges tools tests -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

# The stamps say that a lock file is installed as it stands: the second time nothing is fetched, or even looked up.

.venv/bin/pip:
	@"$(PYTHON)" -c '$(NEW_ENOUGH)' 2>/dev/null || { \
		echo "Assay needs Python 3.11 or later, and $(or $(PYTHON),nothing here) is not. Install one, or name it: make run PYTHON=/path/to/python3.12"; exit 1; }
	@"$(PYTHON)" -m venv --clear .venv || { \
		echo "$(PYTHON) could not make .venv. On Debian and Ubuntu its venv module is a package of its own: python3-venv."; exit 1; }

.venv/.installed: requirements.txt | .venv/bin/pip
	@echo "Installing what Assay needs into .venv (a minute or two, once) ..."
	@$(PIP) install -r requirements.txt || { echo "$$NOT_INSTALLED"; exit 1; }
	@touch $@

.venv/.installed-dev: $(wildcard requirements*.txt) | .venv/bin/pip
	@echo "Installing what Assay and its tests need into .venv (a few minutes, once) ..."
	@$(PIP) install -r requirements-dev.txt || { echo "$$NOT_INSTALLED"; exit 1; }
	@touch .venv/.installed $@

define NOT_INSTALLED
The packages could not be installed; pip says why above. The first time needs the network. Run the same command again to go on.
endef
export NOT_INSTALLED

define PORT_IS_FREE
import os, socket, sys
given = os.environ["ASSAY_PORT"]
if not given.isdecimal() or not 0 < int(given) < 65536:
    sys.exit(f"ASSAY_PORT is {given!r}. It has to be a port, a number from 1 to 65535.")
with socket.socket() as probe:
    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        probe.bind(("127.0.0.1", int(given)))
    except PermissionError:
        sys.exit(f"Port {given} needs special rights. Choose one above 1023, as in: make run ASSAY_PORT=8502")
    except OSError:
        sys.exit(f"Port {given} is in use, perhaps by Assay already: open http://127.0.0.1:{given}, or choose another: make run ASSAY_PORT=8502")
endef
export PORT_IS_FREE

# `make demo` and `make test` need Python >= 3.11 with its venv module, and make. TORCH_INDEX=URL chooses where torch comes from.
PYTHON ?= python3
TORCH_INDEX ?=
HOURS ?= 1
PYTHONS ?= $(PYTHON)
BIN := .venv/bin
export PIP_CONSTRAINT := $(CURDIR)/constraints.txt
export GOMP_SPINCOUNT := 0
# Without compiled files, each of the many processes that the tests start would compile seqsep again.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo test verify proofs engines soak pages docs release format clean

demo: .venv/ready
	$(BIN)/seqsep demo

test: .venv/ready-dev
	$(BIN)/ruff format --check setup.py docs src tools tests benchmarks
	$(BIN)/ruff check setup.py docs src tools tests benchmarks
	$(BIN)/mypy
	OMP_NUM_THREADS=1 $(BIN)/pytest -n 2 --dist worksteal

verify: .venv/ready-dev
	PYTHONPATH=tools OMP_NUM_THREADS=1 $(BIN)/python tests/verify.py

# Compiles the machine-checked proofs and seqsep-check-verified; needs Coq (Rocq) and OCaml. Prints the assumptions of every theorem.
proofs:
	@$(PYTHON) tools/proofs.py

# Asks vLLM's server and llama.cpp for the answers of canaries, each installed in build/: 3.7 GB, half an hour or more the first time.
engines: .venv/ready-dev
	PYTHONPATH=tools:tests OMP_NUM_THREADS=1 $(BIN)/python tests/long_canary_engines.py

soak: .venv/ready-dev
	cd tests && OMP_NUM_THREADS=1 ../$(BIN)/python -m support.faults.sitting --hours $(HOURS); status=$$?; ../$(BIN)/python -m support.faults.page; exit $$status

# Writes the generated pages of docs/ again; most of the minutes are the checks whose outputs the pages show.
pages: .venv/ready-dev
	PYTHONPATH=tools $(BIN)/python -m pages

# Builds the site from docs/ into build/site.
docs: .venv/ready-dev
	$(BIN)/sphinx-build -q -W --keep-going -b html docs build/site
	@echo "Open build/site/index.html in a browser."

# Builds dist/ and checks it. PYTHONS="python3.11 python3.12" are the interpreters that run the installed wheel.
release: .venv/ready-dev
	PYTHONPATH=tools TORCH_INDEX=$(TORCH_INDEX) $(BIN)/python tools/release.py --to dist --demo $(PYTHONS:%=--python %)

format: .venv/ready-dev
	$(BIN)/ruff format setup.py docs src tools tests benchmarks
	$(BIN)/ruff check --fix setup.py docs src tools tests benchmarks

.venv/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "make: $(PYTHON) is older than 3.11; use make PYTHON=python3.11" >&2; exit 3; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "make: $(PYTHON) has no venv module; on Debian install python3-venv" >&2; exit 3; }
	$(PYTHON) -m venv .venv
	touch $@

.venv/ready: .venv/pip constraints.txt pyproject.toml
	@echo "Installing into .venv, once: some minutes, most of them for torch (200 MB for a CPU, gigabytes with CUDA)."
	$(if $(TORCH_INDEX),$(BIN)/pip install --quiet --extra-index-url $(TORCH_INDEX) torch)
	$(BIN)/pip install --quiet --editable .
	touch $@

.venv/ready-dev: .venv/ready
	$(BIN)/pip install --quiet --editable '.[dev]'
	touch $@

clean:
	rm -rf .venv dist report runs

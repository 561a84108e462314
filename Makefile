# The two commands: "make book" and "make test". Both prepare .venv themselves.

PYTHON ?= python3
PYTHONS ?= python3.11 python3.12 python3.13
VENV := .venv
RUN := $(VENV)/bin/python

.PHONY: help ready book paper test check nightly watch serve lab edit workshop notebooks bench clean

help:
	@echo "make book       run every chapter and write the site to _build/html"
	@echo "make paper      the whole book as PDF and EPUB, linked from the site"
	@echo "make test       run every test: what make check does, then the book and all that looks at it"
	@echo "make check      linter, types, and the tests without browser and build"
	@echo "make nightly    everything on Python 3.11 to 3.13, every page twice, from an empty _build"
	@echo "make watch      show the site; the open page follows the files"
	@echo "make serve      show the site on http://localhost:8000"
	@echo "make lab        open your own copy of the notebooks, my_notebooks, in JupyterLab"
	@echo "make edit       open the sources of the pages in JupyterLab, for writers"
	@echo "make workshop   begin my_transformer.py, the functions that you write and have checked"
	@echo "make notebooks  write the executed notebooks to _build/notebooks"
	@echo "make bench      measure the package and the build, for the README"
	@echo "make clean      remove _build; make book starts from nothing"

ready:
	@$(PYTHON) tools/prepare.py $(VENV)

book: ready
	@$(RUN) -m tools.programs site
	@$(RUN) -m tools.book

paper: book
	@$(RUN) -m tools.programs
	@$(RUN) -m tools.paper

check: ready
	@$(RUN) -m tools.gate.stages check

test: ready
	@$(RUN) -m tools.gate.stages test

# Only for the night: it builds the book from nothing for each Python, and takes the place of _build.
nightly:
	@$(PYTHON) tools/nightly.py $(PYTHONS)

watch: ready
	@$(RUN) -m tools.programs site
	@$(RUN) -m tools.watch

serve: book
	@echo "The book is at http://localhost:8000 (Ctrl+C stops it)"
	@$(RUN) -m http.server 8000 --bind 127.0.0.1 --directory _build/html

lab: book
	@$(RUN) -m tools.pages.scratch_copy

edit: ready
	@$(RUN) -m jupyter lab book/intro.md

workshop: ready
	@$(RUN) -m transformer_workshop start

notebooks: book
	@echo "The notebooks are in _build/notebooks"

bench: ready
	@$(RUN) -m tools.programs
	@$(RUN) -m benchmarks

clean:
	rm -rf _build

"""The stages of a check: ``python -m tools.gate.stages check``. Each is run, whatever else fails.

A stage declares its inputs. Where it has passed before with the same ones, with the same packages on
the same kind of processor, it is not run again; ``TRANSFORMER_BOOK_STORE=off`` runs everything. A stage
that reads anything else fails: see ``watch/sitecustomize.py``.
"""

import argparse
import sys
import time

from tools import ROOT

from .run import ALL, Stage, run_stages
from .summary import failed, progress, summary

PYTHON = ("{python}", "-m")
PYTEST = (*PYTHON, "pytest", "-p", "tools.gate.plugin")
SPREAD = ("--numprocesses", "auto", "--dist", "worksteal")
# tests/conftest.py marks with "book" what looks at the real book; "build" alone builds small ones.
QUICK = "not browser and not build and not book"
BUILDING = "build and not book and not browser"
MARKS = ("browser", "build", "book")
REAL = "book and not browser"
BUILT = (
    ("TRANSFORMER_BOOK_SITE", "built"),
)  # so no test looks whether it is up to date
CONFIGURATION = (
    "pyproject.toml",
    "tests/__init__.py",
    "tests/conftest.py",
    "tests/limits.py",
    "tools/__init__.py",
    "tools/gate",
    "tools/machine.py",
    "tools/programs/__init__.py",
    "tools/cache/__init__.py",
    "tools/cache/store.py",
)
SITE = ("_build/html", "_build/notebooks")


def tests(*paths, inputs, mark=QUICK, **options):
    """Return the stage of some tests, in one process."""
    command = (*PYTEST, *paths, "-m", mark)
    return Stage((command,), (*CONFIGURATION, *inputs), **options)


def folders(*names):
    return tuple(f"tests/{name}" for name in names)


def modules(package, *names):
    """Return sources of a package, with that of the package itself."""
    folder = f"src/transformer_{package}"
    return tuple(f"{folder}/{name}" for name in ("__init__.py", *names))


# What of the packages the tests of some folders use.
BOOK = "src/transformer_book"
OF_DATA = modules("lab", "experiment.py", "records/__init__.py", "words")
OF_TRAIN = modules(
    *("lab", "book_models", "experiment.py", "parallel", "records/__init__.py"),
    *("translations", "translator"),
)
OF_PRESS = modules(
    *("book", "by_hand", "data", "config.py", "config_rules.py", "expect.py"),
    *("ids.py", "nesting.py", "options.py", "progress.py"),
    *("rotation.py", "shapes.py", "special_ids.py", "storage.py"),
)

NN = folders(
    *("by_hand", "decode", "nn", "serve", "test_alike.py", "test_config.py"),
    *("test_docstrings.py", "test_expect.py", "test_floors.py"),
    *("test_shapes.py", "test_storage.py", "test_storage_of_models.py"),
    "benchmarks/test_gpt2.py",
)
DATA = folders("data", "test_progress.py")
PAGES = folders(
    *("chapters", "site", "benchmarks/test_main.py", "test_collected.py"),
    *("test_encodings.py", "test_licences.py", "test_mirror.py", "test_packages.py"),
    "test_workflow.py",
)
TOOLS = folders("tools", "test_verdicts.py")
# What tests of other folders lend each other.
LENT = folders(
    *("data/real.py", "nn/cases.py", "nn/models.py", "train/cases.py"),
    *("train/test_distributed.py", "processes.py", "traced.py", "worked_example.py"),
)
BOOKS = folders("lessons.py", "small_book.py", "tools/conftest.py")
ANYWHERE, PRINTED = folders("site/test_anywhere.py", "tools/paper/test_papers.py")
# Those that build a small book, or a part of one. One has enough pages for kernels that are warm.
SMALL = folders(
    *("tools/test_book.py", "tools/test_measure.py", "tools/test_minutes.py"),
    *("tools/pages/test_notebooks.py", "tools/paper/test_epub.py"),
    "site/test_anywhere.py",
)
OF_LESSONS = ("chinese", "moved_sections", "neighbours", "minute_labels", "terms")
LESSONS = folders(*(f"tools/site/test_{name}.py" for name in OF_LESSONS))

# The longest begin. No page is an input of the package's tests, and hardly a tool.
OF_BUILDS = (
    *("java", "python", "ruff", "src/transformer_press", "tools", "book/_static"),
    *("book/references.bib", "_config.yml", "_toc.yml", "requirements.txt"),
    *modules("lab", "records"),
)
SMALL_STAGES = {
    "small": tests(
        *SMALL,
        mark=BUILDING,
        inputs=(
            *(*OF_BUILDS, *OF_PRESS),
            *("tests/tools/paper/conftest.py", *SMALL, *BOOKS),
        ),
    ),
    "lessons": tests(
        *LESSONS,
        mark=BUILDING,
        inputs=(
            *(*OF_BUILDS, BOOK, *LESSONS, *BOOKS),
            "tests/tools/pages/test_notebooks.py",
        ),
    ),
}
QUICK_STAGES = {
    "npm": Stage(((*PYTHON, "tools.programs"),)),
    "lab": tests("tests/lab", inputs=("src", "benchmarks", "tests/lab", *LENT)),
    "tools": tests(
        *TOOLS,
        inputs=(".", "git", "python", "ruff", "node_modules"),
        needs=("npm",),
    ),
    "types": Stage(
        ((*PYTHON, "mypy", "--no-error-summary"),),
        ("pyproject.toml", "src", "tools", "benchmarks"),
    ),
    "press": tests(
        "tests/press",
        inputs=(
            *("src/transformer_press", *OF_PRESS),
            *("book/_static/theme.css", "tests/press"),
        ),
    ),
    "nn": tests(
        *NN,
        inputs=(
            *("ptxas", BOOK, *modules("lab", "torch_transformer.py"), "benchmarks"),
            *(*NN, *LENT),
        ),
    ),
    "data": tests(*DATA, inputs=(BOOK, *OF_DATA, *DATA)),
    "train": tests("tests/train", inputs=(BOOK, *OF_TRAIN, "tests/train", *LENT)),
    "pages": tests(*PAGES, inputs=(".",)),
    "js": tests(
        "tests/js",
        inputs=(
            *("node", BOOK, *modules("lab", "translations", "translator")),
            *("book/_static/js", "tools/programs/__init__.py", "tests/js", *LENT),
            "tests/data/test_placeholders.py",
        ),
    ),
    "scripts": Stage(
        (("{node}", "node_modules/typescript/bin/tsc"),),
        (
            "node",
            "book/_static/js",
            "tools/site/sphinx.d.ts",
            "tsconfig.json",
            "package-lock.json",
        ),
        needs=("npm",),
    ),
    "lint": Stage(
        (
            (*PYTHON, "ruff", "check", "--quiet"),
            (*PYTHON, "ruff", "format", "--check", "--quiet"),
            ("{zizmor}", "--offline", "--quiet", ".github"),
        ),
        (".", "ruff", "zizmor"),
    ),
    "pins": Stage(
        ((*PYTHON, "tools.gate.pins"),), ("uv", *CONFIGURATION, "requirements.txt")
    ),
}
BOOK_STAGES = {
    "book": Stage(((*PYTHON, "tools.book"),), cores=ALL),
    "measured": Stage(((*PYTHON, "tools.remeasure"),), needs=("book",)),
    "paper": Stage(((*PYTHON, "tools.paper"),), needs=("npm", "book")),
    "anywhere": tests(
        ANYWHERE,
        mark=REAL,
        inputs=("python", "src", "LICENSE", "LICENSE-TEXT", *SITE, ANYWHERE),
        needs=("book",),
        settings=BUILT,
    ),
    "site": tests(
        *(*PAGES, "tests/tools/site"),
        f"--ignore={ANYWHERE}",
        mark=REAL,
        inputs=(".", *SITE, "_build/executed", "_build/model"),
        needs=("book",),
        settings=BUILT,
    ),
    "printed": tests(
        PRINTED,
        mark=REAL,
        inputs=(".", *SITE, "_build/paper"),
        needs=("paper",),
        settings=BUILT,
    ),
    "repeat": Stage(((*PYTHON, "tools.repeat"),), needs=("book",), cores=ALL),
    "browser": Stage(
        ((*PYTEST, *SPREAD, "tests/browser"),),
        needs=("npm", "book"),
        cores=ALL,
        settings=BUILT,
    ),
}
# The longest of those that need no book begins.
EVERYTHING = SMALL_STAGES | QUICK_STAGES | BOOK_STAGES
# By night without a limit of time.
ALL_PAGES = {
    "measured": Stage(((*PYTHON, "tools.remeasure", "--all"),), needs=("book",)),
    "repeat": Stage(((*PYTHON, "tools.repeat", "--all"),), needs=("book",), cores=ALL),
}
CHECKS = {
    "check": QUICK_STAGES,
    "test": EVERYTHING,
    "nightly": EVERYTHING | ALL_PAGES,
}


def running(path, marks):
    """Return the names of the stages that run the tests of a file that have these marks.

    Parameters
    ----------
    path : str
        Of the file, below the checkout.
    marks : collection of str
    """
    known = {mark: mark in marks for mark in MARKS}
    return [
        name
        for name, stage in CHECKS["test"].items()
        for command in stage.commands
        if "pytest" in command and _runs(command[len(PYTEST) :], path, known)
    ]


def _runs(words, path, marks):
    paths = [word for word in words if word.startswith("tests/")]
    chosen = any(path == each or path.startswith(f"{each}/") for each in paths)
    wanted = words[words.index("-m") + 1] if "-m" in words else "True"
    return chosen and f"--ignore={path}" not in words and eval(wanted, dict(marks))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("check", choices=CHECKS)
    stages = CHECKS[parser.parse_args().check]
    began = time.perf_counter()
    results = run_stages(stages, ROOT, progress)
    print(summary(results, time.perf_counter() - began))
    sys.exit(bool(failed(results)))


if __name__ == "__main__":
    main()

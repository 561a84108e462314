"""The stages of a check: ``python -m tools.gate.stages check``. Each is run, whatever else fails.

A stage declares its inputs. Where it has passed before with the same ones, with the same packages on
the same kind of processor, it is not run again; ``TRANSFORMER_BOOK_STORE=off`` runs everything. A stage
that reads anything else fails: see ``watch/sitecustomize.py``.
"""

import argparse
import sys
import time

from tools import ROOT

from .run import ALL_CORES, Stage, run_stages
from .summary import print_progress, stages_that_fail_the_check, summarise

PYTHON_COMMAND = ("{python}", "-m")
PYTEST_COMMAND = (*PYTHON_COMMAND, "pytest", "-p", "tools.gate.plugin")
PARALLEL_OPTIONS = ("--numprocesses", "auto", "--dist", "worksteal")
# tests/conftest.py marks with "book" what looks at the real book; "build" alone builds small ones.
QUICK_MARKS = "not browser and not build and not book"
BUILD_MARKS = "build and not book and not browser"
TEST_MARKS = ("browser", "build", "book")
BOOK_MARKS = "book and not browser"
BUILT_SITE_SETTINGS = (
    ("TRANSFORMER_BOOK_SITE", "built"),
)  # so no test looks whether it is up to date
CONFIGURATION_FILES = (
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
SITE_FOLDERS = ("_build/html", "_build/notebooks")


def stage_of_tests(*paths, inputs, mark_expression=QUICK_MARKS, **options):
    """Return the stage of some tests, in one process."""
    command = (*PYTEST_COMMAND, *paths, "-m", mark_expression)
    return Stage((command,), (*CONFIGURATION_FILES, *inputs), **options)


def paths_of_tests(*file_names):
    return tuple(f"tests/{name}" for name in file_names)


def package_paths(package, *file_names):
    """Return sources of a package, with that of the package itself."""
    folder = f"src/transformer_{package}"
    return tuple(f"{folder}/{name}" for name in ("__init__.py", *file_names))


# What of the packages the tests of some folders use.
BOOK_PACKAGE = "src/transformer_book"
DATA_SOURCES = package_paths("lab", "experiment.py", "records/__init__.py", "words")
TRAIN_SOURCES = package_paths(
    *("lab", "book_models", "experiment.py", "parallel", "records/__init__.py"),
    *("translations", "translator"),
)
PRESS_SOURCES = package_paths(
    *("book", "by_hand", "data", "config.py", "config_rules.py", "expect.py"),
    *("ids.py", "nesting.py", "options.py", "progress.py"),
    *("rotation.py", "shapes.py", "special_ids.py", "storage.py"),
)

NN_TESTS = paths_of_tests(
    *("by_hand", "decode", "nn", "serve", "test_alike.py", "test_config.py"),
    *("test_docstrings.py", "test_expect.py", "test_floors.py"),
    *("test_model_folders.py", "test_shapes.py", "test_storage.py"),
    "test_storage_of_models.py",
    "benchmarks/test_gpt2.py",
)
DATA_TESTS = paths_of_tests("data", "test_progress.py")
PAGE_TESTS = paths_of_tests(
    *("chapters", "site", "benchmarks/test_main.py", "test_collected.py"),
    *("test_encodings.py", "test_licences.py", "test_mirror.py", "test_packages.py"),
    *("test_raises.py", "test_workflow.py"),
)
TOOL_TESTS = paths_of_tests("tools", "test_verdicts.py")
# What tests of other folders lend each other.
SHARED_TEST_HELPERS = paths_of_tests(
    *("data/real.py", "nn/cases.py", "nn/models.py", "train/cases.py"),
    *("train/test_distributed.py", "processes.py", "traced.py", "worked_example.py"),
)
SMALL_BOOK_HELPERS = paths_of_tests("lessons.py", "small_book.py", "tools/conftest.py")
INSTALLATION_TEST, PAPER_TEST = paths_of_tests(
    "site/test_anywhere.py", "tools/paper/test_papers.py"
)
# Those that build a small book, or a part of one. One has enough pages for kernels that are warm.
SMALL_BOOK_TESTS = paths_of_tests(
    *("tools/test_book.py", "tools/test_measure.py", "tools/test_minutes.py"),
    *("tools/pages/test_notebooks.py", "tools/paper/test_epub.py"),
    *("tools/site/test_bundled_scripts.py", "site/test_anywhere.py"),
)
BUILT_LESSON_TEST_NAMES = (
    "chinese",
    "moved_sections",
    "neighbours",
    "minute_labels",
    "preview",
    "terms",
)
BUILT_LESSON_TESTS = paths_of_tests(
    *(f"tools/site/test_{name}.py" for name in BUILT_LESSON_TEST_NAMES)
)

# The longest begin. No page is an input of the package's tests, and hardly a tool.
BUILD_SOURCES = (
    *("java", "python", "ruff", "node", "node_modules"),
    *("src/transformer_press", "tools", "book/_static", "package-lock.json"),
    *("book/references.bib", "_config.yml", "_toc.yml", "requirements.txt"),
    *package_paths("lab", "records"),
    # The checks of the notebooks, and what they may import.
    *("src/transformer_workshop", BOOK_PACKAGE),
)
# One of its packages bundles the scripts of widgets, also those of a small book.
NPM_STAGE = {"npm": Stage(((*PYTHON_COMMAND, "tools.programs"),))}
SMALL_BOOK_STAGES = {
    "small": stage_of_tests(
        *SMALL_BOOK_TESTS,
        mark_expression=BUILD_MARKS,
        inputs=(
            *BUILD_SOURCES,
            *("tests/tools/paper/conftest.py", *SMALL_BOOK_TESTS, *SMALL_BOOK_HELPERS),
        ),
        needs=("npm",),
    ),
    "lessons": stage_of_tests(
        *BUILT_LESSON_TESTS,
        mark_expression=BUILD_MARKS,
        inputs=(
            *(*BUILD_SOURCES, *BUILT_LESSON_TESTS, *SMALL_BOOK_HELPERS),
            "tests/tools/pages/test_notebooks.py",
        ),
        needs=("npm",),
    ),
}
QUICK_STAGES = {
    **NPM_STAGE,
    "lab": stage_of_tests(
        "tests/lab", inputs=("src", "benchmarks", "tests/lab", *SHARED_TEST_HELPERS)
    ),
    "tools": stage_of_tests(
        *TOOL_TESTS,
        inputs=(".", "git", "python", "ruff", "node", "node_modules"),
        needs=("npm",),
    ),
    "types": Stage(
        ((*PYTHON_COMMAND, "mypy", "--no-error-summary"),),
        ("pyproject.toml", "src", "tools", "benchmarks"),
    ),
    "workshop": stage_of_tests(
        "tests/workshop",
        inputs=(
            *(BOOK_PACKAGE, "src/transformer_workshop", "tests/workshop"),
            *("book/attention", "book/transformer", "book/words", "book/beyond"),
            *("book/workshop", "book/reference", "_toc.yml", "tools/pages"),
        ),
    ),
    "press": stage_of_tests(
        "tests/press",
        inputs=(
            *("src/transformer_press", *PRESS_SOURCES),
            *("book/_static/theme.css", "tests/press"),
        ),
    ),
    "nn": stage_of_tests(
        *NN_TESTS,
        inputs=(
            *(
                "ptxas",
                BOOK_PACKAGE,
                *package_paths("lab", "torch_transformer.py"),
                "benchmarks",
            ),
            *(*NN_TESTS, *SHARED_TEST_HELPERS),
        ),
    ),
    "data": stage_of_tests(
        *DATA_TESTS, inputs=(BOOK_PACKAGE, *DATA_SOURCES, *DATA_TESTS)
    ),
    "train": stage_of_tests(
        "tests/train",
        inputs=(BOOK_PACKAGE, *TRAIN_SOURCES, "tests/train", *SHARED_TEST_HELPERS),
    ),
    "pages": stage_of_tests(*PAGE_TESTS, inputs=(".", "node_modules"), needs=("npm",)),
    "js": stage_of_tests(
        "tests/js",
        inputs=(
            *(
                "node",
                BOOK_PACKAGE,
                *package_paths("lab", "translations", "translator"),
            ),
            *(
                "book/_static/js",
                "tools/programs/__init__.py",
                "tests/js",
                *SHARED_TEST_HELPERS,
            ),
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
            (*PYTHON_COMMAND, "ruff", "check", "--quiet"),
            (*PYTHON_COMMAND, "ruff", "format", "--check", "--quiet"),
            ("{zizmor}", "--offline", "--quiet", ".github"),
        ),
        (".", "ruff", "zizmor"),
    ),
    "pins": Stage(
        ((*PYTHON_COMMAND, "tools.gate.pins"),),
        ("uv", *CONFIGURATION_FILES, "requirements.txt"),
    ),
}
BOOK_STAGES = {
    "book": Stage(((*PYTHON_COMMAND, "tools.book"),), needs=("npm",), cores=ALL_CORES),
    "measured": Stage(((*PYTHON_COMMAND, "tools.remeasure"),), needs=("book",)),
    "paper": Stage(((*PYTHON_COMMAND, "tools.paper"),), needs=("npm", "book")),
    "anywhere": stage_of_tests(
        INSTALLATION_TEST,
        mark_expression=BOOK_MARKS,
        inputs=(
            "python",
            "src",
            "LICENSE",
            "LICENSE-TEXT",
            *SITE_FOLDERS,
            INSTALLATION_TEST,
        ),
        needs=("book",),
        settings=BUILT_SITE_SETTINGS,
    ),
    "site": stage_of_tests(
        *(*PAGE_TESTS, "tests/tools/site"),
        f"--ignore={INSTALLATION_TEST}",
        mark_expression=BOOK_MARKS,
        # The site's bundles have the bundler's version in their key.
        inputs=(
            *(".", "node_modules"),
            *(*SITE_FOLDERS, "_build/executed", "_build/model"),
        ),
        needs=("npm", "book"),
        settings=BUILT_SITE_SETTINGS,
    ),
    "printed": stage_of_tests(
        PAPER_TEST,
        mark_expression=BOOK_MARKS,
        inputs=(".", *SITE_FOLDERS, "_build/paper"),
        needs=("paper",),
        settings=BUILT_SITE_SETTINGS,
    ),
    "repeat": Stage(
        ((*PYTHON_COMMAND, "tools.repeat"),), needs=("book",), cores=ALL_CORES
    ),
    "browser": Stage(
        ((*PYTEST_COMMAND, *PARALLEL_OPTIONS, "tests/browser"),),
        needs=("npm", "book"),
        cores=ALL_CORES,
        settings=BUILT_SITE_SETTINGS,
    ),
}
# The longest of those that need no book begins.
ALL_STAGES = NPM_STAGE | SMALL_BOOK_STAGES | QUICK_STAGES | BOOK_STAGES
# By night without a limit of time.
NIGHTLY_STAGES = {
    "measured": Stage(
        ((*PYTHON_COMMAND, "tools.remeasure", "--all"),), needs=("book",)
    ),
    "repeat": Stage(
        ((*PYTHON_COMMAND, "tools.repeat", "--all"),), needs=("book",), cores=ALL_CORES
    ),
}
STAGES_BY_CHECK = {
    "check": QUICK_STAGES,
    "test": ALL_STAGES,
    "nightly": ALL_STAGES | NIGHTLY_STAGES,
}


def stages_of_test(path, marks):
    """Return the names of the stages that run the tests of a file that have these marks.

    Parameters
    ----------
    path : str
        Of the file, below the checkout.
    marks : collection of str
    """
    known = {mark: mark in marks for mark in TEST_MARKS}
    return [
        name
        for name, stage in STAGES_BY_CHECK["test"].items()
        for command in stage.commands
        if "pytest" in command
        and _runs_test(command[len(PYTEST_COMMAND) :], path, known)
    ]


def _runs_test(command_words, path, marks):
    paths = [word for word in command_words if word.startswith("tests/")]
    chosen = any(path == each or path.startswith(f"{each}/") for each in paths)
    wanted = (
        command_words[command_words.index("-m") + 1]
        if "-m" in command_words
        else "True"
    )
    return (
        chosen and f"--ignore={path}" not in command_words and eval(wanted, dict(marks))
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("check", choices=STAGES_BY_CHECK)
    stages = STAGES_BY_CHECK[parser.parse_args().check]
    began = time.perf_counter()
    results = run_stages(stages, ROOT, print_progress)
    print(summarise(results, time.perf_counter() - began))
    sys.exit(bool(stages_that_fail_the_check(results)))


if __name__ == "__main__":
    main()

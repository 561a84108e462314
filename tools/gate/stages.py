"""The stages of a check: ``python -m tools.gate.stages check``. Each is run, whatever else fails.

A stage declares its inputs. Where it has passed before with the same ones, with the same packages on
the same kind of processor, it is not run again; ``TRANSFORMER_BOOK_STORE=off`` runs everything. A stage
that reads anything else fails: see ``watch/sitecustomize.py``.
"""

import argparse
import sys
import time

from tools import ROOT

from .run import ALL_CORES_NEEDED, Stage, run_stages
from .summary import format_summary, names_of_failing_stages, print_progress

PYTHON_COMMAND = ("{python}", "-m")
PYTEST_COMMAND = (*PYTHON_COMMAND, "pytest", "-p", "tools.gate.plugin")
PARALLEL_OPTIONS = ("--numprocesses", "auto", "--dist", "worksteal")
# tests/conftest.py marks with "book" what looks at the real book; "build" alone builds small ones.
QUICK_MARK_EXPRESSION = "not browser and not build and not book"
BUILD_MARK_EXPRESSION = "build and not book and not browser"
STAGE_MARKS = ("browser", "build", "book")
BOOK_MARK_EXPRESSION = "book and not browser"
BUILT_SITE_VARIABLES = (
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


def make_test_stage(
    *test_paths, input_paths, mark_expression=QUICK_MARK_EXPRESSION, **stage_options
):
    """Return the stage of some tests, in one process."""
    command = (*PYTEST_COMMAND, *test_paths, "-m", mark_expression)
    return Stage((command,), (*CONFIGURATION_FILES, *input_paths), **stage_options)


def paths_below_tests(*file_names) -> tuple[str, ...]:
    return tuple(f"tests/{name}" for name in file_names)


def package_source_paths(package: str, *file_names):
    """Return sources of a package, with that of the package itself."""
    folder = f"src/transformer_{package}"
    return tuple(f"{folder}/{name}" for name in ("__init__.py", *file_names))


# What of the packages the tests of some folders use.
BOOK_PACKAGE = "src/transformer_book"
DATA_SOURCES = package_source_paths(
    "lab", "experiment.py", "records/__init__.py", "words"
)
TRAIN_SOURCES = package_source_paths(
    *("lab", "book_models", "experiment.py", "parallel", "records/__init__.py"),
    *("translations", "translator"),
)
PRESS_SOURCES = package_source_paths(
    *("book", "by_hand", "data", "config.py", "config_rules.py", "expect.py"),
    *("ids.py", "nesting.py", "options.py", "progress.py"),
    *("rotation.py", "shapes.py", "special_ids.py", "storage.py"),
)

NN_TESTS = paths_below_tests(
    *("by_hand", "decode", "nn", "serve", "test_alike.py", "test_config.py"),
    *("test_docstrings.py", "test_expect.py", "test_floors.py"),
    *("test_model_folders.py", "test_shapes.py", "test_storage.py"),
    "test_storage_of_models.py",
    "benchmarks/test_gpt2.py",
)
DATA_TESTS = paths_below_tests("data", "test_progress.py")
PAGE_TESTS = paths_below_tests(
    *("chapters", "site", "benchmarks/test_main.py", "test_collected.py"),
    *("test_encodings.py", "test_licences.py", "test_mirror.py", "test_packages.py"),
    *("test_raises.py", "test_workflow.py"),
)
TOOL_TESTS = paths_below_tests("tools", "test_verdicts.py")
# What tests of other folders lend each other.
SHARED_TEST_HELPERS = paths_below_tests(
    *("data/real.py", "nn/cases.py", "nn/models.py", "train/cases.py"),
    *("train/test_distributed.py", "processes.py", "traced.py", "worked_example.py"),
)
SMALL_BOOK_HELPERS = paths_below_tests(
    "lessons.py", "small_book.py", "tools/conftest.py"
)
INSTALLATION_TEST, PAPER_TEST = paths_below_tests(
    "site/test_anywhere.py", "tools/paper/test_papers.py"
)
# Those that build a small book, or a part of one. One has enough pages for kernels that are warm.
SMALL_BOOK_TESTS = paths_below_tests(
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
BUILT_LESSON_TESTS = paths_below_tests(
    *(f"tools/site/test_{name}.py" for name in BUILT_LESSON_TEST_NAMES)
)

# The longest begin. No page is an input of the package's tests, and hardly a tool.
BUILD_SOURCES = (
    *("java", "python", "ruff", "node", "node_modules"),
    *("src/transformer_press", "tools", "book/_static", "package-lock.json"),
    *("book/references.bib", "_config.yml", "_toc.yml", "requirements.txt"),
    *package_source_paths("lab", "records"),
    # The checks of the notebooks, and what they may import.
    *("src/transformer_workshop", BOOK_PACKAGE),
)
# One of its packages bundles the scripts of widgets, also those of a small book.
NPM_STAGE = {"npm": Stage(((*PYTHON_COMMAND, "tools.programs"),))}
SMALL_BOOK_STAGES = {
    "small": make_test_stage(
        *SMALL_BOOK_TESTS,
        mark_expression=BUILD_MARK_EXPRESSION,
        input_paths=(
            *BUILD_SOURCES,
            *("tests/tools/paper/conftest.py", *SMALL_BOOK_TESTS, *SMALL_BOOK_HELPERS),
        ),
        needs=("npm",),
    ),
    "lessons": make_test_stage(
        *BUILT_LESSON_TESTS,
        mark_expression=BUILD_MARK_EXPRESSION,
        input_paths=(
            *(*BUILD_SOURCES, *BUILT_LESSON_TESTS, *SMALL_BOOK_HELPERS),
            "tests/tools/pages/test_notebooks.py",
        ),
        needs=("npm",),
    ),
}
QUICK_STAGES = {
    **NPM_STAGE,
    "lab": make_test_stage(
        "tests/lab",
        input_paths=("src", "benchmarks", "tests/lab", *SHARED_TEST_HELPERS),
    ),
    "tools": make_test_stage(
        *TOOL_TESTS,
        input_paths=(".", "git", "python", "ruff", "node", "node_modules"),
        needs=("npm",),
    ),
    "types": Stage(
        ((*PYTHON_COMMAND, "mypy", "--no-error-summary"),),
        ("pyproject.toml", "src", "tools", "benchmarks"),
    ),
    "workshop": make_test_stage(
        "tests/workshop",
        input_paths=(
            *(BOOK_PACKAGE, "src/transformer_workshop", "tests/workshop"),
            *("book/attention", "book/transformer", "book/words", "book/beyond"),
            *("book/workshop", "book/reference", "_toc.yml", "tools/pages"),
        ),
    ),
    "press": make_test_stage(
        "tests/press",
        input_paths=(
            *("src/transformer_press", *PRESS_SOURCES),
            *("book/_static/theme.css", "tests/press"),
        ),
    ),
    "nn": make_test_stage(
        *NN_TESTS,
        input_paths=(
            *(
                "ptxas",
                BOOK_PACKAGE,
                *package_source_paths("lab", "torch_transformer.py"),
                "benchmarks",
            ),
            *(*NN_TESTS, *SHARED_TEST_HELPERS),
        ),
    ),
    "data": make_test_stage(
        *DATA_TESTS, input_paths=(BOOK_PACKAGE, *DATA_SOURCES, *DATA_TESTS)
    ),
    "train": make_test_stage(
        "tests/train",
        input_paths=(BOOK_PACKAGE, *TRAIN_SOURCES, "tests/train", *SHARED_TEST_HELPERS),
    ),
    "pages": make_test_stage(
        *PAGE_TESTS, input_paths=(".", "node_modules"), needs=("npm",)
    ),
    "js": make_test_stage(
        "tests/js",
        input_paths=(
            *(
                "node",
                BOOK_PACKAGE,
                *package_source_paths("lab", "translations", "translator"),
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
    "book": Stage(
        ((*PYTHON_COMMAND, "tools.book"),), needs=("npm",), cores=ALL_CORES_NEEDED
    ),
    "measured": Stage(((*PYTHON_COMMAND, "tools.remeasure"),), needs=("book",)),
    "paper": Stage(((*PYTHON_COMMAND, "tools.paper"),), needs=("npm", "book")),
    "anywhere": make_test_stage(
        INSTALLATION_TEST,
        mark_expression=BOOK_MARK_EXPRESSION,
        input_paths=(
            "python",
            "src",
            "LICENSE",
            "LICENSE-TEXT",
            *SITE_FOLDERS,
            INSTALLATION_TEST,
        ),
        needs=("book",),
        settings=BUILT_SITE_VARIABLES,
    ),
    "site": make_test_stage(
        *(*PAGE_TESTS, "tests/tools/site"),
        f"--ignore={INSTALLATION_TEST}",
        mark_expression=BOOK_MARK_EXPRESSION,
        # The site's bundles have the bundler's version in their key.
        input_paths=(
            *(".", "node_modules"),
            *(*SITE_FOLDERS, "_build/executed", "_build/model"),
        ),
        needs=("npm", "book"),
        settings=BUILT_SITE_VARIABLES,
    ),
    "printed": make_test_stage(
        PAPER_TEST,
        mark_expression=BOOK_MARK_EXPRESSION,
        input_paths=(".", *SITE_FOLDERS, "_build/paper"),
        needs=("paper",),
        settings=BUILT_SITE_VARIABLES,
    ),
    "repeat": Stage(
        ((*PYTHON_COMMAND, "tools.repeat"),), needs=("book",), cores=ALL_CORES_NEEDED
    ),
    "browser": Stage(
        ((*PYTEST_COMMAND, *PARALLEL_OPTIONS, "tests/browser"),),
        needs=("npm", "book"),
        cores=ALL_CORES_NEEDED,
        settings=BUILT_SITE_VARIABLES,
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
        ((*PYTHON_COMMAND, "tools.repeat", "--all"),),
        needs=("book",),
        cores=ALL_CORES_NEEDED,
    ),
}
STAGES_BY_CHECK = {
    "check": QUICK_STAGES,
    "test": ALL_STAGES,
    "nightly": ALL_STAGES | NIGHTLY_STAGES,
}


def names_of_stages_running(test_path: str, marks: set[str]) -> list:
    """Return the names of the stages that run the tests of a file that have these marks.

    Parameters
    ----------
    test_path : str
        Of the file, below the checkout.
    marks : collection of str
    """
    known = {mark: mark in marks for mark in STAGE_MARKS}
    return [
        name
        for name, stage in STAGES_BY_CHECK["test"].items()
        for command in stage.commands
        if "pytest" in command
        and _runs_test(command[len(PYTEST_COMMAND) :], test_path, known)
    ]


def _runs_test(command_words, test_path, presence_by_mark):
    paths = [word for word in command_words if word.startswith("tests/")]
    chosen = any(
        test_path == each or test_path.startswith(f"{each}/") for each in paths
    )
    wanted = (
        command_words[command_words.index("-m") + 1]
        if "-m" in command_words
        else "True"
    )
    return (
        chosen
        and f"--ignore={test_path}" not in command_words
        and eval(wanted, dict(presence_by_mark))
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("check", choices=STAGES_BY_CHECK)
    stages = STAGES_BY_CHECK[parser.parse_args().check]
    began = time.perf_counter()
    results = run_stages(stages, ROOT, print_progress)
    print(format_summary(results, time.perf_counter() - began))
    sys.exit(bool(names_of_failing_stages(results)))


if __name__ == "__main__":
    main()

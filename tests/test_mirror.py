"""A file of tests stands where what it tests stands, and its name says what that is."""

import pytest

from tests.conftest import ROOT

# Folders of tests and where their sources stand, if not below src/transformer_book.
PLACES = {
    "benchmarks": "benchmarks",
    "chapters": "book",
    "lab": "src/transformer_lab",
    "press": "src/transformer_press",
    "tools": "tools",
    "workshop": "src/transformer_workshop",
}
# The built site, in a browser too, the JavaScript, and the repository have no modules.
WHOLE = {"site", "browser", "js", "."}
# What a folder's modules have in common.
COMMON = {
    "chapters": {"lessons", "recorded_times", "times", "typed_along"},
    "decode": {"copied", "doors", "not_finite"},
    "lab/records": {"translations"},
    "nn": {"compiled", "pairs", "quantised"},
    "nn/families": {"generate", "models"},
    "press/figures": {"glosses", "page", "structure", "wrong_input"},
    "tools/gate": {"limits"},
    "tools/paper": {"papers"},
    "workshop": {"links", "named_mistakes", "public_forms"},
}
FILES = sorted((ROOT / "tests").rglob("test_*.py"))


def names(folder):
    """Return what stands in a folder of sources: modules, packages, pages; and its own name."""
    return {folder.stem, *(path.stem.strip("_") for path in folder.iterdir())}


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_a_file_of_tests_has_the_name_of_what_it_tests(path):
    below = path.relative_to(ROOT / "tests")
    top, *rest = below.parent.parts or (".",)
    if top not in WHOLE:
        place = ROOT / PLACES.get(top, f"src/transformer_book/{top}") / "/".join(rest)
        assert place.is_dir(), f"{below} mirrors no folder"
        pages = {page.stem for page in place.rglob("*.md")}
        name = path.stem.removeprefix("test_")
        common = COMMON.get(below.parent.as_posix(), ())
        assert name in common or any(
            f"_{each}_" in f"_{name}_" for each in names(place) | pages
        )

"""What the book's own pages depend on in its own packages."""

import pytest

from tools import ROOT
from tools.dependencies import Dependencies, parse_cells
from tools.pages import book_pages

# They describe all that their package offers.
PACKAGE_PAGES = {f"reference/{name}" for name in ("api", "api_measured", "api_printed")}


@pytest.fixture(scope="session")
def dependencies():
    """Of this book's own code, read once."""
    return Dependencies(ROOT / "src")


@pytest.fixture(scope="session")
def book(dependencies):
    """The modules that each page needs."""
    paths = filter(book_pages.is_notebook, book_pages.page_paths(ROOT))
    return {
        book_pages.page_name(path, ROOT): dependencies.used_modules(
            book_pages.code_cell_sources(path)
        )
        for path in paths
    }


def test_every_page_of_the_book_can_be_followed(book, dependencies):
    whole = len(dependencies.packages.paths)
    followed = [name for name, modules in book.items() if len(modules) < 0.6 * whole]
    assert set(book) - set(followed) <= PACKAGE_PAGES


def test_a_figure_of_one_page_concerns_that_page(book):
    module = "transformer_press.figures.diagrams.clocks"
    assert {name for name, modules in book.items() if module in modules} <= {
        "words/positions",
        "words/positions_lab",
        "reference/questions",
        *PACKAGE_PAGES,
    }


def test_attention_concerns_all_who_run_the_model(book):
    module = "transformer_book.nn.attention"
    users = {name for name, modules in book.items() if module in modules}
    assert {"transformer/training", "transformer/decoding", "attention/heads"} <= users
    assert "words/embeddings" not in users


def test_a_running_page_loads_no_module_of_ours_that_is_not_accounted_for(
    dependencies,
):
    # What is imported and not needed must not act at import.
    packages = dependencies.packages
    acting = {module for module in packages.paths if packages.has_effects(module)}
    assert acting <= {
        "transformer_book.data.downloads",
        "transformer_press.figures.kit.svg",
    }


@pytest.mark.parametrize(
    "name, wanted",
    [
        ("attention/heads_lab", {"heads.json", "linear.json"}),
        ("attention/heads", set()),
    ],
)
def test_a_page_depends_on_the_measurements_that_it_quotes(dependencies, name, wanted):
    cells = book_pages.code_cell_sources(ROOT / "book" / f"{name}.md")
    files = dependencies.data_files(
        parse_cells(cells), dependencies.used_modules(cells)
    )
    assert {path.name for path in files if path.parent.name == "times"} == wanted

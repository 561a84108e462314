"""The site leads to papers only while they say what it says."""

import pytest

from tools.cache.store import Store
from tools.paper import site_links

MADE_OF = (
    "_config.yml",
    "_toc.yml",
    "CITATION.cff",
    "package-lock.json",
    "tools/programs/fonts.py",
)
FOOT = '<p>Words.</p><footer><span class="tb-paper"></span></footer>'


@pytest.fixture
def root(tmp_path):
    """A site of two pages with papers made from it."""
    (tmp_path / "tools" / "paper" / "templates").mkdir(parents=True)
    for name in MADE_OF:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name, "utf-8")
    site = tmp_path / "_build" / "html"
    (site / "words").mkdir(parents=True)
    for name in ("intro", "words/tokens"):
        (site / f"{name}.html").write_text(FOOT, "utf-8")
    make_papers(tmp_path)
    return tmp_path


def make_papers(root):
    def write(folder):
        for kind in site_links.PAPER_KINDS:
            (folder / site_links.paper_file_name(kind)).write_text(kind, "utf-8")

    build = root / "_build"
    site_links.paper_file_set(build).make(
        site_links.hash_paper_sources(root, build), Store(None), write
    )


def linked(root):
    site_links.update_paper_links(root, root / "_build")
    return {
        name: (root / "_build" / "html" / f"{name}.html").read_text("utf-8")
        for name in ("intro", "words/tokens")
    }


def test_each_page_leads_to_both_from_where_it_stands(root):
    pages = linked(root)
    for kind in ("pdf", "epub"):
        assert f'href="paper/{site_links.PAPER_FILE_STEM}.{kind}"' in pages["intro"]
        assert (
            f'href="../paper/{site_links.PAPER_FILE_STEM}.{kind}"'
            in pages["words/tokens"]
        )
    assert linked(root) == pages  # links are no change of what is said


def test_a_page_that_says_something_else_takes_them_away(root):
    linked(root)
    page = root / "_build" / "html" / "intro.html"
    page.write_text(page.read_text("utf-8").replace("Words.", "Other words."), "utf-8")
    assert not any("href" in text for text in linked(root).values())
    assert not (root / "_build" / "html" / "paper").exists()


def test_where_none_were_made_nothing_stands(root):
    site_links.paper_file_set(root / "_build").remove()
    assert linked(root) == {"intro": FOOT, "words/tokens": FOOT}


@pytest.mark.parametrize("name", ["tools/paper/pdf.py", *MADE_OF])
def test_papers_made_of_something_else_are_out_of_date(root, name):
    assert "href" in linked(root)["intro"]
    (root / name).write_text("changed", "utf-8")
    assert "href" not in linked(root)["intro"]
    make_papers(root)
    assert "href" in linked(root)["intro"]


def test_a_damaged_paper_is_not_linked(root):
    (root / "_build" / "paper" / site_links.paper_file_name("pdf")).write_text(
        "p", "utf-8"
    )
    assert "href" not in linked(root)["intro"]

"""The published notebooks: plain Markdown, values in the prose, solutions folded."""

import re

import nbformat
import pytest

from tests.tools.conftest import ROOT
from tools.pages import notebooks
from tools.pages.plain_markdown import MarkdownConverter, read_bibliography

pytestmark = pytest.mark.build


@pytest.fixture(scope="session")
def convert():
    bibliography = read_bibliography(ROOT / "book" / "references.bib")
    return MarkdownConverter(
        {"total": "2.5", "name": "'cat'"}, bibliography, {"Q": r"\class{tb-q}{Q}"}
    )


@pytest.mark.parametrize(
    "myst, plain",
    [
        ("{glue:text}`total:.2f` of {glue:text}`name`", "2.50 of cat"),
        (r"$\Q$ but not \Quad", r"${Q}$ but not \Quad"),
        ("{cite:t}`vaswani2017`", "Vaswani et al. (2017)"),
        ("{cite:p}`vaswani2017`", "(Vaswani et al., 2017)"),
        ("[a page](../words/tokens.md#ids)", "[a page](../words/tokens.ipynb#ids)"),
        ("```{note}\nTake\ncare.\n```", "> **Note.** Take\n> care."),
        ("(label)=\n# Title", '<a id="label" name="label"></a>\n\n# Title'),
        ("[below](#label)", "[below](#label)"),
        ("% typed 0.5: given\nThat is 0.5, or\n50 %.", "That is 0.5, or\n50 %."),
    ],
)
def test_myst_becomes_markdown(convert, myst, plain):
    assert convert(myst) == plain


def test_what_cannot_be_converted_is_refused(convert):
    with pytest.raises(ValueError, match="cannot show the directive {mermaid}"):
        convert("```{mermaid}\nx\n```")


def test_a_published_notebook(built):
    path = built.root / "_build" / "notebooks" / "first.ipynb"
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    text = "\n".join(
        cell.source for cell in notebook.cells if cell.cell_type == "markdown"
    )
    assert "The sum is 2.0" in text and "part/second.ipynb" in text
    assert not re.search(r"\{[\w:-]+\}[` ]", text)
    assert "**Exercise: Add more**\n\nAdd three." in text
    summary = "<details><summary>Solution: Add more</summary>"
    assert f"{summary}\n\nLike this.\n\n</details>" in text
    first, *_, last = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert "%pip install" in first.source
    assert last.source == "print(total + 3)" and last.outputs[0].text == "5\n"
    assert last.metadata.jupyter == {"source_hidden": True, "outputs_hidden": True}
    requirements = (path.parent / "requirements.txt").read_text("utf-8").splitlines()
    assert requirements[0] == notebooks.CPU_INDEX_OPTION
    assert requirements[1].startswith("transformer-book @ git+https://")
    download = built.html / "_sources" / "first.ipynb"
    assert download.read_bytes() == path.read_bytes()
    assert "_sources/first.ipynb" in built.page("first")


def test_a_live_figure_is_linked(convert):
    widget = "```{widget} masks\n:data: masks\n\nTry it.\n```"
    assert convert(widget) == "*On the site, a live figure stands here:* Try it."
    there = MarkdownConverter({}, {}, {"Q": "Q"}, "https://site/attention/masks.html")
    link = "[live figure](https://site/attention/masks.html#masks-live)"
    assert there(widget) == f"*On the site, a {link} stands here:* Try it."


def test_all_addresses_come_from_the_repository():
    repository = {"url": "https://github.com/me/book", "branch": "notebooks"}
    addresses = notebooks.Addresses.from_config({"repository": repository})
    assert addresses == notebooks.Addresses(
        "git+https://github.com/me/book",
        "https://me.github.io/book/",
        "https://raw.githubusercontent.com/me/book/notebooks/model/",
    )
    config = {"repository": repository, "html": {"baseurl": "https://my.book"}}
    assert notebooks.Addresses.from_config(config).site == "https://my.book/"

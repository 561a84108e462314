"""Comments, docstrings, records and measurements: what of them a page depends on."""

import pytest

from tests.tools.dependencies import test_digest
from tests.tools.dependencies.test_digest import FILES
from tools.dependencies import Dependencies

source = test_digest.source


def commented(text):
    return f"# A remark.\n\n{text}\n# Another.\n"


@pytest.mark.parametrize("cell", ["import press\npress.bars()", "from press import *"])
def test_comments_and_layout_do_not_count(source, cell):
    assert source.depends(cell, commented) == set()


def test_a_docstring_counts_because_pages_show_it(source):
    assert "press/kit" in source.depends(
        "import press\npress.bars()", lambda t: f"'Doc'\n{t}"
    )


SHOW = "import shown\nfrom transformer_press import page\n"


@pytest.mark.parametrize(
    "cell, counts, not_counted",
    [
        (
            "page.source(shown.Plain)",
            ["in the plain one", "at its end"],
            ["in the base"],
        ),
        ("page.source(shown.Plain.h)", ["in the plain one"], ["before the helper"]),
        (
            "f(*(page.source(getattr(shown.Plain, n)) for n in x))",
            ["at its end"],
            ["in the base"],
        ),
        # What may be inherited, or is not named, can be any of what the page uses.
        ("page.source(shown.Layer)", ["in the base", "in the layer"], []),
        ("page.source(shown.Mixed)", ["in the base", "in the mixed one"], []),
        (
            "page.source(shown.helper)",
            ["at the end of the file"],
            ["before the helper", "in the mixed one"],
        ),
        (
            "for x in (shown.helper,):\n    page.source(x)",
            ["in the base", "at its end"],
            [],
        ),
        ("show = page.source\nshow(shown.helper)", ["in the base"], []),
        ("import inspect\ninspect.getsource(shown.helper)", ["in the base"], []),
        ("page.glue(shown.Plain)", [], ["in the plain one"]),
        (
            "import textwrap\nshown.helper()\npage.source(textwrap.shorten)",
            [],
            ["in the base", "at its end"],
        ),
    ],
)
def test_a_comment_that_a_page_shows_counts(source, cell, counts, not_counted):
    before, text = source.digest(SHOW + cell), FILES["shown/layers.py"]
    for words in [*counts, *not_counted]:
        source.write("shown/layers.py", text.replace(words, "changed"))
        assert (source.digest(SHOW + cell) != before) == (words in counts), words


RECORDS = "from transformer_lab import records\n"


@pytest.mark.parametrize(
    "cell, wanted",
    [
        (f"{RECORDS}records.load('one')", {"one.json", "one.hypotheses.txt"}),
        (
            f"{RECORDS}records.load(name)",
            {"one.json", "one.hypotheses.txt", "two.json"},
        ),
        (f"{RECORDS}records.names()", {"one.json", "one.hypotheses.txt", "two.json"}),
        (f"{RECORDS}f(records)", {"one.json", "one.hypotheses.txt", "two.json"}),
        (
            "from transformer_lab.run import read\nread('one')",
            {"one.json", "one.hypotheses.txt", "two.json"},
        ),
        ("from transformer_lab.write import write\nwrite()", set()),
        ("from transformer_lab.records import load\nload('two')", {"two.json"}),
    ],
)
def test_of_records_those_count_that_are_loaded(source, cell, wanted):
    changed = source.depends(cell, lambda text: text + "3")
    assert {
        n.split("/")[-1] for n in changed if "records/" in n and "__init__" not in n
    } == wanted


PAGE = "from transformer_press import page\ndef f(): return 1\n"


@pytest.mark.parametrize(
    "cell, wanted",
    [
        ("page.glue(1)", set()),
        ("x = page.measured('heads', f)", {"heads.json"}),
        (
            "page.measured('heads', f), page.measured('masks', f)",
            {"heads.json", "masks.json"},
        ),
        (
            "from transformer_press.page import measured\nmeasured('masks', f)",
            {"masks.json"},
        ),
        ("page.measured(name, f)", {"heads.json", "masks.json"}),
        (
            "measured = page.measured\nmeasured('heads', f)",
            {"heads.json", "masks.json"},
        ),
        ("f(page)", {"heads.json", "masks.json"}),
    ],
)
def test_of_measurements_those_count_that_are_quoted(source, cell, wanted):
    changed = source.depends(PAGE + cell, lambda text: text + "3")
    assert {n.split("/")[-1] for n in changed if n.endswith(".json")} == wanted


def test_the_package_s_page_depends_on_all_docstrings(source):
    def digest():
        page = "```{eval-rst}\n.. automodule:: press\n```"
        return Dependencies(source.folder).digest(["1"], page)

    before = digest()
    source.write("press/tools.py", "'''New.'''\nSTEP = 1\n")
    assert digest() != before

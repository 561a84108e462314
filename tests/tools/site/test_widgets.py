"""The directive {widget}: what a page gets, what is refused, and what a notebook gets instead."""

import io
import json
import re

import nbformat
import pytest
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace

from tests.conftest import ROOT
from tools.pages.plain_markdown import MarkdownConverter
from transformer_press.figures.kit import palette

CONF = """
extensions = ["myst_nb", "tools.site.widgets"]
nb_execution_mode = "off"
html_static_path = ["_static"]
html_js_files = ["js/book.js", "js/kit/dom.js", "other.js"]  # as jupyter-book collects them
html_css_files = ["page.css"]
"""
DATA = {"words": ["cat", "</script><b>", "猫"], "X": [[1.0, 0.5]]}
JSON = json.dumps(DATA)
WIDGET = (
    "```{{widget}} {name}\n:data: {data}\n:instead-of: {instead}\n\nTry **this**.\n```"
)

RIGHT = WIDGET.format(name="known", data="numbers", instead="figure")


def glued(name, value):
    """A cell whose output is what page.glue leaves."""
    output = nbformat.v4.new_output(
        "display_data",
        {"application/papermill.record/text/plain": repr(value)},
        metadata={
            "scrapbook": {"name": name, "mime_prefix": "application/papermill.record/"}
        },
    )
    return nbformat.v4.new_code_cell("", outputs=[output])


@pytest.fixture
def build(tmp_path):
    """Build a site of one page with this Markdown and one without; return both, and warnings."""

    def build_site(markdown, data=JSON):
        source = tmp_path / "source"
        for name in (
            "js/book.js",
            "js/kit/dom.js",
            "js/widgets/known.js",
            "page.css",
        ):
            (source / "_static" / name).parent.mkdir(parents=True, exist_ok=True)
            (source / "_static" / name).write_text("", "utf-8")
        (source / "conf.py").write_text(CONF, "utf-8")
        cells = [
            nbformat.v4.new_markdown_cell("# Page"),
            glued("numbers", data),
            nbformat.v4.new_markdown_cell(markdown),
        ]
        nbformat.write(nbformat.v4.new_notebook(cells=cells), source / "index.ipynb")
        (source / "plain.md").write_text("---\norphan: true\n---\n# Plain", "utf-8")
        warnings = io.StringIO()
        with docutils_namespace():
            Sphinx(
                source,
                source,
                tmp_path / "html",
                tmp_path / "trees",
                "html",
                status=None,
                warning=warnings,
                freshenv=True,
            ).build()
        pages = (
            (tmp_path / "html" / f"{name}.html").read_text("utf-8")
            for name in ("index", "plain")
        )
        return *pages, warnings.getvalue()

    return build_site


def test_a_page_gets_the_widget_its_data_and_its_scripts(build):
    page, _, warnings = build(RIGHT)
    assert warnings == ""
    opening = re.search(r'<div class="tb-widget"[^>]*>', page)[0]
    assert 'data-widget="known"' in opening and 'data-instead-of="figure"' in opening
    assert "<strong>this</strong>" in page
    data = re.search(r'<script type="application/json">(.*?)</script>', page)[1]
    assert json.loads(data) == DATA
    (script,) = re.findall(r"<script[^>]*live/book\.js[^>]*>", page)
    assert 'type="module"' in script and "onerror=" in script
    assert "live/styles/known.css" in page


def test_a_page_without_a_widget_loads_none_of_it(build):
    page, plain, _ = build(RIGHT)
    for name in ("book.js", "js/kit", "live/"):
        assert name not in plain
    assert "js/" not in page  # what is made of the modules asks for what it needs
    assert "other.js" in plain and "page.css" in plain


@pytest.mark.parametrize(
    "wrong, said",
    [
        (
            {"name": "unknown"},
            "there is no widget 'unknown': no file _static/js/widgets/unknown.js",
        ),
        ({"data": "nothing"}, "widget 'known': No key 'nothing'"),
        ({"instead": "that"}, "instead-of"),
    ],
)
def test_what_is_wrong_is_a_warning(wrong, said, build):
    given = {"name": "known", "data": "numbers", "instead": "figure"} | wrong
    page, _, warnings = build(WIDGET.format(**given))
    assert said in warnings and "index.ipynb" in warnings
    assert 'data-instead-of="figure"' not in page


def test_data_that_is_no_json_is_a_warning(build):
    _, _, warnings = build(RIGHT, "{1: 2}")
    assert "widget 'known'" in warnings and "json.dumps" in warnings


def test_a_sentence_sets_a_widget_of_its_page_or_of_another(build):
    page, _, warnings = build(
        "{poke}`here <known.k=3>`, {poke}`there, with two <plain?known.k=3&known.x=a,b>`."
    )
    assert warnings == ""
    links = dict(re.findall(r'<a class="tb-poke[^"]*" href="([^"]*)">(.*?)</a>', page))
    assert links == {
        "?known.k=3#known-live": "here",
        "plain.html?known.k=3&amp;known.x=a,b#known-live": "there, with two",
    }


@pytest.mark.parametrize(
    "wrong, said",
    [
        ("words <known>", "expected words <widget.field=value>"),
        ("words <missing?known.k=3>", "there is no page 'missing'"),
    ],
)
def test_a_sentence_that_would_set_nothing_is_a_warning(wrong, said, build):
    _, _, warnings = build(f"{{poke}}`{wrong}`")
    assert said in warnings


def test_a_notebook_gets_the_sentences():
    plain = MarkdownConverter({}, {}, {})(RIGHT)
    assert plain == "*On the site, a live figure stands here:* Try **this**."


def test_numbers_stay_legible_on_the_fullest_cell():
    text = (ROOT / "book/_static/js/kit/heat.js").read_text("utf-8")
    most = {
        name: float(value)
        for name, value in re.findall(r"const (FULLEST\w*) = (.*);", text)
    }
    assert most.pop("FULLEST_INK") <= palette.largest_opacity("ink")
    roles = {"q", "k", "v", "attention", "position"}
    assert most.pop("FULLEST") <= min(palette.largest_opacity(role) for role in roles)


def test_every_widget_of_the_book_has_its_module_and_opens_with_its_words():
    """What readers see stands at the top of the module or in words.js, for translators."""
    for module in (ROOT / "book" / "_static" / "js" / "widgets").glob("*.js"):
        text = module.read_text("utf-8")
        assert (
            "export function mount(" in text or "export async function mount(" in text
        ), module
        if f'import {{ WORDS }} from "./{module.stem}/words.js";' not in text:
            assert text.index("const WORDS = {") < text.index("function mount("), module

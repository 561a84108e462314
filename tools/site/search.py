"""Search: of what a page shows, Chinese by its characters, and each result leads to its section.

The other half is _static/js/search.js and what it needs, which the search page loads.
"""

import contextlib
import re
from types import MethodType

from docutils import nodes
from sphinx.util.index_entries import split_index_msg

CHINESE_CHARACTER = re.compile(r"[\u3400-\u9fff]")
HTML_TAG = re.compile(r"<[^<]+?>")
# Each needs those before it.
SEARCH_SCRIPT_FILES = ("js/search_words.js", "js/search_ranking.js", "js/search.js")
FOLDED_CELL_CLASSES = {"tag_hide-input", "tag_hide-cell"}


def index_visible_text(app):
    """Leave folded code out of the index, and put each Chinese character in."""
    builder = app.builder
    if not hasattr(builder, "index_page"):
        return
    index = builder.index_page

    def index_page(self, pagename, doctree, title):
        self.indexer.lang.split = split_searchable_words
        index(pagename, copy_without_folded_code(doctree), title)

    builder.index_page = MethodType(index_page, builder)
    keep_entries_of_unwritten_pages(builder)


def keep_entries_of_unwritten_pages(builder):
    """Have the search know the entries of all pages, also of those that are not written again.

    Sphinx does not read them from the index that it goes on with.
    """
    dump = builder.dump_search_index

    def dump_search_index(self):
        entries = self.env.domaindata["index"]["entries"]
        self.indexer._index_entries = {
            name: search_entries(entries.get(name, ()))
            for name in sorted(self.indexer._titles)
        }
        dump()

    builder.dump_search_index = MethodType(dump_search_index, builder)


def search_entries(index_entries) -> list:
    """Return the entries of a page's index as the search has them: words, place, weight."""
    entries = set()
    for kind, value, place, main, _ in index_entries:
        with contextlib.suppress(ValueError):
            parts = split_index_msg(kind, value)
            if kind in ("see", "seealso"):
                entries.add((parts[0], place or "", main))
            entries |= {(part, place or "", main) for part in parts}
    return sorted(entries)


def split_searchable_words(text: str) -> list[str]:
    """Return the words of a text; a Chinese character is one, as no space parts Chinese words.

    Numbers are left out, since Sphinx's search ignores those of a query.
    """
    words = re.findall(r"\w+", CHINESE_CHARACTER.sub(" ", text))
    characters = CHINESE_CHARACTER.findall(text)
    return [word for word in words if not word.isdigit()] + characters


def copy_without_folded_code(doctree: nodes.document):
    doctree = doctree.deepcopy()
    for part in doctree.findall(nodes.raw):
        # Sphinx drops tags, and the cells of a table or the labels of a figure become one word.
        part.children = [nodes.Text(HTML_TAG.sub(r" \g<0>", part.astext()))]
    for cell in list(doctree.findall(nodes.container)):
        if FOLDED_CELL_CLASSES & set(cell["classes"]):
            for part in list(cell.findall(nodes.container)):
                if "cell_input" in part["classes"]:
                    part.parent.remove(part)
    return doctree


def add_search_script(app, pagename, templatename, context, doctree):
    if pagename == "search":
        for script in SEARCH_SCRIPT_FILES:
            app.add_js_file(script, loading_method="defer")


def setup(app):
    app.connect("builder-inited", index_visible_text)
    app.connect("html-page-context", add_search_script)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

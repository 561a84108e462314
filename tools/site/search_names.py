"""By which names a reader may look for a page: what the contents call it, its title, and its terms.

The other half is _static/js/search_ranking.js.
"""

import json
import re
from pathlib import Path

from tools.pages import book_pages

from .contents import name_in_contents
from .search_synonyms import synonyms_of

GLOSSARY_PAGE_NAME = "reference/glossary"
GLOSSARY_ENTRY = re.compile(
    r"^(?P<terms>(?:\S.*\n)+)(?P<text>(?:[ \t]+\S.*\n?)+)", re.M
)
TERM_LINK = re.compile(r"\{term\}`(?:[^`<]*<)?([^`<>]+)>?`")
CHINESE_NAMES = re.compile(r"Chinese:\s+(?P<names>[^.]*)\.")


def glossary_terms_and_chinese_names(glossary_text):
    """Return the entries of the glossary: of each, its terms and its Chinese names."""
    entries = []
    for block in re.findall(r"^```\{glossary\}\n(.*?)^```", glossary_text, re.M | re.S):
        for entry in GLOSSARY_ENTRY.finditer(block):
            terms = [line.replace("\\", "") for line in entry["terms"].splitlines()]
            chinese = CHINESE_NAMES.search(entry["text"])
            names = re.split(r"[,，、]|\bor\b", chinese["names"]) if chinese else []
            entries.append((terms, [name.strip() for name in names]))
    return entries


def terms_by_page(names_and_texts_by_page, glossary_text: str):
    """Return for each lesson the terms of the glossary that are looked for there.

    One is the lesson that has the term in its name, or else uses it most often; another the first that
    links to it.

    Parameters
    ----------
    names_and_texts_by_page : dict of str to (str, str)
        Of each lesson the name in the contents and the text, by page, in the order of reading.
    glossary_text : str
        Its text.

    Returns
    -------
    dict of str to list of str
    """
    words = {
        page: (_normalise_words(name), _normalise_words(text))
        for page, (name, text) in names_and_texts_by_page.items()
    }
    links = {
        page: {
            _normalise_words(" ".join(term.split())) for term in TERM_LINK.findall(text)
        }
        for page, (_, text) in names_and_texts_by_page.items()
    }
    terms_of = {page: [] for page in names_and_texts_by_page}
    for terms, chinese in glossary_terms_and_chinese_names(glossary_text):
        names = [_normalise_words(term) for term in terms]
        patterns = [re.compile(rf"\b{re.escape(name)}s?\b") for name in names]

        def term_in_name_and_count(page, patterns=patterns) -> tuple:
            name, text = words[page]
            count = sum(len(pattern.findall(text)) for pattern in patterns)
            return any(pattern.search(name) for pattern in patterns), count

        most = max(words, key=term_in_name_and_count)
        first = next((page for page in links if links[page] & set(names)), most)
        for page in {first, most}:
            if any(term_in_name_and_count(page)):
                terms_of[page] += [*terms, *chinese]
    return terms_of


def _normalise_words(text: str) -> str:
    return text.lower().replace("-", " ")


def read_page_source(app, page_name: str) -> str:
    return Path(app.env.doc2path(page_name)).read_text("utf-8")


def search_names_of_pages(app):
    """Return for each page how it may be looked for, in the order of reading."""
    pages = [name for name in app.env.collect_relations() if name in app.env.titles]
    taught = [p for p in pages if book_pages.page_kind(p) in ("lesson", "tour")]
    lessons = {p: (name_in_contents(app, p), read_page_source(app, p)) for p in taught}
    terms = (
        terms_by_page(lessons, read_page_source(app, GLOSSARY_PAGE_NAME))
        if GLOSSARY_PAGE_NAME in pages
        else {}
    )
    rows = []
    for page in pages:
        kind = book_pages.page_kind(page)
        lesson = book_pages.lesson_name(page)
        name = name_in_contents(app, lesson if kind == "laboratory" else page)
        short = [f"{name} lab"] if kind == "laboratory" else []
        name = {
            "laboratory": f"{name}: laboratory",
            "workshop": f"Workshop: {name}",
        }.get(kind, name)
        title = app.env.titles[page].astext()
        rows.append(
            {
                "page": page,
                "kind": kind,
                "name": name,
                "title": title,
                "terms": [*terms.get(page, []), *synonyms_of(page), *short],
            }
        )
    return rows


def add_search_names(app, pagename, templatename, context, doctree):
    """Give the search page its table of names."""
    if pagename == "search":
        table = json.dumps(search_names_of_pages(app), ensure_ascii=False).replace(
            "</", "<\\/"
        )
        app.add_js_file(None, body=f"window.pagesByName = {table};")


def setup(app):
    app.connect("html-page-context", add_search_names)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

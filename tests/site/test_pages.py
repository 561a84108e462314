"""What every page of the built site offers, and what it never asks for."""

import re
from functools import cache
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

import pytest

from tests.conftest import ROOT
from tools.pages import book_pages

PAGES = [book_pages.page_name(path, ROOT) for path in book_pages.page_paths(ROOT)]
LOADED = {
    "script": "src",
    "img": "src",
    "iframe": "src",
    "source": "src",
    "video": "src",
    "use": "href",
}


class Tags(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))


@pytest.fixture(scope="module", params=PAGES)
def page(request, site):
    text = (site / f"{request.param}.html").read_text("utf-8")
    return request.param, text, Tags(text).tags


def links(tags):
    return [attributes.get("href") or "" for tag, attributes in tags if tag == "a"]


def test_nothing_is_loaded_from_another_host(page):
    _, _, tags = page
    for tag, attributes in tags:
        loaded = attributes.get(LOADED.get(tag, ""), "")
        if tag == "link" and attributes.get("rel") != "canonical":
            loaded = attributes.get("href", "")
        assert not re.match(r"(https?:)?//", loaded or ""), (tag, attributes)


def test_of_our_sheets_it_asks_for_one_and_where_widgets_are_for_one_more(page):
    _, text, tags = page
    sheets = [a["href"] for tag, a in tags if a.get("rel") == "stylesheet"]
    scripts = [a["src"] for tag, a in tags if tag == "script" and a.get("src")]
    assert len([sheet for sheet in sheets if "_static/book.css?v=" in sheet]) == 1
    has_widgets = 'data-widget="' in text
    for kind in (sheets, scripts):
        live = [address for address in kind if "_static/live/" in address]
        assert len(live) == has_widgets and all("?v=" in address for address in live)
    assert len(sheets) <= 11 and len(scripts) <= 13


def test_style_sheets_load_nothing_from_another_host(site):
    for path in site.rglob("*.css"):
        text = path.read_text("utf-8")
        assert not re.search(r"(@import|url\()\s*['\"]?(https?:)?//", text), path


def test_no_page_names_the_folder_it_was_built_in(page):
    _, text, _ = page
    assert str(ROOT) not in text


def test_colab_binder_and_download_lead_to_the_published_notebook(page, site):
    name, _, tags = page
    (colab,) = [link for link in links(tags) if "colab.research.google.com" in link]
    (binder,) = [link for link in links(tags) if "mybinder.org" in link]
    assert colab.endswith(f"/blob/notebooks/{name}.ipynb")
    assert binder.endswith(f"/notebooks?urlpath=lab/tree/{name}.ipynb")
    assert (ROOT / "_build" / "notebooks" / f"{name}.ipynb").exists()
    assert any(link.endswith(f"_sources/{name}.ipynb") for link in links(tags))
    assert (site / "_sources" / f"{name}.ipynb").exists()


def test_search_themes_copy_buttons_and_neighbours(page):
    name, text, tags = page
    assert 'class="search-button' in text and "theme-switch-button" in text
    assert "copybutton.js" in text
    relations = {a.get("class") for tag, a in tags if tag == "a" and a.get("class")}
    at = PAGES.index(name)
    assert ("left-prev" in relations) == (at > 0)
    assert ("right-next" in relations) == (at < len(PAGES) - 1)


def test_every_picture_says_what_it_shows(page):
    _, _, tags = page
    for tag, attributes in tags:
        if tag == "img":
            assert "alt" in attributes, attributes
        if tag == "svg" and "tb-svg" in attributes.get("class", ""):
            assert len(attributes.get("aria-label", "")) > 20, attributes


@cache
def ids(path):
    tags = Tags(path.read_text("utf-8")).tags
    return {attributes["id"] for _, attributes in tags if "id" in attributes}


def test_links_between_pages_lead_somewhere(page, site):
    name, _, tags = page
    here = site / f"{name}.html"
    missing = []
    for link in links(tags):
        address = urlsplit(link)
        if address.scheme or address.netloc:
            continue
        target = here.parent / unquote(address.path) if address.path else here
        fragment = unquote(address.fragment) if target.suffix == ".html" else ""
        if not target.exists() or (fragment and fragment not in ids(target.resolve())):
            missing.append(link)
    assert not missing


def test_no_markup_is_left_unrendered(page):
    _, text, _ = page
    body = re.sub(r"<(script|style|pre|code)\b.*?</\1>", "", text, flags=re.DOTALL)
    assert not re.search(
        r"\{(glue|cite|doc|ref|term|zh)[:`}]|```|\$\$", re.sub(r"<[^>]*>", " ", body)
    )


def test_the_repository_s_address_stands_in_one_place():
    address = re.search(
        r"url: (https://github.com/\S+)", (ROOT / "_config.yml").read_text("utf-8")
    )[1]
    files = [
        p
        for folder in ("src", "book", "tools", ".github", "benchmarks")
        for p in (ROOT / folder).rglob("*")
    ]
    files += [ROOT / "README.md", ROOT / "Makefile", ROOT / "pyproject.toml"]
    for path in files:
        if path.is_file() and path.suffix in {
            ".md",
            ".py",
            ".yml",
            ".toml",
            ".css",
            ".json",
            "",
        }:
            assert address not in path.read_text("utf-8"), path

"""Make the papers: ``python -m tools.paper``. A PDF and an EPUB of the built site, linked from it."""

import argparse
import sys
from functools import partial
from pathlib import Path

from tools import ROOT
from tools.cache import last_build
from tools.cache.store import Store
from tools.gate import omissions
from tools.programs.browser import NoBrowser

from . import composition, epub, front_matter, pdf, site_links, typesetting

IN_PDF = """A small number behind a word leads to the foot of the page. It says what a term means, to which
chapter and page or to which address a link leads, or where on the site a widget is live. Works are
cited by author and year, in whose order the bibliography stands."""
IN_EPUB = """Links lead on within the book, those that ask for a widget to the place that names its page of
the site. Terms are explained in the glossary."""


def make(root, build, folder):
    """Write both papers, and the long page that the PDF was printed from, into a folder."""
    book = composition.compose(root, build / "html")
    formulas = typesetting.set_all(root, composition.formulas(book))
    cover = front_matter.cover(book.metadata)
    to_pdf, to_epub = (folder / site_links.file(kind) for kind in site_links.KINDS)

    front = front_matter.title_page(book.metadata, IN_EPUB)
    epub.write(to_epub, book, front, formulas, front_matter.picture(cover))
    epub.check(to_epub)
    front = front_matter.title_page(book.metadata, IN_PDF)
    source = folder / "book.html"
    source.write_text(pdf.page_html(book, front, formulas, cover), encoding="utf-8")
    pdf.write(to_pdf, source, book.metadata)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=ROOT, help="the project's folder")
    options = parser.parse_args()
    root = options.root.resolve()
    build = root / "_build"
    if not (build / "html" / "intro.html").exists():
        sys.exit("There is no site to print: run make book, then try again.")
    key = last_build.key(root)
    site_is_current = last_build.is_current(build, key)
    papers, papers_key = site_links.papers(build), site_links.key(root, build)
    try:
        if papers.is_current(papers_key):
            print("The papers are up to date.")
        else:
            papers.make(papers_key, Store.of_this_machine(), partial(make, root, build))
            print(f"A PDF and an EPUB are in {site_links.folder(build)}")
    except NoBrowser as missing:
        return omissions.note(f"The papers were not made: {missing}")
    except (RuntimeError, ValueError) as error:
        sys.exit(f"\nThe papers were not made.\n\n{error}")
    site_links.link(root, build)
    if site_is_current:  # the links have changed its pages
        last_build.remember(build, key)


if __name__ == "__main__":
    main()

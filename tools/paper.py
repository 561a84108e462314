"""Make the papers: ``python -m tools.paper``. A PDF and an EPUB of the built site, linked from it."""

import argparse
import subprocess
import sys
from functools import partial
from pathlib import Path

from playwright.sync_api import sync_playwright

from . import (
    ROOT,
    paper_book,
    paper_epub,
    paper_formulas,
    paper_front,
    paper_links,
    paper_pdf,
)
from .cache import last_build
from .cache.store import Store
from .gate import left_out
from .programs import EPUBCHECK
from .programs.browser import NoBrowser, launch

IN_PDF = """A small number behind a word leads to the foot of the page. It says what a term means, to which
chapter and page or to which address a link leads, or where on the site a widget is live. Works are
cited by author and year, in whose order the bibliography stands."""
IN_EPUB = """Links lead on within the book, those that ask for a widget to the place that names its page of
the site. Terms are explained in the glossary."""


def check(epub):
    """Have epubcheck read the EPUB.

    Raises
    ------
    RuntimeError
        If it finds an error or a warning.
    """
    command = [*EPUBCHECK, "--failonwarnings", str(epub)]
    result = subprocess.run(
        command, capture_output=True, text=True, errors="replace", encoding="utf-8"
    )
    if result.returncode:
        raise RuntimeError(f"epubcheck found faults:\n{result.stderr}{result.stdout}")


def picture(drawing, wide, high):
    """Return a drawing as PNG, for readers that show no SVG as a cover."""
    with sync_playwright() as playwright:
        browser = launch(playwright)
        page = browser.new_page(viewport={"width": wide, "height": high})
        page.set_content(
            f"<style>body {{ margin: 0 }} svg {{ display: block }}</style>{drawing}"
        )
        made = page.screenshot()
        browser.close()
    return made


def make(root, build, folder):
    """Write both papers, and the long page that the PDF was printed from, into a folder."""
    book = paper_book.compose(root, build / "html")
    formulas = paper_formulas.set_all(root, paper_book.formulas(book))
    cover = paper_front.cover(book.about)
    pdf, epub = (folder / paper_links.file(kind) for kind in paper_links.KINDS)

    front = paper_front.title_page(book.about, IN_EPUB)
    paper_epub.write(epub, book, front, formulas, picture(cover, *paper_front.SIZE))
    check(epub)
    front = paper_front.title_page(book.about, IN_PDF)
    source = folder / "book.html"
    source.write_text(
        paper_pdf.page_html(book, front, formulas, cover), encoding="utf-8"
    )
    paper_pdf.write(pdf, source, book.about)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=ROOT, help="the project's folder")
    options = parser.parse_args()
    root = options.root.resolve()
    build = root / "_build"
    if not (build / "html" / "intro.html").exists():
        sys.exit("There is no site to print: run make book, then try again.")
    key = last_build.key(root)
    built = last_build.is_of(build, key)
    papers, of = paper_links.papers(build), paper_links.key(root, build)
    try:
        if papers.is_of(of):
            print("The papers are up to date.")
        else:
            papers.make(of, Store.of_this_machine(), partial(make, root, build))
            print(f"A PDF and an EPUB are in {paper_links.folder(build)}")
    except NoBrowser as missing:
        return left_out.note(f"The papers were not made: {missing}")
    except (RuntimeError, ValueError) as error:
        sys.exit(f"\nThe papers were not made.\n\n{error}")
    paper_links.link(root, build)
    if built:  # the links have changed its pages
        last_build.remember(build, key)


if __name__ == "__main__":
    main()

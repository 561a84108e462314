"""Make the papers: ``python -m tools.paper``. A PDF and an EPUB of the built site, linked from it."""

import argparse
import sys
from functools import partial
from pathlib import Path

from tools import ROOT
from tools.cache import last_build
from tools.cache.store import Store
from tools.gate import omissions
from tools.programs.browser import NoBrowserError
from tools.site.formulas import MATHJAX_STYLE_SHEET_NAME

from . import composition, epub, front_matter, pdf, site_links

PDF_READING_HINT = """\
A small number behind a word leads to the foot of the page. It says what a term means, to which
chapter and page or to which address a link leads, or where on the site a widget is live. Works are
cited by author and year, in whose order the bibliography stands."""
EPUB_READING_HINT = """\
Links lead on within the book, those that ask for a widget to the place that names its page of
the site. Terms are explained in the glossary."""


def write_papers(root, build_folder, target_folder):
    """Write both papers, and the long page that the PDF was printed from, into a folder."""
    book = composition.compose_book(root, build_folder / "html")
    cover = front_matter.cover_svg(book.metadata)
    to_pdf, to_epub = (
        target_folder / site_links.paper_file_name(kind)
        for kind in site_links.PAPER_KINDS
    )

    front = front_matter.title_page_xhtml(book.metadata, EPUB_READING_HINT)
    epub.write_epub(to_epub, book, front, front_matter.render_png(cover))
    epub.check_epub(to_epub)
    front = front_matter.title_page_xhtml(book.metadata, PDF_READING_HINT)
    source = target_folder / "book.html"
    formula_style = (
        build_folder / "html" / "_static" / MATHJAX_STYLE_SHEET_NAME
    ).as_uri()
    source.write_text(pdf.book_html(book, front, cover, formula_style), "utf-8")
    pdf.print_pdf(to_pdf, source, book.metadata)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=ROOT, help="the project's folder")
    options = parser.parse_args()
    root = options.root.resolve()
    build = root / "_build"
    if not (build / "html" / "intro.html").exists():
        sys.exit("There is no site to print: run make book, then try again.")
    key = last_build.hash_build_inputs(root)
    site_is_current = last_build.is_build_current(build, key)
    papers, papers_key = (
        site_links.paper_file_set(build),
        site_links.hash_paper_sources(root, build),
    )
    try:
        if papers.is_current(papers_key):
            print("The papers are up to date.")
        else:
            papers.make(
                papers_key, Store.of_this_machine(), partial(write_papers, root, build)
            )
            print(f"A PDF and an EPUB are in {site_links.paper_folder_in_site(build)}")
    except NoBrowserError as missing:
        return omissions.note_omission(f"The papers were not made: {missing}")
    except (RuntimeError, ValueError) as error:
        sys.exit(f"\nThe papers were not made.\n\n{error}")
    site_links.update_paper_links(root, build)
    if site_is_current:  # the links have changed its pages
        last_build.write_build_record(build, key)


if __name__ == "__main__":
    main()

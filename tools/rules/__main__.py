"""Say what breaks a house rule: ``python -m tools.rules [PAGE ...]``."""

import argparse
import sys
from pathlib import Path

from tools import ROOT
from tools.pages import book_pages

from . import find_page_faults, format_faults


def main():
    parser = argparse.ArgumentParser(prog="python -m tools.rules", description=__doc__)
    parser.add_argument("pages", nargs="*", help="names, as in words/positions")
    parser.add_argument("--root", type=Path, default=ROOT, help="the project's folder")
    options = parser.parse_args()
    root = options.root.resolve()
    page_names = [
        book_pages.page_name(path, root) for path in book_pages.page_paths(root)
    ]
    names = [name.removeprefix("book/").removesuffix(".md") for name in options.pages]
    for name in names:
        if name not in page_names:
            parser.error(
                f"there is no page {name!r} in _toc.yml; expected one as words/positions"
            )
    faults = find_page_faults(root, names or None)
    if faults:
        sys.exit(format_faults(faults))


if __name__ == "__main__":
    main()

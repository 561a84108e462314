"""Build the book: ``python -m tools.book``. Run its pages, make the site, publish the notebooks."""

import argparse
import atexit
import errno
import gc
import sys
from contextlib import contextmanager
from pathlib import Path

import yaml
from filelock import FileLock, Timeout

from . import ROOT, minutes, rules
from .cache import last_build
from .cache.store import Store
from .models import book_translator, tatoeba_translator, translations
from .pages import notebooks, page_outputs
from .pages.cache_keys import CacheKeys
from .pages.run_pages import PageError, update_outputs
from .paper import site_links
from .site.make import make_site
from .site.missing_page import write_missing_page

WRITE_ERROR_CODES = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES)


def build_book(root, build_folder, report_progress=print, draft=False):
    """Bring everything in ``_build`` up to date.

    Parameters
    ----------
    root, build_folder : pathlib.Path
        The project, and ``_build``.
    report_progress : callable
        Called with each line of progress.
    draft : bool
        Whether to build without asking whether pages break a rule of the house.

    Raises
    ------
    PageError
        If a page raises.
    RuntimeError
        If a page breaks a rule, or the site cannot be built.
    OSError
        If a file cannot be written, for example because the disk is full.
    """
    if not draft and (faults := rules.find_page_faults(root)):
        raise RuntimeError(rules.format_faults(faults))
    build_folder.mkdir(parents=True, exist_ok=True)
    with hold_build_lock(build_folder, report_progress):
        build_if_changed(root, build_folder, report_progress)


@contextmanager
def hold_build_lock(build_folder, report_progress):
    """Wait until no other build is at work in this folder."""
    lock = FileLock(build_folder / "lock")
    try:
        lock.acquire(blocking=False)
    except Timeout:
        report_progress(
            "Another build is at work in this folder; this one waits for it."
        )
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


def build_if_changed(root, build_folder, report_progress):
    """Do what ``build_book`` says, alone in the folder and with pages that break no rule."""
    key = last_build.hash_build_inputs(root)
    if last_build.is_build_current(build_folder, key):
        report_progress("Nothing has changed since the last build.")
        return
    last_build.remove_build_record(build_folder)
    keys, store = CacheKeys(root, build_folder), Store.of_this_machine()
    update_outputs(root, build_folder, keys, report_progress)
    minutes.write_minutes(root, build_folder, keys)
    make_site(
        root,
        build_folder,
        page_outputs.output_digests_by_page(root, build_folder, keys),
    )
    config = yaml.safe_load((root / "_config.yml").read_text("utf-8"))
    site = notebooks.Addresses.from_config(config).site
    write_missing_page(build_folder / "html", config["title"], site)
    book_translator.publish_translator(
        build_folder, keys.program_key(translations, book_translator), store
    )
    tatoeba_translator.publish_translator(
        root, build_folder, keys.program_key(translations, tatoeba_translator), store
    )
    notebooks.publish_notebooks(root, build_folder, keys)
    site_links.update_paper_links(root, build_folder)
    keys.memo.write()
    last_build.write_build_record(build_folder, key)


def disable_garbage_collection():
    """Look for no garbage in this process, which ends with its work.

    Sphinx's trees are full of cycles. To look through them again and again takes half of its time.
    """
    gc.disable()
    atexit.register(gc.freeze)  # nor at its end


def main():
    disable_garbage_collection()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=ROOT, help="the project's folder")
    parser.add_argument(
        "--output", type=Path, help="where _build goes; default: the root"
    )
    parser.add_argument(
        "--draft", action="store_true", help="build without checking the rules"
    )
    options = parser.parse_args()
    root = options.root.resolve()
    build = (options.output or root).resolve() / "_build"
    try:
        build_book(root, build, draft=options.draft)
    except (PageError, RuntimeError) as error:
        sys.exit(f"\nThe book was not built.\n\n{error}")
    except OSError as error:
        if error.errno not in WRITE_ERROR_CODES:
            raise
        sys.exit(
            f"\nThe book was not built.\n\n{error.filename or build}: {error.strerror}. "
            "Make room or choose another folder with --output, and build again."
        )
    page = build / "html" / "index.html"
    print(f"The book is at {page}\nOpen that file in a browser, or run: make serve")


if __name__ == "__main__":
    main()

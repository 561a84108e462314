"""Show the site, and build it again when a file changes: ``make watch``.

The open page loads anew when the build is done. A build that fails says why, and the site stays.
"""

import argparse
import importlib
import multiprocessing
import os
import subprocess
import sys
import threading
import time

from livereload import Server
from livereload.handlers import LiveReloadHandler
from livereload.watcher import Watcher

from . import ROOT

CODE_FOLDERS = ("src", "tools")  # what a build imports
TEXT_PATHS = ("book", "_config.yml", "_toc.yml")
# A writer wants to see the page before it is right: broken rules are named after it is shown.
DRAFT_BUILD_COMMAND = ("tools.book", "--root", str(ROOT), "--draft")
RULES_CHECK_COMMAND = ("tools.rules.__main__", "--root", str(ROOT))
# Imported once: what every build imports, ours and the longest of Sphinx.
PRELOADED_MODULES = [
    *("tools.book", "myst_nb.sphinx_ext", "sphinx_book_theme", "a11y_pygments"),
    *("sphinx_design.extension", "sphinxcontrib.bibtex.domain", "matplotlib.mathtext"),
]
BUILD_STAMP_FILE = ROOT / "_build" / "watched"  # touched after each build


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, default=8000)
    port = parser.parse_args().port
    builder, sources = (
        BookBuilder(),
        Watcher(),
    )  # before the first build: it may take minutes
    for name in TEXT_PATHS:
        sources.watch(str(ROOT / name), builder.build)
    for name in CODE_FOLDERS:
        sources.watch(str(ROOT / name), builder.build_with_new_code)
    builder.build()
    # In a thread: while the server itself builds, a page that loads is not answered.
    threading.Thread(target=build_on_changes, args=[sources], daemon=True).start()
    LiveReloadHandler.DEFAULT_RELOAD_TIME = 0  # it drops what comes within 3 s
    server = Server()
    server.watch(str(BUILD_STAMP_FILE))
    server.serve(port=port, root=str(ROOT / "_build" / "html"))


def build_on_changes(watcher):
    """Build at each change, for ever."""
    while True:
        watcher.examine()
        time.sleep(0.2)


class BookBuilder:
    """Builds the book, each time in a new process.

    The process is forked from one that has imported the tools already, which saves seconds, until
    the code itself has changed.
    """

    def __init__(self):
        self.warm = "forkserver" in multiprocessing.get_all_start_methods()

    def build(self):
        began = time.perf_counter()
        failed = self._run_module(*DRAFT_BUILD_COMMAND)
        if not failed:
            BUILD_STAMP_FILE.touch()
        seconds = time.perf_counter() - began
        print("Not built." if failed else f"Built in {seconds:.1f} s.", flush=True)
        self._run_module(*RULES_CHECK_COMMAND)

    def build_with_new_code(self):
        self.warm = False
        self.build()

    def _run_module(self, *command):
        """Run a module with its options, and return its exit status."""
        if not self.warm:
            return subprocess.run([sys.executable, "-m", *command], cwd=ROOT).returncode
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(PRELOADED_MODULES)
        process = context.Process(target=run_module_here, args=command)
        process.start()
        process.join()
        return process.exitcode


def run_module_here(module, *options):
    """Run a module in this process, which ends with it."""
    os.chdir(ROOT)
    sys.argv[:] = [module, *options]
    importlib.import_module(module).main()


if __name__ == "__main__":
    main()

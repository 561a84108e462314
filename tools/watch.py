"""Show the site, and build it again when a file changes: ``make watch``.

The open page loads anew when the build is done. A build that fails says why, and the site stays.
"""

import argparse
import multiprocessing
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

from livereload import Server
from livereload.handlers import LiveReloadHandler
from livereload.watcher import Watcher

ROOT = Path(__file__).resolve().parent.parent
CODE = ("src", "tools")  # what a build imports
TEXT = ("book", "_config.yml", "_toc.yml")
OPTIONS = [
    "--root",
    str(ROOT),
    "--draft",
]  # a writer wants to see the page before it is right
BUILT = ROOT / "_build" / "watched"  # touched after each build


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, default=8000)
    port = parser.parse_args().port
    builder, sources = (
        Builder(),
        Watcher(),
    )  # before the first build: it may take minutes
    for name in TEXT:
        sources.watch(str(ROOT / name), builder.build)
    for name in CODE:
        sources.watch(str(ROOT / name), builder.build_with_new_code)
    builder.build()
    # In a thread: while the server itself builds, a page that loads is not answered.
    threading.Thread(target=follow, args=[sources], daemon=True).start()
    LiveReloadHandler.DEFAULT_RELOAD_TIME = 0  # it drops what comes within 3 s
    server = Server()
    server.watch(str(BUILT))
    server.serve(port=port, root=str(ROOT / "_build" / "html"))


def follow(watcher):
    """Build at each change, for ever."""
    while True:
        watcher.examine()
        time.sleep(0.2)


class Builder:
    """Builds the book, each time in a process of its own.

    The process is forked from one that has imported the tools already, which saves seconds, until
    the code itself has changed.
    """

    def __init__(self):
        self.warm = "forkserver" in multiprocessing.get_all_start_methods()

    def build(self):
        began = time.perf_counter()
        failed = self._fork() if self.warm else self._run()
        if not failed:
            BUILT.touch()
        seconds = time.perf_counter() - began
        print("Not built." if failed else f"Built in {seconds:.1f} s.", flush=True)

    def build_with_new_code(self):
        self.warm = False
        self.build()

    def _fork(self):
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["tools.book"])
        process = context.Process(target=build_here)
        process.start()
        process.join()
        return process.exitcode

    def _run(self):
        command = [sys.executable, "-m", "tools.book", *OPTIONS]
        return subprocess.run(command, cwd=ROOT).returncode


def build_here():
    """Build in this process."""
    from tools import book

    os.chdir(ROOT)
    sys.argv[:] = ["tools.book", *OPTIONS]
    book.main()


if __name__ == "__main__":
    main()

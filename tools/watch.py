"""Show the site, and build it again when a file changes: ``make watch``.

The open page loads anew when the build is done. A build that fails says why, and the site stays.
"""

import argparse
import subprocess
import sys
import threading
import time
from pathlib import Path

from livereload import Server
from livereload.handlers import LiveReloadHandler
from livereload.watcher import Watcher

ROOT = Path(__file__).resolve().parent.parent
WATCHED = ("book", "src", "tools", "_config.yml", "_toc.yml")
BUILT = ROOT / "_build" / "watched"  # touched after each build


def build():
    """Build in a process of its own, because the tools may have changed."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "tools.book", "--root", str(ROOT)]
    failed = subprocess.run(command, cwd=ROOT).returncode
    taken = time.perf_counter() - began
    if not failed:
        BUILT.touch()
    print("Not built." if failed else f"Built in {taken:.1f} s.", flush=True)


def follow(watcher):
    """Build at each change, for ever."""
    while True:
        watcher.examine()
        time.sleep(0.5)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, default=8000)
    port = parser.parse_args().port
    sources = Watcher()  # before the first build: it may take minutes
    for name in WATCHED:
        sources.watch(str(ROOT / name), build)
    build()
    # In a thread: while the server itself builds, a page that loads is not answered.
    threading.Thread(target=follow, args=[sources], daemon=True).start()
    LiveReloadHandler.DEFAULT_RELOAD_TIME = 0  # it drops what comes within 3 s
    server = Server()
    server.watch(str(BUILT))
    server.serve(port=port, root=str(ROOT / "_build" / "html"))


if __name__ == "__main__":
    main()

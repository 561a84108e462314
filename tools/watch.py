"""Show the site, and build it again when a file changes: ``make watch``.

The open page loads anew when the build is done. A build that fails says why, and the site stays.
"""

import argparse
import subprocess
import sys
import time
from pathlib import Path

from livereload import Server

ROOT = Path(__file__).resolve().parent.parent
WATCHED = ("book", "src", "tools", "_config.yml", "_toc.yml")


def build(root):
    """Build in a process of its own, because the tools may have changed."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "tools.book", "--root", str(root)]
    failed = subprocess.run(command, cwd=root).returncode
    taken = time.perf_counter() - began
    print("Not built." if failed else f"Built in {taken:.1f} s.", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, default=8000)
    port = parser.parse_args().port
    build(ROOT)
    server = Server()
    for name in WATCHED:
        server.watch(str(ROOT / name), lambda: build(ROOT))
    server.serve(port=port, root=str(ROOT / "_build" / "html"))


if __name__ == "__main__":
    main()

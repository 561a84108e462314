"""The book's own build: from nothing, with nothing changed, and after a change in one chapter."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tools import executed

from .targets import at_most

ROOT = Path(__file__).resolve().parent.parent
PARTS = ("book", "src", "tools", "_config.yml", "_toc.yml", "requirements.txt")
CHANGED = "words/tokens"
FROM_NOTHING = {"TRANSFORMER_BOOK_STORE": "off"}


def build(root):
    began = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "tools.book", "--draft"],
        cwd=root,
        env=os.environ | FROM_NOTHING,
        check=True,
        stdout=sys.stderr,
    )
    return time.perf_counter() - began


def rows():
    """Build a copy of the project four times; return a row per chapter and per build."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for part in PARTS:
            copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
            copy(ROOT / part, root / part)
        clean = build(root)
        seconds = executed.seconds(root, root / "_build")
        unchanged = build(root)
        chapter = root / "book" / f"{CHANGED}.md"
        text = chapter.read_text("utf-8")
        chapter.write_text(
            text.replace("ipython3\n", "ipython3\nchanged = True\n", 1), "utf-8"
        )
        one = build(root)
        own = executed.seconds(root, root / "_build")[CHANGED]
        chapter.write_text(chapter.read_text("utf-8") + "\nA word more.\n", "utf-8")
        prose = build(root)
    found = [
        (f"chapter `{name}`", f"{taken:.1f} s", at_most(taken, 60, "60 s"))
        for name, taken in sorted(seconds.items(), key=lambda item: -item[1])
    ]
    return [
        *found,
        (
            "clean build",
            f"{clean:.0f} s",
            at_most(clean, 600, "600 s"),
        ),
        (
            "rebuild, nothing changed",
            f"{unchanged:.1f} s",
            at_most(unchanged, 8, "8 s"),
        ),
        (
            f"rebuild, prose of `{CHANGED}` changed",
            f"{prose:.1f} s",
            at_most(prose, 10, "10 s"),
        ),
        (
            f"rebuild, `{CHANGED}` changed",
            f"{one:.1f} s",
            at_most(one, own + 15, f"its own {own:.1f} s + 15 s"),
        ),
    ]

"""The book's own build: from nothing, with nothing changed, and after a change in one chapter."""

import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from .targets import at_most

ROOT = Path(__file__).resolve().parent.parent
PARTS = ("book", "src", "tools", "_config.yml", "_toc.yml", "requirements.txt")
CHANGED = "words/tokens"
LIMITS = {"transformer/training": 180, "beyond/language_model": 180}


def build(root):
    began = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "tools.book"], cwd=root, check=True, stdout=sys.stderr
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
        seconds = json.loads((root / "_build" / "seconds.json").read_text("utf-8"))
        unchanged = build(root)
        chapter = root / "book" / f"{CHANGED}.md"
        text = chapter.read_text("utf-8")
        chapter.write_text(
            text.replace("ipython3\n", "ipython3\nchanged = True\n", 1), "utf-8"
        )
        one = build(root)
        own = json.loads((root / "_build" / "seconds.json").read_text("utf-8"))[CHANGED]
        chapter.write_text(chapter.read_text("utf-8") + "\nA word more.\n", "utf-8")
        prose = build(root)
    found = [
        (f"chapter `{name}`", f"{taken:.1f} s", at_most(taken, limit, f"{limit} s"))
        for name, taken in sorted(seconds.items(), key=lambda item: -item[1])
        for limit in (LIMITS.get(name, 60),)
    ]
    return [
        *found,
        (
            "clean build",
            f"{clean:.0f} s",
            at_most(clean, 720, "720 s, with all of the first three parts"),
        ),
        (
            "rebuild, nothing changed",
            f"{unchanged:.1f} s",
            at_most(unchanged, 15, "15 s"),
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

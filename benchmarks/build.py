"""The book's build: each page as it last ran, and what a build takes after a change."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tools import ROOT
from tools.pages import book_pages, page_outputs

from .targets import format_maximum

CHANGED_PAGE_NAME = "words/tokens"
WITHOUT_STORE_VARIABLES = {"TRANSFORMER_BOOK_STORE": "off"}


def copy_project(target_folder: Path) -> None:
    """Copy what git tracks, and the last build."""
    listing = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True
    )
    for name in listing.stdout.decode().strip("\0").split("\0"):
        (target_folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, target_folder / name)
    shutil.copytree(ROOT / "_build", target_folder / "_build")


def measure_build_seconds(project_folder: Path) -> float:
    began = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "tools.book", "--draft"],
        cwd=project_folder,
        env=os.environ
        | WITHOUT_STORE_VARIABLES
        | {"PYTHONPATH": str(Path(project_folder) / "src")},
        check=True,
        stdout=sys.stderr,
    )
    return time.perf_counter() - began


def measure_rows() -> list[tuple[str, str, str]]:
    """Return a row per page of the last build, and one for each rebuild of a copy of the project."""
    seconds = page_outputs.run_seconds_by_page(ROOT, ROOT / "_build")
    missing = set(notebook_page_names()) - set(seconds)
    if missing:
        raise SystemExit(f"The build lacks {', '.join(missing)}; run make book first.")
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        copy_project(root)
        chapter = root / "book" / f"{CHANGED_PAGE_NAME}.md"
        text = chapter.read_text("utf-8")
        chapter.write_text(text + "\nA word.\n", "utf-8")
        measure_build_seconds(root)  # at its new place Sphinx reads every page once
        unchanged = measure_build_seconds(root)
        chapter.write_text(
            text.replace("ipython3\n", "ipython3\nchanged = True\n", 1), "utf-8"
        )
        code_changed = measure_build_seconds(root)
        page_seconds = page_outputs.run_seconds_by_page(root, root / "_build")[
            CHANGED_PAGE_NAME
        ]
        chapter.write_text(chapter.read_text("utf-8") + "\nA word more.\n", "utf-8")
        prose_changed = measure_build_seconds(root)
    return [
        *(
            (
                f"page `{name}`",
                f"{page_time:.1f} s",
                format_maximum(page_time, 60, "60 s"),
            )
            for name, page_time in sorted(seconds.items(), key=lambda item: -item[1])
        ),
        (
            f"all {len(seconds)} pages, one after another",
            f"{sum(seconds.values()):.0f} s",
            "",
        ),
        (
            "rebuild, nothing changed",
            f"{unchanged:.1f} s",
            format_maximum(unchanged, 8, "8 s"),
        ),
        (
            f"rebuild, prose of `{CHANGED_PAGE_NAME}` changed",
            f"{prose_changed:.1f} s",
            format_maximum(prose_changed, 10, "10 s"),
        ),
        (
            f"rebuild, `{CHANGED_PAGE_NAME}` changed",
            f"{code_changed:.1f} s",
            format_maximum(
                code_changed, page_seconds + 15, f"its own {page_seconds:.1f} s + 15 s"
            ),
        ),
    ]


def notebook_page_names() -> list[str]:
    """Return the names of the pages that run code."""
    paths = filter(book_pages.is_notebook, book_pages.page_paths(ROOT))
    return [book_pages.page_name(path, ROOT) for path in paths]

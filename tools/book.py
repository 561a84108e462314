"""Build the book: ``python -m tools.book``. Execute, make the site, publish the notebooks."""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from . import minutes, model, notebooks, paper_links, shipped
from .execute import ANSI, ChapterError, execute, key_of_code

ROOT = Path(__file__).resolve().parent.parent


def forget_pages_if_extensions_changed(root, build):
    """Let Sphinx read every page again when an extension of ours has changed."""
    digest, tools = hashlib.sha256(), root / "tools"
    shared = [tools / f"{name}.py" for name in ("chapters", "minutes", "widgets")]
    for path in [*sorted(tools.glob("site_*.py")), *shared]:
        digest.update(path.read_bytes())
    record = build / "extensions"
    if not record.exists() or record.read_text() != digest.hexdigest():
        shutil.rmtree(build / ".doctrees", ignore_errors=True)
        record.write_text(digest.hexdigest())


def make_site(root, build):
    """Run jupyter-book with every warning an error; raise if it fails."""
    command = [str(Path(sys.executable).with_name("jupyter-book")), "build", "--quiet"]
    command += ["--warningiserror", "--keep-going", "--path-output", str(build.parent)]
    # Absolute, because the book is not in the folder of its configuration.
    command += ["--config", str(root / "_config.yml"), "--toc", str(root / "_toc.yml")]
    # The extensions import what stands beside them.
    known = [str(root), *filter(None, [os.environ.get("PYTHONPATH")])]
    result = subprocess.run(
        [*command, str(root / "book")],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(known)},
        capture_output=True,
        text=True,
    )
    if result.returncode:
        said = ANSI.sub("", result.stdout + result.stderr)
        warnings = [
            line for line in said.splitlines() if "WARNING:" in line or "ERROR:" in line
        ]
        raise RuntimeError("jupyter-book failed:\n" + ("\n".join(warnings) or said))


def copy_static(root, build):
    """Copy scripts and styles: Sphinx leaves them where no page has changed."""
    static = build / "html" / "_static"
    shutil.copytree(root / "book" / "_static", static, dirs_exist_ok=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=ROOT, help="the project's folder")
    parser.add_argument(
        "--output", type=Path, help="where _build goes; default: the root"
    )
    options = parser.parse_args()
    root = options.root.resolve()
    build = (options.output or root).resolve() / "_build"
    try:
        execute(root, build)
        minutes.write(root, build)
        forget_pages_if_extensions_changed(root, build)
        make_site(root, build)
        copy_static(root, build)
        model.publish(build, key_of_code(root, model))
        shipped.publish(root, build, key_of_code(root, model, shipped))
        notebooks.publish(root, build)
        paper_links.link(root, build)
    except (ChapterError, RuntimeError) as error:
        sys.exit(f"\nThe book was not built.\n\n{error}")
    page = build / "html" / "index.html"
    print(f"The book is at {page}\nOpen that file in a browser, or run: make serve")


if __name__ == "__main__":
    main()

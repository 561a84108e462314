"""Build one page alone, for its writer: ``python -m tools.preview book/words/tokens.md FOLDER``.

Links to other pages and citations are reported as missing: the page stands alone here.
"""

import shutil
import sys
from pathlib import Path

import yaml
from jupyter_cache import get_cache

from .book import ROOT, make_site
from .chapters import is_notebook
from .execute import keys, run


def lay_out(page, folder):
    """Make a book of this page in the folder; return the page's name."""
    shutil.rmtree(folder / "_build", ignore_errors=True)
    shutil.rmtree(folder / "book", ignore_errors=True)
    shutil.copytree(
        ROOT / "book", folder / "book", ignore=shutil.ignore_patterns("*.md")
    )
    name = page.relative_to(ROOT / "book").with_suffix("").as_posix()
    shutil.copy(page, folder / "book" / f"{name}.md")
    (folder / "_toc.yml").write_text(
        yaml.safe_dump({"format": "jb-book", "root": name})
    )
    config = yaml.safe_load((ROOT / "_config.yml").read_text())
    extensions = config["sphinx"]["local_extensions"]
    config["sphinx"]["local_extensions"] = dict.fromkeys(
        extensions, str(ROOT / "tools")
    )
    (folder / "_config.yml").write_text(yaml.safe_dump(config))
    return name


def main():
    page, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    name, build = lay_out(page, folder), folder / "_build"
    if is_notebook(page):
        build.mkdir()
        copy = folder / "book" / f"{name}.md"
        cache = get_cache(build / ".jupyter_cache")
        run([copy], keys([copy], ROOT), cache, folder, build, print)
    try:
        make_site(folder, build)
    except RuntimeError as error:
        print(error)
    print(build / "html" / f"{name}.html")


if __name__ == "__main__":
    main()

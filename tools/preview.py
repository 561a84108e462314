"""Build one page alone, for its writer: ``python -m tools.preview book/words/tokens.md FOLDER``."""

import shutil
import sys
from pathlib import Path

import yaml
from jupyter_cache import get_cache

from .book import ROOT, make_site
from .chapters import is_notebook
from .execute import run


def main():
    page, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    shutil.rmtree(folder / "book", ignore_errors=True)
    shutil.copytree(ROOT / "book", folder / "book", ignore=lambda d, names: [
        n for n in names if n.endswith(".md") and Path(d, n) != page])
    name = page.relative_to(ROOT / "book").with_suffix("").as_posix()
    (folder / "_toc.yml").write_text(yaml.safe_dump({"format": "jb-book", "root": name}))
    config = yaml.safe_load((ROOT / "_config.yml").read_text())
    config["sphinx"]["local_extensions"] = {"site_extension": str(ROOT / "tools")}
    (folder / "_config.yml").write_text(yaml.safe_dump(config))
    if is_notebook(page):
        shutil.rmtree(folder / "_build", ignore_errors=True)
        (folder / "_build").mkdir()
        copied = folder / "book" / f"{name}.md"
        run([copied], get_cache(folder / "_build" / ".jupyter_cache"), folder, folder / "_build", print)
    try:
        make_site(folder, folder / "_build")
    except RuntimeError as error:
        print(error)
    print(folder / "_build" / "html" / f"{name}.html")


if __name__ == "__main__":
    main()

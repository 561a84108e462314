"""What the site needs beside the theme: MathJax of its own, and no other host."""

import importlib.util
import shutil
from pathlib import Path

MATHJAX = "mathjax/tex-chtml.js"


def mathjax_folder():
    """Where sphinx-mathjax-offline keeps MathJax; its name has hyphens and cannot be imported."""
    spec = importlib.util.find_spec("sphinx-mathjax-offline")
    return Path(spec.origin).parent / "static" / "mathjax"


def copy_mathjax(app, exception):
    """Copy the one build of MathJax that the pages use, with its fonts and TeX extensions."""
    if exception is None and app.builder.format == "html":
        target = Path(app.outdir) / "_static" / "mathjax"
        for part in ("tex-chtml.js", "input/tex/extensions", "output/chtml/fonts/woff-v2"):
            source = mathjax_folder() / part
            destination = target / part
            destination.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, destination, dirs_exist_ok=True)
            else:
                shutil.copyfile(source, destination)


def setup(app):
    app.config.mathjax_path = MATHJAX
    app.connect("build-finished", copy_mathjax)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

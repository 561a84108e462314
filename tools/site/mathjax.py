"""The site's MathJax: the parts that the formulas need, without its menu.

The menu is 40 % of the usual build, and makes every formula a stop of the Tab key.
"""

import importlib.util
import shutil
from pathlib import Path

from sphinx.builders.html._assets import _file_checksum

START_SCRIPT = "startup.js"
COMPONENTS = ["input/tex", "output/chtml", "a11y/assistive-mml"]
# What these parts load in their turn; a page names them all, so that they come at once.
COMPONENT_FILES = [
    "core.js",
    *(f"{part}.js" for part in COMPONENTS),
    "output/chtml/fonts/tex.js",
]
COMPONENT_FOLDERS = ["input/tex/extensions", "output/chtml/fonts/woff-v2"]
# The fonts of nearly every formula.
COMMON_FONTS = [
    f"{COMPONENT_FOLDERS[1]}/MathJax_{name}.woff"
    for name in ("Main-Regular", "Math-Italic")
]


def mathjax_folder():
    """Where sphinx-mathjax-offline keeps MathJax; its name has hyphens and cannot be imported."""
    spec = importlib.util.find_spec("sphinx-mathjax-offline")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(
            "sphinx-mathjax-offline is not installed; pip install it, as requirements.txt says."
        )
    return Path(spec.origin).parent / "static" / "mathjax"


def copy_mathjax(app):
    """Copy what the pages use, with the fonts and TeX extensions.

    Before the pages are written: Sphinx puts a file's hash behind its address if it finds the file.
    """
    if app.builder.format == "html":
        target = Path(app.outdir) / "_static" / "mathjax"
        for part in [START_SCRIPT, *COMPONENT_FILES, *COMPONENT_FOLDERS]:
            source, destination = mathjax_folder() / part, target / part
            destination.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, destination, dirs_exist_ok=True)
            else:
                shutil.copyfile(source, destination)


def fetch_mathjax_early(app, pagename, templatename, context, doctree):
    """Fetch MathJax at once on a page with formulas; on another, for the next page, when idle."""
    scripts, fonts = (
        [(file, "script") for file in COMPONENT_FILES],
        [(font, "font") for font in COMMON_FONTS],
    )
    if any(
        str(file.filename).endswith(START_SCRIPT) for file in context["script_files"]
    ):
        # Fonts too: set in another font first, formulas would push lines about.
        context["fetch_when"] = "preload"
        context["fetched_early"] = scripts + fonts
    else:
        version = _file_checksum(app.outdir, f"_static/mathjax/{START_SCRIPT}")
        all_files = [(f"{START_SCRIPT}?v={version}", "script"), *scripts, *fonts]
        context["fetch_when"], context["fetched_early"] = "prefetch", all_files


def choose_components(app, config):
    config.mathjax_path = f"mathjax/{START_SCRIPT}"
    config.mathjax3_config["loader"] = {"load": COMPONENTS}


def setup(app):
    app.connect("config-inited", choose_components)
    app.connect("builder-inited", copy_mathjax)
    app.connect("html-page-context", fetch_mathjax_early, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

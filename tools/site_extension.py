"""What the site needs beside the theme: MathJax of its own, no other host, links to notebooks."""

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
        for part in (MATHJAX.split("/")[1], "input/tex/extensions", "output/chtml/fonts/woff-v2"):
            source, destination = mathjax_folder() / part, target / part
            destination.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, destination, dirs_exist_ok=True)
            else:
                shutil.copyfile(source, destination)


def leave_out_thebe(app, pagename, templatename, context, doctree):
    """jupyter-book brings Thebe, which would load its script from another host."""
    for kind in ("script_files", "css_files"):
        context[kind] = [item for item in context[kind] if "thebe" not in _text(item).lower()]


def _text(asset):
    return f"{asset.filename} {asset.attributes}"


def link_to_notebooks(app, pagename, templatename, context, doctree):
    """Let Colab and Binder open the published notebook, not the Markdown it was made from."""
    for group in context.get("header_buttons", []):
        for button in group.get("buttons", []):
            if button.get("url", "").endswith(f"{pagename}.md"):
                button["url"] = button["url"].removesuffix(".md") + ".ipynb"


def setup(app):
    app.config.mathjax_path = MATHJAX
    app.connect("build-finished", copy_mathjax)
    # After the theme has put its buttons there.
    app.connect("html-page-context", link_to_notebooks, priority=900)
    app.connect("html-page-context", leave_out_thebe, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

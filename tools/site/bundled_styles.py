"""Style sheets of ours: one for every page, and one more for each set of widgets that a page has.

In _static they are split by subject. Pages ask for what this module makes of them.
"""

import re
from pathlib import Path

from tools.cache.store import hash_parts

from . import faces
from .contents import update_shared_value
from .formulas import MATHJAX_STYLE_SHEET_NAME as FORMULA_SHEET
from .widgets import widget_names_by_page, widget_style_sheet_name

BOOK_SHEET_NAME = "book.css"
# Where two rules weigh the same, the later counts.
BOOK_SHEET_PARTS = ("print.css", "typography.css", "theme.css", "page.css")
WIDGET_SHEET_PARTS = tuple(
    f"widgets/{subject}.css"
    for subject in ("place", "controls", "steps", "stage", "matrices")
)
CSS_COMMENT = re.compile(r"/\*(?!!).*?\*/\n?", re.DOTALL)  # but for a licence's
CSS_IMPORT = re.compile(r'@import url\("([\w./]+)"\);\n?')


def join_style_sheets(sheet_paths) -> str:
    """Return the rules of style sheets, each with those that it imports before it, once.

    Parameters
    ----------
    sheet_paths : iterable of pathlib.Path
    """
    texts = {}

    def add_with_imports(sheet_path):
        if sheet_path not in texts:
            text = CSS_COMMENT.sub("", sheet_path.read_text("utf-8"))
            for name in CSS_IMPORT.findall(text):
                add_with_imports((sheet_path.parent / name).resolve())
            texts[sheet_path] = CSS_IMPORT.sub("", text).strip()

    for path in sheet_paths:
        add_with_imports(path.resolve())
    return "\n".join(texts.values()) + "\n"


def widget_sheet_paths(static_folder, widget_names) -> list[Path]:
    """Return the style sheets of these widgets: what all have in common, then what each adds."""
    own = [
        static_folder / "js" / "widgets" / f"{name}.css"
        for name in sorted(widget_names)
    ]
    return [
        *(static_folder / part for part in WIDGET_SHEET_PARTS),
        *(path for path in own if path.exists()),
    ]


def remove_global_style_sheets(app, config):
    """jupyter-book puts every style sheet of ``_static`` on every page."""
    static = Path(app.srcdir) / "_static"
    config.html_css_files = [
        file for file in config.html_css_files if not (static / str(file)).exists()
    ]


def write_style_sheets(app, env):
    """Write them before the pages; return the pages to write anew.

    Sphinx puts a file's hash behind its address if it finds the file.
    """
    if app.builder.format != "html":
        return []
    source, static = Path(app.srcdir) / "_static", Path(app.outdir) / "_static"
    rules = join_style_sheets(
        [static / FORMULA_SHEET, *(source / part for part in BOOK_SHEET_PARTS)]
    )
    texts = {BOOK_SHEET_NAME: faces.all_font_face_rules() + rules}
    for names in widget_names_by_page(env).values():
        texts[widget_style_sheet_name(names)] = join_style_sheets(
            widget_sheet_paths(source, names)
        )
    for name, text in texts.items():
        (static / name).parent.mkdir(parents=True, exist_ok=True)
        (static / name).write_text(text, "utf-8")
    return update_shared_value(env, "style_sheets", hash_parts(*texts.values()))


def setup(app):
    app.connect("config-inited", remove_global_style_sheets)
    # After the theme's, and after those of widgets, whose rules it may overrule.
    app.add_css_file(BOOK_SHEET_NAME, priority=800)
    # When bundled_scripts.py has emptied the folder.
    app.connect("env-updated", write_style_sheets, priority=600)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

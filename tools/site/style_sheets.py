"""Style sheets of extensions, laid before pages are written.

Sphinx puts the hash of a sheet that is there into the address that pages load it by. MyST-NB and
sphinx-exercise lay theirs only when all is written, so a second build wrote other pages than the first.
"""

from pathlib import Path

import sphinx_exercise
from myst_nb import sphinx_ext


def copy_style_sheets(app):
    (Path(app.outdir) / "_static").mkdir(parents=True, exist_ok=True)
    sphinx_ext.add_global_html_resources(app, None)
    sphinx_exercise.copy_asset_files(app, None)


def setup(app):
    app.connect("builder-inited", copy_style_sheets)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

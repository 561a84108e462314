"""Icons: of the theme's 2,000, only those that pages and style sheets ask for.

The theme loads Font Awesome Free twice, as a script and as fonts. The fonts alone do; the script
is left out, and the fonts are cut down when the pages are written.
"""

import re
from pathlib import Path

import pydata_sphinx_theme
from fontTools import subset

ICON_SCRIPT = "scripts/fontawesome.js"
ICON_FONT_FOLDER = "vendor/fontawesome/webfonts"
ICON_FONT_FILES = ("fa-solid-900.woff2", "fa-regular-400.woff2", "fa-brands-400.woff2")
ICON_CSS_RULE = re.compile(
    r'content:"\\(\w+)"'
)  # of .fa-bars:before, ...{content:"\f0c9"}
PRIVATE_USE_RANGE = "\ue000", "\uf8ff"  # where Unicode leaves room for icons
THEME_FOLDER = (
    Path(pydata_sphinx_theme.__file__).parent
    / "theme"
    / "pydata_sphinx_theme"
    / "static"
)


def used_icon_code_points(site_folder):
    """Return the code points of the icons that pages, scripts and style sheets name."""
    static = site_folder / "_static"
    texts = [
        path.read_text("utf-8")
        for path in [*site_folder.rglob("*.html"), *static.glob("scripts/*.js")]
    ]
    icon_names = {name for text in texts for name in re.findall(r"fa-[a-z0-9-]+", text)}
    points = set()
    for path in static.rglob("*.css"):
        other_rules = []
        for rule in path.read_text("utf-8").split("}"):
            names, _, body = rule.rpartition("{")
            icon = ICON_CSS_RULE.fullmatch(body)
            if not icon or ".fa-" not in names:
                other_rules.append(rule)
            elif icon_names & set(re.findall(r"\.(fa-[a-z0-9-]+):", names)):
                points.add(int(icon[1], 16))
        text = "}".join(other_rules)
        points |= {
            int(point, 16)
            for point in re.findall(r"['\"]\\([ef][0-9a-f]{3})['\"]", text)
        }
        points |= {
            ord(sign)
            for sign in text
            if PRIVATE_USE_RANGE[0] <= sign <= PRIVATE_USE_RANGE[1]
        }
    return points


def write_font_subset(font_path, subset_path, code_points):
    """Write the font with these code points alone, under another name, as its licence asks."""
    options = subset.Options(flavor="woff2", name_IDs=["*"], notdef_outline=True)
    font = subset.load_font(font_path, options)
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=code_points)
    cutter.subset(font)
    for record in font["name"].names:
        if record.nameID in (1, 3, 4, 6, 16):
            record.string = "Book-Icons"
    font["name"].setName("SIL Open Font License 1.1", 13, 3, 1, 0x409)
    subset.save_font(font, subset_path, options)


def cut_down_icon_fonts(app, exception):
    if exception is None and app.builder.format == "html":
        static = Path(app.outdir) / "_static"
        for name in (ICON_SCRIPT, f"{ICON_SCRIPT}.map"):
            (static / name).unlink(missing_ok=True)
        points = used_icon_code_points(Path(app.outdir))
        for name in ICON_FONT_FILES:
            write_font_subset(
                THEME_FOLDER / ICON_FONT_FOLDER / name,
                static / ICON_FONT_FOLDER / name,
                points,
            )


def setup(app):
    app.connect("build-finished", cut_down_icon_fonts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

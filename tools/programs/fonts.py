"""The fonts of papers and browser tests, the same on every machine.

Pages name fonts that readers may have. Here fontconfig knows only these, from matplotlib's files
and npm packages: DejaVu, Arimo and Tinos, which Debian calls Liberation Sans and Serif, and Noto
for Chinese. Chromium draws no font that is packed for the web, so they are written as TrueType.
"""

import functools
import shutil
from pathlib import Path

import fontTools
import matplotlib
from fontTools.merge import Merger
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont

from .npm_packages import NODE_MODULES_FOLDER, installed_package_version, unpack_once

LATIN_PACKAGES = ("@fontsource/arimo", "@fontsource/tinos")
CHINESE_PACKAGE = "@fontsource-variable/noto-sans-sc"  # in 101 pieces
FONT_STYLES = ("400-normal", "400-italic", "700-normal", "700-italic")
FONT_SUBSETS = ("latin", "latin-ext", "greek")
# What Chromium asks fontconfig for, and what it gets.
REPLACEMENT_BY_FONT = {
    "Arial": "Arimo",  # for sans-serif
    "Times New Roman": "Tinos",  # for serif
    "Monospace": "DejaVu Sans Mono",
    "sans": "DejaVu Sans",  # for system-ui
}


@functools.cache
def font_configuration_path():
    """Return the path of a ``fonts.conf``, or None where the packages are not installed."""
    packages = {
        package: installed_package_version(package)
        for package in (*LATIN_PACKAGES, CHINESE_PACKAGE)
    }
    if not all(packages.values()):
        return None
    versions = [*packages.values(), matplotlib.__version__, fontTools.version]
    code = Path(__file__).read_text("utf-8")
    return unpack_once("fonts", [*versions, code], write_fonts) / "fonts.conf"


def write_fonts(folder: Path):
    """Write all fonts into a folder, and what fontconfig must know of them."""
    for path in (Path(matplotlib.get_data_path()) / "fonts" / "ttf").glob("DejaVu*"):
        shutil.copy(path, folder)
    for package in LATIN_PACKAGES:
        files = NODE_MODULES_FOLDER / package / "files"
        name = package.split("/")[1]
        for style in FONT_STYLES:
            subsets = [
                files / f"{name}-{subset}-{style}.woff2" for subset in FONT_SUBSETS
            ]
            Merger().merge(subsets).save(folder / f"{name}-{style}.ttf")
    for path in (NODE_MODULES_FOLDER / CHINESE_PACKAGE / "files").glob("*.woff2"):
        # A PDF cannot embed a font of all weights, but as drawings.
        font = instantiateVariableFont(TTFont(path), {"wght": 400}, optimize=False)
        font.flavor = None
        font.save(folder / f"{path.stem}.ttf", reorderTables=None)
    (folder / "fonts.conf").write_text(fontconfig_xml(), "utf-8")


def fontconfig_xml() -> str:
    """Return what fontconfig reads: our folder alone, and outlines fitted as Debian has them.

    Fitted in full, each letter would be as wide as full pixels, and code wider than its box.
    """
    aliases = "\n".join(
        f'<match><test name="family"><string>{family}</string></test>'
        '<edit name="family" mode="assign" binding="strong">'
        f"<string>{replacement}</string></edit></match>"
        for family, replacement in REPLACEMENT_BY_FONT.items()
    )
    return (
        '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">\n'
        '<fontconfig><dir prefix="relative">.</dir>'
        f'<cachedir prefix="xdg">cache</cachedir>\n{aliases}\n'
        '<match target="pattern"><edit name="hintstyle" mode="append">'
        "<const>hintslight</const></edit></match>\n</fontconfig>\n"
    )

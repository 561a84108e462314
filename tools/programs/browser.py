"""Which Chromium prints the papers and drives the tests, and how it is started.

One comes with the project, an npm package for Linux that brings its libraries along.
"""

import functools
import io
import os
import platform
import shutil
import tarfile
from pathlib import Path

import brotli

from . import NODE_PROGRAM, fonts
from .npm_packages import NODE_MODULES_FOLDER, installed_package_version, unpack_once

CHROMIUM_VARIABLE = "TRANSFORMER_BOOK_CHROMIUM"
CHROMIUM_PACKAGE = "@sparticuz/chromium"
CHROMIUM_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
CHROMIUM_PROGRAM_NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
NO_BROWSER_MESSAGE = (
    "there is no Chromium here. Run npm ci, which brings one for Linux on x86-64, or install Chrome or "
    f"Chromium, or set {CHROMIUM_VARIABLE} to the path of one."
)
# Playwright's Node wants libatomic, which a bare container does not have; ours does not.
os.environ.setdefault("PLAYWRIGHT_NODEJS_PATH", NODE_PROGRAM)


class NoBrowserError(RuntimeError):
    """No Chromium can be had on this machine."""

    def __init__(self, message=NO_BROWSER_MESSAGE):
        super().__init__(message)


def find_own_chromium():
    """Return the path of the Chromium that is used here, and its environment; None if there is none.

    The one that the user names comes first, then the project's, then one that is installed.

    Raises
    ------
    NoBrowserError
        If what the user names is no program.
    """
    if path := os.environ.get(CHROMIUM_VARIABLE):
        if not shutil.which(path):
            raise NoBrowserError(
                f"{CHROMIUM_VARIABLE} is {path!r}, which is no program."
            )
        return shutil.which(path), {}
    if folder := pinned_chromium_folder():
        return str(folder / "chromium"), {"LD_LIBRARY_PATH": str(folder / "lib")}
    installed = filter(None, map(shutil.which, CHROMIUM_PROGRAM_NAMES))
    return next(((path, {}) for path in installed), None)


def find_chromium(playwright):
    """Return what ``find_own_chromium`` does, or else Playwright's Chromium.

    Raises
    ------
    NoBrowserError
        If there is none.
    """
    if chromium := find_own_chromium():
        return chromium
    path = playwright.chromium.executable_path
    if not os.path.exists(path):
        raise NoBrowserError
    return path, {}


def describe_browser_and_fonts():
    """Return what tells this machine's browser and fonts from others, or None if nothing does."""
    if (chromium := find_own_chromium()) is None:
        return None
    path = Path(chromium[0])
    is_pinned = path.parent == pinned_chromium_folder()
    program = path.parent.name if is_pinned else f"{path} {path.stat().st_mtime_ns}"
    conf = fonts.font_configuration_path()
    return f"{program} {conf.parent.name if conf else 'of this machine'}"


def launch_chromium(playwright):
    """Start Chromium with the project's fonts."""
    path, variables = find_chromium(playwright)
    if conf := fonts.font_configuration_path():
        variables["FONTCONFIG_FILE"] = str(conf)
        variables["XDG_CACHE_HOME"] = str(conf.parent)  # what fontconfig finds in them
    return playwright.chromium.launch(
        executable_path=path, args=CHROMIUM_FLAGS, env=os.environ | variables
    )


@functools.cache
def pinned_chromium_folder():
    """Return the folder of the project's Chromium, or None where it cannot be had."""
    number = installed_package_version(CHROMIUM_PACKAGE)
    if number is None or (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        return None
    code = Path(__file__).read_text("utf-8")
    return unpack_once("chromium", [number, code], unpack_chromium)


def unpack_chromium(folder: Path):
    """Write the program and its libraries into a folder."""
    packed = NODE_MODULES_FOLDER / CHROMIUM_PACKAGE / "bin"
    program = folder / "chromium"
    program.write_bytes(brotli.decompress((packed / "chromium.br").read_bytes()))
    program.chmod(0o755)
    libraries = brotli.decompress((packed / "al2023.tar.br").read_bytes())
    with tarfile.open(fileobj=io.BytesIO(libraries)) as archive:
        # Before 3.11.4 Python has no filter; npm has checked what the archive holds.
        archive.extraction_filter = getattr(tarfile, "data_filter", None)
        archive.extractall(folder)

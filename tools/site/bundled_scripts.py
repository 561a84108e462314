"""Scripts of widgets: the modules of _static/js, bundled into few files, which pages ask for instead.

A page of three widgets would ask for 56 modules; it asks for nine files. What several widgets share is
in files of its own, and what is imported when it is needed stays apart (bundled_scripts.js). The
modules lie on the site, too: the bundles' source maps name them, and so the browser's own tools show them.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path

from sphinx.errors import ExtensionError

from tools.cache.store import Store, hash_parts
from tools.programs import NODE_PROGRAM
from tools.programs.npm_packages import NODE_MODULES_FOLDER, installed_package_version

from .contents import update_shared_value
from .widgets import BUNDLE_FOLDER, widget_names_by_page

# The same on every machine; esbuild itself has a program for each kind.
BUNDLER_PACKAGE_NAME = "esbuild-wasm"
BUNDLE_SCRIPT_PATH = Path(__file__).with_suffix(".js")


def bundle_scripts(static_folder) -> dict[str, bytes]:
    """Bundle the modules of a folder of static files.

    Parameters
    ----------
    static_folder : pathlib.Path
        The modules are in its folder ``js``.

    Returns
    -------
    dict of str to bytes
        The bundles and their source maps, by their names below ``live``.

    Raises
    ------
    sphinx.errors.ExtensionError
        If the bundler is not installed, or a module cannot be bundled.
    """
    if installed_package_version(BUNDLER_PACKAGE_NAME) is None:
        raise ExtensionError(
            f"{BUNDLER_PACKAGE_NAME} is not installed, which bundles the scripts of widgets. "
            "Run: .venv/bin/python -m tools.programs site"
        )
    # It starts "node" itself.
    path = os.pathsep.join([str(Path(NODE_PROGRAM).parent), os.environ.get("PATH", "")])
    result = subprocess.run(
        [
            NODE_PROGRAM,
            BUNDLE_SCRIPT_PATH,
            NODE_MODULES_FOLDER / BUNDLER_PACKAGE_NAME,
            static_folder,
        ],
        env=os.environ | {"PATH": path},
        capture_output=True,
        encoding="utf-8",
    )
    if result.returncode:
        raise ExtensionError(f"The scripts were not bundled: {result.stderr.strip()}")
    return {name: text.encode() for name, text in json.loads(result.stdout).items()}


def hash_bundle_inputs(static_folder):
    """Hash all that the bundles depend on."""
    modules = sorted((static_folder / "js").rglob("*.js"))
    names = [path.relative_to(static_folder).as_posix() for path in modules]
    return hash_parts(
        str(installed_package_version(BUNDLER_PACKAGE_NAME)),
        BUNDLE_SCRIPT_PATH.read_bytes(),
        json.dumps(names),
        *(path.read_bytes() for path in modules),
    )


def write_script_bundles(app, env):
    """Write the bundles before the pages, if one has a widget; return the pages to write anew.

    Sphinx puts a file's hash behind its address if it finds the file.
    """
    if app.builder.format != "html":
        return []
    static = Path(app.srcdir) / "_static"
    folder = Path(app.outdir) / "_static" / BUNDLE_FOLDER
    # Names hold hashes, and a file of an earlier build would stay for ever.
    shutil.rmtree(folder, ignore_errors=True)
    pages = sorted(widget_names_by_page(env))
    if not pages:
        return []
    store, key = Store.of_this_machine(), hash_bundle_inputs(static)
    files = store.load("scripts", key)
    if files is None:
        files = bundle_scripts(static)
        store.keep("scripts", key, files)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return pages if update_shared_value(env, "bundles_key", key) else []


def setup(app):
    app.connect("env-updated", write_script_bundles)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

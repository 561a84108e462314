"""Make the site of pages that have run: Sphinx, with jupyter-book's configuration."""

import hashlib
import io
import shutil
import sys

from jupyter_book.config import get_final_config
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import docutils_namespace, patch_docutils

from tools.machine import core_count
from tools.pages.run_pages import ANSI_COLOURS

from .unused_rules import remove_unused_rules

# What our extensions are, and what they import.
EXTENSION_FILE_PATTERNS = (
    *("tools/site/*.py", "tools/site/*.js", "tools/minutes.py"),
    *("tools/pages/book_pages.py", "tools/pages/page_outputs.py"),
)


def make_site(root, build_folder, output_digests_by_page, process_count=None):
    """Write the site to ``_build/html``; every warning is an error.

    Parameters
    ----------
    root, build_folder : pathlib.Path
        The project, and ``_build``, which has the outputs of all pages.
    output_digests_by_page : dict of str to str
        A hash of the outputs of each page, by its name.
    process_count : int, optional
        Processes that read and write pages; as many as there are cores.

    Raises
    ------
    RuntimeError
        With all warnings. The next build reads the pages that caused them again.
    """
    forget_pages_if_extensions_changed(root, build_folder)
    trees = build_folder / ".doctrees"
    environment = trees / "environment.pickle"
    before = environment.read_bytes() if environment.exists() else None
    warnings = io.StringIO()
    try:
        status = run_sphinx(
            root,
            build_folder,
            output_digests_by_page,
            warnings,
            process_count or core_count(),
        )
    except ExtensionError as error:
        raise RuntimeError(f"The site was not made: {error}") from error
    if status or warnings.getvalue():
        # Sphinx would not read a page again that it has read with a warning.
        environment.unlink(missing_ok=True)
        if before is not None:
            environment.write_bytes(before)
        raise RuntimeError(
            f"The site was not made:\n{_warning_lines_without_colours(warnings.getvalue())}"
        )
    copy_static_files(root, build_folder)
    remove_unused_rules(build_folder / "html")


def run_sphinx(
    root, build_folder, output_digests_by_page, warning_stream, process_count
):
    """Run Sphinx once; return its status, and write its warnings to a stream."""
    config, _ = get_final_config(
        user_yaml=root / "_config.yml",
        cli_config={
            "latex_individualpages": False,
            "external_toc_path": str(root / "_toc.yml"),
            "nb_execution_mode": "off",
            "outputs_of_pages": output_digests_by_page,
            "nb_custom_formats": {
                ".md": [
                    "tools.pages.page_outputs.read_with_outputs",
                    {"build_folder": str(build_folder)},
                ]
            },
        },
        sourcedir=root / "book",
    )
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))  # our extensions import what stands beside them
    with patch_docutils(None), docutils_namespace():
        app = Sphinx(
            srcdir=root / "book",
            confdir=None,
            outdir=build_folder / "html",
            doctreedir=build_folder / ".doctrees",
            buildername="html",
            confoverrides=config,
            status=None,
            warning=warning_stream,
            warningiserror=True,
            keep_going=True,
            parallel=process_count,
        )
        # It numbers sections after all pages have been read, and does not say so.
        app.extensions["sphinx_multitoc_numbering"].parallel_read_safe = True
        app.build()
    return app.statuscode


def _warning_lines_without_colours(warning_text) -> str:
    lines = ANSI_COLOURS.sub("", warning_text).splitlines()
    marked = [line for line in lines if "WARNING:" in line or "ERROR:" in line]
    return "\n".join(marked or lines)


def forget_pages_if_extensions_changed(root, build_folder):
    """Let Sphinx read every page again when an extension of ours has changed."""
    digest = hashlib.sha256()
    for path in sorted(
        path for pattern in EXTENSION_FILE_PATTERNS for path in root.glob(pattern)
    ):
        digest.update(path.read_bytes())
    record = build_folder / "extensions"
    if not record.exists() or record.read_text("utf-8") != digest.hexdigest():
        shutil.rmtree(build_folder / ".doctrees", ignore_errors=True)
        record.write_text(digest.hexdigest(), "utf-8")


def copy_static_files(root, build_folder):
    """Copy scripts and styles: Sphinx leaves them where no page has changed."""
    static = build_folder / "html" / "_static"
    shutil.copytree(root / "book" / "_static", static, dirs_exist_ok=True)

"""Modules of widgets in few files: what is shared once, what is needed later apart, the same bytes."""

import io
import json
import re
import shutil
import subprocess
from types import SimpleNamespace

import pytest
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import docutils_namespace

from tests.conftest import ROOT
from tools.cache.store import STORE_VARIABLE
from tools.programs import NODE_PROGRAM
from tools.site import bundled_scripts
from tools.site.bundled_scripts import (
    bundle_scripts,
    hash_bundle_inputs,
    write_script_bundles,
)

SOURCE = ROOT / "book" / "_static"
pytestmark = pytest.mark.skipif(
    bundled_scripts.installed_package_version(bundled_scripts.BUNDLER_PACKAGE_NAME)
    is None,
    reason="esbuild-wasm is not installed; run python -m tools.programs",
)
IMPORTED = re.compile(r'(?:from|import) ?"(\.[^"]+)"')
TOUR = ("looks", "map", "translator")


@pytest.fixture(scope="module")
def bundles():
    return bundle_scripts(SOURCE)


def asked_for(bundles, *names):
    """The files that a page with these widgets asks for before anything is pressed."""
    found = set()

    def ask(name):
        if name not in found:
            found.add(name)
            for other in IMPORTED.findall(bundles[name].decode()):
                folder = name.rpartition("/")[0]
                parts = [*filter(None, folder.split("/")), *other.split("/")]
                while ".." in parts:
                    at = parts.index("..")
                    del parts[at - 1 : at + 1]
                ask("/".join(part for part in parts if part != "."))

    for name in ("book", *(f"widgets/{name}" for name in names)):
        ask(f"{name}.js")
    return found


def modules_of(bundles, names):
    """The modules in these files, by their source maps."""
    maps = [json.loads(bundles[f"{name}.map"]) for name in sorted(names)]
    return [source.partition("/js/")[2] for each in maps for source in each["sources"]]


def test_a_page_asks_for_few_files_and_for_no_module_twice(bundles):
    widgets = [path.stem for path in (SOURCE / "js" / "widgets").glob("*.js")]
    for names in (TOUR, *([name] for name in widgets)):
        found = asked_for(bundles, *names)
        modules = modules_of(bundles, found)
        assert len(found) <= 10 and len(set(modules)) == len(modules) > 10, names
        assert {f"widgets/{name}.js" for name in names} <= {*modules}


def test_every_module_is_in_one_file(bundles):
    files = [name for name in bundles if name.endswith(".js")]
    modules = sorted(modules_of(bundles, files))
    plain = {
        "reading.js",
        "search.js",
        "search_ranking.js",
        "search_words.js",
        "terms.js",
    }  # scripts that pages load themselves
    paths = (SOURCE / "js").rglob("*.js")
    names = {path.relative_to(SOURCE / "js").as_posix() for path in paths}
    assert modules == sorted(names - plain)


def test_what_is_needed_later_comes_later(bundles):
    modules = modules_of(bundles, asked_for(bundles, *TOUR))
    assert not {"translator/desk.js", "widgets/map/live.js", "decode/trace.js"} & {
        *modules
    }
    small = modules_of(bundles, asked_for(bundles, "paged"))
    assert not {"files/load.js", "translator/ask.js", "widgets/map.js"} & {*small}


def test_two_widgets_share_what_both_need(bundles):
    first, second = (asked_for(bundles, name) for name in ("masks", "flash"))
    shared = modules_of(bundles, first & second)
    assert {"kit/table.js", "by_hand/softmax.js"} <= {*shared}


def test_the_same_modules_give_the_same_bytes_wherever_they_lie(bundles, tmp_path):
    shutil.copytree(SOURCE / "js", tmp_path / "elsewhere" / "js")
    assert bundle_scripts(tmp_path / "elsewhere") == bundles


def test_they_are_modules_that_node_can_read(bundles, tmp_path):
    for name, content in bundles.items():
        path = tmp_path / name.replace(".js", ".mjs")
        if name.endswith(".js"):
            path.parent.mkdir(exist_ok=True, parents=True)
            path.write_bytes(content)
            subprocess.run([NODE_PROGRAM, "--check", path], check=True)


def test_the_licence_of_the_book_s_code_is_named(bundles):
    files = [content for name, content in bundles.items() if name.endswith(".js")]
    assert all(content.startswith(b"/*! ") for content in files)
    assert all(b"BSD 3-Clause" in content[:100] for content in files)


def test_a_module_that_is_broken_stops_the_build(tmp_path):
    shutil.copytree(SOURCE / "js", tmp_path / "js")
    (tmp_path / "js" / "kit" / "dom.js").write_text("export const = 1;", "utf-8")
    with pytest.raises(ExtensionError, match="js/kit/dom.js"):
        bundle_scripts(tmp_path)


def test_a_bundler_that_is_missing_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr(
        bundled_scripts, "installed_package_version", lambda package: None
    )
    with pytest.raises(ExtensionError, match="tools.programs site"):
        bundle_scripts(tmp_path)


@pytest.fixture
def app(tmp_path, monkeypatch):
    """A site of one page with a widget; its bundler counts how often it is asked."""
    monkeypatch.setenv(STORE_VARIABLE, str(tmp_path / "store"))
    (tmp_path / "source" / "_static" / "js").mkdir(parents=True)
    made = []

    def bundle(static):
        made.append(static)
        return {"book.js": b"1", "shared/a.js": b"2"}

    monkeypatch.setattr(bundled_scripts, "bundle_scripts", bundle)
    metadata = {"intro": {"widgets": ["map"]}, "plain": {}}
    env = SimpleNamespace(metadata=metadata, found_docs={*metadata})
    return SimpleNamespace(
        builder=SimpleNamespace(format="html"),
        srcdir=tmp_path / "source",
        outdir=tmp_path / "html",
        env=env,
        made=made,
    )


def test_modules_are_bundled_once_and_what_was_there_goes(app):
    folder = app.outdir / "_static" / "live"
    (folder / "shared").mkdir(parents=True)
    (folder / "shared" / "old.js").touch()
    assert write_script_bundles(app, app.env) == ["intro"]
    assert write_script_bundles(app, app.env) == []  # no page need be written anew
    assert len(app.made) == 1
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*.js")}
    assert names == {"book.js", "shared/a.js"}
    (app.srcdir / "_static" / "js" / "new.js").touch()
    assert write_script_bundles(app, app.env) == ["intro"] and len(app.made) == 2


def test_a_site_without_widgets_needs_no_bundler(app):
    app.env.metadata = {"plain": {}}
    assert write_script_bundles(app, app.env) == [] and app.made == []


def test_another_module_or_another_name_has_another_key(tmp_path):
    module = tmp_path / "js" / "a.js"
    module.parent.mkdir()
    module.write_text("1", "utf-8")
    keys = {hash_bundle_inputs(tmp_path)}
    module.write_text("2", "utf-8")
    keys.add(hash_bundle_inputs(tmp_path))
    module.rename(module.with_name("b.js"))
    keys.add(hash_bundle_inputs(tmp_path))
    assert len(keys) == 3


CONF = """
extensions = ["myst_nb", "tools.site.formulas", "tools.site.widgets",
              "tools.site.bundled_scripts", "tools.site.bundled_styles"]
nb_execution_mode = "off"
html_static_path = ["_static"]
mathjax3_config = {"tex": {"macros": {}}}
"""


@pytest.mark.build
def test_a_page_names_what_was_made_and_is_written_anew_with_it(tmp_path, monkeypatch):
    monkeypatch.setenv(STORE_VARIABLE, str(tmp_path / "store"))
    source, html = tmp_path / "source", tmp_path / "html"
    shutil.copytree(SOURCE, source / "_static")
    (source / "conf.py").write_text(CONF, "utf-8")
    (source / "plain.md").write_text("---\norphan: true\n---\n# Plain", "utf-8")
    (source / "index.md").write_text("# Page\n\n```{widget} paged\nTry.\n```", "utf-8")

    def addresses():
        warnings = io.StringIO()
        with docutils_namespace():
            folders = (source, source, html, tmp_path / "trees", "html")
            Sphinx(*folders, status=None, warning=warnings).build()
        assert warnings.getvalue() == ""
        pages = [
            (html / f"{name}.html").read_text("utf-8") for name in ("index", "plain")
        ]
        return [re.findall(r'_static/((?:live/|book)[^"]*)"', page) for page in pages]

    page, plain = addresses()
    names = [address.partition("?v=")[0] for address in page]
    assert names == ["live/styles/paged.css", "book.css", "live/book.js"]
    assert all((html / "_static" / name).exists() for name in names)
    assert plain == [page[1]]
    assert addresses() == [page, plain]
    module = source / "_static" / "js" / "book.js"
    module.write_text(module.read_text("utf-8") + "\nexport const one = 1;", "utf-8")
    (again, _) = addresses()
    assert again[:2] == page[:2] and again[2] != page[2]

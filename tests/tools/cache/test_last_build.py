"""A build with nothing to do is told from one with something to do."""

import pytest

from tools.cache import last_build


@pytest.fixture
def root(tmp_path):
    for name in (
        "book/a.md",
        "src/p/a.py",
        "tools/t.py",
        "requirements.txt",
        "_toc.yml",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name, "utf-8")
    return tmp_path


@pytest.fixture
def build(root):
    build = root / "_build"
    for name in ("html/a.html", "html/_static/x.js", "notebooks/a.ipynb", "model/w"):
        (build / name).parent.mkdir(parents=True, exist_ok=True)
        (build / name).write_text(name, "utf-8")
    last_build.write_build_record(build, last_build.hash_build_inputs(root))
    return build


def is_right(root, build):
    return last_build.is_build_current(build, last_build.hash_build_inputs(root))


def test_nothing_changed_is_right(root, build):
    assert is_right(root, build) and is_right(root, build)


@pytest.mark.parametrize(
    "name", ["book/a.md", "src/p/a.py", "tools/t.py", "requirements.txt"]
)
def test_a_changed_source_is_noticed(root, build, name):
    (root / name).write_text("changed", "utf-8")
    assert not is_right(root, build)


def test_a_new_a_renamed_and_a_removed_source_are_noticed(root, build):
    (root / "book" / "b.md").write_text("b", "utf-8")
    assert not is_right(root, build)
    (root / "book" / "b.md").unlink()
    assert is_right(root, build)
    (root / "book" / "a.md").rename(root / "book" / "c.md")
    assert not is_right(root, build)


def test_what_python_leaves_is_no_source(root, build):
    (root / "src" / "p" / "__pycache__").mkdir()
    (root / "src" / "p" / "__pycache__" / "a.pyc").write_text("x", "utf-8")
    assert is_right(root, build)


def test_other_versions_data_or_processors_are_noticed(root, build, monkeypatch):
    key = last_build.hash_environment
    monkeypatch.setattr(
        last_build, "hash_environment", lambda root: key(root) + "other"
    )
    assert not is_right(root, build)


@pytest.mark.parametrize("name", ["html/a.html", "notebooks/a.ipynb", "model/w"])
@pytest.mark.parametrize("damage", ["missing", "truncated", "changed"])
def test_a_damaged_output_is_noticed(root, build, name, damage):
    if damage == "missing":
        (build / name).unlink()
    else:
        (build / name).write_text("" if damage == "truncated" else name[::-1], "utf-8")
    assert not is_right(root, build)
    # Sphinx would leave a damaged page as it is.
    assert (build / "html").exists() != name.startswith("html/")


def test_a_build_that_has_begun_is_not_right(root, build):
    last_build.remove_build_record(build)
    assert not is_right(root, build)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"files": 3}'])
def test_a_damaged_record_counts_as_none(root, build, text):
    (build / last_build.RECORD_FILE).write_text(text, "utf-8")
    assert not is_right(root, build)
    assert (build / "html").exists()

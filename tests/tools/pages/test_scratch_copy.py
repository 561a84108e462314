"""The reader's copy of the notebooks: renewed where the reader has written nothing."""

from tools.pages.scratch_copy import renew_notebook_copy


def test_what_the_reader_has_changed_stays(tmp_path):
    source, target = tmp_path / "published", tmp_path / "mine"
    (source / "part").mkdir(parents=True)
    mine, other = source / "part" / "mine.ipynb", source / "other.ipynb"
    mine.write_text("old", "utf-8")
    other.write_text("old", "utf-8")
    assert renew_notebook_copy(source, target) == []
    (target / "part" / "mine.ipynb").write_text("my answer", "utf-8")
    (target / "own.ipynb").write_text("own", "utf-8")
    assert renew_notebook_copy(source, target) == []  # nothing newer to tell of
    mine.write_text("new", "utf-8")
    other.write_text("new", "utf-8")
    for _ in range(2):
        assert renew_notebook_copy(source, target) == ["part/mine.ipynb"]
    assert (target / "part" / "mine.ipynb").read_text("utf-8") == "my answer"
    assert (target / "own.ipynb").read_text("utf-8") == "own"
    assert (target / "other.ipynb").read_text("utf-8") == "new"


def test_a_removed_file_comes_back(tmp_path):
    source, target = tmp_path / "published", tmp_path / "mine"
    source.mkdir()
    (source / "page.ipynb").write_text("page", "utf-8")
    renew_notebook_copy(source, target)
    (target / "page.ipynb").write_text("my answer", "utf-8")
    (target / "page.ipynb").unlink()
    assert renew_notebook_copy(source, target) == []
    assert (target / "page.ipynb").read_text("utf-8") == "page"


def test_files_without_a_record_are_the_readers(tmp_path):
    source, target = tmp_path / "published", tmp_path / "mine"
    source.mkdir()
    target.mkdir()
    (source / "page.ipynb").write_text("page", "utf-8")
    (target / "page.ipynb").write_text("mine", "utf-8")
    assert renew_notebook_copy(source, target) == ["page.ipynb"]
    assert (target / "page.ipynb").read_text("utf-8") == "mine"

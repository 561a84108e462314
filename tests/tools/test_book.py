"""The steps of ``tools.book`` that need no chapter to run."""

from tools import book


def test_a_changed_style_reaches_the_site_though_no_page_has_changed(tmp_path):
    source, site = tmp_path / "book" / "_static", tmp_path / "_build/html/_static"
    for folder, text in ((source, "new"), (site, "old")):
        (folder / "js").mkdir(parents=True)
        (folder / "js" / "one.css").write_text(text)
    (site / "theme.css").write_text("the theme's")
    book.copy_static(tmp_path, tmp_path / "_build")
    assert (site / "js" / "one.css").read_text("utf-8") == "new"
    assert (site / "theme.css").read_text("utf-8") == "the theme's"

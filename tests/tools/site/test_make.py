"""The steps of the site that need no page."""

from tools.site import make


def test_a_changed_style_reaches_the_site_though_no_page_has_changed(tmp_path):
    source, html = tmp_path / "book" / "_static", tmp_path / "_build/html/_static"
    for folder, text in ((source, "new"), (html, "old")):
        (folder / "js").mkdir(parents=True)
        (folder / "js" / "one.css").write_text(text, "utf-8")
    (html / "theme.css").write_text("the theme's", "utf-8")
    make.copy_static_files(tmp_path, tmp_path / "_build")
    assert (html / "js" / "one.css").read_text("utf-8") == "new"
    assert (html / "theme.css").read_text("utf-8") == "the theme's"

"""Style sheets of ours, joined: in the order in which their rules count, and none forgotten."""

from types import SimpleNamespace

from tests.conftest import ROOT
from tools.site import bundled_styles
from tools.site.bundled_styles import (
    BOOK_SHEET_PARTS,
    WIDGET_SHEET_PARTS,
    join_style_sheets,
    widget_sheet_paths,
)

SOURCE = ROOT / "book" / "_static"


def test_every_style_sheet_is_a_part_of_one_that_pages_ask_for():
    assert sorted(BOOK_SHEET_PARTS) == sorted(
        path.name for path in SOURCE.glob("*.css")
    )
    common = [f"widgets/{path.name}" for path in (SOURCE / "widgets").glob("*.css")]
    assert sorted(WIDGET_SHEET_PARTS) == sorted(common)
    widgets = {path.stem for path in (SOURCE / "js" / "widgets").glob("*.js")}
    assert {p.stem for p in (SOURCE / "js" / "widgets").glob("*.css")} <= widgets


def test_an_imported_sheet_comes_once_and_before_who_imports_it(tmp_path):
    (tmp_path / "one.css").write_text("/* One */\n.one { top: 0; }\n", "utf-8")
    (tmp_path / "two.css").write_text(
        '/* Two */\n@import url("one.css");\n/*! A licence */\n.two { top: 0; }\n',
        "utf-8",
    )
    both = "/*! A licence */\n.two { top: 0; }\n"
    assert join_style_sheets([tmp_path / "two.css"]) == ".one { top: 0; }\n" + both
    assert join_style_sheets([tmp_path / "one.css", tmp_path / "two.css"]) == (
        ".one { top: 0; }\n" + both
    )


def test_no_sheet_asks_for_another():
    for names in (["real_translator"], ["translator", "what_if"], ["looks", "map"]):
        parts = widget_sheet_paths(SOURCE, names)
        rules = join_style_sheets(parts)
        assert "@import" not in rules and "/*" not in rules
        assert [path.stem for path in parts[len(WIDGET_SHEET_PARTS) :]] == names
    assert rules.index(".tb-widget {") < rules.index(".tb-looks-knobs")


def test_pages_are_written_anew_where_a_rule_is_another(tmp_path):
    static = tmp_path / "source" / "_static"
    for name in (*BOOK_SHEET_PARTS, *WIDGET_SHEET_PARTS, "js/widgets/map.css"):
        (static / name).parent.mkdir(parents=True, exist_ok=True)
        (static / name).write_text(f".{name[-7]} {{ top: 0; }}", "utf-8")
    made = tmp_path / "html" / "_static"
    made.mkdir(parents=True)
    (made / bundled_styles.FORMULA_SHEET).write_text("mjx { top: 0; }", "utf-8")
    env = SimpleNamespace(
        metadata={"intro": {"widgets": ["map"]}, "plain": {}},
        found_docs={"plain", "intro"},
    )
    app = SimpleNamespace(
        builder=SimpleNamespace(format="html"),
        srcdir=tmp_path / "source",
        outdir=tmp_path / "html",
    )
    assert bundled_styles.write_style_sheets(app, env) == ["intro", "plain"]
    assert bundled_styles.write_style_sheets(app, env) == []
    book = (made / "book.css").read_text("utf-8")
    assert book.startswith("@font-face") and "mjx {" in book
    assert (made / "live" / "styles" / "map.css").exists()
    (static / "page.css").write_text(".new { top: 0; }", "utf-8")
    assert bundled_styles.write_style_sheets(app, env) == ["intro", "plain"]
    assert (made / "book.css").read_text("utf-8").endswith(".new { top: 0; }\n")

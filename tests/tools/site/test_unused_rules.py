"""Rules that no page can use are left out of the site's style sheets, and no other."""

import pytest

from tools.site.unused_rules import (
    keep_used_rules,
    possible_class_names,
    remove_unused_rules,
    write_sheet_hashes,
)

CLASS_NAMES = {"one", "two"}


@pytest.mark.parametrize(
    "sheet, used",
    [
        (".one{top:0}.three{top:1px}", ".one{top:0}"),
        (".one .three,.two>p{top:0}.one .three{top:0}", ".one .three,.two>p{top:0}"),
        ("p:not(.three),p:is(.three,b){top:0}", "p:not(.three),p:is(.three,b){top:0}"),
        (
            '@charset "UTF-8";.three:before{content:"}"}*{top:0}',
            '@charset "UTF-8";*{top:0}',
        ),
        ("@media print{.three{top:0}}b{top:0}", "b{top:0}"),
        ("@media print {\n.one{}\n.three{}\n} b{}", "@media print {\n.one{}\n\n} b{}"),
        (
            "@supports(top:0){@media print{.three{}.two{}}}",
            "@supports(top:0){@media print{.two{}}}",
        ),
        (
            "@font-face{src:url(a)}@keyframes x{from{top:0}}",
            "@font-face{src:url(a)}@keyframes x{from{top:0}}",
        ),
        (
            "/*! Licence */.three{}.one{}/*# sourceMappingURL=a.map */",
            "/*! Licence */.one{}",
        ),
        ("a\r\n{}\r\n.three{}\r\n.one{}", "a\n{}\n\n.one{}"),
    ],
)
def test_a_rule_stays_as_it_is_written_if_one_selector_may_match(sheet, used):
    assert keep_used_rules(sheet, CLASS_NAMES.__contains__) == used


def test_a_class_stands_on_a_page_or_in_a_script():
    page = '<p class="one t-wo">three</p><script>four("five-six")</script><i class="mjx-c41">'
    names = possible_class_names([page], ["seven"])
    assert {"one", "t-wo", "four", "five-six", "seven", "mjx-c41"} <= names
    assert not {"three", "t", "wo"} & names


LINKS = (
    '<link href="_static/styles/pydata-sphinx-theme.css?digest=0a" />'
    '<link href="_static/book.css?v=0b" />'
)


def test_the_sheets_are_written_and_asked_for_by_their_content(tmp_path):
    styles, page = tmp_path / "_static" / "styles", tmp_path / "page.html"
    styles.mkdir(parents=True)
    book, theme = tmp_path / "_static" / "book.css", styles / "pydata-sphinx-theme.css"
    links = set()
    for body in ("", '<i class="mjx-c41"></i>', '<b class="row-cols-3"></b>'):
        book.write_text(".mjx-c41{}.mjx-c42{}.tb-composed{}", "utf-8")
        theme.write_text("what an earlier build has left of it", "utf-8")
        page.write_text(LINKS + body, "utf-8")
        remove_unused_rules(tmp_path)
        glyph = ".mjx-c41{}" if "mjx" in body else ""
        assert book.read_text("utf-8") == glyph + ".tb-composed{}"
        rules = theme.read_text("utf-8")
        assert (".row-cols-3>*" in rules) == ("row-cols-3" in body)
        assert "Copyright 2011-2024 The Bootstrap Authors" in rules
        links.add(page.read_text("utf-8").removesuffix(body))
    assert len(links) == 3 and not any("digest" in link for link in links)


def test_other_addresses_stay():
    page = 'href="a/book.css?v=1" href="a/mybook.css" href="a/page.css?v=1"'
    assert write_sheet_hashes(page, {"book.css": "2"}) == page.replace(
        "book.css?v=1", "book.css?v=2"
    )

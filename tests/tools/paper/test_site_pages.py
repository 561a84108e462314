"""Paper says where on the site a widget is, wherever a sentence asks for one."""

import re

import pytest
from lxml import html

from tools import ROOT
from tools.paper import markup, pdf, site_pages
from tools.paper.composition import Book, BookPart

WIDGET = (
    '<div class="tb-widget" id="{0}-live"><script>1</script><p>Set it. {1}</p></div>'
)
POKE = '<a class="tb-poke" href="{}">{}</a>'


def read(tmp_path, body, name="words/one"):
    path = tmp_path / f"{name}.html"
    path.parent.mkdir(exist_ok=True)
    path.write_text(
        f"<article><section id='one'><h1>Title</h1>{body}</section></article>", "utf-8"
    )
    return site_pages.read_page(tmp_path, name)


def noted(*pages):
    """The words that bear a mark in the PDF's long page, each with what its note says."""
    book = Book([BookPart("Words", list(pages)), BookPart("Others", [])], {})
    notes = pdf.Footnotes(book)
    text = pdf.page_html(pages[0], book.parts[0], notes)
    said = {
        number: re.sub("<[^>]*>", "", line)
        for number, line in re.findall(
            r'<p data-note="(\w+)"><sup>00</sup> (.*?)</p>', notes.html()
        )
    }
    marks = re.findall(r'>([^<]+)</a><sup class="mark" data-note="(\w+)"', text)
    return [(words, said[number]) for words, number in marks], len(said)


def test_a_sentence_that_sets_the_page_s_widget_says_where_it_is_in_one_note(tmp_path):
    pokes = [POKE.format(f"?k.at={n}#k-live", f"set it to {n}") for n in range(3)]
    page = read(tmp_path, f"<p>{' '.join(pokes)}</p>{WIDGET.format('k', '')}")
    marks, notes = noted(page)
    where = "Live on the site: words/one.html#k-live"
    assert marks == [(f"set it to {n}", where) for n in range(3)]
    assert notes == 1


def test_one_that_sets_another_page_s_widget_says_how(tmp_path):
    other = read(tmp_path, WIDGET.format("map", ""), "intro")
    poke = POKE.format("../intro.html?map.at=5&amp;map.word=3#map-live", "the map")
    marks, _ = noted(read(tmp_path, f"<p>See {poke}.</p>"), other)
    said = "Live on the site: intro.html?map.at=5&amp;map.word=3#map-live"
    assert marks == [("the map", said)]


def test_what_stands_under_the_widget_s_address_does_not_repeat_it(tmp_path):
    poke = POKE.format("?k.at=1#k-live", "set it")
    page = read(tmp_path, WIDGET.format("k", poke))
    assert noted(page) == ([], 0)
    assert "Live on the site: words/one.html#k-live" in page.body.text_content()


@pytest.mark.parametrize(
    "sentence, word",
    [
        ("In the widget take the last pair, and leave the widget so.", "widget"),
        ("<em>First,</em> in the widget, take it.", "widget"),
        ("It runs in your browser.", "in your browser"),
        ("In the translator at the top take another.", "translator at the top"),
    ],
)
def test_a_word_that_asks_for_the_widget_says_where_it_is(tmp_path, sentence, word):
    page = read(tmp_path, f"<p>{sentence}</p>{WIDGET.format('k', '')}")
    marks, _ = noted(page)
    assert marks == [(word, "Live on the site: words/one.html#k-live")]
    plain = re.sub("<[^>]*>", "", sentence)
    for note in markup.find_by_class(page.body, markup.NOTE_CLASS):
        note.drop_tree()
    assert page.body.find("p").text_content() == plain


def test_where_several_are_the_sentence_must_say_which(tmp_path):
    both = WIDGET.format("k", "") + WIDGET.format("map", "")
    with pytest.raises(ValueError, match="words/one has several widgets and asks for"):
        read(tmp_path, f"<p>In the widget, take it.</p>{both}")


def test_a_page_without_one_is_left_as_it_is(tmp_path):
    assert noted(read(tmp_path, "<p>What the widget shows.</p>")) == ([], 0)


def test_what_a_package_holds_is_left_to_the_site(tmp_path):
    link = '<a href="../reference/api_measured.html#x">x</a>'
    page = read(tmp_path, f"<p>See {link} and <a href='#one'>this</a>.</p>")
    assert [a.text for a in page.body.iter("a")] == ["this"]
    assert "See x and this." in page.body.text_content()
    pages = [
        name
        for _, names in site_pages.part_titles_and_page_names(ROOT)
        for name in names
    ]
    assert "reference/glossary" in pages and "reference/api" not in pages


def test_a_file_to_copy_is_named_and_no_link(tmp_path):
    link = '<a class="reference download" download="" href="../_downloads/1/a.py">a</a>'
    page = read(tmp_path, f"<p>See {link}.</p>")
    assert "<p>See a.</p>" in html.tostring(page.body, encoding="unicode")

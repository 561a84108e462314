"""Sheets: what belongs together stays together, and notes stand at the foot of their own sheet."""

import pytest

from tools.paper.pdf import TEMPLATE_FOLDER, style_sheet_text

pytestmark = pytest.mark.browser
SENTENCE = "A word asks all the others, and each answers in its own way. "
DRAWING = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 {high}" width="400" '
    'height="{high}"><rect width="400" height="{high}"/></svg>'
)


def figure(number, high=300):
    title = f"<figcaption>Figure {number} states what it shows</figcaption>"
    return f"<figure>{title}{DRAWING.format(high=high)}</figure>"


def section(i):
    """A heading, paragraphs of many lengths with notes, a list, code, and at times a figure."""
    note = f'<sup class="mark" data-note="n{i % 7}">00</sup>'
    code = "\n".join(f"line {n}" for n in range(i % 9 + 1))
    cell = (
        f'<div class="cell"><div class="cell_input"><pre>call {i}</pre></div>'
        f'<div class="cell_output"><pre>{code}</pre></div></div>'
    )
    items = "".join(f"<li><p>Item {i}.{n} {SENTENCE}</p></li>" for n in range(i % 12))
    return (
        f"<section><h3>Heading {i}</h3><p>Paragraph {i}{note} {SENTENCE * (i % 6 + 1)}</p>"
        f"{figure(i) if i % 3 == 0 else ''}<p>It prints {i}:</p>{cell}<ul>{items}</ul></section>"
    )


def page(body):
    script = (TEMPLATE_FOLDER / "sheets.js").read_text("utf-8")
    notes = "".join(
        f'<p data-note="n{i}"><sup>00</sup> Chapter {i}, page '
        f'<span data-page-of="chapter">000</span> {SENTENCE * i}</p>'
        for i in range(7)
    )
    return (
        f"<!doctype html><style>{style_sheet_text()}</style><script>{script}</script><main>"
        f'<section data-bare><div class="cover">Cover</div></section>'
        f'<section id="chapter" data-part="Part" data-short="Chapter"><h2>Chapter</h2>{body}</section>'
        f'</main><div id="probe"></div><div id="notes">{notes}</div>'
    )


def laid(chromium, body):
    tab = chromium.new_page(viewport={"width": 794, "height": 1123})
    tab.emulate_media(media="print")
    tab.set_content(page(body))
    return tab, tab.evaluate("layOut()")


@pytest.fixture(scope="module")
def sheets(chromium):
    """What stands on each sheet: its blocks in order, its marks and its notes."""
    tab, said = laid(chromium, "".join(map(section, range(60))))
    assert said["over"] == [] and said["sheets"] > 15
    return tab.evaluate("""() => [...document.querySelectorAll(".sheet")].slice(1).map((sheet) => ({
      blocks: [...sheet.querySelectorAll(".text :is(h2, h3, p, pre, figcaption, svg)")]
        .map((e) => [e.localName, e.textContent.replace(/^(Paragraph \\d+)\\d /, "$1 ").trim()]),
      marks: [...sheet.querySelectorAll("sup.mark")].map((e) => [e.textContent, e.dataset.note]),
      notes: [...sheet.querySelectorAll(".notes p")]
        .map((e) => [e.firstElementChild.textContent, e.dataset.note]),
      folio: sheet.querySelector(".folio").textContent,
    }))""")


def test_every_block_is_printed_once_and_in_order(sheets):
    said = [
        text
        for sheet in sheets
        for kind, text in sheet["blocks"]
        if kind in ("h3", "pre")
    ]
    expected = []
    for i in range(60):
        lines = "\n".join(f"line {n}" for n in range(i % 9 + 1))
        expected += [f"Heading {i}", f"call {i}", lines]
    assert said == expected


def test_a_figure_and_its_title_are_on_one_sheet(sheets):
    seen = 0
    for sheet in sheets:
        kinds = [kind for kind, _ in sheet["blocks"]]
        for at, kind in enumerate(kinds):
            if kind == "figcaption":
                assert kinds[at + 1] == "svg"
                seen += 1
        assert kinds[0] != "svg"
    assert seen == 20


def test_no_heading_no_sentence_with_a_colon_and_no_call_ends_a_sheet(sheets):
    for sheet in sheets[:-1]:
        kind, text = sheet["blocks"][-1]
        assert kind not in ("h2", "h3") and not text.endswith(":"), text
        assert not text.startswith("call"), text


def test_each_mark_has_its_note_on_its_own_sheet_once(sheets):
    for sheet in sheets:
        notes = sheet["notes"]
        assert [number for number, _ in notes] == [
            str(n + 1) for n in range(len(notes))
        ]
        assert {tuple(m) for m in sheet["marks"]} == {tuple(n) for n in notes}
    assert sum(len(sheet["notes"]) for sheet in sheets) > 30


def test_sheets_are_counted_and_notes_say_on_which_a_chapter_begins(chromium, sheets):
    assert [sheet["folio"] for sheet in sheets] == [
        str(n + 2) for n in range(len(sheets))
    ]
    tab, _ = laid(chromium, section(3))
    assert tab.text_content(".notes [data-page-of]") == "2"


def test_a_figure_that_nearly_fits_is_drawn_a_little_smaller(chromium):
    before = '<p style="height: 520px">Before</p>'
    for high, stays in ((330, True), (900, False)):
        _, said = laid(chromium, before + figure(1, high))
        assert said["over"] == []
        assert (said["sheets"] == 2) == stays


ROWS = 90
TABLE = (
    "<table><thead><tr><th>question</th><th>in short</th></tr></thead><tbody>"
    + "".join(
        f"<tr><td><strong>Title {n}</strong></td><td></td></tr>"
        if n % 4 == 0
        else f"<tr><td>Row {n}</td><td>{SENTENCE}</td></tr>"
        for n in range(ROWS)
    )
    + "</tbody></table>"
)


def test_a_table_that_goes_on_repeats_its_head_and_no_title_ends_a_sheet(chromium):
    ends = set()
    for above in range(0, 100, 20):
        before = f'<p style="height: {above}px">Before</p>'
        tab, said = laid(chromium, before + TABLE)
        assert said["over"] == []
        sheets = tab.evaluate("""() => [...document.querySelectorAll(".sheet:has(tr)")].map((sheet) =>
          [...sheet.querySelectorAll("tr")].map((row) => row.textContent))""")
        assert len(sheets) > 2
        for rows in sheets:
            assert rows[0] == "questionin short"
            assert not rows[-1].startswith("Title")
            ends.add(rows[-1])
        shown = [row for rows in sheets for row in rows[1:]]
        assert len(shown) == ROWS and shown[-1].startswith(f"Row {ROWS - 1}")
    assert len(ends) > 4  # the tables did break at different rows


def test_the_head_of_a_table_does_not_end_a_sheet(chromium):
    high = 918  # pixels of a sheet's text
    for above in range(high - 130, high - 40, 10):
        tab, _ = laid(chromium, f'<p style="height: {above}px">Before</p>{TABLE}')
        ends = tab.evaluate("""() => [...document.querySelectorAll(".sheet:has(thead)")].map((sheet) =>
          sheet.querySelectorAll("tbody tr").length)""")
        assert min(ends) > 0


def test_a_sheet_s_edge_names_the_chapter_whose_solutions_it_begins_with(chromium):
    of = "".join(
        f'<section data-short="Of {n}">{"".join(map(section, range(20)))}</section>'
        for n in range(2)
    )
    tab, _ = laid(chromium, of)
    edges = tab.locator(".running span:last-child").all_text_contents()
    assert edges[0] == "Of 0" and edges[-1] == "Of 1" and set(edges) == {"Of 0", "Of 1"}
    assert edges == sorted(edges)


def lines(count):
    paragraphs = "".join(f"<p>Paragraph {n} {SENTENCE}</p>" for n in range(count))
    return f"<section>{paragraphs}</section>"


def test_a_few_lines_that_would_have_a_sheet_to_themselves_go_closer(chromium):
    """A sheet less, where closer lines spare it, and else none is set closer."""

    def made(count):
        tab, said = laid(chromium, lines(count))
        assert said["over"] == []
        return said["sheets"], tab.locator(".close").count()

    full = next(n for n in range(28, 40) if made(n) != (2, 0))
    assert made(full) == (2, 1)  # beside the cover's
    assert made(full + full // 2) == (3, 0)


def test_a_figure_is_then_drawn_as_large_as_closer_lines_let_it(chromium):
    def width(after, close):
        tab, _ = laid(chromium, lines(14) + figure(1, 520) + lines(after))
        assert (tab.locator(".close").count() > 0) == close
        return tab.locator("figure svg").bounding_box()["width"]

    before = width(50, close=False)
    assert before < 399
    assert width(34, close=True) > before + 5


def test_what_is_larger_than_a_sheet_is_named(chromium):
    _, said = laid(chromium, "<pre>" + "\n".join(map(str, range(200))) + "</pre>")
    assert (
        len(said["over"]) == 1
        and "page 3" in said["over"][0]
        and "too high" in said["over"][0]
    )
    _, said = laid(chromium, '<p style="width: 200mm">Wide words</p>')
    assert 'p "Wide words"' in said["over"][0] and "too wide" in said["over"][0]


def test_a_page_number_of_what_is_nowhere_is_an_error(chromium):
    with pytest.raises(Exception, match="No sheet bears the name lost"):
        laid(chromium, '<p><span data-page-of="lost">000</span></p>')

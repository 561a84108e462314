"""Words of the book's translator: unknown, suggested, with their English, in Chromium."""

import json
import re

import pytest

from tests.browser.translating import (
    begun,
    choose,
    go,
    notice,
    opened_translator,
    own,
    says,
    tell,
    written,
)
from tests.browser.widgets import FOCUSED, heard
from tools.models.book_translator import ABOUT_FILE_NAME
from transformer_book import data

pytestmark = pytest.mark.browser
PAGE = "tour.html"
BROWN = 9  # the step that writes 棕
widget, translator = opened_translator(PAGE, begun)


def test_an_unknown_word_is_named_with_the_nearest_that_is_known(widget):
    page = widget()
    page.locator(".tb-typed").fill("The cat sat on the coush.")
    assert notice(page).inner_text() == ""  # it may yet become a word
    page.locator(".tb-main").click()
    page.locator(".tb-odds li").first.wait_for()
    assert "does not know “coush”" in notice(page).inner_text()
    choose(page, "whose", "self")
    assert "<unk>" in page.locator(".tb-words").first.all_inner_texts()[0]
    typed = page.locator(".tb-typed")
    notice(page).get_by_role("button").click()
    assert typed.input_value() == "The cat sat on the couch."
    typed.fill("The foxx ate")
    typed.press("Space")
    assert "does not know “foxx”" in notice(page).inner_text()
    notice(page).get_by_role("button").click()
    assert typed.input_value() == "The fox ate "
    assert "does not know" not in notice(page).inner_text()


@pytest.mark.parametrize(
    "typed, offered",
    [
        ("teh", ["the"]),
        ("rbabit", ["rabbit"]),
        *((odd, []) for odd in ", 7 42 🐈 Paris not Obama src=x".split()),
    ],
)
def test_a_word_is_offered_only_where_it_is_near_and_a_swap_is_one_edit(
    typed, offered, widget
):
    page = widget()
    page.locator(".tb-typed").fill(f"The cat saw {typed} ")
    assert f"does not know “{typed}”" in notice(page).inner_text()
    buttons = notice(page).get_by_role("button").all_inner_texts()
    assert buttons == [f"Take “{word}”" for word in offered]


def test_what_is_translated_is_dimmed_while_the_line_says_something_else(translator):
    page = translator()
    stale = page.locator(".tb-desk.tb-stale")
    tell(page, "The cat saw teh dog.")
    assert stale.count() == 0
    page.locator(".tb-notice button").click()
    assert stale.count() == 0
    assert "<unk>" not in page.locator(".tb-words").last.inner_text()
    page.locator(".tb-typed").fill("The dog")
    assert stale.count() == 1


def test_a_screen_reader_hears_the_whole_translation(translator):
    page = translator()

    def whole():
        return "The translation: " + "".join(written(page)).removesuffix("<eos>")

    heard(page, whole())
    tell(page, "The zibra saw the elefox.")
    heard(page, re.compile("“zibra”.*“elefox”.*The translation: "))
    go(page, 3)
    page.locator(".tb-odds button[aria-pressed=false]").first.click()
    heard(page, whole())


def test_a_translation_without_end_is_marked_and_nothing_moves(translator):
    page = translator("?translator.mode=sample&translator.temperature=0.1")
    slider = page.get_by_role("slider", name="Temperature")
    # Measured in the widget: what stands above it may still be loading.
    y, tops = "e => e.getBoundingClientRect().top", set()
    top = f"e => ({y})(e) - ({y})(e.closest('.tb-live'))"
    tops.add(slider.evaluate(top))
    tell(page, "and " * 8 + ".")  # it is lost, and goes round and round
    for _ in range(20):
        tops.add(slider.evaluate(top))
        if written(page)[-1] != "<eos>":
            break
        page.get_by_role("button", name="Draw again").click()
    said = f"Cut at {len(written(page))}, its limit, without <eos>."
    assert said in says(page, "note") and len(tops) == 1


@pytest.mark.parametrize("mode", ["greedy", "sample"])
def test_each_chinese_word_has_its_english_under_it(mode, translator, site):
    about = json.loads(
        (site / "_static" / "model" / ABOUT_FILE_NAME).read_text("utf-8")
    )
    page = translator(f"?translator.mode={mode}&translator.temperature=2")
    tokens = written(page)
    words = page.locator(".tb-written li")
    found = words.evaluate_all("""all => all.map(e => [
        [...e.querySelectorAll('button')].map(b => b.innerText),
        e.querySelector('small').innerText])""")
    assert [one for chips, _ in found for one in chips] == tokens
    marked = [[chips[0]] for chips, _ in found if chips[0].startswith("<")]
    said = [("".join(chips), gloss) for chips, gloss in found if chips not in marked]
    expected = []
    for part in re.split(r"<\w+>", "".join(tokens)):
        expected += data.gloss_words(part)
    assert said == expected
    if mode == "greedy":
        assert ("沙发", "couch") in said
    go(page, 1)
    for row in page.locator(".tb-odds button").all():
        word = row.locator(".tb-word").inner_text()
        english = row.locator(".tb-gloss").inner_text()
        assert english == about["gloss"].get(word, "")
        assert english in row.get_attribute("aria-label")


@pytest.mark.parametrize("view", ["lines", "matrix"])
@pytest.mark.parametrize("kind", ["cross", "masked"])
def test_where_the_model_looks_chinese_words_have_their_english(kind, view, translator):
    page = translator(f"?translator.kind={kind}&translator.view={view}")
    tokens = written(page)
    parts = re.split(r"<\w+>", "".join(tokens))
    words = [pair for part in parts for pair in data.gloss_words(part)]
    english = [gloss for word, gloss in words for _ in word] + [""]
    assert english[4:6] == ["couch", "couch"] and len(english) == len(tokens)
    sides = {
        "lines": [f".tb-words >> nth={side} >> button" for side in (0, 1)],
        "matrix": [".tb-weights tbody th", ".tb-weights thead th"],
    }[view]
    both = list(zip(tokens, english))
    for side, pairs in zip(sides, (both, both[:-1] if kind == "masked" else None)):
        found = page.locator(side).evaluate_all(
            "all => all.map(e => [e.querySelector('[lang]').textContent,"
            " e.querySelector('small')?.textContent ?? ''])"
        )
        found = [(token, gloss) for token, gloss in found if token != "<bos>"]
        if pairs is None:
            assert not any(gloss for _, gloss in found)
        else:
            assert found == pairs


def test_an_alternative_s_english_is_nearer_to_it_than_to_the_next(translator):
    page = translator(f"?translator.step={BROWN}")
    words, glosses = (
        page.locator(f".tb-odds .tb-{name}").all() for name in ("word", "gloss")
    )
    for three in zip(words, glosses, words[1:]):
        word, under, other = (one.bounding_box() for one in three)
        above = under["y"] - word["y"] - word["height"]
        assert above + 3 < other["y"] - under["y"] - under["height"]


def test_a_full_stop_is_added_and_said(translator):
    page = translator()
    for text, said in [
        ("The dog slept.", "<eos> is one."),
        ("The dog slept", "a full stop was added, and <eos>."),
        ("the dog slept", "“the” as “The”, a full stop was added, and <eos>."),
        ("THE DOG SLEPT.", "“THE” as “The”, “DOG” as “dog”, and so on, and <eos>."),
    ]:
        tell(page, text)
        assert f"reads 5 tokens: {said}" in says(page, "note")
        assert page.locator(".tb-words").last.inner_text().split("\n")[0] == "The"


def test_two_sentences_are_refused_and_the_message_goes(translator):
    page = translator()
    tell(page, "The dog slept on the rug. The cat sat on the couch.")
    status = page.get_by_role("status")
    status.filter(has_text="one sentence at a time").wait_for(state="attached")
    tell(page, "Two dogs slept under two tables.")
    page.wait_for_timeout(
        1000
    )  # the translation itself is said when it has run through
    assert status.filter(has_text="at a time").count() == 0
    assert "at a time" not in notice(page).inner_text()


ROWS = "e => Math.round(e.getBoundingClientRect().height)"


@pytest.mark.parametrize("width, most", [(1280, 54), (390, 88)])
@pytest.mark.parametrize(
    "text, said",
    [
        ("<b>bold</b><img src=x onerror=alert(1)>", "“b”, “/b” and 8 more: it reads"),
        ("I can't, you won't, they're and we'd've.", "“I”, “ca”, “n't” and 6 more: it"),
        ("The catt sat on teh rugg.", "“catt” Take “cat”, “teh” Take “the” and “rugg”"),
        ("Alice met Barack Obama in Paris.", "“Alice”, “Barack”, “Obama” and 1 more:"),
    ],
)
def test_unknown_words_are_one_sentence_in_all(text, said, width, most, translator):
    page = translator(width=width, height=844)
    tell(page, text)
    line = " ".join(notice(page).inner_text().split()).replace(" ,", ",")
    assert said in line and line.count("does not know") == 1
    assert notice(page).evaluate(ROWS) <= most


TOLD = "The cat sat on the rug."
STILL = f"What stands below is still for “{TOLD}”"


@pytest.mark.parametrize(
    "text, why",
    [
        ("", "Type a sentence first"),
        ("The dog slept. The cat sat.", "one sentence at a time, and this has 2."),
        ("the cat " * 20, "This sentence has 40 tokens, and at most 32 find room"),
        ("the cat " * 40, "This text has 319 characters, and at most 240 find room"),
        ("你好，你叫什么名字？", "This is written in Chinese characters"),
        ("?!", "There is no word in this."),
    ],
)
def test_a_refusal_says_the_limit_and_whose_the_old_translation_is(
    text, why, translator
):
    page = translator(height=1000)
    tell(page, TOLD)
    place = "e => e.getBoundingClientRect().top + scrollY"
    top = own(page).locator(".tb-desk").evaluate(place)
    before = written(page)
    tell(page, text.strip())
    assert why in notice(page).inner_text() and STILL in notice(page).inner_text()
    assert own(page).locator(".tb-desk.tb-stale").count() == 1
    assert written(page) == before
    assert own(page).locator(".tb-desk").evaluate(place) == top  # nothing moves
    tell(page, TOLD)
    assert notice(page).inner_text() == ""
    own(page).locator(".tb-typed").fill("The dog")  # while it is being typed, too
    assert STILL in notice(page).inner_text()


@pytest.mark.parametrize("width", [1280, 360])
def test_a_long_unknown_word_breaks(width, translator):
    page = translator(width=width)
    tell(page, "x" * 200)
    assert "does not know “xxx" in notice(page).inner_text()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_low_scores_have_room(translator):
    page = translator("?translator.mode=beam")
    tell(page, "x x x x x x x x x x")
    for row in page.locator(".tb-beams button").all():
        score, text = (row.locator(kind).bounding_box() for kind in ("b", "span"))
        wide = row.locator("b").evaluate("""b => { const r = document.createRange();
            r.selectNodeContents(b); return r.getBoundingClientRect().width }""")
        assert score["x"] + max(wide, len("−11.668") * 7) <= text["x"]


def test_it_suggests_what_the_grammar_lets_follow(widget, site):
    page = widget()
    about = json.loads(
        (site / "_static" / "model" / ABOUT_FILE_NAME).read_text("utf-8")
    )
    follows = about["follows"]
    line, options = page.locator(".tb-typed"), own(page).get_by_role("option")
    line.fill("")
    line.press("ArrowDown")
    assert options.all_inner_texts()[0] == follows[""][0].capitalize()
    line.press_sequentially("The brown d")
    expected = [word for word in follows["brown"] if word.startswith("d")][:8]
    assert options.all_inner_texts() == expected and "dog" in expected
    line.press("ArrowDown")
    option = options.first
    assert line.get_attribute("aria-activedescendant") == option.get_attribute("id")
    assert option.get_attribute("aria-selected") == "true"
    line.press("Enter")
    assert line.input_value() == f"The brown {expected[0]} "
    assert options.all_inner_texts() == follows[expected[0]][:8]
    line.press("Escape")
    assert options.count() == 0 and line.get_attribute("aria-expanded") == "false"
    line.press_sequentially("sl")
    options.first.click()
    assert line.input_value().startswith(f"The brown {expected[0]} sl")
    assert line.evaluate(FOCUSED)

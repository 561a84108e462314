"""The book's translator, as a reader uses it in Chromium, against what PyTorch said."""

import json
import re

import numpy as np
import pytest
from safetensors.numpy import load_file

from tests.browser import measure
from tests.browser.replies import Replies
from tools.models.book_translator import ABOUT, NAMES, SUGGESTIONS
from transformer_book import by_hand, data

pytestmark = pytest.mark.browser
PAGE = "tour.html"
FOLLOWED = data.parallel.FOLLOWED[0]
BROWN = 9  # the step that writes 棕


@pytest.fixture
def numbers(site):
    """What PyTorch made of some sentences, by their text: translations, and logits."""
    folder = site.parent / "numbers"
    said = json.loads((folder / "translations.json").read_text("utf-8"))
    logits = load_file(folder / "logits.safetensors")
    return {one["text"]: one | {"logits": logits[str(i)]} for i, one in enumerate(said)}


@pytest.fixture
def model(site):
    """The model that the site ships, for by_hand, and the words of both languages."""
    folder = site / "_static" / "model"
    words = json.loads((folder / "vocabulary.json").read_text("utf-8"))
    return (
        *by_hand.load_weights(folder / "model.safetensors"),
        words["source"],
        words["target"],
    )


@pytest.fixture
def widget(visit, address):
    """Open the page and wait for the widget; nothing is loaded yet."""

    def open_widget(query="", **options):
        page = visit(f"{address}/{PAGE}{query}", reduced_motion="reduce", **options)
        page.locator(".tb-typed").wait_for()
        return page

    return open_widget


@pytest.fixture
def translator(widget):
    """The same, with the model loaded and the sentence translated."""

    def open_translator(query="", **options):
        page = widget(query, **options)
        page.locator(".tb-main").click()
        page.locator(".tb-odds li").first.wait_for()
        return page

    return open_translator


def own(page):
    """The widget: the page has others."""
    return page.locator("[data-widget=translator]")


def tell(page, text):
    page.locator(".tb-typed").fill(text)
    page.get_by_role("button", name="Translate", exact=True).click()


def written(page):
    return page.locator(".tb-written button").all_inner_texts()


def go(page, step):
    page.locator(".tb-written button").nth(step - 1).click()


def odds(page):
    """The words that are offered, with their probabilities, and the one that was taken."""
    rows = page.locator(".tb-odds button")
    shown = rows.evaluate_all(
        "rows => rows.map(r => [r.querySelector('.tb-word').textContent,"
        " Number(r.querySelector('.tb-p').textContent.replace('<', '')), r.ariaPressed === 'true'])"
    )
    return {word: p for word, p, _ in shown}, [
        word for word, _, taken in shown if taken
    ]


def choose(page, legend, value):
    group = own(page).get_by_role("group", name=legend)
    group.locator(f"input[value='{value}']").check(force=True)


def matrix(page):
    cells = "rows => rows.map(r => [...r.querySelectorAll('td')].map(c => Number(c.textContent)))"
    return np.array(page.locator(".tb-weights tbody tr").evaluate_all(cells))


def test_it_translates_as_pytorch_does_and_shows_its_distribution(
    translator, numbers, model
):
    *_, words = model
    page = translator()
    softmaxes = 0
    for text in list(numbers)[:6]:
        said = numbers[text]
        tell(page, text)
        assert written(page) == [*(words[i] for i in said["greedy"]), "<eos>"], text
        p = by_hand.softmax(said["logits"].astype(np.float64))
        for step in (1, 2, len(p)):
            go(page, step)
            shown, taken = odds(page)
            assert taken == [words[p[step - 1].argmax()]]
            for word, value in shown.items():
                exact = p[step - 1][words.index(word)]
                assert value == pytest.approx(exact, abs=6e-4), (text, step, word)
            largest = np.sort(p[step - 1])[::-1][: len(shown)]
            assert sorted(shown.values(), reverse=True) == pytest.approx(
                largest, abs=6e-4
            )
            softmaxes += 1
    assert softmaxes == 18 and page.complaints == [] and page.foreign == []


def test_beams_are_those_of_pytorch_with_their_scores(translator, numbers, model):
    *_, words = model
    page = translator("?translator.mode=beam")
    several = [text for text, said in numbers.items() if len(said["scores"]) > 1]
    for text in several[:3]:
        said = numbers[text]
        tell(page, text)
        beams = page.locator(".tb-beams button")
        scores = [
            float(t.replace("\u2212", "-"))
            for t in beams.locator("b").all_inner_texts()
        ]
        assert scores == pytest.approx(said["scores"], abs=2e-3)
        assert written(page)[:-1] == [words[i] for i in said["beam"]]
        second = beams.nth(1).locator("span").inner_text()
        beams.nth(1).click()
        assert "".join(written(page)).startswith(second) and len(scores) > 1
        assert beams.nth(1).get_attribute("aria-pressed") == "true"


def test_temperature_and_seed_decide_what_is_drawn(translator, model, numbers):
    *_, words = model
    page = translator("?translator.mode=sample")
    text = next(iter(numbers))
    tell(page, text)
    go(page, 1)
    logits = numbers[text]["logits"][0].astype(np.float64)
    slider = page.get_by_role("slider", name="Temperature")
    for key, temperature in (("Home", 0.1), ("End", 2.0)):
        slider.press(key)
        assert (
            page.locator(".tb-sampling output").first.inner_text()
            == f"{temperature:.1f}"
        )
        p = by_hand.softmax(logits / temperature)
        for word, value in odds(page)[0].items():
            assert value == pytest.approx(p[words.index(word)], abs=6e-4)
    drawn = {page.locator(".tb-written").inner_text()}
    for _ in range(3):
        page.get_by_role("button", name="Draw again").click()
        drawn.add(page.locator(".tb-written").inner_text())
    assert len(drawn) == 4 and "Seed 4" in page.locator(".tb-sampling").inner_text()
    page.wait_for_url(re.compile(r"translator\.seed=4"))
    again = translator(page.url.split(PAGE)[1])
    assert (
        again.locator(".tb-written").inner_text()
        == page.locator(".tb-written").inner_text()
    )


@pytest.mark.parametrize(
    "asked, shown",
    [("0", "0.1"), ("-3", "0.1"), ("99", "2.0"), ("x", "1.0"), ("0.55", "0.6")],
)
def test_a_temperature_of_the_address_is_one_that_the_slider_has(
    asked, shown, translator
):
    page = translator(f"?translator.mode=sample&translator.temperature={asked}")
    slider = page.get_by_role("slider", name="Temperature")
    assert slider.get_attribute("aria-valuetext") == shown
    assert page.locator(".tb-sampling output").first.inner_text() == shown
    tenths = [slider.get_attribute(name) for name in ("min", "max", "step")]
    assert (
        tenths == ["1", "20", "1"]
        and slider.input_value() == f"{10 * float(shown):.0f}"
    )
    assert page.complaints == []


def test_odds_have_two_digits_where_three_decimals_say_nothing(
    translator, model, numbers
):
    *_, words = model
    page = translator()
    text = next(iter(numbers))
    tell(page, text)
    go(page, 1)
    p = by_hand.softmax(numbers[text]["logits"][0].astype(np.float64))
    small = {
        word: value
        for word, value in odds(page)[0].items()
        if p[words.index(word)] < 0.009
    }
    assert small
    for word, value in small.items():
        assert (
            value == pytest.approx(p[words.index(word)], rel=0.051) or value == 0.0001
        )
    assert re.search(
        r"others share (0|<0)\.\d+\.$", page.locator(".tb-rest").inner_text()
    )


@pytest.mark.parametrize("kind", ["self", "masked", "cross"])
def test_its_attention_is_that_of_the_package(kind, translator, model):
    config, W, source_words, words = model
    page = translator(f"?translator.kind={kind}&translator.view=matrix")
    source = [*(source_words.index(w) for w in data.word_tokens(FOLLOWED)), data.EOS]
    target = [data.BOS, *(words.index(w) for w in written(page)[:-1])]
    _, weights = by_hand.transformer(np.array([source]), np.array([target]), W, config)
    part = "encoder" if kind == "self" else "decoder"
    name = "cross_attention" if kind == "cross" else "self_attention"
    for layer in range(config.N):
        choose(page, "layer", layer + 1)
        A = weights[f"{part}.{layer}.{name}"][0]
        for head in ["mean", *range(config.h)]:
            choose(page, "head", head if head == "mean" else head + 1)
            expected = A.mean(axis=0) if head == "mean" else A[head]
            np.testing.assert_allclose(matrix(page), expected, rtol=0, atol=5.1e-3)


def test_lines_are_as_thick_as_their_weights_and_follow_the_word(translator):
    page = translator(f"?translator.step={BROWN}")
    choose(page, "Drawn as", "matrix")
    A = matrix(page)
    choose(page, "Drawn as", "lines")
    line = page.locator(f".tb-threads path[data-query='{BROWN - 1}'][data-key='9']")
    widest = float(line.get_attribute("stroke-width"))
    assert widest == pytest.approx(0.75 + 5 * A[BROWN - 1, 9], abs=0.03)
    rows = "paths => [...new Set(paths.map(p => Number(p.dataset.query)))]"
    paths = page.locator(".tb-threads path")
    assert max(paths.evaluate_all(rows)) == BROWN - 1  # no later word has lines yet
    page.locator(".tb-words").nth(0).locator("button").nth(1).hover()
    assert paths.evaluate_all(rows) == [1]
    assert "Writing “猫”" in own(page).locator(".tb-readout").inner_text()
    keys = "paths => [...new Set(paths.map(p => Number(p.dataset.key)))]"
    page.locator(".tb-words").nth(1).locator("button").nth(9).hover()
    assert paths.evaluate_all(keys) == [9]
    go(page, 2)
    assert max(paths.evaluate_all(rows)) == 1


def test_another_word_is_put_in_and_the_translation_goes_on_from_it(translator):
    page = translator(f"?translator.step={BROWN}")
    before = written(page)
    other = next(word for word in odds(page)[0] if word != "棕")
    page.locator(".tb-odds button").filter(has_text=other).click()
    after = written(page)
    assert after[: BROWN - 1] == before[: BROWN - 1] and after[BROWN - 1] == other
    assert odds(page)[1] == [other]
    assert page.locator(".tb-written .tb-own").all_inner_texts() == [other]
    page.wait_for_url(re.compile(r"translator\.begin="))
    shared = translator(page.url.split(PAGE)[1])
    assert (
        written(shared) == after and "step 9" in shared.locator(".tb-now").inner_text()
    )
    page.get_by_role("button", name="Let the model choose").click()
    assert written(page) == before
    choose(page, "How words are chosen", "beam")
    page.locator(".tb-odds button").filter(has_text=other).click()
    assert written(page)[:BROWN] == after[:BROWN]


def test_an_unknown_word_is_named_with_the_nearest_that_is_known(widget):
    page = widget()
    page.locator(".tb-typed").fill("The cat sat on the sofs.")
    assert page.locator(".tb-notice").inner_text() == ""  # it may yet become a word
    page.locator(".tb-main").click()
    notice = page.locator(".tb-notice")
    page.locator(".tb-odds li").first.wait_for()
    assert "does not know “sofs”" in notice.inner_text()
    choose(page, "Whose attention", "self")
    assert "<unk>" in page.locator(".tb-words").first.all_inner_texts()[0]
    notice.get_by_role("button").click()
    assert re.fullmatch(
        r"The cat sat on the (?!sofs)\w+\.", page.locator(".tb-typed").input_value()
    )
    page.locator(".tb-typed").fill("The elefox ate")
    page.locator(".tb-typed").press("Space")
    assert "does not know “elefox”" in notice.inner_text()
    notice.get_by_role("button").click()
    assert page.locator(".tb-typed").input_value() == "The fox ate "
    assert notice.inner_text() == ""


@pytest.mark.parametrize(
    "typed, offered",
    [
        ("teh", ["the"]),
        (",", []),
        ("7", []),
        ("42", []),
        ("🐈", []),
        ("rbabit", ["rabbit"]),
    ],
)
def test_the_nearest_word_counts_a_swap_once_and_needs_letters(typed, offered, widget):
    page = widget()
    page.locator(".tb-typed").fill(f"The cat saw {typed} ")
    notice = page.locator(".tb-notice")
    assert f"does not know “{typed}”" in notice.inner_text()
    assert notice.get_by_role("button").all_inner_texts() == [
        f"Take “{w}”" for w in offered
    ]


def test_what_is_translated_is_dimmed_while_the_line_says_something_else(translator):
    page = translator()
    stale = page.locator(".tb-desk.tb-stale")
    tell(page, "The cat saw teh dog.")
    assert stale.count() == 0
    page.locator(".tb-notice button").click()
    assert (
        stale.count() == 0
        and "<unk>" not in page.locator(".tb-words").last.inner_text()
    )
    page.locator(".tb-typed").fill("The dog")
    assert stale.count() == 1


def test_a_screen_reader_hears_the_whole_translation(translator):
    page = translator()
    status = page.get_by_role("status")

    def whole():
        return "The translation: " + "".join(written(page)).removesuffix("<eos>")

    status.filter(has_text=whole()).wait_for(state="attached")
    tell(page, "The zibra saw the elefox.")
    status.filter(has_text=re.compile("“zibra”.*“elefox”.*The translation: ")).wait_for(
        state="attached"
    )
    go(page, 3)
    page.locator(".tb-odds button[aria-pressed=false]").first.click()
    status.filter(has_text=whole()).wait_for(state="attached")


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
    assert said in own(page).locator(".tb-note").inner_text() and len(tops) == 1


@pytest.mark.parametrize("mode", ["greedy", "sample"])
def test_each_chinese_word_has_its_english_under_it(mode, translator, site):
    about = json.loads((site / "_static" / "model" / ABOUT).read_text("utf-8"))
    page = translator(f"?translator.mode={mode}&translator.temperature=2")
    tokens = written(page)
    words = page.locator(".tb-written li")
    found = [
        (row.locator("button").all_inner_texts(), row.locator("small").inner_text())
        for row in words.all()
    ]
    assert [one for chips, _ in found for one in chips] == tokens
    marked = [[chips[0]] for chips, _ in found if chips[0].startswith("<")]
    said = [
        ("".join(chips), english) for chips, english in found if chips not in marked
    ]
    expected = []
    for part in re.split(r"<\w+>", "".join(tokens)):
        expected += data.gloss(part)
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
    english = [
        gloss
        for part in re.split(r"<\w+>", "".join(tokens))
        for word, gloss in data.gloss(part)
        for _ in word
    ] + [""]
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
        page.locator(f".tb-odds .tb-{name}") for name in ("word", "gloss")
    )
    for word, gloss, below in zip(words.all(), glosses.all(), words.all()[1:]):
        own, under, other = (e.bounding_box() for e in (word, gloss, below))
        above = under["y"] - own["y"] - own["height"]
        assert above + 3 < other["y"] - under["y"] - under["height"]


def test_a_full_stop_is_added_and_said(translator):
    page = translator()
    note = own(page).locator(".tb-note")
    tell(page, "The dog slept.")
    assert "reads 5 tokens: <eos> is one." in note.inner_text()
    tell(page, "The dog slept")
    assert "reads 5 tokens: a full stop was added, and <eos>." in note.inner_text()
    tell(page, "the dog slept")
    said = "reads 5 tokens: “the” as “The”, a full stop was added, and <eos>."
    assert said in note.inner_text()
    assert page.locator(".tb-words").last.inner_text().split("\n")[0] == "The"
    tell(page, "THE DOG SLEPT.")
    said = "reads 5 tokens: “THE” as “The”, “DOG” as “dog”, and so on, and <eos>."
    assert said in note.inner_text()


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
    assert "at a time" not in page.locator(".tb-notice").inner_text()


@pytest.mark.parametrize("width", [1280, 360])
def test_a_long_unknown_word_breaks(width, translator):
    page = translator(width=width)
    tell(page, "x" * 300)
    assert "does not know" in page.locator(".tb-notice").inner_text()
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
    follows = json.loads((site / "_static" / "model" / ABOUT).read_text("utf-8"))[
        "follows"
    ]
    line, options = (
        page.locator(".tb-typed"),
        page.locator("#translator-live").get_by_role("option"),
    )
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
    assert line.evaluate("e => e === document.activeElement")


def test_the_keyboard_does_it_all_from_typing_to_the_matrix(widget):
    page = widget()
    line = page.locator(".tb-typed")
    line.focus()
    line.press("ControlOrMeta+a")
    page.keyboard.type("Two dogs slept under two t")
    page.keyboard.press("ArrowDown")
    while page.locator("[aria-selected=true]").inner_text() != "tables":
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.keyboard.type(".")
    page.keyboard.press("Enter")
    page.locator(".tb-odds li").first.wait_for()
    assert "".join(written(page)) == "两只狗睡在两张桌子下面。<eos>"

    def tab_to(inside):
        for _ in range(40):
            page.keyboard.press("Tab")
            if page.evaluate(f"document.activeElement.matches(`{inside}`)"):
                return
        raise AssertionError(inside)

    tab_to(".tb-written button")
    page.keyboard.press("ArrowLeft")
    assert "step 12 of 13" in page.locator(".tb-now").inner_text()
    for _ in range(10):
        page.keyboard.press("ArrowLeft")
    assert odds(page)[1] == ["只"]
    tab_to(".tb-odds button")
    tab_to(".tb-which input")
    page.keyboard.press("ArrowLeft")  # from cross to masked, and back
    page.keyboard.press("ArrowRight")
    tab_to(".tb-words button")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.textContent") == "slept"
    assert "“slept” gets most from" in own(page).locator(".tb-readout").inner_text()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("ArrowRight")
    tab_to(".tb-weights td")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    readout = own(page).locator(".tb-readout").inner_text()
    assert re.search(r"Writing “只”, it gives “dogs” \d\.\d{3} of its weight", readout)
    assert page.complaints == []


def test_a_screen_reader_hears_each_word_with_its_probability(translator):
    page = translator()
    page.get_by_role("button", name="One word back").click()
    shown, (taken,) = odds(page)
    said = f"Step 16: {taken}, probability {shown[taken]:.3f}."
    page.get_by_role("status").filter(has_text=said).wait_for(state="attached")


def test_it_runs_word_by_word_and_pauses(visit, address):
    page = visit(f"{address}/{PAGE}")
    page.locator(".tb-main").click()
    title = page.locator(".tb-now")
    title.filter(has_text="step 3 of 17").wait_for()
    assert (
        page.locator(".tb-written button:visible").count() <= 5
    )  # the rest is not written yet
    page.get_by_role("button", name="Pause").click()
    stopped = title.inner_text()
    page.wait_for_timeout(1200)
    assert (
        title.inner_text() == stopped
        and page.locator(".tb-written button:visible").count() == 17
    )
    page.get_by_role("button", name="Run").click()
    title.filter(has_text="step 17 of 17").wait_for()
    page.get_by_role("button", name="Run").wait_for()


@pytest.mark.parametrize("again", ["double click", "Enter", "another sentence"])
def test_what_is_asked_while_it_runs_stops_the_earlier_run(again, visit, address):
    page = visit(f"{address}/{PAGE}")
    title = page.locator(".tb-now")
    page.locator(".tb-main").click()
    page.locator(".tb-odds li").first.wait_for()
    if again == "double click":
        page.locator(".tb-main").dblclick()
    elif again == "Enter":
        page.locator(".tb-typed").press("Enter")
        page.locator(".tb-typed").press("Enter")
    else:
        page.get_by_role("button", name=SUGGESTIONS[1]).click()
        page.get_by_role("button", name=SUGGESTIONS[0]).click()
    go(page, 5)
    stopped = title.inner_text()
    page.wait_for_timeout(1200)
    assert title.inner_text() == stopped and "step 5 of" in stopped
    assert page.get_by_role("button", name="Run", exact=True).is_visible()
    assert "translator.step=5" in page.url and page.complaints == []


def test_enter_while_the_model_loads_does_not_start_a_second_desk(visit, address):
    page = visit(f"{address}/{PAGE}")
    page.locator(".tb-typed").press("Enter")
    page.locator(".tb-typed").fill(SUGGESTIONS[0])
    page.locator(".tb-typed").press("Enter")
    title = page.locator(".tb-now")
    title.filter(
        has_text="of 13"
    ).wait_for()  # what stands there when the model is there
    go(page, 5)
    page.wait_for_timeout(1200)
    assert "step 5 of 13" in title.inner_text() and page.complaints == []


def test_the_address_holds_all_of_it(translator):
    page = translator()
    page.get_by_role("button", name=SUGGESTIONS[0]).click()
    go(page, 2)
    for legend, value in [
        ("Whose attention", "masked"),
        ("layer", 1),
        ("head", 3),
        ("Drawn as", "matrix"),
        ("How words are chosen", "beam"),
    ]:
        choose(page, legend, value)
    page.wait_for_url(re.compile(r"mode=beam"))
    for part in (
        "sentence=Two+dogs",
        "step=2",
        "kind=masked",
        "layer=1",
        "head=3",
        "view=matrix",
    ):
        assert f"translator.{part}" in page.url
    shared = translator(page.url.split(PAGE)[1])
    assert written(shared) == written(page)
    np.testing.assert_array_equal(matrix(shared), matrix(page))
    assert (
        own(shared).locator(".tb-readout").inner_text()
        == own(page).locator(".tb-readout").inner_text()
    )
    tell(shared, FOLLOWED)  # a new sentence begins anew, and ends at its end
    assert "step 17 of 17" in shared.locator(".tb-now").inner_text()


def test_a_broken_address_gives_the_defaults(translator):
    page = translator(
        "?translator.step=x&translator.layer=9&translator.head=7&translator.kind=no"
        "&translator.begin=%3Cpad%3E+zebra&translator.beam=9&translator.mode=best"
    )
    assert "".join(written(page)) == "黑猫坐在沙发上，棕狗睡在地毯上。<eos>"
    assert (
        "layer 2, mean" in own(page).locator(".tb-readout").inner_text()
        and page.complaints == []
    )


def test_nothing_is_loaded_until_it_is_asked_for(widget, site):
    page = widget()
    label = page.locator(".tb-main").inner_text()
    size = sum((site / "_static" / "model" / name).stat().st_size for name in NAMES)
    assert (
        f"{size / 1e6:.1f} MB" in label and page.locator(".tb-desk").inner_text() == ""
    )
    asked = []
    page.on("request", lambda request: asked.append(request.url.rsplit("/", 1)[-1]))
    page.locator(".tb-ready button").nth(1).click()
    assert asked == []
    page.locator(".tb-main").click()
    page.locator(".tb-odds li").first.wait_for()
    assert set(NAMES) <= set(asked)


@pytest.mark.parametrize("name", NAMES)
def test_missing_or_damaged_weights_are_a_sentence_and_may_be_tried_again(
    name, widget, site
):
    page = widget()
    whole = (site / "_static" / "model" / name).read_bytes()
    replies = Replies(page, f"**/{name}")
    for answer, sentence in [
        ({"status": 404}, f"{name} is missing"),
        ({"body": whole[: len(whole) // 2]}, "is damaged"),
        ({"body": b"\0" + whole[1:]}, "is damaged"),
    ]:
        replies.answer = answer
        page.locator(".tb-main").click()
        page.locator(".tb-notice").filter(has_text=sentence).wait_for()
        assert page.locator("figure.tb-figure svg").first.is_visible()
        assert page.locator(".tb-main").is_enabled()
    replies.answer = None
    page.locator(".tb-main").click()
    page.locator(".tb-odds li").first.wait_for()
    assert page.locator(".tb-notice").inner_text() == ""


@pytest.mark.parametrize("name", NAMES)
def test_a_file_that_is_not_the_published_one_is_refused(name, widget, site):
    page = widget()
    body = bytearray((site / "_static" / "model" / name).read_bytes())
    if name.endswith("json"):
        body = body.replace(b"cat", b"cot")  # reads well
    else:
        body[400_000:500_000] = bytes(100_000)  # finite weights still
    Replies(page, f"**/{name}", {"body": bytes(body)})
    page.locator(".tb-main").click()
    page.locator(".tb-notice").filter(has_text=f"{name} is damaged").wait_for()
    assert page.locator(".tb-desk").inner_text() == ""


@pytest.mark.parametrize(
    "text, sentence", [("", "Type a sentence"), ("the cat " * 20, "40 tokens")]
)
def test_what_is_no_sentence_is_refused(text, sentence, widget):
    page = widget()
    page.locator(".tb-typed").fill(text)
    page.locator(".tb-main").click()
    assert sentence in page.locator(".tb-notice").inner_text()
    assert page.locator(".tb-desk").inner_text() == "" and page.complaints == []


@pytest.mark.parametrize("width", [1440, 390, 360])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_fits_and_follows_the_theme(width, theme, translator):
    page = translator(f"?translator.step={BROWN}", width=width, theme=theme)
    purple = {"light": "rgb(124, 63, 196)", "dark": "rgb(195, 161, 255)"}[theme]
    line = page.locator(".tb-threads path").first
    assert line.evaluate("p => getComputedStyle(p).stroke") == purple
    for mode in ("greedy", "beam", "sample"):
        choose(page, "How words are chosen", mode)
        for view in ("lines", "matrix"):
            choose(page, "Drawn as", view)
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            targets = (
                "[data-widget=translator] .tb-live :is(button, td[tabindex], input)"
            )
            assert measure.small(page.locator(targets)) == [], (mode, view)


@pytest.mark.parametrize("width", [1280, 360])
def test_nothing_jumps_while_the_steps_go_by(width, translator):
    page = translator(width=width)
    place = "document.querySelector('.tb-attend').getBoundingClientRect().top + scrollY"
    heights = set()
    for step in range(1, 18):
        go(page, step)
        heights.add(
            (
                page.evaluate(place),
                own(page).locator(".tb-live").bounding_box()["height"],
            )
        )
    assert len(heights) == 1


# Goes down until the last row of the attention has come up; returns what is then out of sight.
UNSEEN = """() => {
    const last = document.querySelector('.tb-attend').getBoundingClientRect().bottom;
    scrollBy({ top: last - innerHeight, behavior: 'instant' });
    return ['.tb-written [aria-current]', '.tb-threads button'].flatMap((what) =>
        [...document.querySelectorAll(what)].filter((e) => {
            const { left, top, width, height } = e.getBoundingClientRect();
            return !e.contains(document.elementFromPoint(left + width / 2, top + height / 2));
        }).map((e) => `${what} ${e.textContent}`));
}"""


@pytest.mark.parametrize("width, height", [(1280, 900), (1280, 720), (390, 844)])
def test_sentence_and_attention_are_in_sight_at_once(width, height, translator):
    page = translator(width=width, height=height)
    for step in (17, 1):
        go(page, step)
        assert page.evaluate(UNSEEN) == [], step
    if height == 900:
        live = own(page).locator(".tb-live").bounding_box()
        assert live["height"] <= height


def test_without_javascript_the_page_shows_its_figure(visit, address):
    page = visit(f"{address}/{PAGE}", java_script_enabled=False)
    assert page.locator("figure.tb-figure svg").first.is_visible()
    assert not page.locator(".tb-widget").first.is_visible()


@pytest.mark.parametrize(
    "answer, sentence",
    [
        (None, "cannot be reached"),
        (404, "no trained model"),
        (503, "answered with 503"),
    ],
)
def test_it_says_whether_the_model_is_missing_or_out_of_reach(
    answer, sentence, visit, address
):
    page = visit("about:blank")
    page.route(
        f"**/model/{ABOUT}",
        lambda r: (
            r.fulfill(status=answer) if answer else r.abort("internetdisconnected")
        ),
    )
    page.goto(f"{address}/{PAGE}")
    lost = own(page).locator(".tb-lost")
    lost.wait_for(state="visible")
    assert sentence in lost.inner_text()


def test_where_what_comes_with_the_model_is_missing_a_sentence_says_so(visit, address):
    page = visit("about:blank")
    page.route("**/js/translator/desk.js*", lambda route: route.abort())
    page.goto(f"{address}/{PAGE}")
    own(page).locator(".tb-main").click()
    wrong = own(page).locator(".tb-notice .tb-wrong")
    wrong.wait_for()
    assert "A part of the page did not arrive; reload it." in wrong.inner_text()


@pytest.mark.parametrize("missing", [f"model/{ABOUT}", "js/translator/ask.js"])
def test_where_a_part_is_missing_a_sentence_says_so(missing, visit, address):
    page = visit("about:blank")
    page.route(f"**/{missing}*", lambda route: route.abort())
    page.goto(f"{address}/{PAGE}")
    lost = own(page).locator(".tb-lost")
    lost.wait_for(state="visible")
    assert "could not be loaded" in lost.inner_text()
    page.locator(".tb-looks").wait_for()  # the rest of the page lives

"""The book's translator in Chromium, against what PyTorch said."""

import json
import re

import numpy as np
import pytest
from safetensors.numpy import load_file

from tests.browser.translating import (
    assert_odds,
    begun,
    choose,
    go,
    matrix,
    odds,
    opened_translator,
    says,
    scores,
    tell,
    written,
)
from transformer_book import by_hand, data

pytestmark = pytest.mark.browser
PAGE = "tour.html"
FOLLOWED = data.parallel_corpus.FOLLOWED_PAIR[0]
BROWN = 9  # the step that writes 棕
widget, translator = opened_translator(PAGE, begun)


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


def test_it_translates_as_pytorch_does_and_shows_its_distribution(
    translator, numbers, model
):
    *_, words = model
    page = translator()
    assert len(numbers) > 6
    for text, said in [*numbers.items()][:6]:
        tell(page, text)
        assert written(page) == [*(words[i] for i in said["greedy"]), "<eos>"], text
        p = by_hand.softmax(said["logits"].astype(np.float64))
        for step in (1, 2, len(p)):
            go(page, step)
            shown = sorted(assert_odds(page, p[step - 1], words).values())
            assert shown == pytest.approx(np.sort(p[step - 1])[-len(shown) :], abs=6e-4)
    assert page.complaints == [] and page.foreign == []


def test_beams_are_those_of_pytorch_with_their_scores(translator, numbers, model):
    *_, words = model
    page = translator("?translator.mode=beam")
    several = [text for text, said in numbers.items() if len(said["scores"]) > 1]
    for text in several[:3]:
        said = numbers[text]
        tell(page, text)
        beams = page.locator(".tb-beams button")
        assert scores(page) == pytest.approx(said["scores"], abs=2e-3)
        assert written(page)[:-1] == [words[i] for i in said["beam"]]
        second = beams.nth(1).locator("span").inner_text()
        beams.nth(1).click()
        assert "".join(written(page)).startswith(second)
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
        assert says(page, "sampling output") == f"{temperature:.1f}"
        p = by_hand.softmax(logits / temperature)
        for word, value in odds(page)[0].items():
            assert value == pytest.approx(p[words.index(word)], abs=6e-4)
    drawn = {says(page, "written")}
    for _ in range(3):
        page.get_by_role("button", name="Draw again").click()
        drawn.add(says(page, "written"))
    assert len(drawn) == 4 and "Seed 4" in says(page, "sampling")
    page.wait_for_url(re.compile(r"translator\.seed=4"))
    again = translator(page.url.split(PAGE)[1])
    assert says(again, "written") == says(page, "written")


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
    assert says(page, "sampling output") == shown
    tenths = [slider.get_attribute(name) for name in ("min", "max", "step")]
    assert tenths == ["1", "20", "1"]
    assert slider.input_value() == f"{10 * float(shown):.0f}"
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
    exact = {value: p[words.index(word)] for word, value in odds(page)[0].items()}
    small = {value: one for value, one in exact.items() if one < 0.009}
    assert small
    for value, one in small.items():
        assert value == pytest.approx(one, rel=0.051) or value == 0.0001
    assert re.search(r"others share (0|<0)\.\d+\.$", says(page, "rest"))


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
    choose(page, "drawn", "matrix")
    A = matrix(page)
    choose(page, "drawn", "lines")
    line = page.locator(f".tb-threads path[data-query='{BROWN - 1}'][data-key='9']")
    widest = float(line.get_attribute("stroke-width"))
    assert widest == pytest.approx(0.75 + 5 * A[BROWN - 1, 9], abs=0.03)
    rows = "paths => [...new Set(paths.map(p => Number(p.dataset.query)))]"
    paths = page.locator(".tb-threads path")
    assert max(paths.evaluate_all(rows)) == BROWN - 1  # no later word has lines yet
    page.locator(".tb-words").nth(0).locator("button").nth(1).hover()
    assert paths.evaluate_all(rows) == [1]
    assert "Writing “猫”" in says(page, "readout")
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
    assert written(shared) == after and "step 9" in says(shared, "now")
    page.get_by_role("button", name="Let the model choose").click()
    assert written(page) == before
    choose(page, "how", "beam")
    page.locator(".tb-odds button").filter(has_text=other).click()
    assert written(page)[:BROWN] == after[:BROWN]

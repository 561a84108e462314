"""The map's numbers: each box's own in the trained model, and what made each, in Chromium."""

import re

import numpy as np
import pytest

from tests.browser import maps
from tests.browser.maps import (
    ENGLISH,
    NUMBERS,
    go,
    opened_map,
    press,
    said,
    title,
)
from tests.traced import traced
from transformer_book import data

pytestmark = pytest.mark.browser
model = maps.model
widget = opened_map(NUMBERS)
LAYER, HEAD = 1, 2  # from 0
ENCODER, DECODER = f"encoder.{LAYER}", f"decoder.{LAYER}"
NUMBER = re.compile(r"−?\d+(?:\.\d+)?(?: × 10⁻[⁰¹²³⁴⁵⁶⁷⁸⁹]+)?$")
RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")


def attention(name, reads, memory=None):
    own = {"in": reads, **({"memory": memory} if memory else {})}
    own |= {part: f"{name}.{part}" for part in "Q K V scores weights Z".split()}
    return own | {"out": f"{name}.output", "W_O": f"{name}.W_O"}


def norm(layer, k, sub, reads):
    name = f"{layer}.add_and_norm_{k}"
    return {
        "in": reads,
        "f(in)": f"{layer}.{sub}.output",
        "sum": f"{name}.reads",
        "out": f"{name}.normalised",
        "γ": f"{name}.layer_norm.gamma",
        "β": f"{name}.layer_norm.beta",
    }


def feed_forward(layer, reads):
    name = f"{layer}.feed_forward"
    made = {"hidden": "hidden", "ReLU": "relu", "out": "output"}
    own = {part: f"{name}.{what}" for part, what in made.items()}
    weights = {part: f"{name}.{part}" for part in ("W_1", "b_1", "W_2", "b_2")}
    return {"in": reads} | own | weights


def embedded(side):
    return {"E": f"{side}_embedding", "out": f"{side}.embedding"}


def added(side):
    names = {"in": "embedding", "PE": "positions", "out": "sum"}
    return {part: f"{side}.{name}" for part, name in names.items()}


def after(layer, k):
    return f"{layer}.add_and_norm_{k}.normalised"


# What each box holds, in the order of a sentence's way, by the names of traced.
BOXES = [
    {"ids": "source.ids"},
    embedded("source"),
    {"PE": "source.positions"},
    added("source"),
    attention(f"{ENCODER}.self_attention", after("encoder.0", 2)),
    norm(ENCODER, 1, "self_attention", after("encoder.0", 2)),
    feed_forward(ENCODER, after(ENCODER, 1)),
    norm(ENCODER, 2, "feed_forward", after(ENCODER, 1)),
    {"in": after("encoder.0", 2), "out": after(ENCODER, 2)},
    {"ids": "target.ids"},
    embedded("target"),
    added("target"),
    attention(f"{DECODER}.self_attention", after("decoder.0", 3)),
    norm(DECODER, 1, "self_attention", after("decoder.0", 3)),
    attention(f"{DECODER}.cross_attention", after(DECODER, 1), after(ENCODER, 2)),
    norm(DECODER, 2, "cross_attention", after(DECODER, 1)),
    feed_forward(DECODER, after(DECODER, 2)),
    norm(DECODER, 3, "feed_forward", after(DECODER, 2)),
    {"in": after("decoder.0", 3), "out": after(DECODER, 3)},
    {"logits": "logits", "E": "target_embedding", "in": after(DECODER, 3)},
    {"logits": "logits", "probabilities": "probabilities"},
]


def read(text):
    """The number at the end of a text."""
    found = NUMBER.search(text)[0].replace("−", "-")
    if "×" in found:
        digits, power = found.split(" × 10⁻")
        return float(digits) * 10.0 ** -int(power.translate(RAISED))
    return float(found)


def shown(page):
    return page.map.locator(".tb-number").inner_text()


def everything(model, english, chinese):
    """All intermediates and weights, in doubles, and the ids."""
    corpus = data.load_parallel("grammar")
    source = [*corpus.source_ids(english), data.EOS]
    target = [data.BOS, *corpus.target_vocabulary.ids(list(chinese))]
    found = traced(model, source, target)
    found |= {"source.ids": [[i] for i in source], "target.ids": [[i] for i in target]}
    found |= dict(model.named_parameters())
    found["source_embedding"] = model.source_embedding
    found["target_embedding"] = model.target_embedding
    return {
        name: np.asarray(x.detach() if hasattr(x, "detach") else x, dtype=float)
        for name, x in found.items()
    }


def test_the_numbers_of_every_box_are_pytorch_s(widget, model):
    page = widget("?map.view=numbers")
    written = page.map.get_by_label("What the decoder reads").input_value()
    expected = everything(model, ENGLISH, written)
    assert len(BOXES) == 21
    for at, parts in enumerate(BOXES, 1):
        for part, name in parts.items():
            M = np.atleast_2d(expected[name])
            M = M[HEAD] if M.ndim == 3 else M
            i, j = min(3, len(M) - 1), min(7, M.shape[1] - 1)
            fields = dict(layer=LAYER + 1, head=HEAD + 1, word=i + 1, column=j + 1)
            go(page, at=at, part=part, **fields)
            text = shown(page)
            name = part.replace("_", "")  # what is below the line
            assert text.startswith(f"{name}["), (at, part, text)
            assert read(text) == pytest.approx(M[i, j], abs=1e-4), (at, part)
            cells = page.map.locator(".tb-window td[tabindex='0']")
            assert cells.count() == 1
            off = (
                0.051 if part == "scores" else 0.0051
            )  # one decimal finds room, or two
            assert read(cells.inner_text()) == pytest.approx(M[i, j], abs=off)
    assert page.complaints == [] and page.foreign == []


def test_the_projections_and_the_mask_are_the_model_s(widget, model):
    page = widget("?map.view=numbers")
    d_k = model.config.d_model // model.config.h
    for letter in "QKV":
        module = model.get_submodule(f"{DECODER}.self_attention")
        W = getattr(module, f"W_{letter}").detach().numpy()
        go(page, at=13, layer=2, head=3, part=f"W_{letter}", word=70, column=20)
        assert read(shown(page)) == pytest.approx(W[69, 2 * d_k + 19], abs=6e-5)
    for column, value in (3, 1), (4, 1), (5, 0):
        go(page, at=13, part="mask", word=4, column=column)
        assert read(shown(page)) == value
    go(page, at=13, part="weights", word=4, column=5)
    assert read(shown(page)) == 0
    assert "The mask hides it" in said(page, "how")


def test_a_number_s_last_line_is_the_number(widget):
    """What the lines compute of the terms is what the model made."""
    page = widget("?map.view=numbers")
    seen = set()
    for at, parts in enumerate(BOXES, 1):
        for part in parts:
            go(page, at=at, layer=2, head=2, part=part, word=3, column=5)
            lines = page.map.locator(".tb-lines span").all_inner_texts()
            if lines:
                made = re.split(" [=≈] ", lines[-1])[-1]
                assert made == shown(page).split(" = ")[-1], (at, part)
                how = said(page, "how").split()
                seen.add(" ".join(how[:4]))
    assert len(seen) >= 5


def test_the_sum_of_the_terms_is_the_number(widget):
    page = widget("?map.view=numbers")
    go(page, at=5, layer=1, head=2, part="Q", word=3, column=4)
    rows = page.map.locator(".tb-terms tbody tr")
    terms = [row.split("\t")[1:] for row in rows.all_inner_texts()]
    numbers = np.array([[read(cell) for cell in row] for row in terms])
    assert numbers.shape == (128, 3)
    assert numbers[:, 0] @ numbers[:, 1] == pytest.approx(read(shown(page)), abs=0.01)
    assert numbers[:, 2].sum() == pytest.approx(read(shown(page)), abs=0.01)


def test_the_keyboard_follows_a_number_back_to_an_id_and_returns(widget):
    page = widget("?map.at=21&map.word=3")
    start = shown(page)
    assert start.startswith("probabilities[猫, ")
    page.map.locator(".tb-window td[tabindex='0']").focus()
    page.keyboard.press("Tab")  # the slider of the row, of the column, then the terms
    while not page.evaluate("!!document.activeElement.closest('.tb-terms')"):
        page.keyboard.press("Tab")
    boxes = []
    for _ in range(40):
        boxes.append(title(page))
        pressed = read(page.evaluate("document.activeElement.textContent"))
        page.keyboard.press("Enter")
        assert read(shown(page)) == pytest.approx(pressed, abs=1e-4)
        if "stands in the vocabulary" in said(page, "how"):
            break
    assert title(page) == "Outputs"
    assert {"Softmax", "Linear", "Output embedding"} <= set(boxes)
    assert "Add & norm, decoder, after cross-attention" in boxes
    back = page.map.locator(".tb-trail button")
    assert back.count() == len(boxes)
    back.first.focus()
    page.keyboard.press("Enter")
    assert shown(page) == start and title(page) == "Softmax"
    assert back.count() == 0


def test_arrows_walk_through_all_of_a_matrix(widget):
    page = widget("?map.at=2&map.part=E&map.word=1&map.column=1")
    cell = page.map.locator(".tb-window td[tabindex='0']")
    cell.focus()
    for key, times in ("ArrowRight", 9), ("ArrowDown", 12), ("PageDown", 2):
        for _ in range(times):
            page.keyboard.press(key)
    page.wait_for_url(re.compile(r"map\.word=47&map\.column=10"))
    assert page.evaluate("!!document.activeElement.closest('.tb-window')")
    page.keyboard.press("Control+End")
    page.wait_for_url(re.compile(r"map\.word=138&map\.column=128"))
    last = r"Rows 122–138 of 138, columns 11[89]–128 of 128"
    assert re.search(last, page.map.inner_text())
    page.keyboard.press("Home")
    page.wait_for_url(re.compile(r"map\.word=138&map\.column=1#|map\.column=1$"))
    page.map.get_by_role("slider", name="row").press("Home")
    assert "Rows 1–17 of 138" in page.map.inner_text()


def test_a_link_opens_a_box_a_layer_a_head_and_a_word(widget, model):
    page = widget("?map.at=5&map.layer=1&map.head=4&map.word=3#map-live")
    assert title(page) == "Multi-head self-attention, encoder"
    expected = everything(model, ENGLISH, "黑")
    A = expected["encoder.0.self_attention.weights"][3]
    assert shown(page).startswith("weights[cat, and]") and A[2].argmax() == 7
    assert read(shown(page)) == pytest.approx(A[2, 7], abs=1e-4)
    page.wait_for_url(re.compile(r"map\.view=numbers"))
    assert page.map.evaluate("map => map.getBoundingClientRect().top") < 200


def test_another_sentence_is_read_and_its_translation_with_it(widget, model):
    page = widget("?map.at=20&map.word=2")
    english = "Two dogs slept under two tables."
    page.map.locator(".tb-sentence").get_by_label("English sentence").fill(english)
    page.map.get_by_text("n = 8 tokens, <eos> at the end").wait_for()
    written = page.map.get_by_label("What the decoder reads").input_value()
    logits = everything(model, english, written)["logits"]
    assert read(shown(page)) == pytest.approx(logits[1].max(), abs=2e-4)
    page.map.get_by_label("What the decoder reads").fill("猫猫")
    page.map.get_by_text("m = 3 tokens").wait_for()
    logits = everything(model, english, "猫猫")["logits"]
    assert read(shown(page)) == pytest.approx(logits[1].max(), abs=2e-4)
    press(page, "Let the model translate")
    again = page.map.get_by_label("What the decoder reads").input_value()
    assert again == written

"""The shapes that run through the map, for any sentence and any sizes, in Chromium."""

import re

import numpy as np
import pytest

from tests.browser.maps import (
    CROSS,
    ENGLISH,
    MASKED,
    SELF,
    box,
    opened_map,
    press,
    said,
    sentence,
    title,
)
from tests.browser.widgets import each_cell, heard
from transformer_book import by_hand, data

pytestmark = pytest.mark.browser
CHINESE = "黑猫坐在沙发上，棕狗睡在地毯上。"
widget = opened_map("#map-live .tb-figure")


def sizes(text):
    """The numbers of a shape."""
    return tuple(map(int, re.findall(r"\d+", text)))


def shapes(page):
    """What the panel says: what -> shape."""
    rows = "dl => [...dl.querySelectorAll('dt')].map(t => [t.textContent, "
    rows += "t.nextElementSibling.querySelector('b').textContent])"
    found = page.map.locator(".tb-shapes").evaluate(rows)
    return {what: sizes(shape) for what, shape in found}


def all_shapes(page):
    """Step through the map from the first box; box -> its shapes."""
    found = {}
    while True:
        found[title(page)] = shapes(page)
        forward = page.map.get_by_role("button", name="One box forward")
        if forward.get_attribute("aria-disabled") == "true":
            return found
        forward.click()


def tokens(english):
    """How many: with <eos>."""
    return len(data.word_tokens(english)) + 1


def computed(english, chinese, d_model, h):
    """The shapes that by_hand gives, box -> what -> shape, with random weights."""
    n, m = tokens(english), 1 + len(chinese)
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(n, d_model)), rng.normal(size=(m, d_model))
    Ws = rng.normal(size=(4, d_model, d_model))
    found = {}
    causal = by_hand.causal_mask(m)
    uses = (SELF, X, X, None), (MASKED, Y, Y, causal), (CROSS, Y, X, None)
    for name, queries, keys, mask in uses:
        out, A = by_hand.multi_head_attention(queries, keys, keys, *Ws, h, mask=mask)
        Q, K = (by_hand.split_heads(M @ Ws[0], h).shape for M in (queries, keys))
        crossing = {"memory": X.shape, "Q": Q, "K, V": K}
        each = crossing if name == CROSS else {"Q, K, V": Q}
        found[name] = {"in": queries.shape, **each, "A": A.shape, "out": out.shape}
    return found


def attention_of(found):
    return {name: found[name] for name in (SELF, MASKED, CROSS)}


def test_at_first_its_shapes_are_those_that_the_laboratory_computes(
    widget, visit, address
):
    page, laboratory = widget(), visit(f"{address}/tour_lab.html")
    table = laboratory.locator("article table", has_text="in general")
    cells = each_cell(table.locator("tbody tr"), "c.innerText")
    of_page = {(row[0].split("\n")[0], row[1]): sizes(row[2]) for row in cells}
    by_box = {key[0]: shape for key, shape in of_page.items()}
    found = all_shapes(page)
    assert len(found) == 21 and page.map.locator("svg a").count() == 21
    batch = 1  # the page's arrays have a batch of one before the rest
    assert (batch, *found["Inputs"]["ids"]) == by_box["Inputs"]
    assert (batch, *found["Input embedding"]["out"]) == by_box["Input embedding"]
    assert found["Positional encoding"]["PE"] == by_box["Positional encoding"]
    assert (batch, *found["Addition of positions, inputs"]["out"]) == by_box["+"]
    heads = [shape for (name, _), shape in of_page.items() if "Multi-head" in name]
    assert [(batch, *found[SELF][what]) for what in ("A", "out")] == heads
    assert attention_of(found) == computed(ENGLISH, CHINESE, 512, 8)
    assert page.complaints == [] and page.foreign == []


def test_the_sentence_and_the_sizes_change_the_shapes(widget):
    page = widget()
    english, chinese = "He said: \"I can't wait, it's $3.50!\"", "我等不了。"
    sentence(page).fill(english)
    page.map.get_by_label("Chinese sentence").fill(chinese)
    for name, keys in (
        ("dmodel", ["ArrowLeft"] * 2),
        ("h, heads", ["ArrowLeft"] * 2),
        ("N, layers", ["ArrowRight"]),
    ):
        for key in keys:
            page.map.get_by_role("slider", name=name).press(key)
    below = page.map.locator(".tb-sizes .tb-slider label sub")
    assert below.all_inner_texts() == ["model"]
    assert "_" not in said(page, "sizes")
    found = all_shapes(page)
    assert attention_of(found) == computed(english, chinese, 128, 2)
    assert found["Feed-forward, encoder"]["inside"][1] == 4 * 128
    assert found["Linear"]["out"] == (1 + len(chinese), 37000)
    n, m = tokens(english), 1 + len(chinese)
    texts = page.map.locator("svg text").all_text_contents()
    assert texts.count("7×") == 2 and texts.count("N×") == 0
    labels = page.map.locator(".tb-flow > text").all_text_contents()
    assert {*map(sizes, labels)} == {(n,), (m,), (n, 128), (m, 128), (m, 37000)}
    press(page, "Reset")
    assert sentence(page).input_value() == ENGLISH
    box(page, SELF).click()
    assert shapes(page) == computed(ENGLISH, CHINESE, 512, 8)[SELF]


TEXTS = """\
One
Don't wait.
Mr. Smith isn't here, is he?
a.b.c...
'Tis what dogs' bowls are
(Cannot) pay 3,50 or 3.50: 10% off -- gonna go.
„Katze“ – «chat» ’tis
naïve café's *
It's 'so'
Wait; it said "no" "yes."
é'll we'LL WE'VE
a,b:c 1,2:3
end.)'
"""


@pytest.mark.parametrize("text", TEXTS.splitlines())
def test_tokens_are_counted_as_the_package_counts_them(text, widget):
    page = widget()
    sentence(page).fill(text)
    assert shapes(page)["ids"] == (tokens(text),)


def test_the_boxes_that_notice_a_longer_sentence_are_marked_and_told(widget):
    page = widget(reduced_motion="reduce", own=True)
    before = all_shapes(page)
    announced = page.locator(".tb-announce")
    last = announced.filter(has_text=[*before][-1])
    last.wait_for(state="attached")
    page.clock.install()
    sentence(page).fill(ENGLISH.replace("cat", "cat really just"))
    page.clock.run_for(1000)
    marked = page.map.locator("svg a.tb-touched")
    names = marked.evaluate_all("all => all.map(box => box.getAttribute('aria-label'))")
    told = announced.text_content()
    assert "n = 19, m = 17" in told
    assert all(name in told for name in names)
    assert marked.first.evaluate("box => box.getAnimations({subtree: true})") == []
    remark = page.map.locator(".tb-said")
    assert remark.inner_text().startswith(f"{len(names)} of 21 boxes have other shapes")
    page.clock.run_for(60_000)
    dashed = "box => getComputedStyle(box.querySelector('path:last-of-type')).strokeDasharray"
    assert marked.count() == len(names) and marked.first.evaluate(dashed) != "none"
    page.map.get_by_role("button", name="One box back").focus()
    for _ in range(20):
        page.keyboard.press("Enter")
    after = all_shapes(page)
    assert set(names) == {name for name in before if before[name] != after[name]}
    assert [name for name in names if "decoder" in name] == [CROSS]
    assert marked.count() == len(names)  # while the reader looks at one after the other
    page.map.get_by_role("slider", name="N, layers").press("ArrowRight")
    assert marked.count() == 0 and remark.inner_text() == ""


def test_a_sentence_without_a_word_is_refused_in_a_sentence(widget):
    page = widget()
    field = sentence(page)
    field.fill("   ")
    assert "Type at least one word" in said(page, "sizes")
    assert field.get_attribute("aria-invalid") == "true"
    assert shapes(page)["ids"] == (17,)
    heard(page, "English sentence: Type at least one word.")
    field.fill("Cats")
    assert "n = 2 tokens, with <eos> at the end" in said(page, "sizes").split("\n")
    field.fill("cat " * 75)
    assert "No more than 300 characters fit" in said(page, "sizes")
    heard(page, "No more than 300 characters fit.")
    field.fill("Cats sleep.")
    assert "Type at least one word" not in said(page, "sizes")
    assert shapes(page)["ids"] == (4,)


def test_large_shapes_do_not_lie_on_their_names(widget):
    texts = f"&map.source={'a+' * 110}&map.target={'a' * 105}"
    page = widget(f"?map.d_model=1024&map.h=16{texts}")
    box(page, CROSS).click()
    rows = page.map.locator(".tb-shapes dd").all()
    assert any("(16, 106, 111)" in row.inner_text() for row in rows)
    for row in rows:
        kinds = "b", ".tb-general"
        number, name = (row.locator(kind).bounding_box() for kind in kinds)
        beside = number["x"] + number["width"] <= name["x"]
        assert beside or number["y"] + number["height"] <= name["y"] + 1

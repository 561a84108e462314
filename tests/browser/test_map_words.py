"""What the map says of its numbers, so that none is taken for another, in Chromium."""

import re

import pytest
import torch

from tests.browser import maps
from tests.browser.maps import ENGLISH, NUMBERS, go, opened_map, said
from tests.browser.widgets import each_cell, look
from transformer_book import data

pytestmark = pytest.mark.browser
model = maps.model
WEIGHT = "map.at=5&map.layer=2&map.head=2&map.word=3&map.column=2"
widget = opened_map(NUMBERS, reduced_motion="reduce")


@pytest.fixture(scope="module")
def corpus():
    return data.load_parallel("grammar")


def press_first(page):
    page.map.locator(".tb-terms button[tabindex='0']").click()


def test_the_texts_of_the_boxes_have_the_sizes_that_are_shown(widget):
    page = widget("?map.view=numbers")
    numbers = page.map.get_by_role("radio", name="the book’s trained model: numbers")
    shapes = page.map.get_by_role("radio", name="the paper’s base model: shapes")
    for at, small, large in [
        (7, "128 numbers become 256, and these 128", "512 numbers become 2048"),
        (17, "128 numbers become 256, and these 128", "512 numbers become 2048"),
        (6, "variance 1, is multiplied by γ and has β added.", "and variance 1."),
        (20, "has 145 pieces.", "has 37,000 pieces in the paper."),
    ]:
        numbers.click()
        go(page, at=at)
        assert small in said(page, "about"), at
        shapes.click()
        assert large in said(page, "about"), at


def test_ids_and_places_are_told_from_rows(widget, corpus):
    page = widget("?map.at=2&map.word=3&map.column=5")
    cat = corpus.source_ids(ENGLISH)[2]
    assert f"for id {cat}, that of “cat”" in said(page, "how")
    assert f"Ids count from 0, so it is row {cat + 1}." in said(page, "how")
    page.map.locator(".tb-terms button").last.click()
    assert said(page, "number").startswith("E[cat, 5]")
    assert page.map.get_by_role("slider", name="row").input_value() == str(cat + 1)
    go(page, at=3, part="", word=12, column=1)
    assert "place 11. Places count from 0, so it is in row 12." in said(page, "how")
    assert page.map.get_by_role("slider", name="row").input_value() == "12"


def test_a_column_of_a_head_is_named_as_the_head_s(widget, model):
    page = widget("?map.at=5&map.layer=2&map.head=3&map.part=Q&map.word=3&map.column=5")
    assert "times column 5 of head 3’s part of WQ." in said(page, "how")
    W = model.encoder[1].self_attention.W_Q.detach()
    d_k = model.config.d_model // model.config.h
    cells = page.map.locator(".tb-terms tbody td:nth-child(3)").all_inner_texts()
    shown = [float(cell.replace("−", "-")) for cell in cells if "×" not in cell]
    found = torch.tensor(shown)
    column = W[:, 2 * d_k + 4]  # of all heads side by side
    assert len(found) > 120
    assert torch.allclose(found, column[column.abs() >= 5e-5], atol=6e-5)


def test_the_way_shows_where_one_is_and_no_two_steps_have_one_name(widget):
    page = widget(f"?{WEIGHT}", width=390, height=844, is_mobile=True)
    for _ in range(8):
        press_first(page)
    names = page.map.locator(".tb-trail li").all_inner_texts()
    assert len(names) == 9 == len(set(names))
    assert names[0].split("\n") == [
        "Multi-head self-attention, encoder, layer 2, head 2",
        "weights[cat, black]",
    ]
    trail = page.map.locator(".tb-trail").bounding_box()
    last = page.map.locator(".tb-trail [aria-current]").bounding_box()
    assert trail["x"] <= last["x"]
    assert last["x"] + last["width"] <= trail["x"] + trail["width"] + 1
    go(page, at=5, part="scores", word=6, column=9)
    assert said(page, "number").startswith("scores[the (6), the (9)]")


def test_the_term_that_a_softmax_is_about_is_marked_and_seen(widget):
    page = widget("?map.at=21&map.word=3")
    for fields in dict(at=21, word=3, column=140), dict(at=5, word=3, column=16):
        go(page, part="", **fields)
        own = page.map.locator(".tb-terms [aria-current='true']")
        assert own.count() == 1
        name = own.locator("th").inner_text()
        assert re.search(rf", {re.escape(name)}( \(\d+\))?\] = ", said(page, "number"))
        terms, row = page.map.locator(".tb-terms").bounding_box(), own.bounding_box()
        assert terms["y"] < row["y"]
        assert row["y"] + row["height"] <= terms["y"] + terms["height"]
        pressed = own.locator("button").inner_text()
        press_first(page)
        assert said(page, "number").endswith(f" = {pressed}")


def test_what_the_mask_hides_is_hatched(widget):
    page = widget("?map.at=13&map.layer=1&map.head=1&map.word=4&map.column=6")
    of_window = page.map.locator(".tb-window tbody tr")
    hatched = each_cell(of_window, "c.classList.contains('tb-hidden')")
    assert hatched == [[j > i for j in range(17)] for i in range(17)]
    assert "hatched: masked" in said(page, "window caption")
    fill = page.map.locator(".tb-window .tb-hidden").first
    assert "repeating-linear-gradient" in fill.evaluate(
        "cell => getComputedStyle(cell).getPropertyValue('--fill')"
    )
    for at in 5, 15:
        go(page, at=at)
        assert page.map.locator(".tb-window .tb-hidden").count() == 0
        assert "masked" not in said(page, "window caption")


def test_minuses_have_the_hue_of_the_figures_and_no_hatching(widget):
    page = widget("?map.at=13&map.part=scores&map.word=4&map.column=6")
    for part in "scores", "K", "out":
        go(page, at=13, part=part)
        fills = page.map.locator(".tb-window td[tabindex]").evaluate_all(
            "cells => cells.map(c => [c.textContent, c.style.getPropertyValue('--fill')])"
        )
        hues = {
            (text[0] == "−", re.search(r"--tb-(\w+)\)", f)[1])
            for text, f in fills
            if float(text.replace("−", "-"))  # of 0.0 the minus is rounded away
        }
        assert hues == {(True, "k"), (False, "q")}, part
        assert not [fill for _, fill in fills if "gradient" in fill]


def test_numbers_of_the_sentence_before_say_so(widget):
    page = widget("?map.view=numbers")
    field = page.map.locator(".tb-sentence").get_by_label("English sentence")
    whose = f"All numbers are still those of “{ENGLISH}”"
    numbers = page.map.locator(".tb-numbers")
    assert "still those" not in page.map.inner_text()
    field.fill("the cat sat. the dog slept.")
    numbers.get_by_text(whose).wait_for()
    assert whose in page.map.locator(".tb-sentence").inner_text()
    assert "n = " not in page.map.locator(".tb-sentence").inner_text()
    window = page.map.locator(".tb-window")
    assert "grayscale(1)" in look(window, "filter")
    field.fill("Two dogs slept under two tables.")
    page.map.get_by_text("n = 8 tokens").wait_for()
    assert "still those" not in page.map.inner_text()
    assert look(window, "filter") == "none"


def test_the_field_says_what_the_model_knows_and_both_views_count_alike(widget, corpus):
    page = widget("?map.view=numbers")
    own = {word.lower() for word in corpus.source_vocabulary if word[0].isalpha()}
    text = page.map.locator(".tb-sentence").inner_text()
    assert f"The model knows {len(own)} English words" in text
    assert "n = 17 tokens, <eos> at the end" in text
    inputs = page.map.locator(".tb-flow > text").first
    assert inputs.text_content() == "(17)"
    page.map.get_by_role("radio", name="the paper’s base model: shapes").click()
    assert inputs.text_content() == "(17)"
    text = page.map.locator(".tb-sizes:not(.tb-sentence)").inner_text()
    assert "n = 17 tokens, with <eos> at the end" in text


def test_a_piece_that_the_model_wrote_leads_to_its_probability(widget):
    page = widget("?map.at=10&map.word=3")
    assert said(page, "number").startswith("ids[猫, 1]")
    assert "no other piece had so large a probability after “黑”" in said(page, "how")
    pressed = page.map.locator(".tb-terms button").inner_text()
    press_first(page)
    assert said(page, "number") == f"probabilities[黑, 猫] = {pressed}"
    likely = said(page, "likely").split("\n")
    assert likely[0] == "after 黑:" and likely[1].startswith("猫")
    for fields in dict(word=1), dict(word=3, forced="黑猫"):
        go(page, at=10, column=1, **fields)
        assert page.map.locator(".tb-terms button").count() == 0
        assert "probability" not in said(page, "how")


def test_the_last_box_says_after_what_and_has_the_english_of_words(widget):
    page = widget("?map.at=21&map.word=1")
    assert said(page, "likely").startswith("after <bos>:")
    go(page, at=21, word=14)  # 黑猫坐在沙发上，棕狗睡在地 毯
    assert said(page, "likely").split("\n")[:2] == ["after …在地:", "毯rug 1.000"]
    assert page.map.locator(".tb-window tbody th").nth(13).inner_text() == "地rug"
    columns = page.map.locator(".tb-terms thead th").all_inner_texts()
    assert columns == ["logit", "e^(logit − largest)"]
    assert "power of the logit" in said(page, "how")
    row = page.map.locator(".tb-likely")
    assert row.evaluate("e => e.scrollWidth <= e.clientWidth")
    go(page, at=13, part="weights", word=4, column=2)
    columns = page.map.locator(".tb-terms thead th").all_inner_texts()
    assert columns[0] == "score" and "power of the score" in said(page, "how")


def test_a_calculator_gives_what_a_line_says(widget):
    page = widget("?map.view=numbers")
    for word in range(1, 18):
        go(page, at=2, part="out", word=word, column=word)
        line = page.map.locator(".tb-lines").inner_text()
        E, made = re.fullmatch(r"(\S+) · √128 ≈ (\S+)", line).groups()
        E, made = (float(number.replace("−", "-")) for number in (E, made))
        assert abs(E * 128**0.5 - made) <= 0.6e-4, line
    for at, part in (4, ""), (5, "scores"), (6, ""), (7, ""), (20, ""), (21, ""):
        go(page, at=at, part=part, word=3, column=2)
        lines = page.map.locator(".tb-lines").inner_text()
        assert "≈" in lines and " = " not in lines, (at, lines)
    go(page, at=7, part="ReLU", word=3, column=2)
    assert re.search(r"max\(0, \S+\) = ", page.map.locator(".tb-lines").inner_text())


def test_the_way_shows_that_it_goes_on_to_the_left(widget):
    page = widget(f"?{WEIGHT}")
    trail = page.map.locator(".tb-trail")
    fade = "getComputedStyle(document.querySelector('.tb-trail')).getPropertyValue('--tb-fade-start')"
    assert page.evaluate(fade) == "0px"
    for _ in range(6):
        press_first(page)
    page.wait_for_function(f"parseFloat({fade}) > 20")
    assert "gradient" in look(trail, "maskImage")
    trail.evaluate("e => { e.scrollLeft = 0; }")
    page.wait_for_function(f"parseFloat({fade}) === 0")


def test_on_a_phone_too_the_numbers_come_with_what_the_box_does(widget):
    page = widget("?map.view=numbers&map.at=15", width=390, height=844, is_mobile=True)
    assert page.map.get_by_text("Queries come from the Chinese side").is_visible()


def test_the_way_back_from_the_tour_s_laboratory_has_as_many_steps_as_it_says(
    visit, address
):
    page = visit(f"{address}/tour_lab.html", reduced_motion="reduce")
    assert "Five steps lead back to an id." in page.locator("article").inner_text()
    page.get_by_role("link", name="the weights of “cat”").click()
    page.wait_for_url("**/tour.html?map.*")
    page.map = page.locator("#map-live")
    page.map.locator(".tb-number").wait_for()
    assert page.map.locator(".tb-terms .tb-own th").inner_text() == "and"
    names = []
    press_first(page)
    for _ in range(4):
        names.append(said(page, "number"))
        page.map.locator(".tb-terms button").first.click()
    names.append(said(page, "number"))
    expected = ["scores[cat, and]", "Q[cat, 1]", "out[cat, 1]", "out[cat, 1]", "ids["]
    assert [n.startswith(e) for n, e in zip(names, expected)] == [True] * 5, names
    assert "stands in the vocabulary" in said(page, "how")


@pytest.mark.parametrize("width", [1280, 390])
def test_the_map_keeps_its_height_from_number_to_number(width, widget):
    page = widget("?map.at=1&map.word=2", width=width)
    height = page.map.bounding_box()["height"]
    parts = {2: ["E"], 3: [""], 5: ["", "Q"], 6: [""], 7: ["ReLU"], 10: [""]}
    parts |= {13: ["weights", "mask"], 21: [""]}
    for at, part in ((at, part) for at, those in parts.items() for part in those):
        go(page, at=at, part=part, word=4, column=6)
        assert abs(page.map.bounding_box()["height"] - height) <= 1, (at, part)


@pytest.mark.parametrize("page", ["intro.html", "tour.html"])
def test_the_drawing_is_seen_wherever_the_map_stands(page, visit, address):
    visit(f"{address}/{page}").locator("#map-live figure svg").wait_for()

"""The cache filling: a reader steps, switches it off and weighs it, in Chromium."""

import re

import pytest
import torch

from tests.browser.widgets import (
    COLOURS,
    FOCUSED,
    assert_fits,
    heard,
    height_of,
    in_looks,
    look,
    opened,
)
from transformer_book import nn
from transformer_book.train.fresh_language_model import LANGUAGE_MODEL_CHOICES

pytestmark = pytest.mark.browser
PAGE = "beyond/kv_cache.html"
TEXT = "the black cat sat on the couch and the brown dog slept".split()
PROMPT = 6
widget = opened(PAGE, ".tb-live .tb-kv li")


@pytest.fixture(scope="module")
def measured():
    """Rows of keys that a layer of the book's size computes, and bytes kept, after each pass."""
    model = nn.LanguageModel(
        nn.TransformerConfig(20, 20, **LANGUAGE_MODEL_CHOICES)
    ).eval()
    passed, ids = [], torch.randint(4, 20, (1, len(TEXT)))
    model.layers[0].self_attention.register_forward_pre_hook(
        lambda _, given: passed.append(given[0].shape[1])
    )
    caches, found = (
        {"on": nn.LanguageModelCache(LANGUAGE_MODEL_CHOICES["N"]), "off": None},
        {},
    )
    with torch.no_grad():
        for way, cache in caches.items():
            passed.clear()
            found[way] = []
            for end in range(PROMPT, len(TEXT)):
                model(ids[:, len(cache or ()) : end], cache=cache)
                kept = (
                    [x for one in cache.layers for x in (one.K, one.V)] if cache else []
                )
                weight = sum(x.nbytes for x in kept)
                found[way].append((passed[-1], sum(passed), weight))
    return found


def rows(page):
    shown = page.locator(".tb-live .tb-kv li:not([aria-hidden])")
    return [tuple(text.split("\n")) for text in shown.all_inner_texts()]


def counts(page):
    cells = page.locator(".tb-live .tb-counts tbody td").all_inner_texts()
    return {"on": tuple(map(int, cells[:2])), "off": tuple(map(int, cells[2:]))}


def kept(page):
    return page.locator(".tb-live .tb-kept-bytes").inner_text()


def forward(page):
    return page.get_by_role("button", name="On to the next pass")


def test_each_pass_counts_what_the_model_computes_and_keeps(widget, measured):
    page = widget()
    for step in range(len(TEXT) - PROMPT):
        if step:
            forward(page).click()
        n = PROMPT + step
        states = ["kept"] * n if step else ["computed"] * n
        states[-1] = "computed"
        assert rows(page) == [*zip(TEXT, states), (TEXT[n], "written")]
        assert counts(page) == {way: found[step][:2] for way, found in measured.items()}
        assert f"= {measured['on'][step][2]:,} bytes" in kept(page)
    assert forward(page).get_attribute("aria-disabled") == "true"
    assert page.complaints == [] and page.foreign == []


def test_without_the_cache_rows_are_computed_again(widget):
    page = widget("?kv_cache.step=3")
    page.get_by_role("switch", name="cache").uncheck()
    assert [state for _, state in rows(page)] == [
        *["computed again"] * 7,
        "computed",
        "written",
    ]
    assert kept(page).startswith(
        "Kept: nothing. The cache would hold 2 · 2 layers · 8 words"
    )
    bars = page.locator(".tb-live .tb-row-again .tb-bar")
    assert bars.count() == 14
    assert "repeating-linear-gradient" in look(bars.first, "backgroundImage")


def test_larger_models_and_smaller_numbers(widget):
    page = widget("?kv_cache.step=2&kv_cache.model=gpt2&kv_cache.bytes=2")
    total = 2 * 12 * 7 * 12 * 64 * 2
    sizes = "2 · 12 layers · 7 words · 12 heads · 64 numbers · 2 bytes"
    assert f"{sizes} = {total:,} bytes. Each further word adds {total // 7:,}." in kept(
        page
    )
    page.locator(".tb-live .tb-choice label", has_text="Llama-2-70B").click()
    page.locator(".tb-live .tb-choice label", has_text=re.compile("^1$")).click()
    assert f"1 byte = {2 * 80 * 7 * 8 * 128:,} bytes" in kept(page)
    page.wait_for_url(re.compile(r"kv_cache\.model=70b&kv_cache\.bytes=1"))


def test_the_address_brings_it_back(widget):
    page = widget("?from=lecture")
    forward(page).click()
    page.wait_for_url(re.compile(r"kv_cache\.step=2"))
    shared = page.url.split(PAGE)[1]
    assert shared.startswith("?from=lecture&") and "bytes" not in shared
    assert rows(widget(shared)) == rows(page)


def test_the_keyboard_does_it_all(widget):
    page = widget()
    forward(page).focus()
    page.keyboard.press("Enter")
    said = heard(page, "Pass 2 of 6, decode. Reads couch")
    assert "with the cache 1 7" in said.inner_text()
    assert forward(page).evaluate(FOCUSED)
    page.get_by_role("switch", name="cache").press("Space")
    assert ("cat", "computed again") in rows(page)
    page.get_by_role("button", name="Reset").press("Enter")
    assert ("cat", "computed") in rows(page) and len(rows(page)) == PROMPT + 1


@in_looks(1440, 390, 360)
def test_it_fits_and_follows_the_theme(width, theme, widget):
    page = widget("?kv_cache.cache=off&kv_cache.step=6", width=width, theme=theme)
    again = page.locator(".tb-row-again .tb-state").first
    assert look(again, "color") == COLOURS["red"][theme]
    heights, model = set(), page.locator(".tb-live input[value='70b']")
    back = page.get_by_role("button", name="Back one pass")
    for turn in range(8):
        targets = ".tb-live :is(button, .tb-toggle, .tb-choice label)"
        assert_fits(page, width, targets, turn)
        heights.add(height_of(page))
        if turn == 5:
            model.check(force=True)
        elif turn == 6:
            page.get_by_role("switch", name="cache").check()
        else:
            back.evaluate("b => b.click()")
    assert max(heights) - min(heights) <= 1

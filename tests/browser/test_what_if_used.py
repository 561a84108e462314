"""Parts taken from the model as a reader takes them: pressed, swapped, shared, in Chromium."""

import re

import pytest

from tests.browser import measure, what_if
from tests.browser.what_if import (
    after,
    ask,
    before,
    compared,
    odds,
    own,
    part,
    press,
    press_keys,
    said,
    settle,
    switch,
    title,
)
from tests.browser.widgets import COLOURS, assert_fits, heard, in_looks, look, tab_to
from transformer_book import nn
from transformer_lab.translations.interventions import attention_heads, sub_layer_names

pytestmark = pytest.mark.browser
widget = what_if.widget
changed = what_if.changed
names = what_if.names


def test_each_part_is_a_button_that_takes_it_away_and_puts_it_back(changed, site):
    page = changed()
    weights = next((site.parent / "model").glob("book-*.safetensors"))
    model = nn.load_weights(weights)
    pressed = own(page).locator(".tb-parts [aria-pressed=true]")
    all_parts = own(page).locator(".tb-parts button")
    attentions = len({name for name, _ in attention_heads(model)})
    assert (
        all_parts.count()
        == len(attention_heads(model)) + len(sub_layer_names(model)) + attentions
    )
    assert pressed.count() == 0 and "Nothing is taken away" in said(page)
    press(page, "decoder 2, masked self-attention, head 4")
    assert pressed.count() == 1
    page.wait_for_url(re.compile(r"what_if\.off=m2\.4#what_if-live"))
    assert pressed.inner_text() == "✕"
    press(page, "decoder 2, masked self-attention, head 4")
    assert all_parts.all_inner_texts().count("4") == attentions
    assert pressed.count() == 0 and "Nothing is taken away" in said(page)
    press(page, "encoder 1, self-attention, all heads")
    assert pressed.count() == 5  # the four, and the button of all
    press(page, "encoder 1, self-attention, head 2")
    assert pressed.count() == 3
    residuals = own(page).get_by_role("switch", name="All residual connections")
    switch(page, "All residual connections")
    assert (
        pressed.count() == 3 + len(sub_layer_names(model))
        and not residuals.is_checked()
    )
    press(page, "decoder 1, feed-forward, residual connection")
    assert pressed.count() == 2 + len(sub_layer_names(model))
    assert not residuals.is_checked()  # for they are not all there
    switch(page, "All residual connections")
    assert pressed.count() == 3 and residuals.is_checked()
    reset = part(page, "Put everything back")
    reset.click()
    settle(page)
    assert pressed.count() == 0 and before(page) == after(page)
    assert reset.get_attribute("aria-disabled") == "true"
    page.wait_for_function("!location.search")


def test_without_positions_two_swapped_words_change_nothing(changed):
    page = changed("?what_if.off=source")
    bag = after(page)
    assert bag != before(page) and compared(page) == (
        ["As it is", "After the changes"],
        ["as it is", "now"],
    )
    for word in ("cat", "dog"):
        own(page).locator(".tb-swap").get_by_role("button", name=word).click()
    settle(page)
    swapped = own(page).locator(".tb-swap [aria-pressed=true]")
    assert swapped.all_inner_texts() == ["dog", "cat"]
    assert before(page) == after(page) == bag
    assert all(was == now for was, now in odds(page).values())
    assert compared(page) == (
        ["Before the swap, with the same parts taken away", "After the swap"],
        ["before the swap", "after it"],
    )
    assert "Compared with before the swap: The translation stays the same" in said(page)
    assert "No probability of its pieces moves by 1% or more." in said(page)
    page.wait_for_url(re.compile(r"what_if\.swap=3,11"))
    switch(page, "Positions of the English words")
    assert after(page)[:2] == ["黑", "狗"] and before(page)[:2] == ["黑", "猫"]
    own(page).locator(".tb-swap").get_by_role("button", name="dog").click()
    settle(page)
    assert swapped.count() == 0 and after(page) == before(page)


def test_a_third_word_begins_another_swap_and_the_hint_says_what_is_next(changed):
    page = changed()
    hint = own(page).locator(".tb-swap .tb-where")
    words = own(page).locator(".tb-swap")
    pressed = words.locator("[aria-pressed=true]")
    assert hint.inner_text() == "Press two words to swap them:"
    words.get_by_role("button", name="cat").click()
    assert hint.inner_text() == "cat is chosen. Press the word to swap it with."
    switch(page, "Scale")
    assert pressed.all_inner_texts() == ["cat"]  # it stays chosen
    words.get_by_role("button", name="dog").click()
    settle(page)
    assert pressed.all_inner_texts() == ["dog", "cat"]
    assert "Swapped." in hint.inner_text()
    words.get_by_role("button", name="brown").click()
    settle(page)
    assert pressed.all_inner_texts() == ["brown"]
    assert hint.inner_text() == "brown is chosen. Press the word to swap it with."
    heard(page, "The words are back in their places. brown is chosen.")
    words.get_by_role("button", name="black").click()
    settle(page)
    assert pressed.all_inner_texts() == ["brown", "black"]


def test_a_word_that_was_chosen_is_not_one_of_the_next_sentence(changed):
    page = changed()
    words = own(page).locator(".tb-swap")
    words.get_by_role("button", name="cat").click()
    own(page).locator(".tb-typed").fill("Two dogs slept under two tables.")
    own(page).locator(".tb-main").click()
    words.get_by_role("button", name="tables").wait_for()
    assert words.locator("[aria-pressed=true]").count() == 0
    assert "Press two words" in words.locator(".tb-where").inner_text()


def test_the_widget_says_how_much_the_model_knows(changed, names):
    page = changed()
    words = {
        word.lower() for word in names["source"] if word.strip("<>.") == word != ""
    }
    limits = own(page).locator(".tb-what-result > .tb-where").inner_text()
    assert f"knows {len(words)} English words and one small grammar" in limits
    assert "In brackets: part of a word" in limits


def test_the_keyboard_does_it_all(widget):
    page = widget()
    own(page).locator(".tb-typed").focus()
    page.keyboard.press("Enter")
    settle(page)

    def focused():
        return page.evaluate(
            "document.activeElement.ariaLabel ?? document.activeElement.textContent"
        )

    tab_to(page, ".tb-swap button")
    press_keys(page, *["ArrowRight"] * 2, "Enter")
    heard(page, "cat is chosen")
    press_keys(page, *["ArrowRight"] * 8, "Enter")
    settle(page)
    assert after(page)[1] == "狗" and focused() == "cat"
    tab_to(page, ".tb-line button")
    press_keys(page, "End", "ArrowLeft", "Enter")
    assert "Step 16 of 17" in title(page)
    tab_to(page, ".tb-what-parts [role=switch]")
    page.keyboard.press("Space")
    settle(page)
    assert not own(page).get_by_role("switch", name="Scale").is_checked()
    tab_to(page, ".tb-parts button")
    assert focused() == "encoder 1, self-attention, head 1"
    # Over the feed-forward network, which has no heads.
    page.keyboard.press("ArrowDown")
    assert focused() == "encoder 2, self-attention, head 1"
    page.keyboard.press("End")
    assert focused() == "encoder 2, self-attention, residual connection"
    press_keys(page, "ArrowDown", "Enter")
    settle(page)
    assert focused() == "encoder 2, feed-forward, residual connection"
    assert own(page).locator(".tb-parts [aria-pressed=true]").count() == 1
    page.keyboard.press("Tab")
    assert focused() == "Put everything back"
    page.keyboard.press("Enter")
    settle(page)
    assert before(page) == after(page) and page.complaints == []


def test_a_later_press_puts_an_end_to_an_earlier_run(changed):
    page = changed()
    names = ["All residual connections", "Scale", "All residual connections"]
    for name in names:  # none is waited for
        own(page).get_by_role("switch", name=name).click()
    settle(page)
    page.wait_for_timeout(1500)
    both = before(page), after(page)
    again = changed("?what_if.off=scale")
    assert both == (before(again), after(again))


def test_the_page_comes_up_for_air_while_the_model_translates(changed):
    page = changed()
    ticks = page.evaluate("""async () => {
        const widget = document.querySelector('[data-widget=what_if]');
        [...widget.querySelectorAll('[role=switch]')].at(-1).click();
        let ticks = 0;
        while (widget.querySelector('[aria-busy=true]')) {
            ticks += 1;
            await new Promise((go) => setTimeout(go));
        }
        return ticks;
    }""")
    assert ticks >= 3


def test_an_unknown_word_is_named_and_read_as_unk(changed):
    page = changed()
    own(page).locator(".tb-typed").fill("The zibra sat on the rug.")
    assert own(page).locator(".tb-what.tb-stale").count() == 1
    ask(page, "The zibra sat on the rug.")
    assert "does not know “zibra”" in own(page).locator(".tb-notice").inner_text()
    assert "<unk>" in own(page).locator(".tb-swap").inner_text()
    assert own(page).locator(".tb-what.tb-stale").count() == 0


@in_looks(1280, 360)
def test_it_fits_and_nothing_that_is_pressed_moves(width, theme, changed):
    page = changed(width=width, theme=theme)
    targets = "[data-widget=what_if] .tb-live :is(button, .tb-toggle)"
    box = own(page).locator(".tb-live").bounding_box()  # on a desk it is wider
    tops = "e => e.getBoundingClientRect().top - e.closest('.tb-live').getBoundingClientRect().top"
    cut = """e => {
        const bottom = (one) => one.getBoundingClientRect().bottom;
        const halves = [...e.querySelectorAll('.tb-line li')].filter((one) => {
            const end = bottom(one.closest('.tb-line'));
            return one.getBoundingClientRect().top < end - 1 && bottom(one) > end + 1;
        });
        const wide = [...e.querySelectorAll('.tb-two-odds :is(th, small)')].filter(
            (one) => one.scrollWidth > one.clientWidth + 1);
        return [...halves, ...wide].map((one) => one.textContent);
    }"""
    places = {own(page).locator(".tb-parts").evaluate(tops)}
    for name in ("All residual connections", "The causal mask", "Scale"):
        switch(page, name)
        assert_fits(page, width, targets)
        inside = page.locator(f"{targets}, [data-widget=what_if] :is(th, td, p)")
        assert measure.outside(inside, box) == []
        places.add(own(page).locator(".tb-parts").evaluate(tops))
        assert own(page).evaluate(cut) == []
    assert len(places) == 1
    label = own(page).locator(".tb-toggle").first
    assert label.locator(".tb-symbol sub").inner_text() == "k"
    assert "_" not in label.inner_text()
    gone = own(page).locator(".tb-line del").first
    assert look(gone, "color") == COLOURS["red"][theme]

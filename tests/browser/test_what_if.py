"""Parts taken from the model in the page, as a reader takes them, against what PyTorch said."""

import base64
import json
import re

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

from tests.browser import measure
from tests.browser.replies import Replies
from tools.models.book_translator import ABOUT, CHANGED_SENTENCES
from transformer_book import data, nn
from transformer_lab.translations.interventions import changed as taken_from
from transformer_lab.translations.interventions import heads, sub_layers

pytestmark = pytest.mark.browser
PAGE = "transformer/looking_inside.html"
FOLLOWED, TRANSLATED = data.parallel.FOLLOWED
# All in one pass where the mask lets that be: it proves each step of greedy decoding.
STEPS = """async ([said, LONGEST]) => {
    const js = '/_static/js';
    const { loadModel } = await import(`${js}/files/load.js`);
    const { trace } = await import(`${js}/decode/trace.js`);
    const { changedSteps } = await import(`${js}/decode/changed.js`);
    const { best } = await import(`${js}/decode/greedy.js`);
    const { BOS, PAD } = await import(`${js}/files/vocabulary.js`);
    const model = await loadModel();
    const base64 = (numbers) => {
        const bytes = new Uint8Array(Float32Array.from(numbers).buffer);
        return btoa(bytes.reduce((text, byte) => text + String.fromCharCode(byte), ''));
    };
    return said.map(({ source, greedy, changes }) => {
        if (changes.causal === false) {
            const steps = [...changedSteps(model, source, changes, { maxLength: LONGEST })];
            return { taken: steps.map((one) => one.token),
                odds: base64(steps.flatMap((one) => [...one.probabilities])) };
        }
        const read = [BOS, ...greedy].slice(0, LONGEST);
        const { logits } = trace(model, source, read, changes);
        const taken = read.map((_, j) => best(logits.row(j).map((x, id) =>
            id === PAD || id === BOS ? -Infinity : x)));
        return { taken, logits: base64(logits.data) };
    });
}"""


@pytest.fixture
def numbers(site):
    """What PyTorch made of sentences with each change, and as the model is."""
    folder = site.parent / "numbers"
    plain = json.loads((folder / "translations.json").read_text("utf-8"))[
        :CHANGED_SENTENCES
    ]
    changed = json.loads((folder / "changed.json").read_text("utf-8"))
    return plain, changed, load_file(folder / "changed.safetensors")


@pytest.fixture
def names(site):
    """The tokens of both languages, by id."""
    path = site / "_static" / "model" / "vocabulary.json"
    return json.loads(path.read_text("utf-8"))


@pytest.fixture
def widget(visit, address):
    """Open the page and wait for the widget; nothing is loaded yet."""

    def open_widget(query="", page=PAGE, **options):
        found = visit(f"{address}/{page}{query}", reduced_motion="reduce", **options)
        own(found).locator(".tb-parts").wait_for()
        return found

    return open_widget


@pytest.fixture
def changed(widget):
    """The same, with the model loaded and the sentence translated both ways."""

    def open_changed(query="", **options):
        page = widget(query, **options)
        if not query:
            own(page).locator(".tb-main").click()
        settle(page)
        return page

    return open_changed


def own(page):
    """The widget: the page has another that translates."""
    return page.locator("[data-widget=what_if]")


def settle(page):
    own(page).locator("[aria-busy=false]").wait_for()


def line(page, k):
    """The pieces of a translation, marks and all."""
    return (
        own(page).locator(".tb-line").nth(k).locator(".tb-chips > *").all_inner_texts()
    )


def before(page):
    return line(page, 0)


def after(page):
    return line(page, 1)


def compared(page):
    """What the two lines are, as seen and as heard, and the columns of probabilities."""
    names = own(page).locator(".tb-lines .tb-where").all_inner_texts()
    heard = (
        own(page).locator(".tb-line").evaluate_all("all => all.map(e => e.ariaLabel)")
    )
    assert names == heard
    return names, own(page).locator(".tb-two-odds thead th").all_inner_texts()[1:]


def said(page):
    return own(page).locator(".tb-said").inner_text()


def part(page, name):
    return own(page).get_by_role("button", name=name, exact=True)


def press(page, name):
    part(page, name).click()
    settle(page)


def switch(page, name):
    own(page).get_by_role("switch", name=name).click()
    settle(page)


def odds(page):
    """What both give the pieces that are listed: {piece: (as it is, now)}."""
    rows = (
        own(page)
        .locator(".tb-two-odds tbody tr")
        .evaluate_all(
            "rows => rows.map(r => [r.querySelector('th span').textContent,"
            " ...[...r.querySelectorAll('.tb-p')].map(p => Number(p.textContent.replace('<', '')))])"
        )
    )
    return {piece: (was, now) for piece, was, now in rows}


def softmax(rows):
    e = np.exp(rows - rows.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def test_each_change_makes_of_every_sentence_what_pytorch_makes_of_it(
    visit, address, numbers
):
    plain, with_changes, logits = numbers
    page = visit(f"{address}/tour.html")
    different = 0
    for name, one in with_changes.items():
        given = [
            {"source": p["source"], "greedy": ids, "changes": one["changes"]}
            for p, ids in zip(plain, one["greedy"], strict=True)
        ]
        assert len(given) == CHANGED_SENTENCES
        for i, ours in enumerate(page.evaluate(STEPS, [given, 48])):
            expected = logits[f"{name} {i}"]
            taken = [*one["greedy"][i], data.EOS][: len(expected)]
            assert ours["taken"] == taken, (name, i)
            kind = "logits" if "logits" in ours else "odds"
            found = np.frombuffer(base64.b64decode(ours[kind]), np.float32)
            expected = expected if kind == "logits" else softmax(expected)
            assert np.abs(found.reshape(expected.shape) - expected).max() <= 1e-3
            different += one["greedy"][i] != plain[i]["greedy"]
    assert len(with_changes) == 10 and different > 150


@pytest.mark.parametrize(
    "change, off",
    [
        ("no scale", "scale"),
        ("no mask", "mask"),
        ("no positions", "source,target"),
        ("no positions of the source", "source"),
        ("no positions of the target", "target"),
        ("no residuals", "residual"),
        ("one residual", "df2.r"),
        ("one head", "m2.4"),
        ("all heads of a layer", "e1.1,e1.2,e1.3,e1.4"),
        ("several", "scale,target,e1.1"),
    ],
)
def test_the_widget_shows_what_pytorch_said_of_a_change(
    change, off, changed, numbers, names
):
    plain, with_changes, logits = numbers
    which = [0, *range(3, 6)]
    page = changed(f"?what_if.off={off}")
    for i in which:
        own(page).locator(".tb-typed").fill(plain[i]["text"])
        own(page).locator(".tb-main").click()
        settle(page)
        was = [names["target"][t] for t in [*plain[i]["greedy"], data.EOS]]
        ids = [*with_changes[change]["greedy"][i], data.EOS][: len(was) + 8]
        now = [names["target"][t] for t in ids]
        assert before(page) == was and after(page) == now
        p = softmax(logits[f"{change} {i}"].astype(np.float64))
        step = next((k for k, (a, b) in enumerate(zip(was, now)) if a != b), 0)
        own(page).locator(".tb-line button").nth(step).click()
        if f"Step {step + 1} of" not in own(page).locator(".tb-title").inner_text():
            continue  # it was shown already, and is let go
        for piece, (_, value) in odds(page).items():
            exact = p[step][names["target"].index(piece)]
            assert value == pytest.approx(exact, abs=6e-4)
    assert page.complaints == [] and page.foreign == []


def test_behind_the_step_where_they_part_both_read_the_same_beginning(
    changed, numbers, names, site
):
    plain = numbers[0][0]
    weights = next((site.parent / "model").glob("book-*.safetensors"))
    model = nn.load_weights(weights).double()
    source, ids = (
        torch.tensor([one]) for one in (plain["source"], [data.BOS, *plain["greedy"]])
    )
    with torch.inference_mode():
        was = model(source, ids)[0][0].softmax(-1)
        with taken_from(model, causal=False):
            read = [ids[:, : k + 1] for k in range(ids.shape[1])]
            now = torch.stack([model(source, one)[0][0, -1] for one in read])
    now = now.softmax(-1)
    page = changed("?what_if.off=mask")
    steps = [k for k in range(9, len(was)) if (was[k] - now[k]).abs().max() > 0.02]
    assert steps and before(page)[:8] == after(page)[:8] and before(page)[8] == "棕"
    for k in steps:
        own(page).locator(".tb-line button").nth(k).click()
        assert f"Step {k + 1} of" in own(page).locator(".tb-title").inner_text()
        for piece, values in odds(page).items():
            i = names["target"].index(piece)
            exact = was[k, i].item(), now[k, i].item()
            assert values == pytest.approx(exact, abs=6e-4)


def test_gone_and_new_pieces_are_marked_counted_and_said(changed):
    page = changed("?what_if.off=mask")
    gone = own(page).locator(".tb-line del").all_inner_texts()
    fresh = own(page).locator(".tb-line ins").all_inner_texts()
    kept = [piece for piece in after(page) if piece not in fresh]
    assert gone and fresh and len(gone) + len(kept) == len(before(page))
    counts = f"{len(gone)} of {len(before(page))} pieces are gone, {len(fresh)} is new."
    assert counts in said(page)
    step = next(
        k for k, both in enumerate(zip(before(page), after(page))) if len({*both}) > 1
    )
    assert f"At step {step + 1} the model now gives {before(page)[step]} (" in said(
        page
    )
    assert f"and writes {after(page)[step]} (" in said(page)
    was, now = odds(page)[before(page)[step]]
    percents = re.findall(r"(under 1|over 99|\d+) %", said(page))
    words = {"under 1": 0, "over 99": 100}
    for text, p in zip(percents, (now, was), strict=True):
        assert abs(float(words.get(text, text)) - 100 * p) <= 1
    status = page.get_by_role("status").filter(has_text=counts)
    status.wait_for(state="attached")
    assert own(page).locator(".tb-line button[aria-label$=', gone']").count() == len(
        gone
    )


def test_each_part_is_a_button_that_takes_it_away_and_puts_it_back(changed, site):
    page = changed()
    weights = next((site.parent / "model").glob("book-*.safetensors"))
    model = nn.load_weights(weights)
    pressed = own(page).locator(".tb-parts [aria-pressed=true]")
    all_parts = own(page).locator(".tb-parts button")
    attentions = len({name for name, _ in heads(model)})
    assert all_parts.count() == len(heads(model)) + len(sub_layers(model)) + attentions
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
    assert pressed.count() == 3 + len(sub_layers(model)) and not residuals.is_checked()
    press(page, "decoder 1, feed-forward, residual connection")
    assert pressed.count() == 2 + len(sub_layers(model))
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
    assert "No probability of its pieces moves by 1 % or more." in said(page)
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
    assert (
        pressed.all_inner_texts() == ["dog", "cat"] and "Swapped." in hint.inner_text()
    )
    words.get_by_role("button", name="brown").click()
    settle(page)
    assert pressed.all_inner_texts() == ["brown"]
    assert hint.inner_text() == "brown is chosen. Press the word to swap it with."
    page.get_by_role("status").filter(
        has_text="The words are back in their places. brown is chosen."
    ).wait_for(state="attached")
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


def test_a_sentence_on_the_page_sets_it_and_loads_the_model(widget):
    page = widget()
    own(page).locator("a.tb-poke").click()
    settle(page)
    assert "".join(after(page)) == f"{TRANSLATED}<eos>"
    most = re.search(
        r"stays the same, piece by piece. What moves most is step (\d+)", said(page)
    )
    assert f"Step {most[1]} of" in own(page).locator(".tb-title").inner_text()
    assert own(page).locator(".tb-parts [aria-pressed=true]").count() == 10
    for poke, text in [
        ("the places of the English words", "棕狗在黑地毯上"),
        ("Swap cat and dog", "No probability of its pieces moves"),
        ("the Chinese places", "stays the same, piece by piece"),
        ("the scale", "gives 悄 (quietly) under 1 % instead of 99 % and writes 地"),
        ("the mask", "and writes 觉"),
        ("residual connections", "stopped after"),
    ]:
        page.locator("a.tb-poke", has_text=poke).click()
        settle(page)
        shown = said(page) + "".join(after(page))
        assert text in shown, poke
        first = own(page).locator(".tb-typed").input_value() == FOLLOWED
        assert first == (poke != "the scale")
    assert own(page).locator(".tb-swap [aria-pressed=true]").count() == 0


@pytest.mark.parametrize(
    "lesson, off, on",
    [
        ("attention/scaling", "Scale", "The causal mask"),
        ("attention/masks", "The causal mask", "Scale"),
        ("words/positions", "Positions of the English words", "Scale"),
        ("transformer/add_and_norm", "All residual connections", "Scale"),
    ],
)
def test_a_lesson_leads_to_the_part_that_it_is_about(lesson, off, on, visit, address):
    page = visit(f"{address}/{lesson}.html", reduced_motion="reduce")
    page.locator("a.tb-poke[href*=what_if]").click()
    page.wait_for_url(re.compile(r"looking_inside\.html\?what_if\.off="))
    switches = own(page).get_by_role("switch")
    switches.first.wait_for()
    assert not own(page).get_by_role("switch", name=off).is_checked()
    assert own(page).get_by_role("switch", name=on).is_checked()
    settle(page)  # the model comes of itself
    assert "Nothing is taken away" not in said(page)
    page.wait_for_function(
        "scrollY > 0 && document.querySelector('[data-widget=what_if] .tb-main')"
        ".getBoundingClientRect().top >= 0"
    )
    if "scaling" in lesson:
        assert "gives 悄 (quietly) under 1 % instead of 99 %" in said(page)


def test_who_comes_without_a_change_loads_no_model(widget):
    page = widget()
    page.wait_for_load_state("networkidle")
    names = "performance.getEntriesByType('resource').map(one => one.name)"
    assert not any("model.safetensors" in name for name in page.evaluate(names))
    assert own(page).locator(".tb-main").inner_text().startswith("Load the model")


def test_the_widget_says_how_much_the_model_knows(changed, names):
    page = changed()
    words = {
        word.lower() for word in names["source"] if word.strip("<>.") == word != ""
    }
    limits = own(page).locator(".tb-what-result > .tb-where").inner_text()
    assert f"knows {len(words)} English words and one small grammar" in limits
    assert "In brackets: part of a word" in limits


def test_the_address_keeps_all_of_it(changed):
    query = (
        "?what_if.sentence=Two+dogs+slept+under+two+tables.&what_if.off=scale,c2.1,e1.r"
    )
    page = changed(query + "&what_if.swap=2,6&what_if.step=4")
    assert (
        own(page).locator(".tb-typed").input_value()
        == "Two dogs slept under two tables."
    )
    assert (
        part(page, "decoder 2, cross-attention, head 1").get_attribute("aria-pressed")
        == "true"
    )
    assert own(page).locator(".tb-parts [aria-pressed=true]").count() == 2
    assert not own(page).get_by_role("switch", name="Scale").is_checked()
    assert own(page).locator(".tb-swap [aria-pressed=true]").all_inner_texts() == [
        "tables",
        "dogs",
    ]
    assert "Step 4 of" in own(page).locator(".tb-title").inner_text()
    own(page).locator(".tb-ready button").first.click()
    settle(page)
    page.wait_for_url(
        re.compile(r"\?what_if\.off=scale,e1\.r,c2\.1#")
    )  # the parts stay away


@pytest.mark.parametrize(
    "query",
    ["off=e9.1", "off=e1.5", "off=x", "swap=1", "swap=2,2", "swap=3,99", "step=x"],
)
def test_what_the_model_has_not_is_no_state(query, widget):
    page = widget(f"?what_if.{query}")
    own(page).locator(".tb-main").click()
    settle(page)
    assert before(page) == after(page) and page.complaints == []
    pressed = own(page).locator(":is(.tb-parts, .tb-swap) [aria-pressed=true]")
    assert pressed.count() == 0


def test_the_keyboard_does_it_all(widget):
    page = widget()
    own(page).locator(".tb-typed").focus()
    page.keyboard.press("Enter")
    settle(page)

    def tab_to(inside):
        for _ in range(40):
            page.keyboard.press("Tab")
            if page.evaluate(f"document.activeElement.matches(`{inside}`)"):
                return
        raise AssertionError(inside)

    def focused():
        return page.evaluate(
            "document.activeElement.ariaLabel ?? document.activeElement.textContent"
        )

    tab_to(".tb-swap button")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.get_by_role("status").filter(has_text="cat is chosen").wait_for(
        state="attached"
    )
    for _ in range(8):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    settle(page)
    assert after(page)[1] == "狗" and focused() == "cat"
    tab_to(".tb-line button")
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    assert "Step 16 of 17" in own(page).locator(".tb-title").inner_text()
    tab_to(".tb-what-parts [role=switch]")
    page.keyboard.press("Space")
    settle(page)
    assert not own(page).get_by_role("switch", name="Scale").is_checked()
    tab_to(".tb-parts button")
    assert focused() == "encoder 1, self-attention, head 1"
    page.keyboard.press(
        "ArrowDown"
    )  # over the feed-forward network, which has no heads
    assert focused() == "encoder 2, self-attention, head 1"
    page.keyboard.press("End")
    assert focused() == "encoder 2, self-attention, residual connection"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
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
    own(page).locator(".tb-main").click()
    settle(page)
    assert "does not know “zibra”" in own(page).locator(".tb-notice").inner_text()
    assert "<unk>" in own(page).locator(".tb-swap").inner_text()
    assert own(page).locator(".tb-what.tb-stale").count() == 0


@pytest.mark.parametrize(
    "answer, sentence", [(404, "no trained model"), (503, "is answered with 503")]
)
def test_where_the_model_is_missing_a_sentence_says_so(answer, sentence, widget):
    page = widget()
    replies = Replies(page, "**/model.safetensors", {"status": answer})
    part(page, "encoder 1, self-attention, all heads").click()
    own(page).locator(".tb-notice").filter(has_text=sentence).wait_for()
    assert not own(page).locator(".tb-what-result").is_visible()
    replies.answer = None
    own(page).locator(".tb-main").click()
    settle(page)
    assert "".join(after(page)) == f"{TRANSLATED}<eos>"


def test_where_the_site_has_no_model_the_page_says_so(visit, address):
    page = visit("about:blank")
    Replies(page, f"**/model/{ABOUT}", {"status": 404})
    page.goto(f"{address}/{PAGE}")
    lost = own(page).locator(".tb-lost")
    lost.wait_for(state="visible")
    assert "no trained model" in lost.inner_text()


@pytest.mark.parametrize("width", [1280, 360])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_fits_and_nothing_that_is_pressed_moves(width, theme, changed):
    page = changed(width=width, theme=theme)
    targets = "[data-widget=what_if] .tb-live :is(button, .tb-toggle)"
    box = own(page).bounding_box()
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
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert measure.small(page.locator(targets)) == []
        assert (
            measure.outside(
                page.locator(f"{targets}, [data-widget=what_if] :is(th, td, p)"), box
            )
            == []
        )
        places.add(own(page).locator(".tb-parts").evaluate(tops))
        assert own(page).evaluate(cut) == []
    assert len(places) == 1
    label = own(page).locator(".tb-toggle").first
    assert (
        label.locator(".tb-symbol sub").inner_text() == "k"
        and "_" not in label.inner_text()
    )
    wrong = {"light": "rgb(196, 35, 59)", "dark": "rgb(255, 138, 148)"}[theme]
    colour = (
        own(page)
        .locator(".tb-line del")
        .first.evaluate("e => getComputedStyle(e).color")
    )
    assert colour == wrong


def test_both_widgets_of_the_page_live_beside_each_other(changed):
    page = changed()
    page.locator("[data-widget=translator] .tb-main").click()
    page.locator("[data-widget=translator] .tb-odds li").first.wait_for()
    ids = page.evaluate("[...document.querySelectorAll('[id^=tb-]')].map(e => e.id)")
    assert len(ids) == len({*ids}) > 3
    assert page.complaints == []

"""The map's numbers: each box's own in the trained model, and what made each, in Chromium."""

import re

import numpy as np
import pytest

from tests.browser import measure
from tests.browser.replies import Replies
from tests.browser.survey import violations
from tests.traced import traced
from transformer_book import data, nn

pytestmark = pytest.mark.browser
PAGE = "intro.html"
ENGLISH = "The black cat sat on the couch and the brown dog slept on the rug."
LAYER, HEAD = 1, 2  # from 0
ENCODER, DECODER = f"encoder.{LAYER}", f"decoder.{LAYER}"
NUMBER = re.compile(r"−?\d+(?:\.\d+)?(?: × 10⁻[⁰¹²³⁴⁵⁶⁷⁸⁹]+)?$")
RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")


def attention(name, reads, memory=None):
    own = {"in": reads, **({"memory": memory} if memory else {})}
    made = ("Q", "K", "V", "scores", "weights", "Z")
    own |= {part: f"{name}.{part}" for part in made}
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
OPEN = "?map.view=numbers"


@pytest.fixture(scope="module")
def model(site):
    """The book's own model as the site ships it, in PyTorch."""
    return nn.load_weights(site / "_static" / "model" / "model.safetensors").eval()


@pytest.fixture
def widget(visit, address):
    """Open the page, with this behind its address, and wait until the numbers stand."""

    def open_widget(query=OPEN, wait=True, page=PAGE, **options):
        page = visit(f"{address}/{page}{query}", **options)
        page.map = page.locator("#map-live")
        page.map.locator(".tb-panel").wait_for()
        if wait:
            page.map.locator(".tb-number").wait_for()
        return page

    return open_widget


def go(page, **fields):
    """Set the map as a link of the page would."""
    query = "&".join(f"map.{key}={value}" for key, value in fields.items())
    page.evaluate(
        "async q => (await import('/_static/js/kit/state.js')).follow(q)", f"?{query}"
    )


def read(text):
    """The number at the end of a text."""
    found = NUMBER.search(text)[0].replace("−", "-")
    if "×" in found:
        digits, power = found.split(" × 10⁻")
        return float(digits) * 10.0 ** -int(power.translate(RAISED))
    return float(found)


def shown(page):
    return page.map.locator(".tb-number").inner_text()


def title(page):
    return page.map.locator(".tb-panel .tb-title").inner_text()


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
    page = widget()
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
            assert text.startswith(f"{part}["), (at, part, text)
            assert read(text) == pytest.approx(M[i, j], abs=1e-4), (at, part)
            cells = page.map.locator(".tb-window td[tabindex='0']")
            assert cells.count() == 1
            assert read(cells.inner_text()) == pytest.approx(M[i, j], abs=0.0051)
    assert page.complaints == [] and page.foreign == []


def test_the_projections_and_the_mask_are_the_model_s(widget, model):
    page = widget()
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
    assert "The mask hides it" in page.map.locator(".tb-how").inner_text()


def test_a_number_s_last_line_is_the_number(widget):
    """What the lines compute of the terms is what the model made."""
    page = widget()
    seen = set()
    for at, parts in enumerate(BOXES, 1):
        for part in parts:
            go(page, at=at, layer=2, head=2, part=part, word=3, column=5)
            lines = page.map.locator(".tb-lines span").all_inner_texts()
            if lines:
                made = re.split(" [=≈] ", lines[-1])[-1]
                assert made == shown(page).split(" = ")[-1], (at, part)
                how = page.map.locator(".tb-how").inner_text().split()
                seen.add(" ".join(how[:4]))
    assert len(seen) >= 5


def test_the_sum_of_the_terms_is_the_number(widget):
    page = widget()
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
        if "stands in the vocabulary" in page.map.locator(".tb-how").inner_text():
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
    page.wait_for_url(re.compile(r"map\.word=29&map\.column=10"))
    assert page.evaluate("!!document.activeElement.closest('.tb-window')")
    page.keyboard.press("Control+End")
    page.wait_for_url(re.compile(r"map\.word=138&map\.column=128"))
    assert "Rows 131–138 of 138, columns 123–128 of 128" in page.map.inner_text()
    page.keyboard.press("Home")
    page.wait_for_url(re.compile(r"map\.word=138&map\.column=1#|map\.column=1$"))
    page.map.get_by_role("slider", name="row").press("Home")
    assert "Rows 1–8 of 138" in page.map.inner_text()


def test_a_link_opens_a_box_a_layer_a_head_and_a_word(widget, model):
    page = widget("?map.at=5&map.layer=1&map.head=2&map.word=3#map-live")
    assert title(page) == "Multi-head self-attention, encoder"
    expected = everything(model, ENGLISH, "黑")
    A = expected["encoder.0.self_attention.weights"][1]
    assert shown(page).startswith("weights[cat, black]") and A[2].argmax() == 1
    assert read(shown(page)) == pytest.approx(A[2, 1], abs=1e-4)
    page.wait_for_url(re.compile(r"map\.view=numbers"))
    assert page.map.evaluate("map => map.getBoundingClientRect().top") < 200


def test_nothing_of_the_model_comes_before_it_is_asked_for(visit, address):
    page, asked = visit(f"{address}/{PAGE}"), []
    page.on("request", lambda request: asked.append(request.url.rsplit("/", 1)[-1]))
    page.reload(wait_until="load")
    button = page.locator("#map-live").get_by_role("button", name="Show its numbers (")
    button.wait_for()
    assert re.search(r"\(1\.\d MB\)", button.inner_text())
    late = ("model.safetensors", "live.js", "trace.js")
    assert not [name for name in asked if name.startswith(late)]
    button.click()
    page.locator("#map-live .tb-number").wait_for()
    assert "model.safetensors" in asked


def test_the_switch_leads_back_to_the_paper_s_shapes(widget):
    page = widget()
    assert "(17, 128)" in page.map.locator("svg").text_content()
    page.map.get_by_role("radio", name="the paper’s base model: shapes").click()
    assert not page.map.locator(".tb-numbers").is_visible()
    assert "(17, 512)" in page.map.locator("svg").text_content()
    assert page.map.get_by_role("slider", name="h, heads").is_visible()
    page.map.get_by_role("radio", name="the book’s trained model: numbers").click()
    assert page.map.locator(".tb-numbers").is_visible()


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
    page.map.get_by_role("button", name="Let the model translate").click()
    again = page.map.get_by_label("What the decoder reads").input_value()
    assert again == written


def test_a_word_that_the_model_does_not_know_is_named_with_a_near_one(widget):
    page = widget()
    field = page.map.locator(".tb-sentence").get_by_label("English sentence")
    field.fill("The blakc cat sat on the rug.")
    notice = page.map.locator(".tb-sentence .tb-notice")
    notice.get_by_text("The model does not know “blakc”").wait_for()
    page.map.get_by_role("button", name="Take “black”").click()
    assert field.input_value() == "The black cat sat on the rug."
    assert notice.inner_text() == ""
    for text, sentence in [
        ("", "Type at least one word."),
        ("The cat sat. The dog sat.", "one sentence at a time"),
        ("the cat " * 17, "has 34 tokens, and at most 32"),
    ]:
        field.fill(text)
        notice.get_by_text(sentence).wait_for()
        assert field.get_attribute("aria-invalid") == "true"
        assert page.map.locator(".tb-number").is_visible()
    page.map.get_by_label("What the decoder reads").fill("黑龙")
    field.fill("The black cat sat on the rug.")
    notice.get_by_text("The model does not know 龙").wait_for()


@pytest.mark.parametrize("missing", ["model.safetensors", "about.json", "live.js"])
def test_where_the_model_is_missing_the_shapes_stay_and_a_sentence_says_so(
    missing, visit, address
):
    page = visit("about:blank")
    replies = Replies(page, f"**/{missing}", {"status": 404})
    page.goto(f"{address}/{PAGE}")
    live = page.locator("#map-live")
    live.get_by_role("button", name="Show its numbers").click()
    said = live.locator(".tb-said.tb-wrong")
    said.get_by_text("The numbers cannot be shown; the shapes stay.").wait_for()
    assert "(17, 512)" in live.locator("svg").text_content()
    assert live.locator(".tb-shapes").is_visible()
    shapes = live.get_by_role("radio", name="the paper’s base model: shapes")
    assert shapes.is_checked()
    replies.answer = None
    if missing != "live.js":  # of a module a browser remembers that it failed
        live.get_by_role("button", name="Show its numbers").click()
        live.locator(".tb-number").wait_for()


def test_it_plays_at_the_speed_that_is_chosen_and_brings_its_box_into_view(
    visit, address
):
    page = visit(f"{address}/{PAGE}", own=True, reduced_motion="reduce", height=500)
    live = page.locator("#map-live")
    count = live.locator(".tb-player .tb-count")
    count.wait_for()
    page.clock.install()
    live.get_by_label("Speed").select_option("2")
    live.get_by_role("button", name="Play").click()
    assert count.inner_text() == "2 of 21"
    for at in range(3, 9):
        page.clock.run_for(2000)
        assert count.inner_text() == f"{at} of 21"
        place = live.locator("svg a[aria-current]").bounding_box()
        assert place["y"] > 0 and place["y"] + place["height"] < 500
    live.get_by_label("Speed").select_option("0.5")
    at = int(count.inner_text().split()[0])
    page.clock.run_for(7000)
    assert count.inner_text() == f"{at} of 21"
    page.clock.run_for(1100)
    assert count.inner_text() == f"{at + 1} of 21"
    live.locator(".tb-panel .tb-title").click()  # any interaction pauses
    page.clock.run_for(20000)
    assert count.inner_text() == f"{at + 1} of 21"


@pytest.mark.parametrize("width", [1280, 390, 360])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_fits_and_nothing_moves_from_box_to_box(width, theme, widget):
    page = widget("?map.at=1&map.word=2", width=width, theme=theme)
    top = "e => e.getBoundingClientRect().top + scrollY"
    window = page.map.locator(".tb-window")
    height = window.evaluate(top)
    for at in range(1, 22):
        go(page, at=at, column=0, part="")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert abs(window.evaluate(top) - height) <= 1, title(page)
    targets = page.map.locator(".tb-live :is(button, input, textarea, select)")
    assert measure.small(targets) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_has_nothing_to_say(theme, widget):
    page = widget("?map.at=15&map.layer=2&map.head=2&map.word=3", theme=theme)
    assert violations(page, theme) == []
    go(page, at=21)
    assert violations(page, theme) == []


def test_screen_readers_hear_where_a_number_stands(widget):
    page = widget()
    go(page, at=5, head=2, word=3)
    said = page.get_by_role("status")
    text = "Multi-head self-attention, encoder: weights[cat, black] = "
    said.filter(has_text=text).wait_for(state="attached")


@pytest.mark.parametrize(
    "lesson, box, number",
    [
        ("words/fusion", "Addition of positions, inputs", "out[cat, 1]"),
        ("attention/eight_steps", "Multi-head self-attention, encoder", "Q[cat, 1]"),
        (
            "attention/heads",
            "Multi-head self-attention, encoder",
            "weights[cat, black]",
        ),
        (
            "attention/masks",
            "Masked multi-head self-attention, decoder",
            "weights[坐, ",
        ),
        (
            "attention/cross_attention",
            "Multi-head cross-attention, decoder",
            "weights[猫, ",
        ),
        (
            "transformer/add_and_norm",
            "Add & norm, encoder, after self-attention",
            "out[cat, 1]",
        ),
        ("transformer/feed_forward", "Feed-forward, encoder", "ReLU[cat, 1]"),
    ],
)
def test_a_lesson_leads_to_its_numbers(lesson, box, number, visit, address):
    page = visit(f"{address}/{lesson}.html")
    page.locator("article a[href*='intro.html?map.']").click()
    page.map = page.locator("#map-live")
    page.map.locator(".tb-number").wait_for()
    assert title(page) == box and shown(page).startswith(number)
    if lesson == "attention/masks":
        assert "The mask hides it" in page.map.locator(".tb-how").inner_text()
    assert page.complaints == []


def test_on_the_tour_the_translator_s_model_serves_the_map_too(visit, address):
    page, asked = visit(f"{address}/tour.html"), []
    page.on("request", lambda request: asked.append(request.url.rsplit("/", 1)[-1]))
    page.get_by_role("button", name="Load the model").click()
    page.locator("#translator-live .tb-desk:not(:empty)").wait_for()
    page.map = page.locator("#map-live")
    page.get_by_role("link", name="the weights of “cat”").click()
    page.map.locator(".tb-number").wait_for()
    assert shown(page).startswith("weights[cat, black]")
    assert asked.count("model.safetensors") == 1
    assert page.complaints == []

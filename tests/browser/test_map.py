"""The map of the first page: shapes run through the architecture, boxes open, in Chromium."""

import re

import numpy as np
import pytest

from tests.browser import measure
from transformer_book import by_hand, data

pytestmark = pytest.mark.browser
PAGE = "intro.html"
ENGLISH = "The black cat sat on the couch and the brown dog slept on the rug."
CHINESE = "黑猫坐在沙发上，棕狗睡在地毯上。"
SELF, CROSS = (
    "Multi-head self-attention, encoder",
    "Multi-head cross-attention, decoder",
)
MASKED = "Masked multi-head self-attention, decoder"


@pytest.fixture
def widget(visit, address):
    """Open the page, with this behind its address, and wait until page.map is alive."""

    def open_widget(query="", **options):
        page = visit(f"{address}/{PAGE}{query}", **options)
        page.map = page.locator("#map-live")
        page.map.locator(".tb-figure").wait_for()
        return page

    return open_widget


def box(page, name):
    return page.map.locator(f"svg a[aria-label='{name}']")


def new_tab(page, browser, end):
    """The id of a tab whose address ends like this, as soon as the browser has it."""
    for _ in range(600):
        for target in browser.send("Target.getTargets")["targetInfos"]:
            if target["url"].endswith(end):
                return target["targetId"]
        page.wait_for_timeout(50)
    raise AssertionError(f"the browser has opened no tab of {end}")


def shapes(page):
    """What the panel says: what -> shape."""
    rows = "dl => [...dl.querySelectorAll('dt')].map(t => [t.textContent, "
    rows += "t.nextElementSibling.querySelector('b').textContent])"
    found = page.map.locator(".tb-shapes").evaluate(rows)
    return {what: tuple(map(int, re.findall(r"\d+", shape))) for what, shape in found}


def all_shapes(page):
    """Step through the map from the first box; box -> its shapes."""
    found = {}
    while True:
        found[page.map.locator(".tb-panel .tb-title").inner_text()] = shapes(page)
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
    for name, queries, keys, mask in (
        (SELF, X, X, None),
        (MASKED, Y, Y, by_hand.causal_mask(m)),
        (CROSS, Y, X, None),
    ):
        out, A = by_hand.multi_head_attention(queries, keys, keys, *Ws, h, mask=mask)
        Q, K = (by_hand.split_heads(M @ Ws[0], h) for M in (queries, keys))
        each = (
            {"Q": Q.shape, "K, V": K.shape} if name == CROSS else {"Q, K, V": Q.shape}
        )
        memory = {"memory": X.shape} if name == CROSS else {}
        found[name] = {
            "in": queries.shape,
            **memory,
            **each,
            "A": A.shape,
            "out": out.shape,
        }
    return found


def attention_of(found):
    return {name: found[name] for name in (SELF, MASKED, CROSS)}


def test_at_first_its_shapes_are_those_that_the_laboratory_computes(
    widget, visit, address
):
    page, laboratory = widget(), visit(f"{address}/tour_lab.html")
    table = laboratory.locator("article table", has_text="in general").locator(
        "tbody tr"
    )
    cells = [row.locator("td").all_inner_texts() for row in table.all()]
    of_page = {
        (row[0].split("\n")[0], row[1]): tuple(map(int, re.findall(r"\d+", row[2])))
        for row in cells
    }
    by_box = {key[0]: shape for key, shape in of_page.items()}
    found = all_shapes(page)
    assert len(found) == 21 and page.map.locator("svg a").count() == 21
    batch = 1  # the page's arrays have a batch of one before the rest
    assert (batch, *found["Inputs"]["ids"]) == by_box["Inputs"]
    assert (batch, *found["Input embedding"]["out"]) == by_box["Input embedding"]
    assert found["Positional encoding"]["PE"] == by_box["Positional encoding"]
    assert (batch, *found["Addition of positions, inputs"]["out"]) == by_box["+"]
    attention = [
        shape for (name, _), shape in of_page.items() if name.startswith("Multi-head")
    ]
    assert [(batch, *found[SELF][what]) for what in ("A", "out")] == attention
    assert attention_of(found) == computed(ENGLISH, CHINESE, 512, 8)
    assert page.complaints == [] and page.foreign == []


def test_the_sentence_and_the_sizes_change_the_shapes(widget):
    page = widget()
    english, chinese = "He said: \"I can't wait, it's $3.50!\"", "我等不了。"
    page.map.get_by_label("English sentence").fill(english)
    page.map.get_by_label("Chinese sentence").fill(chinese)
    for name, key, times in (
        ("dmodel", "ArrowLeft", 2),
        ("h, heads", "ArrowLeft", 2),
        ("N, layers", "ArrowRight", 1),
    ):
        slider = page.map.get_by_role("slider", name=name)
        for _ in range(times):
            slider.press(key)
    below = page.map.locator(".tb-sizes .tb-slider label sub")
    assert below.all_inner_texts() == ["model"]
    assert "_" not in page.map.locator(".tb-sizes").inner_text()
    found = all_shapes(page)
    assert attention_of(found) == computed(english, chinese, 128, 2)
    assert found["Feed-forward, encoder"]["inside"][1] == 4 * 128
    assert found["Linear"]["out"] == (1 + len(chinese), 37000)
    n, m = tokens(english), 1 + len(chinese)
    texts = page.map.locator("svg text").all_text_contents()
    assert texts.count("7×") == 2 and texts.count("N×") == 0
    labels = page.map.locator(".tb-flow > text").all_text_contents()
    assert {tuple(map(int, re.findall(r"\d+", label))) for label in labels} == {
        (n,),
        (m,),
        (n, 128),
        (m, 128),
        (m, 37000),
    }
    page.map.get_by_role("button", name="Reset").click()
    assert page.map.get_by_label("English sentence").input_value() == ENGLISH
    box(page, SELF).click()
    assert shapes(page) == computed(ENGLISH, CHINESE, 512, 8)[SELF]


@pytest.mark.parametrize(
    "text",
    [
        "One",
        "Don't wait.",
        "Mr. Smith isn't here, is he?",
        "a.b.c...",
        "'Tis what dogs' bowls are",
        "(Cannot) pay 3,50 or 3.50: 10% off -- gonna go.",
        "„Katze“ – «chat» ’tis",
        "naïve café's *",
        "It's 'so'",
        'Wait; it said "no" "yes."',
        "é'll we'LL WE'VE",
        "a,b:c 1,2:3",
        "end.)'",
    ],
)
def test_tokens_are_counted_as_the_package_counts_them(text, widget):
    page = widget()
    page.map.get_by_label("English sentence").fill(text)
    assert shapes(page)["ids"] == (tokens(text),)


def test_the_boxes_that_notice_a_longer_sentence_are_marked_and_told(widget):
    page = widget(reduced_motion="reduce", own=True)
    before = all_shapes(page)
    said = page.locator(".tb-announce")
    said.filter(has_text=[*before][-1]).wait_for(state="attached")  # the last step's
    page.clock.install()
    page.map.get_by_label("English sentence").fill(
        ENGLISH.replace("cat", "cat really just")
    )
    page.clock.run_for(1000)
    marked = page.map.locator("svg a.tb-touched")
    names = marked.evaluate_all(
        "boxes => boxes.map(box => box.getAttribute('aria-label'))"
    )
    said = page.locator(".tb-announce").text_content()
    assert "n = 19, m = 17" in said
    assert all(name in said for name in names)
    assert (
        marked.first.evaluate("box => box.getAnimations({subtree: true}).length") == 0
    )
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
    field = page.map.get_by_label("English sentence")
    field.fill("   ")
    assert "Type at least one word" in page.map.locator(".tb-sizes").inner_text()
    assert field.get_attribute("aria-invalid") == "true"
    assert shapes(page)["ids"] == (17,)
    said = page.get_by_role("status")
    said.filter(has_text="English sentence: Type at least one word.").wait_for(
        state="attached"
    )
    field.fill("Cats")
    said_of = page.map.locator(".tb-sizes").inner_text().split("\n")
    assert "n = 2 tokens, with <eos> at the end" in said_of
    field.fill("cat " * 75)
    assert (
        "No more than 300 characters fit" in page.map.locator(".tb-sizes").inner_text()
    )
    said.filter(has_text="No more than 300 characters fit.").wait_for(state="attached")
    field.fill("Cats sleep.")
    assert "Type at least one word" not in page.map.locator(".tb-sizes").inner_text()
    assert shapes(page)["ids"] == (4,)


def test_large_shapes_do_not_lie_on_their_names(widget):
    page = widget(
        "?map.d_model=1024&map.h=16&map.source="
        + "a+" * 110
        + "&map.target="
        + "a" * 105
    )
    box(page, "Multi-head cross-attention, decoder").click()
    rows = page.map.locator(".tb-shapes dd").all()
    assert any("(16, 106, 111)" in row.inner_text() for row in rows)
    for row in rows:
        number, name = (
            row.locator(kind).bounding_box() for kind in ("b", ".tb-general")
        )
        beside = number["x"] + number["width"] <= name["x"]
        assert beside or number["y"] + number["height"] <= name["y"] + 1


def test_a_box_opens_and_then_leads_to_its_chapter(widget):
    page = widget()
    box(page, CROSS).click()
    assert page.url.split("?")[0].endswith(PAGE)
    assert page.map.locator(".tb-panel .tb-title").inner_text() == CROSS
    assert (
        "Queries come from the Chinese side"
        in page.map.locator(".tb-about").inner_text()
    )
    link = page.map.get_by_role("link", name="Read its chapter")
    assert link.get_attribute("href") == "attention/cross_attention.html"
    assert box(page, CROSS).get_attribute("aria-current") == "step"
    assert page.map.locator("svg [aria-current]").count() == 1
    with page.expect_request("**/attention/cross_attention.html"):
        link.click()


def test_only_its_link_leads_away_from_an_open_box(widget):
    page = widget()
    box(page, CROSS).dblclick()
    page.keyboard.press("Enter")  # the box has the focus
    page.wait_for_timeout(500)
    assert page.url.split("?")[0].endswith(PAGE)
    assert page.map.locator(".tb-panel .tb-title").inner_text() == CROSS
    # Not expect_page: of a tab that the browser opens, a busy Playwright may never hear.
    browser = page.context.browser.new_browser_cdp_session()
    box(page, CROSS).click(modifiers=["ControlOrMeta"])
    tab = new_tab(page, browser, "/attention/cross_attention.html")
    browser.send("Target.closeTarget", {"targetId": tab})


def test_the_keyboard_does_it_all(widget):
    page = widget()
    box(page, "Softmax").focus()
    focused = "document.activeElement"
    assert page.evaluate(f"getComputedStyle({focused}).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    assert page.map.locator(".tb-panel .tb-title").inner_text() == "Softmax"
    said = page.get_by_role("status").filter(has_text="Softmax: in (17, 37000)")
    said.wait_for(state="attached")
    page.keyboard.press("Tab")  # from the last box to the buttons
    assert page.evaluate(f"{focused}.title") == "One box back"
    page.keyboard.press("Enter")
    assert page.map.locator(".tb-panel .tb-title").inner_text() == "Linear"
    with page.expect_request("**/transformer/stacks.html"):
        page.map.get_by_role("link", name="Read its chapter").press("Enter")


def test_it_plays_from_the_bottom_up_and_pauses(widget):
    page = widget("?map.at=19", own=True)
    page.clock.install()
    count = page.map.locator(".tb-player .tb-count")
    page.map.get_by_role("button", name="Play").click()
    assert count.inner_text() == "20 of 21"  # at once
    page.clock.run_for(3500)  # time to read
    assert count.inner_text() == "20 of 21"
    page.map.get_by_role("button", name="Pause").click()
    page.clock.run_for(5000)
    assert count.inner_text() == "20 of 21"
    page.map.get_by_role("button", name="Play").click()
    assert count.inner_text() == "21 of 21"
    page.map.get_by_role(
        "button", name="Play"
    ).click()  # at the top: begins at the bottom
    assert page.map.locator(".tb-player .tb-count").inner_text() == "1 of 21"
    assert page.complaints == []


def test_what_runs_arrives_where_the_box_is(widget):
    page = widget("?map.at=14")
    page.map.get_by_role("button", name="One box forward").click()
    moving = "document.querySelector('#map-live .tb-flow').getAnimations({subtree: true}).length"
    assert (
        page.evaluate(moving) == 3
    )  # what is written, its shapes, and the encoder's result
    chip = page.map.locator(".tb-chip")
    on_the_way = chip.bounding_box()
    page.wait_for_function(f"{moving} === 0")
    assert chip.bounding_box() == on_the_way  # it covers no names on the way
    dots = page.map.locator(".tb-flow .tb-dot")
    place, first, second = (
        one.bounding_box() for one in (box(page, CROSS), *dots.all())
    )
    centre = [
        (dot["x"] + dot["width"] / 2, dot["y"] + dot["height"] / 2)
        for dot in (first, second)
    ]
    assert abs(centre[0][1] - place["y"]) < 2
    assert abs(centre[1][0] - place["x"]) < 2
    assert place["y"] < centre[1][1] < place["y"] + place["height"]
    chip = page.map.locator(".tb-chip + text").text_content()
    assert tuple(map(int, re.findall(r"\d+", chip))) == shapes(page)["out"]


COVERED = """chip => {
    const own = chip.getBoundingClientRect();
    const others = ":is(a:not([aria-current]), text, path[style*='--tb-k'], path[style*='--tb-v'])";
    return [...chip.ownerSVGElement.querySelectorAll(others)].filter(one => {
        const r = one.getBoundingClientRect();
        return one !== chip.nextSibling && getComputedStyle(one).visibility === "visible"
            && Math.min(r.right, own.right) - Math.max(r.left, own.left) > 0.5
            && Math.min(r.bottom, own.bottom) - Math.max(r.top, own.top) > 0.5;
    }).map(one => one.textContent || one.getAttribute("style"));
}"""


@pytest.mark.parametrize(
    "sizes", ["", "&map.d_model=1024", "&map.target=" + 110 * "字"]
)
def test_the_shape_of_the_open_box_covers_nothing_but_the_box(sizes, widget):
    page = widget(f"?map.at=1{sizes}", reduced_motion="reduce")
    for at in range(1, 22):
        assert page.map.locator(".tb-chip").evaluate(COVERED) == [], at
        if at < 21:
            page.map.get_by_role("button", name="One box forward").click()


def test_whoever_wants_no_motion_gets_none(widget):
    page = widget("?map.at=14", reduced_motion="reduce")
    page.map.get_by_role("button", name="One box forward").click()
    assert page.map.locator(".tb-panel .tb-title").inner_text() == CROSS
    assert (
        page.evaluate(
            "document.querySelector('#map-live .tb-flow').getAnimations({subtree: true}).length"
        )
        == 0
    )


def test_the_address_holds_what_was_changed_and_brings_it_back(widget):
    page = widget("?from=lecture")
    page.map.get_by_label("English sentence").fill("Cats sleep & dream.")
    page.map.get_by_role("slider", name="h, heads").press("ArrowRight")
    box(page, SELF).click()
    page.wait_for_url(re.compile(r"map\.h=16.*map\.at=5"))
    shared = page.url.split(PAGE)[1]
    assert shared.startswith("?from=lecture&") and "d_model" not in shared
    other = widget(shared)
    assert shapes(other) == computed("Cats sleep & dream.", CHINESE, 512, 16)[SELF]
    assert (
        other.map.get_by_label("English sentence").input_value()
        == "Cats sleep & dream."
    )
    broken = widget("?map.h=3&map.d_model=-1&map.N=99&map.at=77&map.source=+")
    assert shapes(broken) == {"ids": (17,)}
    assert broken.complaints == []


@pytest.mark.parametrize("width", [1440, 390, 360])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_fits_and_follows_the_theme(width, theme, widget):
    page = widget("?map.d_model=1024&map.h=16", width=width, theme=theme)
    purple = {"light": "rgb(124, 63, 196)", "dark": "rgb(195, 161, 255)"}[theme]
    fill = page.map.locator(".tb-dot").first.evaluate("d => getComputedStyle(d).fill")
    assert fill == purple
    sizes, top_of = (
        page.map.locator(".tb-sizes"),
        "e => e.getBoundingClientRect().top + scrollY",
    )
    height = sizes.evaluate(top_of)
    for _ in range(20):
        page.map.get_by_role("button", name="One box forward").click()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert abs(sizes.evaluate(top_of) - height) <= 1, page.map.locator(
            ".tb-panel .tb-title"
        ).inner_text()
    targets = page.map.locator(".tb-live :is(button, input, textarea)")
    assert measure.small(targets) == []


def test_on_a_phone_the_open_box_comes_out_from_under_the_panel(widget):
    page = widget(
        width=360, height=740, has_touch=True, is_mobile=True, reduced_motion="reduce"
    )
    page.map.evaluate("map => map.scrollIntoView()")  # its top; the way begins below
    for _ in range(20):
        page.map.get_by_role("button", name="One box forward").tap()
        name = page.map.locator(".tb-panel .tb-title").inner_text()
        panel = page.map.locator(".tb-panel").bounding_box()
        place = box(page, name).bounding_box()
        assert place["y"] > 48 and place["y"] + place["height"] <= panel["y"], name
    box(page, "Decoder").tap()
    assert page.map.locator(".tb-panel .tb-title").inner_text() == "Decoder"


# What lies over the panel, at each height of the page, and how often the panel is pinned.
OVER = """async panel => {
    const map = panel.closest(".tb-map"), over = new Set();
    const top = map.getBoundingClientRect().top + scrollY;
    let pinned = 0;
    for (let at = top - 400; at < top + map.offsetHeight; at += 150) {
        scrollTo({ top: at, behavior: "instant" });
        scrollBy({ top: -10, behavior: "instant" }); // some things come when one turns back
        await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
        const { left, right, top: above, bottom } = panel.getBoundingClientRect();
        pinned += Math.abs(bottom - innerHeight) < 1;
        for (let x = left + 5; x < right; x += 20)
            for (let y = Math.max(above, 60) + 5; y < Math.min(bottom, innerHeight); y += 15) {
                const hit = document.elementFromPoint(x, y);
                if (!panel.contains(hit)) over.add(hit.outerHTML.slice(0, 80));
            }
    }
    return [pinned, [...over]];
}"""


def test_on_a_phone_nothing_lies_on_the_panel_nor_the_panel_on_what_is_edited(widget):
    page = widget(width=390, height=844, has_touch=True, is_mobile=True)
    pinned, over = page.map.locator(".tb-panel").evaluate(OVER)
    assert pinned > 5 and over == []
    for field in page.map.locator(".tb-sizes :is(input, textarea)").all():
        field.focus()
        seen = field.evaluate("""e => {
            const { left, top, width, height } = e.getBoundingClientRect();
            return e.contains(document.elementFromPoint(left + width / 2, top + height / 2));
        }""")
        assert seen, field


def test_on_a_phone_a_shared_address_shows_its_box(widget):
    page = widget("?map.at=15#map-live", width=390, height=844, is_mobile=True)
    page.wait_for_timeout(1500)  # the page scrolls
    place, panel = (
        box(page, CROSS).bounding_box(),
        page.map.locator(".tb-panel").bounding_box(),
    )
    assert place["y"] > 48 and place["y"] + place["height"] <= panel["y"]
    assert page.map.locator(".tb-general").first.is_visible()


def test_without_javascript_the_figure_s_boxes_are_links(visit, address):
    page = visit(f"{address}/{PAGE}", java_script_enabled=False)
    figure = page.locator("figure.tb-figure", has=page.locator(".tb-link"))
    assert figure.locator("svg a").count() == 21 and figure.locator("svg").is_visible()
    assert not page.locator("#map-live").is_visible()
    with page.expect_request("**/attention/cross_attention.html"):
        figure.locator(f"a[aria-label='{CROSS}']").click()


@pytest.mark.parametrize("missing", ["widgets/map.js", "widgets/map/drawing.js"])
def test_where_a_part_is_missing_the_figure_stays_and_a_sentence_says_so(
    missing, visit, address
):
    page = visit("about:blank")
    page.route(f"**/js/{missing}*", lambda route: route.abort())
    page.goto(f"{address}/{PAGE}")
    lost = page.locator("#map-live .tb-lost")
    lost.wait_for(state="visible")
    assert page.locator("figure.tb-figure svg .tb-link").first.is_visible()

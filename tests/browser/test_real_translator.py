"""The translator of real sentences in Chromium: its engine against PyTorch, and as a reader uses it."""

import base64
import json

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

from tests.browser import measure, survey
from tests.browser.replies import ABORT, Replies
from tests.js.fixtures import TEXTS
from transformer_book import by_hand, data
from transformer_lab.translator import site_translator

pytestmark = pytest.mark.browser
PAGE = "transformer/real_translation.html"
FOLDER = "tatoeba"
SENTENCES, PARTS = 200, 8
OWN = "[data-widget=real_translator]"
SHORT = "I forgot to buy milk on the way home."
LONG = " ".join(["It was raining, and we wanted to know why Tom was so tired."] * 6)
TWO_ROWS = (
    "Tom wants to know where his sister lives, and we want to know why he is tired."
)
RUN = """async (said) => {
    const js = '/_static/js';
    const { folderOf } = await import(`${js}/files/folder.js`);
    const { loadModel } = await import(`${js}/files/load.js`);
    const { readText } = await import(`${js}/files/tokens.js`);
    const { transformer } = await import(`${js}/by_hand/transformer.js`);
    const { greedy } = await import(`${js}/decode/greedy.js`);
    const { beamSearch } = await import(`${js}/decode/beam.js`);
    const { BOS, EOS } = await import(`${js}/files/vocabulary.js`);
    const model = await loadModel(undefined, folderOf('tatoeba'));
    return said.map(({ text, greedy: read }) => {
        const source = [...readText(text, model).ids, EOS];
        const [logits] = transformer(source, [BOS, ...read], model.W, model.config);
        const bytes = new Uint8Array(Float32Array.from(logits.data).buffer);
        const chunks = Array.from({ length: Math.ceil(bytes.length / 8192) }, (_, i) =>
            String.fromCharCode(...bytes.subarray(8192 * i, 8192 * (i + 1))));
        const found = beamSearch(model, source);
        return {
            source, shape: logits.shape, logits: btoa(chunks.join('')),
            greedy: greedy(model, source), beam: found[0].ids,
            scores: found.map((one) => one.score),
        };
    });
}"""
READ = """async (texts) => {
    const { folderOf } = await import("/_static/js/files/folder.js");
    const { loadModel } = await import("/_static/js/files/load.js");
    const { readText } = await import('/_static/js/files/tokens.js');
    const model = await loadModel(undefined, folderOf('tatoeba'));
    return texts.map((text) => readText(text, model).ids);
}"""
ODD = [
    *TEXTS,
    "I can't. I CAN'T. i cant",
    "He paid $1,234.56 at 10:30 a.m. on 24/12/2019.",
    "漢字 😀 œuvre Ångström",
    "“Isn't it?” she asked… ‘No,’ he said — twice.",
    "Schwarzenegger's antidisestablishmentarianism",
    ("unbelievably " * 31)[:400],
    "z" * 400,
]
DONE = f"""() => {{
    const own = document.querySelector("{OWN}");
    return own.querySelector(".tb-desk")?.ariaBusy === "false";
}}"""


@pytest.fixture(scope="module")
def numbers(site):
    """What PyTorch made of Tatoeba's test sentences: translations, and logits."""
    folder = site.parent / "numbers" / FOLDER
    said = json.loads((folder / "translations.json").read_text("utf-8"))
    logits = load_file(folder / "logits.safetensors")
    return [one | {"logits": logits[str(i)]} for i, one in enumerate(said)]


@pytest.fixture(scope="module")
def model(site):
    """The translator that the site ships, in PyTorch, and its words."""
    return site_translator.load(site / "_static" / FOLDER)


@pytest.fixture
def widget(visit, address):
    """Open the page and wait for the widget; nothing is loaded yet."""

    def open_widget(query="", **options):
        page = visit(f"{address}/{PAGE}{query}", reduced_motion="reduce", **options)
        own(page).locator(".tb-typed").wait_for()
        return page

    return open_widget


@pytest.fixture
def translator(widget):
    """The same, with the model loaded and the sentence translated."""

    def open_translator(query="", **options):
        page = widget(query, **options)
        own(page).locator(".tb-main").click()
        done(page)
        return page

    return open_translator


def own(page):
    return page.locator(OWN)


def done(page):
    page.wait_for_function(DONE)


def tell(page, text):
    own(page).locator(".tb-typed").fill(text)
    own(page).locator(".tb-typed").press("Enter")


def translated(page, text):
    tell(page, text)
    done(page)
    return written(page)


def written(page):
    return own(page).locator(".tb-written button").all_inner_texts()


def go(page, step):
    own(page).locator(".tb-written button").nth(step - 1).click()


def choose(page, legend, value):
    group = own(page).get_by_role("group", name=legend)
    group.locator(f"input[value='{value}']").check(force=True)


def odds(page):
    """The tokens that are offered, with their probabilities, and the one that was taken."""
    rows = own(page).locator(".tb-odds button")
    shown = rows.evaluate_all(
        "rows => rows.map(r => [r.querySelector('.tb-word').textContent,"
        " Number(r.querySelector('.tb-p').textContent.replace('<', '')), r.ariaPressed === 'true'])"
    )
    return {word: p for word, p, _ in shown}, [w for w, _, taken in shown if taken]


def matrix(page):
    cells = "rows => rows.map(r => [...r.querySelectorAll('td')].map(c => Number(c.textContent)))"
    return np.array(own(page).locator(".tb-weights tbody tr").evaluate_all(cells))


def names(corpus, ids):
    return corpus.target_vocabulary.tokens(ids)


def greedily(model, source, begin):
    """Go on from a beginning, with PyTorch, by the most probable token."""
    ids = [data.BOS, *begin]
    while ids[-1] != data.EOS:
        with torch.inference_mode():
            logits, _ = model(torch.tensor([source]), torch.tensor([ids]))
            logits[0, -1, [data.PAD, data.BOS]] = -torch.inf
        ids.append(int(logits[0, -1].argmax()))
    return ids[1:]


def test_its_logits_and_translations_are_pytorch_s(visit, address, numbers):
    page = visit(f"{address}/search.html")
    assert len(numbers) == SENTENCES
    asked = [{key: one[key] for key in ("text", "greedy")} for one in numbers]
    found = [
        one for part in range(PARTS) for one in page.evaluate(RUN, asked[part::PARTS])
    ]
    order = [i for part in range(PARTS) for i in range(part, SENTENCES, PARTS)]
    for i, ours in zip(order, found, strict=True):
        said = numbers[i]
        for name in ("source", "greedy", "beam"):
            assert ours[name] == said[name], said["text"]
        assert ours["scores"] == pytest.approx(said["scores"], abs=1e-3), said["text"]
        logits = np.frombuffer(base64.b64decode(ours["logits"]), np.float32)
        logits = logits.reshape(ours["shape"])
        assert logits.shape == said["logits"].shape
        assert np.abs(logits - said["logits"]).max() <= 1e-3, said["text"]
    assert page.complaints == []


def test_whatever_is_typed_is_read_as_python_reads_it(visit, address, numbers, model):
    _, corpus = model
    page = visit(f"{address}/search.html")
    texts = [one["text"] for one in numbers] + [" ".join(t.split()) for t in ODD]
    assert page.evaluate(READ, texts) == [
        site_translator.source_ids(corpus, t) for t in texts
    ]
    assert page.evaluate(READ, ["", "  "]) == [[], []]


def test_nothing_is_loaded_until_it_is_asked_for(widget, site):
    page = widget()
    files = [site / "_static" / FOLDER / name for name in site_translator.LOADED]
    size = sum(path.stat().st_size for path in files)
    assert size <= 4_000_000
    assert f"{size / 1e6:.1f} MB" in own(page).locator(".tb-main").inner_text()
    asked = []
    page.on("request", lambda request: asked.append(request.url.rsplit("/", 1)[-1]))
    own(page).locator(".tb-ready button").nth(1).click()
    assert asked == [] and page.workers == []
    own(page).locator(".tb-main").click()
    done(page)
    assert set(site_translator.LOADED) <= set(asked) and len(page.workers) == 1
    assert page.complaints == [] and page.foreign == []


def test_it_translates_as_pytorch_does_and_shows_its_distribution(
    translator, numbers, model
):
    _, corpus = model
    words = [*corpus.target_vocabulary]
    page = translator()
    for said in numbers[:5]:
        assert translated(page, said["text"]) == [
            *names(corpus, said["greedy"]),
            "<eos>",
        ]
        p = by_hand.softmax(said["logits"].astype(np.float64))
        title = own(page).locator(".tb-now").inner_text()
        assert title.endswith(f"step {len(p)} of {len(p)}")  # it is whole
        for step in (len(p), 1):
            go(page, step)
            shown, taken = odds(page)
            assert taken == [words[p[step - 1].argmax()]]
            for word, value in shown.items():
                exact = p[step - 1][words.index(word)]
                assert value == pytest.approx(exact, abs=6e-4), (said["text"], word)
    choose(page, "How words are chosen", "beam")
    done(page)
    assert "step 1 of" in own(page).locator(".tb-now").inner_text()  # where it was
    for said in numbers[:3]:
        assert translated(page, said["text"])[:-1] == names(corpus, said["beam"])
        scores = own(page).locator(".tb-beams b").all_inner_texts()
        assert [float(t.replace("\u2212", "-")) for t in scores] == pytest.approx(
            said["scores"], abs=2e-3
        )


def test_it_looks_where_the_package_s_model_looks(translator, numbers, model):
    net, _ = model
    said = numbers[2]
    page = translator("?real_translator.view=matrix")
    translated(page, said["text"])
    with torch.inference_mode():
        _, weights = net(
            torch.tensor([said["source"]]),
            torch.tensor([[data.BOS, *said["greedy"]]]),
            need_weights=True,
        )
    for layer, head in [(4, "mean"), (4, 2), (1, 3)]:
        choose(page, "layer", layer)
        choose(page, "head", head)
        A = weights[f"decoder.{layer - 1}.cross_attention"][0].numpy()
        expected = A.mean(axis=0) if head == "mean" else A[head - 1]
        np.testing.assert_allclose(matrix(page), expected, rtol=0, atol=5.1e-3)


def test_another_character_is_taken_and_it_goes_on_from_there(
    translator, numbers, model
):
    net, corpus = model
    said = numbers[2]
    page = translator()
    before = translated(page, said["text"])
    go(page, 2)
    other = own(page).locator(".tb-odds button[aria-pressed=false]").first
    token = other.locator(".tb-word").inner_text()
    other.click()
    done(page)
    begin = [said["greedy"][0], [*corpus.target_vocabulary].index(token)]
    expected = names(corpus, greedily(net, said["source"], begin))
    assert written(page) == expected != before
    assert odds(page)[1] == [token]
    page.wait_for_url("**real_translator.begin=**")
    shared = translator(page.url.split(PAGE)[1])
    assert written(shared) == expected
    own(page).get_by_role("button", name="Let the model choose").click()
    done(page)
    assert written(page) == before


def test_what_is_cut_and_what_it_lacks_are_said(translator, model):
    _, corpus = model
    page = translator()
    translated(page, "Schwarzenegger saw a 漢 and 😀.")
    (cut,) = own(page).locator(".tb-cut").all()
    pieces = corpus.subwords.cut(["Schwarzenegger"], corpus.source_vocabulary)
    assert cut.locator("span").all_inner_texts() == pieces and len(pieces) > 1
    notice = own(page).locator(".tb-notice")
    assert notice.inner_text() == (
        "Its English vocabulary has no “漢”, no “😀”: it reads <unk> instead."
    )
    assert own(page).locator(".tb-reading .tb-wrong").all_inner_texts() == ["漢", "😀"]
    keys = own(page).locator(".tb-words").last
    assert keys.locator("button", has_text="<unk>").count() == 2
    translated(page, SHORT)
    assert notice.inner_text() == "" and own(page).locator(".tb-wrong").count() == 0
    translated(page, "WE LOVE IT HERE.")
    assert {"E@@", "V@@"} <= {*corpus.source_vocabulary}
    assert "E" not in corpus.source_vocabulary
    assert notice.inner_text() == (
        "Its English vocabulary has no “E” at the end of a word: it reads <unk> instead."
    )


def test_what_a_phone_types_is_read_as_the_corpus_has_it(translator, model):
    net, corpus = model
    page = translator()
    plain = translated(page, "I don't know him.")
    assert translated(page, "I don’t know him.") == plain
    reads = own(page).locator(".tb-reading").first.inner_text()
    assert " ".join(reads.split()) == "It reads: I do n't know him ."
    source = [*site_translator.source_ids(corpus, "I don’t know him."), data.EOS]
    assert plain == names(corpus, greedily(net, source, []))
    assert own(page).locator(".tb-notice").inner_text() == ""


def test_that_a_second_sentence_may_be_lost_is_said(translator):
    page = translator()
    notice = own(page).locator(".tb-notice")
    translated(page, "My dog is ill. My cat is fine.")
    assert "Give it one at a time." in notice.inner_text()
    translated(page, "I met Mr. Smith.")
    assert notice.inner_text() == ""


def test_the_whole_translation_stands_there_as_text(translator):
    page = translator()
    whole = "".join(translated(page, SHORT)[:-1])
    wrote = own(page).locator(".tb-reading").nth(1)
    assert wrote.inner_text() == f"It writes: {whole}"
    assert wrote.locator("[lang=zh]").inner_text() == whole


@pytest.mark.parametrize(
    "text, sentence",
    [("  ", "Type a sentence"), ("z" * 400, "at most 128 find room")],
)
def test_what_cannot_be_translated_is_refused(text, sentence, translator):
    page = translator()
    before = written(page)
    tell(page, text)
    own(page).locator(".tb-notice").filter(has_text=sentence).wait_for()
    assert written(page) == before and page.complaints == []
    choose(page, "Drawn as", "matrix")  # the sentence before is still there, for all
    page.wait_for_url("**real_translator.view=matrix**")
    assert "sentence" not in page.url
    choose(page, "How words are chosen", "sample")
    done(page)
    assert (
        own(page).locator(".tb-now").inner_text().endswith(f"of {len(written(page))}")
    )
    translated(page, SHORT)
    assert own(page).locator(".tb-notice").inner_text() == ""


FRAMES = """(over) => new Promise((resolve) => {
    let frames = 0;
    const began = performance.now();
    const next = () => {
        frames += 1;
        const lasted = performance.now() - began;
        const desk = document.querySelector('[data-widget=real_translator] .tb-desk');
        const end = over === null ? desk.ariaBusy === 'false' : lasted >= over;
        if (end) resolve([frames, lasted]);
        else requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
})"""


def test_the_page_stays_free_while_it_translates(translator):
    page = translator("?real_translator.mode=beam")
    tell(page, LONG)
    busy, lasted = page.evaluate(FRAMES, None)
    idle, _ = page.evaluate(FRAMES, lasted)
    assert busy > 10 and busy >= idle / 2, (busy, idle)


def test_a_new_sentence_cancels_the_one_before(translator, numbers, model):
    _, corpus = model
    page = translator()
    tell(page, LONG)
    page.wait_for_function(
        "document.querySelectorAll('.tb-writing .tb-written button').length > 2"
    )
    assert translated(page, numbers[0]["text"])[:-1] == names(
        corpus, numbers[0]["greedy"]
    )
    page.wait_for_timeout(500)  # nothing of the first comes late
    assert written(page)[:-1] == names(corpus, numbers[0]["greedy"])
    assert page.complaints == []


CANCEL = """async (texts) => {
    const js = '/_static/js';
    const { folderOf } = await import(`${js}/files/folder.js`);
    const { Engine } = await import(`${js}/widgets/real_translator/engine.js`);
    const engine = new Engine(folderOf('tatoeba'), {});
    await engine.load(() => {});
    const [long, short] = await Promise.all(texts.map(async (text) =>
        [...(await engine.read(text)).ids, 3]));
    const way = { mode: 'greedy', begin: [], temperature: 1, seed: 1 };
    const heard = [];
    let second;
    const first = await engine.translate(long, way, () => {
        heard.push('first');
        second ??= engine.translate(short, way, () => heard.push('second'));
    });
    return { first, second: (await second)[0].tokens, heard };
}"""


def test_its_thread_gives_up_what_is_no_longer_wanted(visit, address, numbers):
    page = visit(f"{address}/search.html")
    said = numbers[0]
    found = page.evaluate(CANCEL, [LONG, said["text"]])
    assert found["first"] is None
    assert found["second"] == [*said["greedy"], data.EOS]
    assert "first" not in found["heard"][found["heard"].index("second") :]


# Presses the button, which says Stop by then, as soon as there are three characters.
STOP = """() => {
    const own = document.querySelector('[data-widget=real_translator]');
    const watch = new MutationObserver(() => {
        if (own.querySelectorAll('.tb-writing .tb-written button').length < 3) return;
        watch.disconnect();
        own.querySelector('.tb-main').click();
    });
    watch.observe(own, { childList: true, subtree: true });
}"""


def test_it_can_be_stopped_and_keeps_what_it_wrote(translator):
    page = translator()
    whole = translated(page, LONG)
    tell(page, SHORT)
    done(page)
    page.evaluate(STOP)
    tell(page, LONG)
    done(page)
    part = written(page)
    assert 2 < len(part) < len(whole) and part == whole[: len(part)]
    note = own(page).locator(".tb-note").inner_text()
    assert f"You stopped it after {len(part)}, without <eos>." in note
    assert own(page).locator(".tb-odds button[aria-pressed=true]").count() == 1


def test_a_beam_search_can_be_stopped(translator):
    page = translator("?real_translator.mode=beam")
    assert own(page).locator(".tb-beams button").count() > 1
    page.evaluate(STOP)
    tell(page, LONG)
    done(page)
    part = written(page)
    note = own(page).locator(".tb-note").inner_text()
    assert f"You stopped it after {len(part)}, without <eos>." in note
    assert own(page).locator(".tb-now").inner_text().endswith(f"of {len(part)}")
    assert not own(page).locator(".tb-beams").is_visible()
    assert own(page).locator(".tb-notice .tb-wrong").count() == 0
    assert page.complaints == []


def test_what_it_must_begin_with_is_cut_to_the_room(translator):
    page = translator("?real_translator.begin=" + "+".join("我" * 190))
    source = len(own(page).locator(".tb-words").last.locator("button").all())
    assert written(page) == ["我"] * (source + 50)
    note = own(page).locator(".tb-note").inner_text()
    assert f"Cut at {source + 50}, its limit, without <eos>." in note
    assert own(page).locator(".tb-notice").inner_text() == ""
    assert page.complaints == []


def test_the_focus_stays_where_it_was_while_it_loads_and_writes(widget):
    page = widget("?real_translator.mode=sample")
    start = own(page).locator(".tb-main")
    start.focus()
    page.evaluate(
        """() => {
        window.lost = 0;
        const look = () => {
            if (document.activeElement === document.body) window.lost += 1;
            requestAnimationFrame(look);
        };
        look();
    }"""
    )
    is_there = "e => e === document.activeElement"
    page.keyboard.press("Enter")
    done(page)
    assert start.evaluate(is_there)
    slider = own(page).get_by_role("slider", name="Temperature")
    slider.focus()
    for t in ("0.9", "0.8"):
        page.keyboard.press("ArrowLeft")
        assert slider.get_attribute("aria-valuetext") == t
    done(page)
    assert slider.evaluate(is_there)
    again = own(page).get_by_role("button", name="Draw again")
    again.focus()
    page.keyboard.press("Enter")
    done(page)
    assert again.evaluate(is_there)
    go(page, 1)
    other = own(page).locator(".tb-odds button[aria-pressed=false]").first
    wanted = other.locator(".tb-word").inner_text()
    other.focus()
    page.keyboard.press("Enter")
    done(page)
    assert written(page)[0] == wanted
    assert own(page).locator(".tb-odds button:focus").count() == 1
    own(page).get_by_role("button", name="Let the model choose").focus()
    page.keyboard.press("Enter")
    done(page)
    assert own(page).locator(".tb-written [aria-current]").evaluate(is_there)
    assert page.evaluate("window.lost") == 0


def test_nothing_is_chosen_in_what_is_being_written(translator):
    page = translator("?real_translator.mode=beam")
    tell(page, LONG)
    page.wait_for_function(
        "document.querySelectorAll('.tb-writing .tb-written button').length > 2"
    )
    for rows in (".tb-odds", ".tb-beams"):
        row = own(page).locator(f"{rows} button").last
        assert row.get_attribute("aria-disabled") == "true"
        row.dispatch_event("click")
    for name in ("One word back", "Run"):
        own(page).get_by_role("button", name=name).dispatch_event("click")
    choose(page, "layer", "1")
    done(page)
    page.wait_for_url("**real_translator.layer=1**")
    assert "begin" not in page.url and "step" not in page.url
    assert own(page).locator(".tb-odds [aria-disabled=true]").count() == 0
    assert "layer 1" in own(page).locator(".tb-readout").inner_text()
    assert page.complaints == []


RECTS = """all => all.map((e) => {
    const { left, right, top, bottom } = e.getBoundingClientRect();
    return { left, right, top, bottom };
})"""


@pytest.mark.parametrize("width", [1280, 390])
def test_two_rows_are_whole_and_bars_stand_beside_their_characters(width, translator):
    page = translator(width=width)
    translated(page, TWO_ROWS)
    strip = own(page).locator(".tb-written")
    assert strip.evaluate("e => e.scrollTop") == 0
    (box,) = strip.evaluate_all(RECTS)
    words = strip.locator("li").evaluate_all(RECTS)
    first, second, *_ = sorted({round(word["top"]) for word in words})
    for word in words:
        if round(word["top"]) in (first, second):
            assert box["top"] <= word["top"] and word["bottom"] <= box["bottom"]
    rows = own(page).locator(".tb-odds button")
    chars = rows.locator(".tb-word").evaluate_all(RECTS)
    bars = rows.locator(".tb-bar").evaluate_all(RECTS)
    for char, bar in zip(chars, bars, strict=True):
        middles = [(one["top"] + one["bottom"]) / 2 for one in (char, bar)]
        assert abs(middles[0] - middles[1]) <= 2
    room = "e => e.scrollWidth <= e.clientWidth"
    assert all(one.evaluate(room) for one in rows.locator(".tb-word").all())


def test_a_long_drawing_scrolls_by_itself_to_what_is_written(translator):
    page = translator()
    translated(page, LONG)
    drawing = own(page).locator(".tb-threads")
    tall = drawing.evaluate("e => [e.clientHeight, e.scrollHeight]")
    assert tall[0] <= 42 * 16 < tall[1]
    current = own(page).locator(".tb-words [aria-current=true]")
    for step in (1, len(written(page))):
        go(page, step)
        (box,), (word,) = (one.evaluate_all(RECTS) for one in (drawing, current))
        assert box["top"] <= word["top"] and word["bottom"] <= box["bottom"]
    translated(page, SHORT)
    assert drawing.evaluate("e => e.clientHeight === e.scrollHeight")


@pytest.mark.parametrize("name", site_translator.LOADED)
def test_a_missing_or_wrong_file_is_a_sentence_and_may_be_tried_again(
    name, widget, site
):
    page = widget()
    body = bytearray((site / "_static" / FOLDER / name).read_bytes())
    body[-3] ^= 1  # reads well but for its hash
    notice = own(page).locator(".tb-notice")
    replies = Replies(page.context, f"**/{FOLDER}/{name}")
    for answer, sentence in [
        ({"status": 404}, f"{name} is missing"),
        ({"status": 503}, f"{name} is answered with 503"),
        ({"body": bytes(body)}, f"{name} is damaged, or not the file of this page"),
    ]:
        replies.answer = answer
        own(page).locator(".tb-main").click()
        notice.filter(has_text=sentence).wait_for()
        assert own(page).locator(".tb-desk").inner_text() == ""
        assert own(page).locator(".tb-main").is_enabled()
    replies.answer = None
    own(page).locator(".tb-main").click()
    done(page)
    assert notice.inner_text() == "" and written(page)[-1] == "<eos>"


def test_where_its_thread_cannot_start_a_sentence_says_so(widget):
    page = widget()
    replies = Replies(page.context, "**/real_translator/worker.js", ABORT)
    own(page).locator(".tb-main").click()
    notice = own(page).locator(".tb-notice")
    notice.filter(has_text="could not be started in this browser").wait_for()
    replies.answer = None
    own(page).locator(".tb-main").click()
    done(page)
    assert written(page)[-1] == "<eos>"


def test_the_keyboard_does_it_all(widget):
    page = widget()
    line = own(page).locator(".tb-typed")
    line.focus()
    line.press("ControlOrMeta+a")
    page.keyboard.type("I like dogs.")
    page.keyboard.press("Enter")
    done(page)
    assert line.evaluate("e => e === document.activeElement")
    current = own(page).locator(".tb-written [aria-current]")
    for _ in range(30):
        page.keyboard.press("Tab")
        if current.evaluate("e => e === document.activeElement"):
            break
    page.keyboard.press("Home")
    assert "step 1 of" in own(page).locator(".tb-now").inner_text()
    page.keyboard.press("ArrowRight")
    assert "step 2 of" in own(page).locator(".tb-now").inner_text()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    wanted = page.evaluate(
        "document.activeElement.querySelector('.tb-word').textContent"
    )
    page.keyboard.press("Enter")
    done(page)
    assert written(page)[1] == wanted
    heard = "The translation: " + "".join(written(page)[:-1])
    page.get_by_role("status").filter(has_text=heard).wait_for(state="attached")


@pytest.mark.parametrize("width", [1440, 360])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_fits_and_follows_the_theme(width, theme, translator):
    page = translator(width=width, theme=theme)
    translated(
        page, "Antidisestablishmentarianism is 漢, isn't it, Mr. Schwarzenegger?"
    )
    for mode in ("greedy", "beam"):
        choose(page, "How words are chosen", mode)
        done(page)
        for view in ("lines", "matrix"):
            choose(page, "Drawn as", view)
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            targets = page.locator(f"{OWN} .tb-live :is(button, td[tabindex], input)")
            assert measure.small(targets) == [], (mode, view)
    shown = own(page).locator(".tb-live")
    parts = shown.locator(".tb-ask, .tb-reading, .tb-notice, .tb-desk, .tb-credits")
    assert measure.outside(parts, shown.bounding_box()) == []
    found = survey.violations(page, theme)
    assert [one for one in found if "real_translator" in one or ".tb-" in one] == []


def test_nothing_moves_while_it_writes(translator):
    page = translator()
    place = """() => ['.tb-typed', '.tb-main', '.tb-written', '.tb-note'].map((what) => {
        const box = document.querySelector(`[data-widget=real_translator] ${what}`)
            .getBoundingClientRect();
        return [what, box.left, box.top + scrollY, box.width];
    })"""
    translated(page, LONG)
    before = page.evaluate(place)
    tell(page, LONG)
    page.wait_for_function(
        "document.querySelectorAll('.tb-writing .tb-written button').length > 2"
    )
    assert page.evaluate(place) == before
    done(page)
    assert page.evaluate(place) == before


def test_it_names_its_sources(widget, site):
    page = widget()
    about = json.loads((site / "_static" / FOLDER / "about.json").read_text("utf-8"))
    credits = own(page).locator(".tb-credits").inner_text()
    for said in (about, about["dictionary"]):
        assert said["title"] in credits
        assert said["terms"].split(";")[0] in credits
    link = own(page).locator(".tb-credits a").get_attribute("href")
    assert page.request.get(link).ok

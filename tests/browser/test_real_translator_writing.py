"""The translator of real sentences while it writes: stopped, cancelled, never in the way, in Chromium."""

import pytest

from tests.browser import real_sentences
from tests.browser.real_sentences import LONG, SHORT, WRITING, done, names, translated
from tests.browser.translating import (
    choose,
    go,
    notice,
    own,
    says,
    tell,
    written,
)
from tests.browser.widgets import FOCUSED
from transformer_book import data

pytestmark = pytest.mark.browser
widget = real_sentences.widget
translator = real_sentences.translator
numbers = real_sentences.numbers
model = real_sentences.model


def test_that_a_second_sentence_may_be_lost_is_said(translator):
    page = translator()
    translated(page, "My dog is ill. My cat is fine.")
    assert "Give it one at a time." in notice(page).inner_text()
    translated(page, "I met Mr. Smith.")
    assert notice(page).inner_text() == ""


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
    notice(page).filter(has_text=sentence).wait_for()
    assert written(page) == before and page.complaints == []
    choose(page, "drawn", "matrix")  # the sentence before is still there, for all
    page.wait_for_url("**real_translator.view=matrix**")
    assert "sentence" not in page.url
    choose(page, "how", "sample")
    done(page)
    assert says(page, "now").endswith(f"of {len(written(page))}")
    translated(page, SHORT)
    assert notice(page).inner_text() == ""


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
    page.wait_for_function(WRITING)
    expected = [*names(corpus, numbers[0]["greedy"]), "<eos>"]
    assert translated(page, numbers[0]["text"]) == expected
    page.wait_for_timeout(500)  # nothing of the first comes late
    assert written(page) == expected
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
    assert f"You stopped it after {len(part)}, without <eos>." in says(page, "note")
    assert own(page).locator(".tb-odds button[aria-pressed=true]").count() == 1


def test_a_beam_search_can_be_stopped(translator):
    page = translator("?real_translator.mode=beam")
    assert own(page).locator(".tb-beams button").count() > 1
    page.evaluate(STOP)
    tell(page, LONG)
    done(page)
    part = written(page)
    assert f"You stopped it after {len(part)}, without <eos>." in says(page, "note")
    assert says(page, "now").endswith(f"of {len(part)}")
    assert not own(page).locator(".tb-beams").is_visible()
    assert own(page).locator(".tb-notice .tb-wrong").count() == 0
    assert page.complaints == []


def test_what_it_must_begin_with_is_cut_to_the_room(translator):
    page = translator("?real_translator.begin=" + "+".join("我" * 190))
    source = len(own(page).locator(".tb-words").last.locator("button").all())
    assert written(page) == ["我"] * (source + 50)
    assert f"Cut at {source + 50}, its limit, without <eos>." in says(page, "note")
    assert notice(page).inner_text() == ""
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
    page.keyboard.press("Enter")
    done(page)
    assert start.evaluate(FOCUSED)
    slider = own(page).get_by_role("slider", name="Temperature")
    slider.focus()
    for t in ("0.9", "0.8"):
        page.keyboard.press("ArrowLeft")
        assert slider.get_attribute("aria-valuetext") == t
    done(page)
    assert slider.evaluate(FOCUSED)
    again = own(page).get_by_role("button", name="Draw again")
    again.focus()
    page.keyboard.press("Enter")
    done(page)
    assert again.evaluate(FOCUSED)
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
    assert own(page).locator(".tb-written [aria-current]").evaluate(FOCUSED)
    assert page.evaluate("window.lost") == 0


def test_nothing_is_chosen_in_what_is_being_written(translator):
    page = translator("?real_translator.mode=beam")
    tell(page, LONG)
    page.wait_for_function(WRITING)
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
    assert "layer 1" in says(page, "readout")
    assert page.complaints == []


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
    page.wait_for_function(WRITING)
    assert page.evaluate(place) == before
    done(page)
    assert page.evaluate(place) == before

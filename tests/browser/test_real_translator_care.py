"""What the translator of real sentences says against itself: doubts, refusals, loops, in Chromium."""

import re
from pathlib import Path

import numpy as np
import pytest

from tests.browser import real_sentences
from tests.browser.real_sentences import SHORT, done, translated
from tests.browser.translating import choose, go, notice, own, says, tell, written
from tests.browser.widgets import heard
from tests.data import real
from transformer_book import by_hand, data
from transformer_lab import records

pytestmark = pytest.mark.browser
widget = real_sentences.widget
translator = real_sentences.translator
numbers = real_sentences.numbers
model = real_sentences.model
CODE = Path("book/_static/js/widgets/real_translator")
LONG = (
    "Although my grandmother had never been to the sea before the war, she always said "
    "that the waves she saw on the day when my grandfather came home were the most "
    "beautiful thing that she had ever seen in her whole long life."
)


def constants(file, name):
    """The numbers of a constant of the widget's JavaScript."""
    (text,) = re.findall(rf"const {name} = {{(.*?)}}", (CODE / file).read_text("utf-8"))
    return {key: float(value) for key, value in re.findall(r"(\w+): ([\d.]+)", text)}


def chosen(said):
    """The probabilities of what PyTorch chose, ``<eos>`` included."""
    p = by_hand.softmax(said["logits"].astype(np.float64))
    ids = [*said["greedy"], data.EOS][: len(p)]
    return p[np.arange(len(ids)), ids]


def test_it_says_how_sure_it_was_by_pytorch_s_own_probabilities(
    translator, numbers, model
):
    page = translator()
    levels = constants("sure.js", "LEVELS")
    for said in numbers[:6]:
        translated(page, said["text"])
        p = chosen(said)
        mean = np.exp(np.log(p).mean())
        level = next((w for w in levels if mean >= levels[w]), "unsure")
        level = {"half": "half sure"}.get(level, level)
        found = re.fullmatch(
            r"It was (.*): a piece had probability (\S+) on average "
            r"\(geometric mean\), and “(.*)” the least, (\S+)\.",
            says(page, "sure"),
        )
        assert found[1] == level and float(found[2]) == pytest.approx(mean, abs=0.0051)
        assert found[3] == written(page)[p.argmin()]
        assert float(found[4]) == pytest.approx(p.min(), rel=0.06)
        doubted = own(page).locator(".tb-written .tb-doubt").all_inner_texts()
        assert doubted == [t for t, q in zip(written(page), p, strict=True) if q < 0.5]
    chips = own(page).locator(".tb-written button")
    for k in (0, int(p.argmin())):
        chips.nth(k).hover()
        assert f"Probability of “{written(page)[k]}”: " in says(page, "sure")
        said = float(re.search(r": (<?[\d.]*\d)", says(page, "sure"))[1])
        assert said == pytest.approx(p[k], rel=0.06)
    page.mouse.move(0, 0)
    assert says(page, "sure").startswith("It was ")
    chips.nth(0).focus()
    assert says(page, "sure").startswith("Probability of ")


def test_the_reader_s_own_pieces_are_no_doubt_of_the_model(translator):
    page = translator()
    translated(page, SHORT)
    before = says(page, "sure")
    go(page, 1)
    own(page).locator(".tb-odds button").last.click()
    done(page)
    page.mouse.move(0, 0)
    own(page).locator(".tb-typed").focus()
    after = says(page, "sure")
    assert after.startswith("It was ") and after != before
    assert f"“{written(page)[0]}” the least" not in after


def test_its_levels_part_what_they_are_said_to_part(translator, numbers):
    levels = constants("sure.js", "LEVELS")
    means = np.array([np.exp(np.log(chosen(said)).mean()) for said in numbers])
    sure, unsure = (means >= levels["sure"]).sum(), (means < levels["half"]).sum()
    about = says(translator(), "about")
    assert f"Of {len(means)} test sentences it was sure of {sure}, " in about
    assert f"and unsure of {unsure}, " in about


def test_it_names_the_number_of_pairs_that_the_shipped_model_learned_from():
    shipped = records.load("tatoeba_shipped")["corpus"]
    assert constants("care.js", "TRAINING")["pairs"] == shipped["training_pairs"]


@real.needs("tatoeba-en-zh/cmn.txt")
def test_what_it_says_of_its_training_is_counted():
    said = constants("care.js", "TRAINING")
    corpus = real.load("tatoeba")
    sources = [source for source, _ in corpus.train]
    lengths = [len(source) + 1 for source in sources]  # with <eos>
    assert np.quantile(lengths, 0.99) == said["usual"]
    mark = re.compile(r"<[ntyow]\d>")
    marks = np.array([sum(bool(mark.fullmatch(x)) for x in one) for one in sources])
    assert (marks >= said["marks"]).sum() == said["with"]
    counts = {}
    for source in sources:
        for word in " ".join(source).replace("@@ ", "").split():
            counts[word] = counts.get(word, 0) + 1
    vocabulary = corpus.source_vocabulary
    cut = [w for w in counts if len(corpus.subwords.cut([w], vocabulary)) > 1]
    assert max(counts[word] for word in cut) == said["cut"]


@pytest.mark.parametrize(
    "text, parts",
    [
        ("Don't count your chickens before they hatch.", ["“hatch” was never in the"]),
        (LONG, ["it has 48 tokens, and 99 of 100 sentences of the training had"]),
        ("Barack Obama was born in 1961.", ["“Barack Obama” and “1961” are copied"]),
        (
            "My phone number is +49 170 1234567.",
            ["3 numbers or names are copied", "had three or more"],
        ),
        ("Bonjour, je m'appelle Marie et toi?", ["words was in the training, so it"]),
    ],
)
def test_beside_a_translation_stands_what_speaks_against_it(text, parts, translator):
    page = translator()
    translated(page, text)
    care = says(page, "care")
    assert care.startswith("Take care: ") and care.count(".") == 1
    assert all(part in care for part in parts), care
    heard(page, parts[0])
    looped = own(page).locator(".tb-written .tb-round").count()
    assert (looped > 0) == ("in a loop" in care)
    translated(page, "I like dogs.")
    assert says(page, "care") == ""


@pytest.mark.parametrize("width", [1280, 390])
def test_a_long_sentence_is_seen_whole_and_enter_translates(width, translator):
    page = translator(width=width, height=844)
    line = own(page).locator(".tb-typed")
    line.fill(LONG)
    whole = (
        "e => e.scrollHeight <= e.clientHeight + 1 && e.scrollWidth <= e.clientWidth"
    )
    assert line.evaluate(whole)
    line.press("Enter")
    done(page)
    assert line.input_value() == LONG and line.evaluate(whole)
    tall = line.evaluate("e => e.offsetHeight")
    line.fill("I like\ndogs.")
    assert line.evaluate("e => e.offsetHeight") < tall
    line.press("Enter")
    done(page)
    assert says(page, "reading") == "It reads: I like dogs ."


def test_emoji_are_left_out_and_that_is_said(translator):
    page = translator()
    plain = translated(page, "I love you.")
    assert translated(page, "I love you 😍🎉.") == plain
    assert "Left out: 😍 🎉." in notice(page).inner_text()
    assert own(page).locator(".tb-desk.tb-stale").count() == 0


@pytest.mark.parametrize(
    "text, why",
    [
        ("你好，你叫什么名字？", "This is written in Chinese characters"),
        ("Привет, как дела?", "This is written in Cyrillic letters"),
        ("👍👍👍", "There is no word in this."),
        ("the cat sat " * 100, "This text has 1,199 characters, and at most 400 find"),
        ("", "Type a sentence first"),
    ],
)
def test_what_it_cannot_read_is_refused_and_the_old_is_named(text, why, translator):
    page = translator()
    before = translated(page, SHORT)
    tell(page, text)
    notice(page).filter(has_text=why).wait_for()
    still = f"What stands below is still for “{SHORT}”"
    assert still in notice(page).inner_text() and written(page) == before
    for part in (".tb-desk", ".tb-judged"):
        assert "tb-stale" in own(page).locator(part).get_attribute("class")
    choose(page, "how", "beam")  # of the sentence before
    done(page)
    assert still in notice(page).inner_text()
    translated(page, SHORT)
    assert notice(page).inner_text() == "" and page.complaints == []


def test_what_is_refused_loads_no_model(widget):
    page = widget()
    tell(page, "你好，你叫什么名字？")
    notice(page).filter(has_text="Chinese characters").wait_for()
    assert page.workers == [] and says(page, "desk") == ""


# Notes whatever stands beside what is read of another sentence.
MIXED = """() => {
    const own = document.querySelector('[data-widget=real_translator]');
    window.mixed = [];
    window.old = own.querySelectorAll('.tb-reading')[1].textContent;
    const look = () => {
        const [read, wrote] = [...own.querySelectorAll('.tb-reading')].map((e) => e.textContent);
        if (read.includes('dogs') && wrote === window.old) window.mixed.push(wrote);
        if (read.includes('dogs') && own.querySelector('.tb-sure').textContent === window.sure)
            window.mixed.push(window.sure);
    };
    window.sure = own.querySelector('.tb-sure').textContent;
    new MutationObserver(look).observe(own, { childList: true, subtree: true });
}"""


def test_no_old_translation_stands_under_a_new_sentence(translator):
    page = translator()
    translated(page, SHORT)
    page.evaluate(MIXED)
    translated(page, "I like dogs.")
    assert page.evaluate("window.mixed") == []

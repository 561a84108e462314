"""Cuts stand above each other letter for letter; merges show what grew from what."""

import re
from xml.etree import ElementTree as ET

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from tests.press.figures.drawn import SAY, SVG, later
from transformer_book.data import bpe
from transformer_press import figures

TEXT = "low lower newest"
WORDS = {"low": 5, "lower": 2, "newest": 6, "widest": 3}


def written(svg):
    """Return (text, x, y) of every text, in the order drawn."""
    found = []
    for element in ET.fromstring(svg).iter(SVG + "text"):
        at = re.search(r"translate\(([\d.]+) ([\d.]+)\)", element.get("transform", ""))
        x, y = at.groups() if at else (element.get("x"), element.get("y"))
        found.append((element.text, float(x), float(y)))
    return found


def chips(svg, role):
    """Count the outlines in the colour of a role."""
    return len(re.findall(rf"stroke:var\(--tb-{role},", svg))


def stages(words, n_merges):
    merges = bpe.learn(WORDS, n_merges)
    return merges, {
        w: [bpe.encode(w, merges[:k]) for k in range(n_merges + 1)] for w in words
    }


def test_cuts_of_the_library_s_own_tokeniser_cover_the_text():
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    trainer = trainers.BpeTrainer(vocab_size=14, show_progress=False)
    tokenizer.train_from_iterator([TEXT], trainer)
    pieces = tokenizer.encode(TEXT).tokens
    svg = figures.subword_cuts(TEXT, {"subwords": pieces}, **SAY).svg
    assert [t for t, *_ in written(svg)] == [
        f"subwords: {len(pieces)} tokens",
        *TEXT.replace(" ", ""),
    ]
    assert chips(svg, "ink") == len(pieces)


def test_the_same_letter_stands_in_the_same_column():
    rows = {"letters": list("lowlowernewest"), "words": TEXT.split()}
    letters = [
        found
        for found in written(figures.subword_cuts(TEXT, rows, **SAY).svg)
        if len(found[0]) == 1
    ]
    above, below = letters[:14], letters[14:]
    assert [x for _, x, _ in above] == [x for _, x, _ in below]
    assert len({y for *_, y in above}) == len({y for *_, y in below}) == 1


def test_a_line_breaks_only_between_tokens_of_every_cut():
    text = "a" * 30 + " " + "b" * 30
    svg = figures.subword_cuts(
        text, {"letters": list("a" * 30 + "b" * 30), "words": text.split()}, **SAY
    ).svg
    lines = {}
    for letter, _, y in written(svg):
        if letter in "ab":
            lines.setdefault(y, set()).add(letter)
    assert list(lines.values()) == [{"a"}, {"b"}] * 2


def test_one_token_is_not_one_tokens():
    svg = figures.subword_cuts("猫坐", {"words": ["猫坐"]}, **SAY).svg
    assert written(svg)[0][0] == "words: 1 token"


def test_every_merge_stands_in_its_row_with_what_it_made():
    merges, found = stages(["newest"], 8)
    drawn = written(figures.bpe_merges(found, **SAY).svg)
    rows = {text: y for text, _, y in drawn if text.isdigit()}
    made = {text: y for text, _, y in drawn if len(text) > 1}
    used = [k for k in range(8) if found["newest"][k] != found["newest"][k + 1]]
    assert list(made) == ["".join(merges[k]) for k in used]
    for k in used:
        assert made["".join(merges[k])] == pytest.approx(rows[str(k + 1)], abs=1)


def test_a_merge_stands_under_its_letters():
    _, found = stages(["lowest"], 8)
    drawn = written(figures.bpe_merges(found, labels=["merge"] * 8, **SAY).svg)
    at = {text: x for text, x, _ in drawn}
    assert at["l"] < at["lo"] < at["o"]
    assert at["e"] < at["es"] < at["s"] < at["est·"] + 20 < at["·"] + 20


def test_a_merge_that_a_word_does_not_use_draws_nothing():
    _, found = stages(["lower"], 3)
    drawn = [text for text, *_ in written(figures.bpe_merges(found, **SAY).svg)]
    assert drawn == ["1", "2", "3", *"lower·"]


WRONG = {
    "no rows": (later.subword_cuts(TEXT, {}), "rows: got none"),
    "case": (later.subword_cuts("The", {"a": ["the"]}), "token 'the' where .* 'The'"),
    "end mark": (later.subword_cuts("low", {"a": ["low·"]}), "leave end marks out"),
    "too few": (later.subword_cuts("low er", {"a": ["low"]}), "no token for ' er'"),
    "too many": (later.subword_cuts("low", {"a": ["low", "er"]}), "token 'er' where"),
    "across a space": (later.subword_cuts("a b", {"a": ["ab"]}), "token 'ab' where"),
    "empty": (later.subword_cuts("a", {"a": ["", "a"]}), "got the token ''"),
    "role": (later.subword_cuts("a", {"a": ["a"]}, roles={"a": "red"}), "got 'red'"),
    "no words": (later.bpe_merges({}), "stages: got none"),
    "no stages": (later.bpe_merges({"a": []}), "at least one, for each word"),
    "uneven": (
        later.bpe_merges({"a": [["a"]], "b": [["b"]] * 2}),
        r"got \[1, 2\] stages, expected the same number",
    ),
    "labels": (
        later.bpe_merges({"ab": [["a", "b"], ["ab"]]}, ["1", "2"]),
        "labels: got 2 labels for 1 merges",
    ),
    "not a merge": (
        later.bpe_merges({"abc": [["ab", "c"], ["a", "bc"]]}),
        r"stage 1 is \['a', 'bc'\], expected what joining neighbours",
    ),
    "longer": (
        later.bpe_merges({"ab": [["a", "b"], ["ab", "c"]]}),
        "expected what joining neighbours",
    ),
    "shorter": (later.bpe_merges({"ab": [["a", "b"], ["a"]]}), "expected what joining"),
    "other letters": (
        later.bpe_merges({"ab": [["a", "b"], ["xy"]]}),
        "expected what joining",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_input(name):
    draw, said = WRONG[name]
    with pytest.raises(ValueError, match=said):
        draw()

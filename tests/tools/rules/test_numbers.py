"""Typed numbers: those that look like results are told, and those that are none are not."""

import pytest

from tests.tools.rules.small_pages import PAGES, faults

POINT = "- This."


@pytest.mark.parametrize(
    "words, number",
    [
        ("In our run the loss was 0.4217.", "0.4217"),
        ("It falls by .5 at once.", ".5"),
        ("It makes 337,123,456 multiply-adds.", "337,123,456"),
        ("It makes 1234567 of them.", "1234567"),
        ("That is 37 % of all.", "37"),
        ("That is 37% of all.", "37"),
        ("It is 12 times as fast.", "12"),
        ("It grows 12-fold.", "12"),
        ("It has 63 million numbers.", "63"),
        ("It takes 112 GB.", "112"),
        ("It takes 350 ms.", "350"),
        ("It scores 37 BLEU.", "37"),
        ("It is off by 3e-7.", "3e-7"),
        ("It is off by 3.5e-7.", "3.5e-7"),
        ("It is off by 10⁻³.", "10⁻³"),
        ("The loss was $0.4217$.", "0.4217"),
        ("(0.4217)", "0.4217"),
        ("{cite:t}`vaswani2017` is right. Ours is 0.4217.", "0.4217"),
        ("As in section 3.2 of it. Ours is 0.4217.", "0.4217"),
        ("| 0.4217 | {cite:t}`vaswani2017` |\n| 0.99 | ours |", "0.99"),
    ],
)
def test_a_typed_result_is_told(words, number):
    text = PAGES["words/one"].replace(POINT, f"{POINT}\n\n{words}")
    (fault,) = faults("words/one", text)
    assert fault.message.startswith(f"{number} is typed; results are glued.")
    assert number in text.splitlines()[fault.line - 1]


@pytest.mark.parametrize(
    "right",
    [
        "In 2017 two heads read 512 tokens, 8 at a time, in step 100.",
        "See section 3.2 and table 3.4, sections 3.1 and 3.2, and section 3.2.1.",
        "It runs on Python 3.11 and with version 1.2.3.",
        "{cite:t}`vaswani2017` report 28.4 BLEU after\n100,000 steps.",
        "The paper reports 28.4 BLEU.",
        "$e^8 \\approx 2980.96$, `0.4217` and {glue:text}`loss:.4f`.",
        "Half of $x = 0.5$ is $0.25$, $y$ = 0.25, 25 %, and .25.",  # in the code below
        "So is 0.5, in [the laboratory](one_lab.md#at-0.1234).",
        "It kept 65,536 of them, that is 1.5 million, in 30 ms and 2 GB.",
        "```{exercise} Half\n:label: ex-new\n\nLet it be 0.4217.\n```",
        "% typed 41.5: our aim\nWe aimed at 41.5.",
        "% typed 41.5 3.5e6: our aims,\n% of old\nWe aimed at 41.5 and\nat 3.5e6.",
    ],
)
def test_what_is_no_result_is_not_told(right):
    code = "given = 0.25, 0.5, 65_536, 1.5e6, 0.03, 2e9\n"
    text = PAGES["words/one"].replace(POINT, f"{POINT}\n\n{right}")
    text = text.replace("import math\n", f"import math\n{code}")
    assert [f for f in faults("words/one", text) if "exercise" not in f.message] == []


def told(right):
    return [
        fault.message
        for fault in faults("words/one", PAGES["words/one"].replace(POINT, right))
    ]


def test_a_comment_that_excuses_nothing_is_told():
    says = "no 0.5 in this paragraph needs the comment. Remove it."
    assert told("- This.\n\n% typed 0.5: given\nNone.\n\nBut 0.5 here.")[0] == says
    # A source needs no excuse.
    assert told("- This.\n\n% typed 0.5: given\nThe paper has 0.5.") == [says]


def test_a_line_that_a_percent_sign_takes_away_is_told():
    (says,) = told("- This.\n\nIt is a half, 50\n% of all.")
    assert says.startswith("a line that begins with % is left out of the page.")

"""Rules on the parts of lessons and laboratories, each broken."""

import pytest

from tests.tools.rules.small_pages import EXERCISES, PAGES, faults, the_fault

NEED = "**You need** [the tour](../tour.md). "
ABLE = "**You will be able to** see."
REMEMBER, READ_ON = "## What to remember", "## Where to read on"
LAST_EXERCISE = EXERCISES[EXERCISES.index("\n```{exercise} Right") :]
START, FIRST = "```{solution-start} ex-left\n", "```{exercise} Left"


@pytest.mark.parametrize(
    "old, new, at, says",
    [
        ("# Why?", "# Why", "# Why", "lacks a title that asks a question. Write"),
        (NEED, "", "# Why?", "lacks **You need** behind a title that asks a question."),
        (ABLE, "", NEED, "lacks **You will be able to** behind **You need**."),
        ("## One\n", "One\n", ABLE, "lacks a section behind **You will be able to**."),
        (
            REMEMBER,
            "## Remember",
            "## One",
            "lacks ## What to remember behind a section.",
        ),
        (EXERCISES, "", REMEMBER, "lacks an exercise behind ## What to remember."),
        (READ_ON, "## Read on", "{exercise} Left", "lacks ## Where to read on behind"),
        ("- This.", "This.", REMEMBER, "lists 0 points; expected 1 to 5"),
        ("- This.", "- This.\n" * 6, REMEMBER, "lists 6 points; expected 1 to 5"),
        ("{cite:t}", "", READ_ON, "cites no work"),
        (LAST_EXERCISE, "", FIRST, "has 2 exercises; expected 3 to 5. Ask more."),
        (":label: ex-left\n", "", FIRST, "the exercise has no label"),
        (
            START,
            "```{solution-start} ex-x\n",
            FIRST,
            "ex-left has no solution behind it",
        ),
        (
            ":class: dropdown",
            ":class: open",
            START,
            "solution of ex-left is not folded",
        ),
        ("```{solution-end}\n```\n", "", START, "the solution of ex-left does not end"),
        (
            "(a-place)=",
            "(another-place)=",
            "(another",
            "is also at book/words/two.md:41.",
        ),
        (
            "../tour.md",
            "two.md",
            "two.md",
            "the lesson needs words/two, which comes later",
        ),
    ],
)
def test_a_rule_on_the_parts_of_a_lesson_is_told(old, new, at, says):
    assert says in the_fault("words/one", old, new, at)


WRITE = (
    "## Now write it\n\nWrite `softmax` in the [workshop](../workshop/start.md): "
    "`python -m transformer_workshop check softmax`.\n\n"
)


def with_section(section, before, name="words/one"):
    """What is told of a small page in which a section stands before another."""
    text = PAGES[name].replace(before, f"{section}{before}", 1)
    assert text != PAGES[name]
    return [fault.message for fault in faults(name, text)]


def test_a_lesson_may_say_what_to_write_behind_its_exercises():
    assert not with_section(WRITE, READ_ON)
    assert not with_section(WRITE.replace("python -m ", "python -m\n"), READ_ON)


@pytest.mark.parametrize(
    "section, before, name, says",
    [
        (WRITE, REMEMBER, "words/one", "out of place; expected it before “Where"),
        (WRITE, "## Exercises", "words/one", "out of place; expected it before “Where"),
        (WRITE, "## Proof", "words/one_lab", "only a lesson has “Now write it”"),
        (WRITE.replace("../workshop", ".."), READ_ON, "words/one", "lacks the link or"),
        (
            WRITE.replace("python -m ", ""),
            READ_ON,
            "words/one",
            "lacks the link or the command",
        ),
    ],
)
def test_what_to_write_has_its_place_its_link_and_its_command(
    section, before, name, says
):
    (message,) = with_section(section, before, name)
    assert says in message


def test_what_to_write_is_no_section_of_a_lesson():
    text = PAGES["words/one"].replace("## One\n", "One\n", 1)
    text = text.replace(READ_ON, f"{WRITE}{READ_ON}", 1)
    (fault,) = faults("words/one", text)
    assert "lacks a section behind **You will be able to**" in fault.message


def test_a_part_that_comes_too_early_is_told_where_it_is():
    text = PAGES["words/one"].replace(NEED, "").replace("# Why?", f"{NEED}\n\n# Why?")
    (fault,) = faults("words/one", text)
    assert "**You need** comes too early; expected it behind a title" in fault.message
    assert text.splitlines()[fault.line - 1].startswith("**You need**")


def test_a_label_of_another_exercise_is_told():
    text = PAGES["words/one"].replace("ex-left", "ex-two-left")
    (fault,) = faults("words/one", text)
    assert "'ex-two-left' is also at book/words/two.md:48." in fault.message
    assert text.splitlines()[fault.line - 1] == "```{exercise} Left"


def test_a_solution_that_does_not_begin_is_told_at_its_end():
    old, new = f"{START}:class: dropdown\n```\n\nSolved left.", "Solved left."
    text = PAGES["words/one"].replace(old, new, 1)
    assert "ex-left has no solution" in faults("words/one", text)[0].message


def test_a_laboratory_leads_back_to_its_lesson():
    says = the_fault("words/one_lab", "[one](one.md)", "one", "# One")
    assert "no link to the lesson. Link to it: [...](one.md)." in says


def test_a_laboratory_without_a_lesson_is_told(monkeypatch):
    text = PAGES["words/one_lab"].replace("one.md", "no.md")
    monkeypatch.setitem(PAGES, "words/no_lab", text)
    (fault,) = faults("words/no_lab", text)
    assert "has no lesson; expected book/words/no.md in _toc.yml" in fault.message


def test_the_last_lesson_of_a_part_has_its_card():
    card = "## Words on one card"
    fault = the_fault("words/two", card, "## Words", "# Why?")
    assert "the last lesson of its part lacks the part's summary" in fault
    assert not faults("words/one", PAGES["words/one"])  # another lesson is the last

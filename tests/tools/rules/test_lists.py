"""Rules on the pages of mistakes and of questions, each broken."""

import pytest

from tests.tools.rules.small_pages import PAGES, faults, the_fault

SECOND, ASSERT = "## M2 None for all", 'assert wrong == "m1-one"'
ENTRY = "| all are equal | [M1 One for all](#m1-one) |\n"
WHY, HOW = "| [Why?](#why) | so |\n", "| [How?](#how) | thus |\n"


@pytest.mark.parametrize(
    "old, new, at, says",
    [
        (ENTRY, "", "## M1", "the table in front does not name this section"),
        ("[M1 One", "[M1 Two", "| all are", "the table says 'M1 Two for all', and its"),
        ("Do not.", "See [it](#m3).", "[it](#m3)", "leads to 'm3', which is no label"),
        (
            "M2 None for all",
            "M2 No",
            "| none",
            "the table says 'M2 No', and its section",
        ),
        (
            "**Symptom.**",
            "**Signs.**",
            "## M1",
            "has the parts Signs, Reproduction, How",
        ),
        ("```{code-cell} ipython3\nwrong", "```\nwrong", "## M1", "no code reproduces"),
        (ASSERT, "wrong", "## M1", "“How to notice” asserts nothing"),
    ],
)
def test_a_rule_on_mistakes_is_told(old, new, at, says):
    assert says in the_fault("reference/mistakes", old, new, at)


def test_a_number_that_is_left_out_is_told():
    (fault,) = faults(
        "reference/mistakes", PAGES["reference/mistakes"].replace("M2", "M3")
    )
    assert "the mistake is 'M3 None for all'; its number is M2" in fault.message


@pytest.mark.parametrize(
    "old, new, at, says",
    [
        (HOW, "", "### How?", "the table in front does not name this section"),
        (WHY + HOW, HOW + WHY, "[How?]", "has 'how' where the sections have 'why'"),
        (
            "assert 1",
            "1",
            "### Why?",
            "neither asserts anything nor links to a chapter",
        ),
        ("[one](../words/one.md)", "one", "### How?", "neither asserts anything nor"),
    ],
)
def test_a_rule_on_questions_is_told(old, new, at, says):
    assert says in the_fault("reference/questions", old, new, at)

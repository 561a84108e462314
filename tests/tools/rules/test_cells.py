"""Rules on cells, each broken."""

import pytest

from tests.tools.rules.small_pages import END, PAGES, faults, the_fault

HALF, LAST = "half = math.pi / 2", "[remove-input]\n\npage.ran()"


@pytest.mark.parametrize(
    "old, new, at, says",
    [
        (HALF, "\n" * 13 + HALF, "import", "a cell has 16 lines; at most 15"),
        (HALF, f"half = {'1 + ' * 21}math.pi", HALF[:6], "98 columns; a page shows 88"),
        (HALF, f"{HALF}\nhalf half", "half half", "not Python: invalid syntax"),
        ("assert half > 0\n", "", "# Why?", "has 2 asserts; a lesson has at least 3"),
        ("[hide-input]", "[hide-inptu]", ":tags:", "nothing reads. Write hide-input."),
        ("[hide-input]", "[loud]", ":tags:", "which nothing reads. Known are "),
        (
            HALF,
            f"{HALF}\n```\n\n```{{code-cell}}\n:tag: [two-threads]\n\n1",
            ":tag:",
            "option 'tag'",
        ),
        ("page.ran()", "page.run()", "page.run()", "the last cell is not page.ran()"),
        (
            LAST,
            "[hide-input]\n\npage.ran()",
            "page.ran()",
            "is not tagged [remove-input]",
        ),
    ],
)
def test_a_rule_on_cells_is_told(old, new, at, says):
    assert says in the_fault("words/one", old, new, at)


def test_a_laboratory_asserts_more():
    says = the_fault("words/one_lab", "assert 1\n", "", "# One")
    assert "has 4 asserts; a laboratory has at least 5" in says


def test_a_page_without_cells_is_told():
    assert "the last cell is not page.ran()" in the_fault("tour", END, "", "# Tour")


def cell(source, *tags):
    return f"```{{code-cell}} ipython3\n:tags: [{', '.join(tags)}]\n\n{source}\n```\n\n"


SOME = "[The laboratory]"


@pytest.mark.parametrize(
    "source, at, place",
    [
        ("print(1 - absent)", "absent", "no cell"),
        ("print([absent for _ in '1'])", "absent", "no cell"),
        ("def f(x):\n    return [x + absent]", "absent", "no cell"),
        ("1\nquarter + 0", "quarter + 0", "the folded cell at line 29"),
    ],
)
def test_a_name_that_no_open_cell_binds_is_told(source, at, place):
    name, says = at.split()[0], the_fault("words/one", SOME, cell(source) + SOME, at)
    assert f"an open cell uses {name!r}, which comes from {place};" in says


def test_what_is_folded_or_solved_may_use_any_name():
    folded = cell("absent", "hide-input")
    right = PAGES["words/one"].replace(SOME, folded + SOME)
    right = right.replace("Solved left.\n", "Solved left.\n\n" + cell("absent"))
    assert faults("words/one", right) == []


def test_a_name_that_is_bound_later_is_told_unless_only_a_function_uses_it():
    within, late = cell("def f():\n    return late"), cell("late = 1")
    right = PAGES["words/one"].replace(SOME, within + late + SOME)
    assert faults("words/one", right) == []
    at_once = cell("f = late") + late + SOME
    assert "uses 'late'" in the_fault("words/one", SOME, at_once, "f = late")

"""The tables of ``make bench``: where they stand, and what they say of a target."""

from benchmarks.__main__ import (
    BENCHMARKS_PAGE,
    MODULE_BY_PART,
    format_table,
    processor_name,
    replace_table,
)
from benchmarks.targets import format_maximum, format_minimum


def test_a_missed_target_is_said_to_be_missed():
    assert format_minimum(5.1, 5, "5 x") == "at least 5 x"
    assert format_minimum(4.9, 5, "5 x") == "**missed:** at least 5 x"
    assert format_maximum(60.0, 60, "60 s") == "at most 60 s"
    assert format_maximum(60.1, 60, "60 s") == "**missed:** at most 60 s"


def test_a_table_names_the_processor():
    first, *_, last = format_table([("a call", "3 ms", "at most 4 ms")]).splitlines()
    assert processor_name() in first and last == "| a call | 3 ms | at most 4 ms |"


def test_a_processor_s_table_takes_the_place_of_its_own_and_of_no_other():
    page = "## A\n\n<!-- end of part -->\n\n## B\n\n<!-- end of other -->\n"
    one = replace_table(page, "part", "AMD", "| 1 |\n")
    both = replace_table(one, "part", "Intel", "| 2 |\n")
    assert both.index("| 1 |") < both.index("| 2 |") < both.index("## B")
    anew = replace_table(both, "part", "AMD", "| 3 |\n")
    assert "| 1 |" not in anew and "| 2 |" in anew
    assert anew.index("| 3 |") < anew.index("| 2 |")


def test_the_page_has_room_for_every_part():
    text = BENCHMARKS_PAGE.read_text("utf-8")
    assert all(f"<!-- end of {part} -->" in text for part in MODULE_BY_PART)

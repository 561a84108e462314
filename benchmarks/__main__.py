"""``make bench``: measure, print a table for each part, and keep it in ``docs/benchmarks.md``."""

import argparse
import platform
import re

from tools import ROOT
from tools.machine import core_count
from transformer_lab import records

from . import (
    attention,
    browser,
    build,
    decoding,
    efficient_training,
    experts,
    families,
    flash,
    generation,
    many_machines,
    nn_attention,
    norms,
    output_loss,
    recompute,
    serving,
    shared_heads,
    training,
)

BENCHMARKS_PAGE = ROOT / "docs" / "benchmarks.md"
MODULE_BY_PART = {
    part.__name__.rpartition(".")[2]: part
    for part in (
        attention,
        nn_attention,
        flash,
        training,
        output_loss,
        efficient_training,
        decoding,
        generation,
        shared_heads,
        norms,
        serving,
        experts,
        families,
        recompute,
        many_machines,
        browser,
        build,
    )
}


def processor_name() -> str:
    """Return the name of this machine's processor."""
    return records.environment()["hardware"]["cpu"]


def format_table(table_rows: list[tuple[str, str, str]]) -> str:
    """Return the rows as a table that says what they were measured on."""
    machine = (
        f"{processor_name()}, {core_count()} cores, Python {platform.python_version()}"
    )
    lines = [f"| {machine} | | target, or beside its peers |", "|---|---|---|"]
    return (
        "\n".join(lines + ["| " + " | ".join(row) + " |" for row in table_rows]) + "\n"
    )


def replace_table(
    page_text: str, part_name: str, processor: str, part_table: str
) -> str:
    """Return the page with this table in the place of that part and processor.

    A processor that the part has no table of gets one behind the others.
    """
    begin, end = (
        f"<!-- {part_name}: {processor} -->\n",
        f"<!-- /{part_name}: {processor} -->\n",
    )
    block = begin + part_table + end
    if begin in page_text:
        place = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
        return place.sub(lambda _: block, page_text)
    last = f"<!-- end of {part_name} -->"
    if last not in page_text:
        raise SystemExit(
            f"{BENCHMARKS_PAGE} has no line {last}, before which a table could stand."
        )
    return page_text.replace(last, f"{block}\n{last}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "parts", nargs="*", metavar="part", help=f"of {', '.join(MODULE_BY_PART)}"
    )
    names = parser.parse_args().parts
    if unknown := set(names) - set(MODULE_BY_PART):
        parser.error(
            f"no part has the name {', '.join(unknown)}; expected {', '.join(MODULE_BY_PART)}"
        )
    for name in names or MODULE_BY_PART:
        measured = format_table(MODULE_BY_PART[name].measure_rows())
        print(measured, flush=True)
        BENCHMARKS_PAGE.write_text(
            replace_table(
                BENCHMARKS_PAGE.read_text("utf-8"), name, processor_name(), measured
            ),
            "utf-8",
        )


if __name__ == "__main__":
    main()

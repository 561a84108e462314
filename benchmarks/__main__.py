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

PAGE = ROOT / "docs" / "benchmarks.md"
PARTS = {
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


def processor():
    """Return the name of this machine's processor."""
    return records.environment()["hardware"]["cpu"]


def table(rows):
    """Return the rows as a table that says what they were measured on."""
    machine = f"{processor()}, {core_count()} cores, Python {platform.python_version()}"
    lines = [f"| {machine} | | target, or beside its peers |", "|---|---|---|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def put(text, part, cpu, rows_of_part):
    """Return the page with this table in the place of that part and processor.

    A processor that the part has no table of gets one behind the others.
    """
    begin, end = f"<!-- {part}: {cpu} -->\n", f"<!-- /{part}: {cpu} -->\n"
    block = begin + rows_of_part + end
    if begin in text:
        place = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
        return place.sub(lambda _: block, text)
    last = f"<!-- end of {part} -->"
    if last not in text:
        raise SystemExit(
            f"{PAGE} has no line {last}, before which a table could stand."
        )
    return text.replace(last, f"{block}\n{last}")


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "parts", nargs="*", metavar="part", help=f"of {', '.join(PARTS)}"
    )
    names = parser.parse_args().parts
    if unknown := set(names) - set(PARTS):
        parser.error(
            f"no part has the name {', '.join(unknown)}; expected {', '.join(PARTS)}"
        )
    for name in names or PARTS:
        measured = table(PARTS[name].rows())
        print(measured, flush=True)
        PAGE.write_text(
            put(PAGE.read_text("utf-8"), name, processor(), measured), "utf-8"
        )


if __name__ == "__main__":
    main()

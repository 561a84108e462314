"""``make bench``: measure, print a table for each part, and keep it in the README."""

import argparse
import os
import platform
import re
from pathlib import Path

from . import attention, browser, build, decoding, nn_attention, output_loss, training

README = Path(__file__).resolve().parent.parent / "README.md"
PARTS = {
    part.__name__.rpartition(".")[2]: part
    for part in (
        attention,
        nn_attention,
        training,
        output_loss,
        decoding,
        browser,
        build,
    )
}


def table(rows):
    machine = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"
    lines = [
        f"| measured on {machine} | | target, or beside its peers |",
        "|---|---|---|",
    ]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "parts", nargs="*", metavar="part", help=f"of {', '.join(PARTS)}"
    )
    given = parser.parse_args().parts
    if unknown := set(given) - set(PARTS):
        parser.error(
            f"no part has the name {', '.join(unknown)}; expected {', '.join(PARTS)}"
        )
    for name in given or PARTS:
        made = table(PARTS[name].rows())
        print(made, flush=True)
        place = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
        README.write_text(
            place.sub(lambda m, made=made: m[1] + made + m[2], README.read_text())
        )


if __name__ == "__main__":
    main()

"""``make bench``: measure, print one table, and keep it in the README."""

import os
import platform
import re
from pathlib import Path

from . import attention, build, decoding, nn_attention, output_loss, training

README = Path(__file__).resolve().parent.parent / "README.md"
PLACE = re.compile(r"(<!-- bench -->\n).*?(<!-- /bench -->)", re.DOTALL)


def main():
    machine = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"
    lines = ["| what | measured | target, or beside its peers |", "|---|---|---|"]
    measured = (attention, nn_attention, output_loss, training, decoding, build)
    rows = [row for part in measured for row in part.rows()]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    table = f"Measured by `make bench` on {machine}.\n\n" + "\n".join(lines) + "\n"
    print(table)
    README.write_text(PLACE.sub(lambda m: m[1] + table + m[2], README.read_text()))


if __name__ == "__main__":
    main()

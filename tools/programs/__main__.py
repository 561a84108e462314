"""Fetch what package-lock.json pins, where it is not there yet: ``python -m tools.programs``."""

import sys

from . import fetch_node_modules


def main():
    try:
        fetch_node_modules()
    except RuntimeError as error:
        sys.exit(
            f"npm could not fetch what package-lock.json pins:\n{error}\n"
            "See to that the registry can be reached, then try again."
        )


if __name__ == "__main__":
    main()

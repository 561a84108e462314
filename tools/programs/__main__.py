"""Fetch what package-lock.json pins, where it is not there yet: ``python -m tools.programs``."""

import argparse
import sys

from . import fetch_node_modules


def main():
    parser = argparse.ArgumentParser(description=__doc__.split(":")[0])
    parser.add_argument(
        "part", nargs="?", choices=["site"], help="only what makes the site"
    )
    try:
        fetch_node_modules(site_only=parser.parse_args().part == "site")
    except RuntimeError as error:
        sys.exit(
            f"npm could not fetch what package-lock.json pins:\n{error}\n"
            "See to that the registry can be reached, then try again."
        )


if __name__ == "__main__":
    main()

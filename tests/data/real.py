"""The folder of real text, for tests that nothing smaller can stand in for."""

import functools
import html
import os
import re
from pathlib import Path

import pytest

from tools import ROOT
from tools.gate.omissions import REAL_TEXT_PREFIX

FOLDER = Path(
    os.environ.get("TRANSFORMER_BOOK_DATA") or ROOT.parent / "shared" / "data"
)


OTHER_MONTH = f"{REAL_TEXT_PREFIX}the cmn.txt at hand is of another month than the one that was learned from"


def missing(file):
    """Why a test is left out where the folder has no such file."""
    return (
        f"{REAL_TEXT_PREFIX}no {file} in ../shared/data, nor in the folder that TRANSFORMER_BOOK_DATA names. "
        "Put it there; src/transformer_book/data/corpus_registry.py says where it comes from."
    )


def needs(file):
    """Leave a test out where the folder has no such file."""
    return pytest.mark.skipif(not (FOLDER / file).is_file(), reason=missing(file))


def typed(words):
    """Write words of Moses as a reader types them: signs as they are, "man's" in one."""
    return html.unescape(re.sub(" (?=&apos;[a-z])", "", " ".join(words)))


@functools.cache
def load(name):
    """Load a corpus of sentences in two languages from that folder."""
    from transformer_book.data import load_parallel

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRANSFORMER_BOOK_DATA", str(FOLDER))
        return load_parallel(name)

"""The papers, made once for all tests that look at them."""

import os
import subprocess
import sys
import zipfile

import pikepdf
import pytest
from filelock import FileLock
from lxml import etree

from tests.conftest import ROOT
from tools.paper import site_links


@pytest.fixture(scope="session")
def papers(site, tmp_path_factory, testrun_uid):
    """The folder of the papers; one of the workers makes what is not up to date.

    ``tools.gate`` says so where its stages before this one have made them.
    """
    if os.environ.get("TRANSFORMER_BOOK_SITE") == "built":
        return site / "paper"
    lock = tmp_path_factory.getbasetemp().parent / f"papers-{testrun_uid}.lock"
    with FileLock(lock):
        command = [sys.executable, "-m", "tools.paper"]
        result = subprocess.run(
            command,
            cwd=ROOT,
            capture_output=True,
            text=True,
            env=os.environ,
            encoding="utf-8",
        )
        assert result.returncode == 0, result.stdout + result.stderr
    return site / "paper"


@pytest.fixture(scope="session")
def epub(papers):
    """The files of the EPUB by name, XHTML parsed."""
    with zipfile.ZipFile(papers / f"{site_links.PAPER_FILE_STEM}.epub") as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    return {
        name: etree.fromstring(content) if name.endswith(".xhtml") else content
        for name, content in files.items()
    }


@pytest.fixture(scope="session")
def pdf(papers):
    with pikepdf.open(papers / f"{site_links.PAPER_FILE_STEM}.pdf") as opened:
        yield opened

"""Under which terms code and text may be used is said wherever one would look for it."""

import tomllib

import pytest
import yaml

from tests.conftest import ROOT

BOTH = ("CC BY 4.0", "BSD 3-Clause")


@pytest.mark.parametrize("name", ["README.md", "_config.yml", "CONTRIBUTING.md"])
def test_both_licences_are_named(name):
    text = (ROOT / name).read_text("utf-8")
    assert all(licence in text for licence in BOTH)


def test_the_files_are_there_and_the_package_carries_them():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["license"] == "BSD-3-Clause"
    first, second = (
        (ROOT / name).read_text("utf-8") for name in project["license-files"]
    )
    assert first.startswith("BSD 3-Clause License") and "CC BY 4.0" in second
    assert "CC BY 4.0" in (ROOT / "pyproject.toml").read_text("utf-8")


def test_what_is_shipped_of_others_has_terms_of_its_own_that_name_each_file():
    folder = ROOT / "src" / "transformer_lab" / "models" / "tatoeba"
    text = (folder / "LICENSE").read_text("utf-8")
    assert "CC BY 2.0 FR" in text and "CC BY-SA 4.0" in text
    assert all(path.name in text for path in folder.iterdir() if path.name != "LICENSE")
    assert "models/tatoeba/LICENSE" in (ROOT / "README.md").read_text("utf-8")


def test_a_citation_has_what_the_format_asks_for_and_the_package_s_version():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= citation.keys()
    assert citation["version"] == project["version"]
    assert citation["license"] == ["BSD-3-Clause", "CC-BY-4.0"]


@pytest.mark.build
def test_both_stand_at_the_foot_of_a_page(site):
    text = (site / "words" / "tokens.html").read_text("utf-8")
    foot = text[text.index("<footer") :]
    assert all(licence in foot for licence in BOTH)

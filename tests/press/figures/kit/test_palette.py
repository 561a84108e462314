"""The palette is legible in both themes, and the style sheet has the same values."""

import re

import pytest

from tools import ROOT
from transformer_press.figures import ROLES, colour
from transformer_press.figures.kit.palette import (
    PAGE_COLOURS,
    blend,
    contrast,
    css_variable,
    largest_opacity,
    rgb_fractions,
)

THEME = ROOT / "book" / "_static" / "theme.css"


def test_contrast_is_that_of_wcag():
    # The best-known border cases: #767676 is the lightest grey that passes AA on white.
    assert contrast(
        rgb_fractions("#000000"), rgb_fractions("#ffffff")
    ) == pytest.approx(21)
    assert contrast(
        rgb_fractions("#767676"), rgb_fractions("#ffffff")
    ) == pytest.approx(4.54, abs=0.005)
    assert contrast(
        rgb_fractions("#777777"), rgb_fractions("#ffffff")
    ) == pytest.approx(4.48, abs=0.005)


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("theme", [0, 1])
def test_every_role_passes_aa_as_text(role, theme):
    assert PAGE_COLOURS == ("#ffffff", "#14181e")
    assert (
        contrast(rgb_fractions(ROLES[role][theme]), rgb_fractions(PAGE_COLOURS[theme]))
        >= 4.5
    )


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("theme", [0, 1])
def test_numbers_pass_aa_on_every_cell_that_has_one(role, theme):
    most = largest_opacity(role)
    assert most >= 0.3, "a full cell must differ from an empty one"
    for percent in range(0, round(most * 100) + 1):
        cell = blend(ROLES[role][theme], PAGE_COLOURS[theme], percent / 100)
        assert contrast(rgb_fractions(ROLES["ink"][theme]), cell) >= 4.5


@pytest.mark.parametrize("role", ["attention", "position", "ink", "quiet"])
@pytest.mark.parametrize("theme", [0, 1])
def test_labels_pass_aa_on_the_tinted_boxes(role, theme):
    box = blend(
        ROLES[role][theme], PAGE_COLOURS[theme], 0.04 if role == "quiet" else 0.1
    )
    assert contrast(rgb_fractions(ROLES[role][theme]), box) >= 4.5


def test_style_sheet_has_the_same_colours():
    css = THEME.read_text(encoding="utf-8")
    light, dark = re.findall(r"\{([^}]*--tb-q:[^}]*)\}", css)
    for theme, block in enumerate((light, dark)):
        found = dict(re.findall(r"--tb-(\w+):\s*(#\w+)", block))
        assert found == {role: pair[theme] for role, pair in ROLES.items()} | {
            "paper": PAGE_COLOURS[theme]
        }
    assert 'html[data-theme="dark"]' in css
    assert "--tb-page: transparent" in css


def test_colour_and_variable():
    assert colour("q") == "#2563c9"
    assert css_variable("#2563C9") == "var(--tb-q, #2563c9)"
    with pytest.raises(ValueError, match="role: got 'blue', expected one of q, k"):
        colour("blue")
    with pytest.raises(ValueError, match="got #123456.*figures.colour"):
        css_variable("#123456")

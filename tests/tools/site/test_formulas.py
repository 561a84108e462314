"""Formulas that are set when the site is made."""

import re

import pytest

from tools.site.formulas import Typesetter


@pytest.fixture(scope="module")
def typesetter():
    return Typesetter({"Q": r"\class{tb-q}{Q}"})


def test_a_formula_is_set_to_see_and_to_hear(typesetter):
    html = typesetter.typeset(r"\frac{\Q}{\sqrt{d_k}}", is_display=False)
    seen, heard = html.split("<mjx-assistive-mml>")
    assert 'aria-hidden="true"' in seen and 'class="mjx-i tb-q"' in seen
    assert heard.startswith(
        '<math><mfrac><mi class="tb-q">Q</mi><msqrt><msub><mi>d</mi><mi>k</mi></msub></msqrt></mfrac></math>'
    )


def test_the_style_has_a_rule_for_each_character(typesetter):
    html = typesetter.typeset(r"\alpha \le \mathbb{R} \to \sum_i", is_display=True)
    for name in re.findall(r"mjx-c[0-9A-F]+", html):
        assert f".{name}" in typesetter.style


def test_it_goes_on_after_a_formula_that_is_none(typesetter):
    with pytest.raises(ValueError, match="mend the formula in its page"):
        typesetter.typeset(r"\unknown", is_display=False)
    assert "mjx-math" in typesetter.typeset("x", is_display=False)

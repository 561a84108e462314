"""How wide a text is."""

import pytest

from transformer_press.figures.kit import style


def test_width_of_a_text_is_near_matplotlibs():
    from matplotlib.textpath import TextPath

    path = TextPath((0, 0), "The cat sat", size=13)
    assert style.text_width("The cat sat") == pytest.approx(
        path.get_extents().width, rel=0.05
    )
    assert style.text_width("猫") == 13

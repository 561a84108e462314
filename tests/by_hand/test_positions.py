import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from transformer_book.by_hand import positional_encoding
from transformer_book.shapes import ShapeError


def cosine(a, b):
    return a @ b / np.linalg.norm(a) / np.linalg.norm(b)


def test_the_first_numbers_of_the_paper_s_width():
    PE = positional_encoding(10, 512)
    np.testing.assert_allclose(
        PE[1, :4], [0.84147098, 0.54030231, 0.82185619, 0.56969501], atol=5e-9
    )
    np.testing.assert_allclose(np.linalg.norm(PE, axis=1), 16, rtol=1e-14)
    assert round(cosine(PE[1], PE[9]), 5) == 0.72252


@given(st.integers(1, 50), st.integers(1, 32), st.data())
def test_every_entry_is_the_paper_s_formula(n, half, data):
    d_model = 2 * half
    PE = positional_encoding(n, d_model)
    assert PE.shape == (n, d_model)
    pos, i = data.draw(st.integers(0, n - 1)), data.draw(st.integers(0, half - 1))
    angle = pos / 10000 ** (2 * i / d_model)
    np.testing.assert_allclose(
        PE[pos, 2 * i : 2 * i + 2], [np.sin(angle), np.cos(angle)]
    )


@pytest.mark.parametrize("d_model", [1, 7, 0, -2, 4.0])
def test_d_model_must_be_even(d_model):
    with pytest.raises(
        ShapeError, match=f"d_model is {d_model!r}; expected an even number"
    ):
        positional_encoding(3, d_model)


@pytest.mark.parametrize("n", [0, -1, 1.5])
def test_there_must_be_a_position(n):
    with pytest.raises(ShapeError, match=f"n is {n!r}"):
        positional_encoding(n, 4)

"""A product writes out the arithmetic of its cell."""

import numpy as np

from tests.press.figures.drawn import SAY, numbers, texts
from tests.press.figures.examples import W_Q, X
from transformer_press import figures


def test_product_writes_out_the_arithmetic_of_its_cell():
    figure = figures.matrix_product(X, W_Q, X @ W_Q, cell=(0, 0), **SAY)
    assert "1·1 + 0·0 + 1·0 + 0·1 = 1" in texts(figure.svg)
    marked = figures.matrix_product(X, -W_Q, -X @ W_Q, cell=(1, 1), **SAY)
    minus = "\N{MINUS SIGN}"
    assert f"2·({minus}1) + 0·0 + 2·({minus}1) = {minus}4" in " ".join(
        texts(marked.svg)
    )
    assert numbers(figure.svg)[-6:] == (X @ W_Q).ravel().tolist()


def test_product_says_so_where_rounding_hides_the_sum():
    A, B = np.array([[1 / 3, 1 / 3]]), np.array([[1.0], [1.0]])
    assert "0.33·1 + 0.33·1 ≈ 0.67" in texts(
        figures.matrix_product(A, B, A @ B, **SAY).svg
    )

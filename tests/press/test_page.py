"""What chapters say to their pages."""

import math
import shlex

import numpy as np
import pytest

from transformer_book import by_hand
from transformer_press import page


def test_glue_stores_python_numbers_under_their_names(monkeypatch):
    stored = {}
    monkeypatch.setattr(
        page,
        "display",
        lambda data, raw, metadata: stored.update(
            {metadata["scrapbook"]["name"]: data}
        ),
    )
    page.glue(cosine=np.float64(0.5), name="black")
    assert stored == {
        "cosine": {"application/papermill.record/text/plain": "0.5"},
        "name": {"application/papermill.record/text/plain": "'black'"},
    }


def test_glue_refuses_what_prose_cannot_quote():
    with pytest.raises(
        TypeError, match="weights is a ndarray; expected one number or a string"
    ):
        page.glue(weights=np.ones(3))


def test_a_long_line_is_shown_in_several_and_none_is_lost(capsys):
    command = "python -m something " + " ".join(f"--option-{i} {i}" for i in range(20))
    page.show(command, end=" \\")
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 2 and max(map(len, lines)) <= 80
    # A shell drops a backslash with the end of its line; shlex does not.
    assert shlex.split("\n".join(lines).replace("\\\n", "")) == shlex.split(command)
    page.show("a " * 60, "name ", " " * 5)
    first, *others = capsys.readouterr().out.splitlines()
    assert first.startswith("name a") and all(
        line.startswith("     a") for line in others
    )


def test_source_is_the_function_s_own_with_a_short_docstring():
    shown = page.source(by_hand.scaled_dot_product_attention).data
    assert "weights = softmax(scores)" in shown and "Parameters" not in shown
    namespace = {
        "checked": lambda f: f,
        "math": math,
        "np": np,
        "softmax": by_hand.softmax,
    }
    body = shown.removeprefix("```python\n").removesuffix("\n```")
    exec("from jaxtyping import Bool, Float\n" + body, namespace)
    X = np.eye(3)
    shown_output, _ = namespace["scaled_dot_product_attention"](X, X, X)
    np.testing.assert_array_equal(
        shown_output, by_hand.scaled_dot_product_attention(X, X, X)[0]
    )


class Documented:
    """Have a first line.

    And more.
    """

    def one(self):
        """Return 1.

        Always.
        """
        return 1

    def two(self):
        """Return 2."""
        return 2


def test_source_of_a_class_shortens_every_docstring():
    assert (
        page.source(Documented).data
        == '''```python
class Documented:
    """Have a first line."""

    def one(self):
        """Return 1."""
        return 1

    def two(self):
        """Return 2."""
        return 2
```'''
    )


def test_a_page_says_how_long_it_ran():
    assert "ran in" in page.ran().data

import pytest


def assert_one_clear_error(make, message):
    """The error says what was given and expected, and what to do, in one line."""
    with pytest.raises(ValueError, match=message) as caught:
        make()
    said = str(caught.value)
    assert "\n" not in said and "expected" in said and ";" in said

"""Word tokens, as NLTK cuts them."""

from .errors import DataError


def word_tokens(text):
    """Cut a text into words and punctuation marks.

    NLTK's tokeniser with ``preserve_line=True``, which needs no downloaded model. It takes the
    text for one sentence: a full stop inside it stays with its word, as in ``couch.It``.

    Parameters
    ----------
    text : str

    Returns
    -------
    list of str

    Raises
    ------
    DataError
        If the text is not a string, or holds no word.
    """
    if not isinstance(text, str):
        raise DataError(
            f"word_tokens was given {type(text).__name__}, expected a string. "
            "Join a list of words with ' '.join(words)."
        )
    if not text.strip():
        raise DataError(
            f"word_tokens was given an empty text ({text!r}), expected at least one word. "
            "Check what the text was read from."
        )
    from nltk import word_tokenize  # takes a second to import

    return word_tokenize(text, preserve_line=True)

"""Chinese with its English under it, word for word.

A text is a sentence in words of the book's grammar, which knows their English, or has its English
with it: 黑[black]猫[cat]。
"""

import html
import re
import unicodedata

UNKNOWN_GLOSS = "?"
ANNOTATED_WORD = re.compile(r"([^\W\d_]+)\[([^\[\]]+)\]|([^\[\]])")
# In a notebook there is no style sheet; the site's adds colours.
LINES_STYLE = "margin:0 0 0.5em;line-height:1.5;font-size:1.125em;ruby-position:under"
ENGLISH_STYLE = "font-size:0.65em;padding:0 0.3em"


def gloss_words(text) -> list[tuple[str, str]]:
    """Cut a Chinese text into words with their English.

    Parameters
    ----------
    text : str or list of (str, str)
        Words of the grammar; words each with its English in square brackets; or words that have
        been cut, as ``data.gloss_words`` does.

    Returns
    -------
    list of (str, str)
        Words and their English: nothing for what is no Chinese, "?" for a word that nobody knows.

    Raises
    ------
    ValueError
        If a bracket is not closed, or stands behind no word.
    """
    if not isinstance(text, str):
        return [(word, english if has_chinese(word) else "") for word, english in text]
    if "[" in text or "]" in text:
        return _parse_annotated_words(text)
    if not has_chinese(text):
        return [(text, "")]
    from transformer_book import data  # loads the grammar, so only where it is needed

    return [
        (piece, english if has_chinese(piece) else "")
        for piece, english in data.gloss_words(text)
    ]


def _parse_annotated_words(text) -> list[tuple[str, str]]:
    matches = ANNOTATED_WORD.findall(text)
    read = "".join(
        f"{word}[{english}]" if word else sign for word, english, sign in matches
    )
    if read != text:
        raise ValueError(
            f"Chinese: got {text!r}, expected each English in brackets behind its word; "
            "write 黑[black]猫[cat]"
        )
    return [
        (word or sign, english or (UNKNOWN_GLOSS if has_chinese(sign) else ""))
        for word, english, sign in matches
    ]


def has_chinese(text) -> bool:
    """Whether there is a Chinese character in a text, punctuation aside."""
    return any(
        unicodedata.category(c) == "Lo" and unicodedata.east_asian_width(c) == "W"
        for c in text
    )


def ruby_html(glossed_words, css_style="") -> str:
    """Write words as HTML: each with its English under it."""
    css_style = f' style="{css_style}"' if css_style else ""
    parts = []
    for word, english in glossed_words:
        element = html.escape(word)
        if english:
            under = f'<rt lang="en"{css_style}>{html.escape(english)}</rt>'
            element = f"<ruby>{element}<rp> (</rp>{under}<rp>) </rp></ruby>"
        parts.append(element)
    return "".join(parts)


def chinese_text(glossed_words) -> str:
    """The Chinese alone."""
    return "".join(word for word, _ in glossed_words)


def english_text(glossed_words) -> str:
    """The English of words in a line, one behind the other."""
    return " ".join(translation for _, translation in glossed_words if translation)


def plain_text(glossed_words) -> str:
    """The words as plain text: 黑猫 (black cat)."""
    translation = english_text(glossed_words)
    return (
        f"{chinese_text(glossed_words)} ({translation})"
        if translation
        else chinese_text(glossed_words)
    )


def labels(words) -> list[str]:
    """Labels for a figure, which shows the English small under each Chinese word.

    Parameters
    ----------
    words : sequence of str

    Returns
    -------
    list of str
        "猫\\ncat" for each word; what is no Chinese stays as it is.
    """
    return [
        "\n".join(filter(None, (chinese_text(cut), english_text(cut))))
        for cut in map(gloss_words, words)
    ]


def characters(text) -> list[str]:
    """Label each character of a text with the English of its word.

    Parameters
    ----------
    text : str
        Chinese, or a mark such as <bos>, which stays in one piece.

    Returns
    -------
    list of str
        "沙 couch", "发 couch" for 沙发; of punctuation and marks themselves.
    """
    return [
        f"{character} {english}".strip()
        for piece, english in gloss_words(text)
        for character in (piece if english else [piece])
    ]

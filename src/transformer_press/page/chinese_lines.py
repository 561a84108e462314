"""Lines of Chinese as the output of a cell."""

import html

from .. import chinese as zh


class ChineseLines:
    """Lines of Chinese, each word with its English under it; it shows itself."""

    def __init__(self, lines):
        self.lines = [(label, zh.gloss_words(text)) for label, text in lines]

    def __repr__(self):
        return "\n".join(
            f"{label}{': ' if label else ''}{zh.chinese_text(words)} / {zh.english_text(words)}"
            for label, words in self.lines
        )

    def _repr_html_(self) -> str:
        return "\n".join(
            f'<p class="tb-zh" style="{zh.LINES_STYLE}">{_label_html(label)}'
            f'<span lang="zh">{zh.ruby_html(words, zh.ENGLISH_STYLE)}</span></p>'
            for label, words in self.lines
        )


def _label_html(label) -> str:
    return f'<span class="tb-label">{html.escape(label)} </span>' if label else ""


def chinese(text) -> ChineseLines:
    """Show Chinese with its English under it, word for word.

    Parameters
    ----------
    text : str, list of str or dict of str to str
        A line, several, or several with what stands before each. Words of the grammar get their
        English; others can bring it: 黑[black]猫[cat]. A line may also be the list that
        ``data.gloss_words`` makes of it.

    Returns
    -------
    object
        As the last line of a cell it shows itself; as text it is "黑猫 / black cat".

    Raises
    ------
    ValueError
        If a bracket is not closed, or stands behind no word.
    """
    if isinstance(text, dict):
        return ChineseLines([(str(label), line) for label, line in text.items()])
    lines = [text] if isinstance(text, str) else text
    return ChineseLines([("", line) for line in lines])


def english(text) -> str:
    """Return the English of a Chinese text, word for word: black cat."""
    return zh.english_text(zh.gloss_words(text))

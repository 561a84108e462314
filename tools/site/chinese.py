"""The role {zh}: Chinese with its English under it, word by word.

{zh}`黑猫坐在沙发上` in words of the book's grammar, or {zh}`黑[black]猫[cat]` in any.
"""

import sys

from docutils import nodes
from sphinx.util.docutils import SphinxRole
from sphinx.util.logging import getLogger

from transformer_press import chinese

logger = getLogger(__name__)


class chinese_text(nodes.inline):
    """A Chinese text."""


class chinese_word(nodes.inline):
    """A word of it; its last child is the English."""


class english_gloss(nodes.inline):
    """What stands under a word."""


class ChineseRole(SphinxRole):
    def run(self) -> tuple:
        try:
            pieces = chinese.gloss_words(self.text)
        except ValueError as error:
            logger.warning("%s", error, location=self.get_location())
            return [], []
        unknown = [
            piece for piece, english in pieces if english == chinese.UNKNOWN_GLOSS
        ]
        if unknown:
            message = f"no English is known for {', '.join(unknown)}; give it: {unknown[0]}[...]"
            logger.warning("%s", message, location=self.get_location())
        # What the grammar says may change.
        glosses = sys.modules.get("transformer_book.data.glosses")
        if glosses and glosses.__file__:
            self.env.note_dependency(glosses.__file__)
        return [chinese_node(pieces)], []


def chinese_node(words_with_english: list[tuple[str, str]]):
    inline = chinese_text()
    for piece, english in words_with_english:
        text = nodes.Text(piece)
        inline += (
            chinese_word("", "", text, english_gloss("", english)) if english else text
        )
    return inline


def setup(app):
    pairs = {
        chinese_text: ('<span class="tb-zh" lang="zh">', "</span>"),
        chinese_word: ("<ruby>", "</ruby>"),
        english_gloss: ('<rp> (</rp><rt lang="en">', "</rt><rp>) </rp>"),
    }
    for kind, (opening, closing) in pairs.items():
        app.add_node(kind, html=(_html_writer(opening), _html_writer(closing)))
    app.add_role("zh", ChineseRole())
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _html_writer(html_text: str):
    return lambda self, node: self.body.append(html_text)

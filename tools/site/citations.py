"""The list of works: pybtex's plain style, but Ř stands with R and not after Z."""

import codecs
import unicodedata

import latexcodec  # noqa: F401  (teaches codecs to decode LaTeX)
from pybtex.plugin import register_plugin
from pybtex.style.formatting.plain import Style as Plain
from pybtex.style.sorting.author_year_title import SortingStyle as ByAuthor


class LetterSortingStyle(ByAuthor):
    """By author, year and title; accents and braces do not count."""

    def person_key(self, person) -> str:
        name = codecs.decode(super().person_key(person), "ulatex")
        letters = unicodedata.normalize("NFKD", name)
        return "".join(c for c in letters if c.isalnum() or c == " ")


class LetterBibliographyStyle(Plain):
    """The style ``by_letter`` of the bibliography."""

    default_sorting_style = LetterSortingStyle


def setup(app):
    register_plugin("pybtex.style.formatting", "by_letter", LetterBibliographyStyle)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

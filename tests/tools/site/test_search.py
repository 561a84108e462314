"""What the search finds: words as a reader sees them apart."""

import json

import pytest
from docutils import nodes

from tools.site import search


def test_cells_of_a_table_and_labels_of_a_figure_are_words_of_their_own():
    table = "<tr><td>the</td><td>cat</td></tr>"
    document = nodes.container("", nodes.raw(table, table, format="html"))
    shown = search.copy_without_folded_code(document).astext()
    assert " <td>cat" in shown
    assert document.astext() == table  # the page itself keeps what it had


def test_numbers_are_no_words_and_chinese_characters_are():
    assert search.split_searchable_words("the 2 cats 2.75 黑猫 d2") == [
        "the",
        "cats",
        "d2",
        "黑",
        "猫",
    ]


@pytest.mark.build
def test_no_word_of_the_index_is_a_row_of_a_table(site):
    text = (site / "searchindex.js").read_text("utf-8")
    terms = json.loads(text[text.index("(") + 1 : text.rindex(")")])["terms"]
    assert "cat" in terms and [term for term in terms if "thecat" in term] == []

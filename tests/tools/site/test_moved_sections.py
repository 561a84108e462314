"""Which addresses of a lesson lead on to its laboratory."""

import json
import re
from collections import defaultdict
from types import SimpleNamespace

import pytest
from docutils import nodes

from tools.site import moved_sections
from tools.site.widgets import widget


def test_sections_exercises_labels_and_widgets_are_places():
    tree = nodes.document(None, None)
    tree += nodes.section(ids=["why", "id3"])
    tree += nodes.target(ids=["a-label"])
    tree += widget(name="masks", instead=False, data=None)
    env = SimpleNamespace(docname="page", metadata=defaultdict(dict))
    moved_sections.record_anchors(SimpleNamespace(env=env), tree)
    assert env.metadata["page"]["anchors"] == ["a-label", "masks-live", "why"]


@pytest.mark.build
def test_a_lesson_names_what_its_laboratory_has_and_it_has_not(small_book):
    said = r'<script type="application/json" id="tb-moved">(.*?)</script>'
    (moved,) = re.findall(said, small_book.page("words/one"))
    assert json.loads(moved) == {"one_lab.html": ["one-laboratory", "what-moved"]}
    for name in ("words/two", "words/one_lab", "reference/notation"):
        assert not re.findall(said, small_book.page(name))

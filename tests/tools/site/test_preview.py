"""The picture that a message shows of a link to the book."""

import io
import re

import pytest
from PIL import Image

from tools.site.preview import HEIGHT, WIDTH, draw_preview


def test_it_has_the_size_that_is_asked_for_and_is_the_same_each_time():
    files = [io.BytesIO() for _ in range(2)]
    for file in files:
        draw_preview("A Book").savefig(file, metadata={"Software": None})
    assert files[0].getvalue() == files[1].getvalue()
    assert Image.open(files[0]).size == (WIDTH, HEIGHT)


@pytest.mark.build
def test_every_page_names_it(small_book):
    text = small_book.page("words/one")
    (address,) = re.findall(r'property="og:image" content="([^"]+)"', text)
    assert address.startswith("https://") and address.endswith("_static/preview.png")
    (alt,) = re.findall(r'property="og:image:alt" content="([^"]+)"', text)
    # Sphinx's own name of the project is "Project name not set" in a Jupyter Book.
    picture, expected = (
        io.BytesIO(),
        (small_book.html / "_static/preview.png").read_bytes(),
    )
    draw_preview(alt).savefig(picture, metadata={"Software": None})
    assert alt in text.partition("</title>")[0] and picture.getvalue() == expected


@pytest.mark.build
def test_the_title_of_the_first_page_is_not_said_twice(small_book):
    (title,) = re.findall("<title>(.*?)</title>", small_book.page("intro"))
    assert " — " not in title

"""The faces of the site."""

import pytest
from fontTools.ttLib import TTFont

from tools.site.faces import FACES_BY_FILE_NAME, FONT_FOLDER, font_face_rule


@pytest.mark.parametrize("name", FACES_BY_FILE_NAME)
def test_a_face_lies_inside_its_rule_under_a_name_that_its_licence_allows(name):
    font = TTFont(FONT_FOLDER / f"{name}.woff2")
    assert "src: url(" in font_face_rule(name) and "base64,d09GMg" in font_face_rule(
        name
    )
    names = {
        str(record)
        for record in font["name"].names
        if record.nameID in (1, 3, 4, 6, 16)
    }
    assert names and not any("Source" in each for each in names)
    latin = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789“”‘’–—…×−é"
    assert all(ord(letter) in font.getBestCmap() for letter in latin)

"""Choices that no model can make, and inputs that a model cannot read, are named."""

import re

import pytest
import torch

from transformer_book.config import ConfigError
from transformer_book.nn.families import Architecture, Model
from transformer_book.shapes import ShapeError

SMALL = dict(words=20, d_model=8, d_ff=12, h=2, max_length=6)


@pytest.mark.parametrize(
    "choices, said",
    [
        (dict(kind="encoder"), "kind is 'encoder'; expected one of"),
        (dict(h=3), "d_model is 8; expected a multiple of h"),
        (dict(h=4, g=3), "g is 3; expected a number that divides h, which is 4"),
        (dict(words=None), "words is None; expected the size of a vocabulary"),
        (dict(max_length=None), "max_length is None; expected the number of rows"),
        (dict(positions="rotary", d_k=3), "d_k is 3; expected an even number"),
        (dict(image=8), "patch is None; expected a number that divides image"),
        (dict(image=8, patch=3), "patch is 3; expected a number that divides image"),
        (dict(patch=3), "patch is 3; expected None, as image is"),
        (dict(output="classes"), "classes is None; expected a number"),
        (dict(classes=3), "classes is 3; expected a number with output='classes'"),
        (
            dict(words=None, image=8, patch=4, output="own"),
            "output is 'own'; expected 'classes' or 'none'",
        ),
        (
            dict(kind="encoder-decoder", image=8, patch=4),
            "image is 8; expected None, as an encoder-decoder reads words",
        ),
        (dict(gated=True), "feed_forward_bias is True; expected False"),
        (dict(gated=1), "gated is 1; expected True or False"),
        (dict(slow=4), "fast is 4.0; expected more than slow, which is 4"),
        (dict(epsilon=0), "epsilon is 0; expected a number above 0"),
        (dict(buckets=1), "buckets is 1; expected a whole number of at least 2"),
        (dict(max_distance=1), "max_distance is 1; expected a whole number"),
    ],
)
def test_what_cannot_be_is_named(choices, said):
    with pytest.raises(ConfigError, match=re.escape(said)):
        Architecture(**SMALL | choices)


def test_what_follows_from_the_sizes_is_filled_in():
    a = Architecture(**SMALL)
    assert (a.d_k, a.g, a.N_decoder) == (4, 2, 2)
    assert a == Architecture(**a.as_dict()) == a.changed()
    assert a.differences(a.changed(norm="post")) == {"norm": ("pre", "post")}


IDS = torch.tensor([[3, 4, 5]])


@pytest.mark.parametrize(
    "choices, inputs, said",
    [
        ({}, {}, "ids is not given"),
        (
            {},
            dict(ids=IDS, target=IDS),
            "target of shape (1, 3) is given; expected none",
        ),
        ({}, dict(ids=IDS, types=IDS), "types of shape (1, 3) is given; expected none"),
        (
            {},
            dict(ids=IDS, images=torch.zeros(1, 1, 4, 4)),
            "images of shape (1, 1, 4, 4) is given; expected none",
        ),
        (dict(kind="encoder-decoder"), dict(ids=IDS), "target is not given"),
        ({}, dict(ids=IDS + 17), "ids are from 20 to 22; expected 0 to 19"),
        (
            {},
            dict(ids=IDS.repeat(1, 3)),
            "a sequence of 9 vectors; expected at most 6",
        ),
        ({}, dict(ids=IDS.float()), "ids"),
        (
            dict(image=4, patch=2, max_length=9),
            dict(images=torch.zeros(1, 1, 4, 6)),
            "images has shape (1, 1, 4, 6); expected (batch, 1, 4, 4)",
        ),
        (
            dict(image=4, patch=2, max_length=9),
            {},
            "neither ids nor images are given",
        ),
    ],
)
def test_what_a_model_cannot_read_is_named(choices, inputs, said):
    model = Model(Architecture(**SMALL | choices))
    with pytest.raises(ShapeError, match=re.escape(said)):
        model(**inputs)


def test_one_code_three_masks():
    """The weights that an encoder gives to what comes later are 0 in a decoder."""
    for kind in ("encoder-only", "decoder-only", "encoder-decoder"):
        model = Model(Architecture(kind=kind, **SMALL))
        both = dict(target=IDS) if kind == "encoder-decoder" else {}
        _, weights = model(IDS, **both, need_weights=True)
        for name, A in weights.items():
            later = A.triu(1)[..., :2, 1:]
            causal = name.startswith("decoder") and name.endswith("self_attention")
            assert (later == 0).all() if causal else (A > 0).all()


def test_patches_come_before_words_in_one_sequence():
    a = Architecture(
        **SMALL | dict(kind="encoder-only", image=4, patch=2, max_length=9)
    )
    model = Model(a)
    images = torch.randn(1, 1, 4, 4)
    assert model.embed(images=images).shape == (
        1,
        5,
        8,
    )  # one vector before four patches
    x = model.embed(IDS, images)
    rows = torch.cat([model.embed(images=images)[0, 1:], model.embedding[IDS[0]]])
    rows[4:] += model.positions[5:8]
    torch.testing.assert_close(x[0, 1:], rows)
    patch = images[0, 0, 2:, :2].flatten() @ model.W_patch + model.b_patch
    torch.testing.assert_close(x[0, 3], patch + model.positions[3])
    assert model(IDS, images=images)[0].shape == (1, 8, 20)

"""Settings that no model can have, and inputs that an encoder cannot read, are named."""

import re

import pytest
import torch

from transformer_book import nn
from transformer_book.config import ConfigError
from transformer_book.shapes import ShapeError

SMALL = dict(d_model=8, d_ff=12, h=2, N=2, max_length=6, dropout=0.0)
ALONE = SMALL | dict(kind="encoder-only", positions="learned")
PICTURES = ALONE | dict(image=4, patch=2, max_length=9)
IDS = torch.tensor([[3, 4, 5]])


def config(choices, words=20):
    return nn.TransformerConfig(words, max(words, 3), **choices)


@pytest.mark.parametrize(
    "choices, said",
    [
        (dict(kind="encoder"), "kind is 'encoder'; expected one of"),
        (dict(h=4, g=3), "g is 3; expected a number that divides h, which is 4"),
        (
            dict(positions="rope", d_k=3),
            "3 of the 3 dimensions of a head turn; expected an even number",
        ),
        (
            dict(positions="rope", d_k=12, rotation=nn.Rotation(part=0.25)),
            "3 of the 12 dimensions of a head turn; expected an even number",
        ),
        (dict(image=8), "patch is None; expected a number that divides image"),
        (dict(image=8, patch=3), "patch is 3; expected a number that divides image"),
        (dict(patch=3), "patch is 3; expected None, as image is"),
        (
            dict(kind="encoder-decoder", image=8, patch=4),
            "image is 8; expected None, as only an encoder alone reads images",
        ),
        (dict(gated=1), "gated is 1; expected True or False"),
        (dict(epsilon=0), "epsilon is 0; expected a number above 0"),
        (dict(end_ids=3), "end_ids is 3; expected whole numbers"),
        (dict(rotation=2.0), "rotation is 2.0; expected a Rotation"),
        (dict(global_layers=(-1,)), "global_layers is (-1,); expected whole numbers"),
    ],
)
def test_what_cannot_be_is_named(choices, said):
    with pytest.raises(ConfigError, match=re.escape(said)):
        config(ALONE | choices)


def test_a_model_reads_words_or_images():
    said = "source_words is 0; expected the size of a vocabulary, or an image"
    with pytest.raises(ConfigError, match=said):
        config(SMALL, words=0)
    with pytest.raises(ConfigError, match="fast is 4.0; expected more than slow"):
        nn.Rotation(slow=4)


@pytest.mark.parametrize("kind", ["encoder-decoder", "decoder-only"])
def test_a_configuration_of_another_kind_is_refused(kind):
    with pytest.raises(ConfigError, match=f"kind is '{kind}'; expected 'encoder-only'"):
        nn.Encoder(config(SMALL | dict(kind=kind)))


@pytest.mark.parametrize(
    "choices, inputs, said",
    [
        ({}, {}, "ids is not given"),
        ({}, dict(ids=IDS, types=IDS), "types of shape (1, 3) is given; expected none"),
        (
            {},
            dict(ids=IDS, images=torch.zeros(1, 1, 4, 4)),
            "images of shape (1, 1, 4, 4) is given; expected none",
        ),
        ({}, dict(ids=IDS + 17), "ids from 20 to 22; expected 0 to 19"),
        ({}, dict(ids=IDS.repeat(1, 3)), "a sequence of 9 vectors; expected at most 6"),
        ({}, dict(ids=IDS.float()), "ids holds float32"),
        (
            PICTURES,
            dict(images=torch.zeros(1, 1, 4, 6)),
            "images has shape (1, 1, 4, 6); expected (batch, 1, 4, 4)",
        ),
        (PICTURES, {}, "neither ids nor images are given"),
    ],
)
def test_what_an_encoder_cannot_read_is_named(choices, inputs, said):
    model = nn.Encoder(config(ALONE | choices))
    with pytest.raises(ShapeError, match=re.escape(said)):
        model(**inputs)


def test_three_kinds_differ_in_whom_a_word_sees():
    """The weights that an encoder gives to what comes later are 0 in a decoder."""
    for kind in ("encoder-only", "decoder-only", "encoder-decoder"):
        model = nn.model_from_config(config(SMALL | dict(kind=kind)))
        both = [IDS] if kind == "encoder-decoder" else []
        _, weights = model(IDS, *both, need_weights=True)
        assert weights
        for name, A in weights.items():
            later = A.triu(1)[..., :2, 1:]
            causal = kind == "decoder-only" or (
                name.startswith("decoder") and name.endswith("self_attention")
            )
            assert (later == 0).all() if causal else (A > 0).all()


def test_patches_come_before_words_in_one_sequence():
    model = nn.Encoder(config(PICTURES | dict(embedding_scaled=False)))
    images = torch.randn(1, 1, 4, 4)
    # One vector before four patches.
    assert model.embed(images=images).shape == (1, 5, 8)
    x = model.embed(IDS, images)
    rows = torch.cat([model.embed(images=images)[0, 1:], model.embedding[IDS[0]]])
    rows[4:] += model.PE[5:8]
    torch.testing.assert_close(x[0, 1:], rows)
    patch = images[0, 0, 2:, :2].flatten() @ model.W_patch + model.b_patch
    torch.testing.assert_close(x[0, 3], patch + model.PE[3])
    assert model(IDS, images=images)[0].shape == (1, 8, 20)


def test_an_encoder_of_the_papers_choices_is_the_translators():
    torch.manual_seed(0)
    translator = nn.Transformer(config(SMALL))
    model = nn.Encoder(config(SMALL | dict(kind="encoder-only", output="vectors")))
    model.layers.load_state_dict(translator.encoder.state_dict())
    model.load_state_dict({"embedding": translator.source_embedding.data}, strict=False)
    torch.testing.assert_close(model(IDS)[0], translator.encode(IDS)[0])

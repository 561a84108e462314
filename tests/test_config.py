"""A configuration refuses what no Transformer can be."""

import pytest

from transformer_book.config import ConfigError, TransformerConfig


@pytest.mark.parametrize(
    "settings, message",
    [
        (dict(h=3), "d_model is 512; expected an even multiple of h, which is 3"),
        (dict(d_model=5, h=5), "d_model is 5; expected an even multiple"),
        (dict(N=0), "N is 0; expected a whole number of at least 1"),
        (dict(N=2.0), "N is 2.0; expected a whole number"),
        (dict(dropout=1.0), "dropout is 1.0; expected a probability from 0 to below 1"),
        (dict(norm="last"), r"norm is 'last'; expected one of \('post', 'pre'\)"),
        (
            dict(pad_id=37_000),
            "pad_id is 37000; expected an id of the vocabulary, below",
        ),
        (dict(share="some"), "share is 'some'; expected one of"),
        (
            dict(target_words=9),
            r"share is 'all'; expected one vocabulary.*\(37000, 9\) words",
        ),
    ],
)
def test_each_wrong_setting_is_named(settings, message):
    with pytest.raises(ConfigError, match=message):
        TransformerConfig.base(**settings)


def test_presets_are_the_papers():
    base, big = TransformerConfig.base(), TransformerConfig.big()
    # table 3: N, d_model, d_ff, h, P_drop
    assert (base.N, base.d_model, base.d_ff, base.h, base.dropout) == (
        6,
        512,
        2048,
        8,
        0.1,
    )
    assert (big.N, big.d_model, big.d_ff, big.h, big.dropout) == (
        6,
        1024,
        4096,
        16,
        0.3,
    )


def test_settings_survive_the_way_through_a_dictionary():
    config = TransformerConfig.tiny(30, 40, share="target", norm="pre", N=2)
    assert TransformerConfig(**config.as_dict()) == config
    assert config.changed(N=3).N == 3 and config.N == 2

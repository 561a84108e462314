"""A configuration refuses what no Transformer can be."""

import json
import math

import numpy as np
import pytest
import torch

from transformer_book.config import ConfigError, Rotation, TransformerConfig
from transformer_book.train import Settings


@pytest.mark.parametrize(
    "settings, message",
    [
        (dict(h=3), "d_model is 512; expected an even multiple of h, which is 3"),
        (dict(d_model=5, h=5), "d_model is 5; expected an even multiple"),
        (dict(N=0), "N is 0; expected a whole number of at least 1"),
        (dict(N=2.0), "N is 2.0; expected a whole number"),
        (dict(dropout=1.0), "dropout is 1.0; expected a probability from 0 to below 1"),
        (dict(norm="last"), r"norm is 'last'; expected one of \('post', 'pre', "),
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
    config = config.changed(
        end_ids=(3, 5), window=4, global_layers=(1,), rotation=Rotation(part=0.5)
    )
    kept = json.loads(json.dumps(config.as_dict()))
    assert kept == config.as_dict() and TransformerConfig(**kept) == config
    assert config.changed(N=3).N == 3 and config.N == 2


EXACT = {  # of each record a valid one, in which every number is told
    "TransformerConfig": TransformerConfig(
        20, 20, 16, 32, 4, 2, dropout=0.25, g=2, experts=4, active=2
    ),
    "Settings": Settings(steps=9, cooldown=4, factor=0.5, smoothing=0.25, clip=2.0),
}
NUMBERS = [
    pytest.param(record, name, id=f"{kind}.{name}")
    for kind, record in EXACT.items()
    for name, value in vars(record).items()
    if type(value) in (int, float)
]


@pytest.mark.parametrize("record, name", NUMBERS)
def test_a_number_of_numpy_becomes_python_s_own(record, name):
    value = getattr(record, name)
    kinds = [np.int64, np.int32, np.uint16, np.float64, np.float32]
    for kind in kinds[:3] if type(value) is int else kinds:
        if kind(value) == value:
            changed = record.changed(**{name: kind(value)})
            assert changed == record
            assert type(getattr(changed, name)) in (int, float)
    assert json.loads(json.dumps(changed.as_dict())) == record.as_dict()


@pytest.mark.parametrize("wrong", [True, np.True_, torch.tensor(1), np.array([1]), "1"])
@pytest.mark.parametrize("record, name", NUMBERS)
def test_what_only_looks_like_a_number_is_none(record, name, wrong):
    with pytest.raises(ConfigError, match=f": {name} is .*; expected"):
        record.changed(**{name: wrong})


@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf, 10**400])
@pytest.mark.parametrize("record, name", [p for p in NUMBERS if type(
    getattr(*p.values)) is float])  # fmt: skip
def test_what_is_not_finite_is_no_number(record, name, wrong):
    with pytest.raises(ConfigError, match=f": {name} is .*; expected"):
        record.changed(**{name: wrong})

"""A model for a corpus: the sizes of a preset, the corpus's words, weights drawn from a seed."""

import torch

from ..config import TransformerConfig
from ..nn import Transformer
from .settings import mix_seed

PRESETS = {name: getattr(TransformerConfig, name) for name in ("tiny", "base", "big")}


def translator(corpus, seed=0, preset="tiny", **changes):
    """Return a Transformer for a corpus, untrained.

    Parameters
    ----------
    corpus : ParallelCorpus
    seed : int
        Decides the weights.
    preset : "tiny", "base" or "big"
    **changes
        Settings of ``TransformerConfig`` that differ from the preset. ``share`` is "target" if
        it is not among them, as the two languages have two vocabularies.

    Returns
    -------
    Transformer

    Raises
    ------
    ConfigError
        Naming the setting, what was given and what is expected.
    """
    words = len(corpus.source_vocabulary), len(corpus.target_vocabulary)
    config = PRESETS[preset](*words, **{"share": "target", **changes})
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(mix_seed(seed))
        return Transformer(config)

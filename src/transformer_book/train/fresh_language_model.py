"""A small language model for a text, with weights drawn from a seed."""

import torch

from ..config import TransformerConfig
from ..data.text import Text
from ..nn import LanguageModel
from .settings import mix_seed

# Small, so that it sees its text twice in two minutes of one thread. With embedding and output
# layer apart it learns faster in that time than with one matrix for both.
LANGUAGE_MODEL_CHOICES = {
    "N": 2,
    "d_model": 128,
    "d_ff": 256,
    "h": 4,
    "norm": "pre",
    "share": "none",
    "dropout": 0.0,
}
MAX_LENGTH = 512  # positions of the model


def fresh_language_model(text: Text, seed=0, **changes):
    """Return a language model for a text, untrained.

    Parameters
    ----------
    text : Text
    seed : int
        Decides the weights.
    **changes
        Settings of ``TransformerConfig`` that differ from ``LANGUAGE_MODEL_CHOICES``: two layers, 128 wide,
        whose longest text has 512 tokens.

    Returns
    -------
    LanguageModel

    Raises
    ------
    ConfigError
        Naming the setting, what was given and what is expected.
    """
    words = len(text.vocabulary)
    sizes = {**LANGUAGE_MODEL_CHOICES, "max_length": MAX_LENGTH, **changes}
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(mix_seed(seed))
        return LanguageModel(TransformerConfig(words, words, **sizes))

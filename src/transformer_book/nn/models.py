"""The three kinds of Transformer, by the name that a configuration gives them."""

from collections.abc import Callable

from ..config import TransformerConfig
from .encoder import Encoder
from .language_model import LanguageModel
from .transformer import Transformer

Model = Transformer | LanguageModel | Encoder
MODELS: dict[str, Callable[[TransformerConfig], Model]] = {
    "encoder-decoder": Transformer,
    "decoder-only": LanguageModel,
    "encoder-only": Encoder,
}


def model_from_config(config: TransformerConfig) -> Model:
    """Return the fresh model that a configuration describes: its ``kind`` says which class."""
    return MODELS[config.kind](config)

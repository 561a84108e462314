"""The two models that the book trains once, and that many of its pages look at.

The build of the book trains them. Without a build, or after a change of their settings or their
text, they are trained where they are first asked for, which takes minutes.
"""

from .fetching import fetch_models
from .grammar_translator import translator, translator_training
from .wikipedia_model import language_model, language_model_training, wikipedia_text

__all__ = [
    "fetch_models",
    "language_model",
    "language_model_training",
    "translator",
    "translator_training",
    "wikipedia_text",
]

"""Where text comes from: the registry, the files, tokenisers and vocabularies.

``TRANSFORMER_BOOK_CORPUS`` chooses the corpus, by its name in ``CORPORA``; without it, the sample
that needs no download is used. A file is looked for in the folder ``TRANSFORMER_BOOK_DATA``, then
in the user's cache, then at its origin.
"""

from . import bpe
from .corpora import describe, fingerprint, load
from .errors import DataError
from .registry import CORPORA, Corpus
from .tokens import word_tokens
from .vocabulary import Vocabulary

__all__ = [
    "CORPORA",
    "Corpus",
    "DataError",
    "Vocabulary",
    "bpe",
    "describe",
    "fingerprint",
    "load",
    "word_tokens",
]

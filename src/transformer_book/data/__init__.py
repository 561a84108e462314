"""Where text comes from: the registry, the files, tokenisers and vocabularies.

``TRANSFORMER_BOOK_CORPUS`` chooses the corpus, by its name in ``CORPORA``; without it, the sample
that needs no download is used. A file is looked for in the folder ``TRANSFORMER_BOOK_DATA``, then
in the user's cache, then at its origin.
"""

from ..special_ids import BOS, EOS, PAD, UNK
from . import bpe
from .aligned import check_disjoint, read_aligned
from .bpe_dropout import BPEDropout
from .corpus_loading import describe, fingerprint, load
from .corpus_registry import CORPORA, Corpus
from .errors import DataError
from .glosses import gloss, glosses
from .grammar import grammar_pairs, held_out, translations
from .parallel_corpora import PARALLEL, load_parallel
from .parallel_corpus import ParallelCorpus
from .subwords import Subwords
from .text import Text
from .tokens import detokenize, moses_tokens, tokenize, word_tokens
from .vocabulary import Vocabulary

__all__ = [
    "BOS",
    "CORPORA",
    "EOS",
    "PAD",
    "PARALLEL",
    "UNK",
    "BPEDropout",
    "Batch",
    "Corpus",
    "DataError",
    "ParallelCorpus",
    "Subwords",
    "Text",
    "Vocabulary",
    "bpe",
    "bucketed",
    "check_disjoint",
    "collate",
    "describe",
    "detokenize",
    "fingerprint",
    "gloss",
    "glosses",
    "grammar_pairs",
    "held_out",
    "load",
    "load_parallel",
    "moses_tokens",
    "read_aligned",
    "tokenize",
    "translations",
    "word_tokens",
]


def __getattr__(name):
    # Batches are torch's, which takes seconds to import; most who come here need none.
    if name in ("Batch", "bucketed", "collate"):
        from . import batches

        return getattr(batches, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

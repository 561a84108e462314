"""Where text comes from: the registry, the files, tokenisers and vocabularies.

``TRANSFORMER_BOOK_CORPUS`` chooses the corpus, by its name in ``CORPORA``; without it, the sample
that needs no download is used. A file is looked for in the folder ``TRANSFORMER_BOOK_DATA``, then
in the user's cache, then at its origin.
"""

from ..special_ids import BOS, EOS, PAD, UNK
from . import bpe
from .aligned import check_disjoint, read_aligned
from .bpe_dropout import BPEDropout
from .corpus_loading import data_fingerprint, describe, load
from .corpus_registry import CORPORA, Corpus
from .errors import DataError
from .glosses import gloss_words, grammar_glosses
from .grammar import grammar_pairs, held_out_neighbours, translations
from .parallel_corpora import PARALLEL_CORPUS_LOADERS, load_parallel
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
    "PARALLEL_CORPUS_LOADERS",
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
    "bucketed_batches",
    "check_disjoint",
    "collate",
    "data_fingerprint",
    "describe",
    "detokenize",
    "gloss_words",
    "grammar_glosses",
    "grammar_pairs",
    "held_out_neighbours",
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
    if name in ("Batch", "bucketed_batches", "collate"):
        from . import batches

        return getattr(batches, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

"""Vectors of words, written down."""

import numpy as np


def key_vectors(vectors):
    from gensim.models import KeyedVectors

    wv = KeyedVectors(len(next(iter(vectors.values()))))
    wv.add_vectors(list(vectors), np.array(list(vectors.values()), dtype=np.float32))
    return wv

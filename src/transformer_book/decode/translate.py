"""From a sentence to a sentence."""

import torch

from ..expect import expect
from ..special_ids import EOS
from .beam import beam_search
from .errors import DecodeError, check_model


def translate(model, corpus, sentence, beams=4, length_penalty=0.6, **options):
    """Translate one sentence, with the words of a corpus.

    Parameters
    ----------
    model : nn.Transformer
        Trained on this corpus.
    corpus : data.ParallelCorpus
    sentence : str
        In the corpus's source language.
    beams, length_penalty, options
        As in :func:`beam_search`; one beam is greedy decoding.

    Returns
    -------
    str

    Raises
    ------
    DataError
        If the sentence is empty, or has words that the corpus lacks; each is named with the
        nearest word there is.
    DecodeError
        If the model was not made for this corpus's vocabularies, or a setting is wrong.
    ShapeError
        If the sentence is longer than the model has positions.
    """
    check_model("translate", model, "Transformer")
    words = (model.config.source_words, model.config.target_words)
    expected = (len(corpus.source_vocabulary), len(corpus.target_vocabulary))
    expect(
        words == expected,
        DecodeError,
        "translate",
        f"model is made for {words} source and target words",
        f"one for {expected}, the vocabularies of {corpus.name!r}",
        "Give the corpus that it was trained on.",
    )
    source = torch.tensor([[*corpus.source_ids(sentence), EOS]])
    ((hypothesis, *_),) = beam_search(
        model, source, beams, length_penalty, copied_ids=corpus.copied_ids, **options
    )
    return corpus.target_sentence(hypothesis.ids, corpus.source_tokens(sentence))

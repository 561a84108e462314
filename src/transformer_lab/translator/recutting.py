"""Training pairs whose words are cut into other subwords in each epoch, by BPE-dropout."""

import random

from transformer_book.config import ConfigError
from transformer_book.data.bpe_dropout import BPEDropout
from transformer_book.data.vocabulary import SPECIAL_TOKENS
from transformer_book.special_ids import UNK
from transformer_book.train.settings import mix_seed

CUT_STREAM = 1  # tells this seed of an epoch from that of its order


class Recutting:
    """Cut the words of pairs into subwords anew for each epoch.

    The draws hang on seed and epoch alone, so a run can go on from any epoch. A sentence stays as it
    is where it has an unknown subword, or would get one, or become too long.

    Parameters
    ----------
    corpus : ParallelCorpus
        Whose subwords cut; a sentence stays as it is where they lack one of the pieces.
    p : float
        Probability with which a merge is skipped, as of ``BPEDropout``.
    seed : int
    longest : int
        The most tokens of a sentence with its EOS.

    Raises
    ------
    ConfigError
        If the tokens of the corpus are words.
    """

    def __init__(self, corpus, p, seed, longest):
        if corpus.subwords is None:
            raise ConfigError(
                f"Settings: bpe_dropout is {p}, but the words of {corpus.name} are not cut into "
                "subwords; expected 0, or a corpus with subwords, such as multi30k."
            )
        vocabularies = corpus.source_vocabulary, corpus.target_vocabulary
        self.sides = [
            _LanguageSide(corpus.subwords, p, vocabulary, longest)
            for vocabulary in vocabularies
        ]
        self.seed = seed

    def __call__(self, pairs):
        """Return what gives these pairs, cut for an epoch.

        Parameters
        ----------
        pairs : list of (list of int, list of int)

        Returns
        -------
        callable
            From an epoch, an int, to as many pairs.
        """
        source, target = self.sides
        texts = [(source.words(a), target.words(b)) for a, b in pairs]

        def pairs_of_epoch(epoch: int) -> list[tuple]:
            draw = random.Random(mix_seed(self.seed, epoch, CUT_STREAM))
            return [
                (source.cut(a, old_source, draw), target.cut(b, old_target, draw))
                for (a, b), (old_source, old_target) in zip(texts, pairs)
            ]

        return pairs_of_epoch


class _LanguageSide:
    """One of the two languages."""

    def __init__(self, subwords, p, vocabulary, longest):
        self.token, self.longest = [*vocabulary], longest
        # A word that is spelled like a mark is none.
        self.id = {
            token: i
            for i, token in enumerate(self.token)
            if token not in SPECIAL_TOKENS
        }
        self.join, self.dropout = subwords.join, BPEDropout(subwords, p, self.id)

    def words(self, ids: list[int]) -> list[str] | None:
        return None if UNK in ids else self.join(self.token[i] for i in ids)

    def cut(
        self, words: list[str] | None, old_ids: list[int], rng: random.Random
    ) -> list[int]:
        if words is None:
            return old_ids
        pieces = self.dropout.cut(words, rng)
        new = [
            self.id.get(piece, UNK) for word_pieces in pieces for piece in word_pieces
        ]
        return old_ids if UNK in new or len(new) >= self.longest else new

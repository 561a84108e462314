"""English sentences of the book's grammar, as ids for models that read no translation."""

import torch

from transformer_book import data
from transformer_book.data.parallel_corpora import split_grammar_pairs
from transformer_book.special_ids import BOS, EOS, PAD

MASK = "<mask>"


class Sentences:
    """English sentences of the book's grammar, as ids: those to learn from, and those held back.

    Parameters
    ----------
    learn, held_out : int
        How many of each.
    """

    def __init__(self, learn=8_000, held_out=200):
        # The first sentences of ``load_parallel("grammar")``, without drawing all of it.
        training_pairs, held_out_pairs = split_grammar_pairs(2 * learn + 10 * held_out)
        training_words, held_out_words = (
            [[word.lower() for word in source] for source, _ in pairs]
            for pairs in (training_pairs[:learn], held_out_pairs[:held_out])
        )
        specials = ("<pad>", "<unk>", "<bos>", "<eos>", MASK)
        self.vocabulary = data.Vocabulary(
            [w for s in training_words for w in s], specials
        )
        self.mask = self.vocabulary.ids([MASK])[0]
        self.train, self.held_out = (
            self.padded_ids(training_words),
            self.padded_ids(held_out_words),
        )

    def padded_ids(self, sentences: list[list[str]]) -> torch.Tensor:
        """Return sentences as ids between <bos> and <eos>, padded: (sentences, longest)."""
        ids = [
            torch.tensor([BOS, *self.vocabulary.ids(words), EOS]) for words in sentences
        ]
        return torch.nn.utils.rnn.pad_sequence(ids, batch_first=True, padding_value=PAD)

    def prompt_ids(self, text: str) -> torch.Tensor:
        """Return a text without its end as ids, (1, n)."""
        return self.padded_ids([text.lower().split()])[:, :-1]

    def decode_text(self, ids) -> str:
        """Return ids as a text, without marks, up to the end."""
        tokens = self.vocabulary.tokens(ids)
        tokens = tokens[: tokens.index("<eos>")] if "<eos>" in tokens else tokens
        return " ".join(t for t in tokens if t not in ("<bos>", "<pad>"))


def is_grammar_sentence(text: str) -> bool:
    """Say whether a text, in small letters, is a sentence of the grammar."""
    words = text.replace("monday", "Monday").replace("sunday", "Sunday")
    words = words[:1].upper() + words[1:].removesuffix(" .") + "."
    try:
        data.grammar.translations(words)
    except data.DataError:
        return False
    return True

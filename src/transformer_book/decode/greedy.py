"""Greedy decoding: at each step the most probable word."""

from collections.abc import Sequence

from jaxtyping import Int
from torch import Tensor

from ..nn import Transformer
from ..shapes import checked
from .errors import check_model
from .sequences import Sequences, evaluation_mode


@checked
def greedy(
    model: Transformer,
    source: Int[Tensor, "batch n"],
    *,
    max_length: int | None = None,
    use_cache: bool = True,
    copied_ids: Sequence[int] = (),
) -> list[list[int]]:
    r"""Translate by taking, at each step, the word that is most probable after those taken.

    .. math:: y_t = \arg\max_y\, p(y \mid y_1, \ldots, y_{t-1}, x)

    Parameters
    ----------
    model : nn.Transformer
    source : integer tensor, (batch, n)
        Ids of the sentences, each with EOS, padded at the end.
    max_length : int, optional
        The most tokens of a translation, EOS counted; it is cut there. By default 50 more than
        its source has, but no more than the model has positions.
    use_cache : bool
        Whether to keep keys and values from step to step; the words are the same.
    copied_ids : sequence of int
        ``ParallelCorpus.copied_ids``, ids of marks that stand for numbers and names: the translation has
        each that its source has, once, and does not end before.

    Returns
    -------
    list of list of int
        For each sentence the ids of its translation, without BOS and EOS. Never padding or BOS.

    Raises
    ------
    DecodeError
        Naming the argument, what was given and what was expected.
    """
    check_model("greedy", model, "Transformer")
    with evaluation_mode(model):
        sequences = Sequences(
            "greedy", model, source, max_length, use_cache, copied_ids
        )
        return sequences.write_until_end(
            lambda logits: likeliest_ids(sequences.candidate_logits(logits))
        )


def likeliest_ids(logits):
    """Return the id of the largest logit, (batch,), of logits (batch, words)."""
    # As beam_search does, so that ties fall alike.
    return logits.topk(1).indices[:, 0]

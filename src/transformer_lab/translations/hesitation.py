"""Where a translator hesitates: how it spreads probability over several right translations."""

from dataclasses import dataclass

import torch

from transformer_book import data
from transformer_book.decode import beam_search, greedy, log_probability
from transformer_book.decode.sequences import evaluation_mode

from .exact_match import is_reference

END = "<eos>"


@dataclass(frozen=True)
class TranslationCounts:
    """How many right translations the sentences of a corpus have.

    Parameters
    ----------
    share : float
        Of the sentences, those with more than one, from 0 to 1.
    mean, median : float
        How many a sentence has.
    most : int
    """

    share: float
    mean: float
    median: float
    most: int


def count_right_translations(corpus, pairs) -> TranslationCounts:
    """Count the right translations of each sentence.

    Parameters
    ----------
    corpus : ParallelCorpus
    pairs : sequence of (sequence of str, sequence of str)
        For example ``corpus.test``; at least one.

    Returns
    -------
    TranslationCounts
    """
    counts = torch.tensor([len(corpus.references(pair)) for pair in pairs]).double()
    return TranslationCounts(
        share=(counts > 1).double().mean().item(),
        mean=counts.mean().item(),
        median=counts.quantile(0.5).item(),
        most=int(counts.max()),
    )


@dataclass(frozen=True)
class SearchComparison:
    """What greedy decoding and beam search wrote for the same sentences.

    Parameters
    ----------
    greedy, beam : list of list of int
        Their translations, without marks.
    greedy_log_p, beam_log_p : tensor, (sentences,)
        What the model gives each, in nats, float64.
    greedy_right, beam_right : list of bool
        Whether each is one of the references.
    """

    greedy: list[list[int]]
    beam: list[list[int]]
    greedy_log_p: torch.Tensor
    beam_log_p: torch.Tensor
    greedy_right: list[bool]
    beam_right: list[bool]

    @property
    def differing_share(self) -> float:
        """The share of sentences whose two translations differ, from 0 to 1."""
        return sum(a != b for a, b in zip(self.greedy, self.beam)) / len(self.beam)

    @property
    def share_beam_more_probable(self) -> float:
        """The share of sentences to whose beam translation the model gives more."""
        # Equal translations may differ by rounding.
        is_higher = self.beam_log_p > self.greedy_log_p + 1e-6
        return is_higher.double().mean().item()

    @property
    def right_shares(self) -> tuple[float, float]:
        """The share of right translations, of greedy decoding and of beam search."""
        n = len(self.beam)
        return sum(self.greedy_right) / n, sum(self.beam_right) / n


def compare_beam_with_greedy(
    model, corpus, pairs, beams=4, batch_rows=100
) -> SearchComparison:
    """Translate sentences greedily and by beam search, and compare.

    The search has no length penalty: what it maximises is the probability itself.

    Parameters
    ----------
    model : Transformer
    corpus : ParallelCorpus
    pairs : sequence of (sequence of str, sequence of str)
        At least one.
    beams : int
    batch_rows : int
        How many sentences are translated at one time.

    Returns
    -------
    SearchComparison
    """
    written: dict[str, list] = {"greedy": [], "beam": []}
    log_p: dict[str, list] = {"greedy": [], "beam": []}
    for start in range(0, len(pairs), batch_rows):
        chunk = corpus.ids(pairs[start : start + batch_rows])
        source = data.collate(chunk, model.config.pad_id).source
        hypotheses = beam_search(model, source, beams, length_penalty=0)
        translations = {
            "greedy": greedy(model, source),
            "beam": [h.ids for h, *_ in hypotheses],
        }
        for name, ids in translations.items():
            written[name] += ids
            log_p[name] += [row.sum() for row in log_probability(model, source, ids)]
    right = {
        name: [is_reference(corpus, pair, ids) for pair, ids in zip(pairs, all_ids)]
        for name, all_ids in written.items()
    }
    return SearchComparison(
        written["greedy"],
        written["beam"],
        torch.stack(log_p["greedy"]),
        torch.stack(log_p["beam"]),
        right["greedy"],
        right["beam"],
    )


def entropy(p: torch.Tensor) -> torch.Tensor:
    r"""Return the entropy of distributions, in nats: how unsure they are.

    .. math:: H(p) = -\sum_w p_w \log p_w

    Parameters
    ----------
    p : tensor, (..., words)

    Returns
    -------
    tensor, (...)
        0 where one word has everything, log(words) where all are alike.
    """
    return torch.special.entr(p).sum(dim=-1)


def token_distributions(model, corpus, pairs, batch_rows=100) -> list[torch.Tensor]:
    """Let the model read right translations; return what it expects at each step.

    Parameters
    ----------
    model : Transformer
    corpus : ParallelCorpus
    pairs : sequence of (sequence of str, sequence of str)
    batch_rows : int
        How many sentences are read at one time.

    Returns
    -------
    list of tensor, (m + 1, words)
        For each pair the distribution of each token of its target and of what ends it, float32.
    """
    by_pair = []
    for start in range(0, len(pairs), batch_rows):
        chunk = pairs[start : start + batch_rows]
        batch = data.collate(corpus.ids(chunk), model.config.pad_id)
        with evaluation_mode(model):
            logits, _ = model(batch.source, batch.decoder_input)
            p = torch.softmax(logits, dim=-1)
        by_pair += [row[: len(target) + 1] for row, (_, target) in zip(p, chunk)]
    return by_pair


def next_token_probabilities(
    probability_by_translation: dict, prefix
) -> dict[str, float]:
    """Return which token may come next in a right translation, and how often it does.

    Parameters
    ----------
    probability_by_translation : dict of (sequence of str) to float
        Right translations with their probabilities, as ``data.translations`` gives them.
    prefix : sequence of str
        The tokens so far.

    Returns
    -------
    dict of str to float
        The likeliest first; ``"<eos>"`` is the end. Empty if nothing right begins like this.
    """
    probabilities: dict[str, float] = {}
    n, prefix = len(prefix), tuple(prefix)
    for tokens, p in probability_by_translation.items():
        if tuple(tokens[:n]) == prefix:
            token = tokens[n] if len(tokens) > n else END
            probabilities[token] = probabilities.get(token, 0.0) + p
    total = sum(probabilities.values())
    return {
        token: p / total
        for token, p in sorted(probabilities.items(), key=lambda entry: -entry[1])
    }


@dataclass(frozen=True)
class Calibration:
    """The model's probabilities beside those of the grammar, where it has a choice.

    Parameters
    ----------
    grammar, model : tensor, (choices,)
        The probability of each token that may rightly come next, at all steps with more than one.
    steps : int
        How many steps these are.
    all_steps : int
        How many there are in all.
    distance : float
        The mean over these steps of the total variation distance between the two, half the sum
        of all differences: the probability that would have to move, from 0 to 1.
    grammar_entropy, model_entropy : float
        The mean over all steps, in nats.
    """

    grammar: torch.Tensor
    model: torch.Tensor
    steps: int
    all_steps: int
    distance: float
    grammar_entropy: float
    model_entropy: float


def calibration(model, corpus, pairs) -> Calibration:
    """Compare the model with the grammar at each step of the translations in the pairs.

    Parameters
    ----------
    model : Transformer
    corpus : ParallelCorpus
        The grammar's, or one whose ``all_translations_of`` gives probabilities, too.
    pairs : sequence of (sequence of str, sequence of str)
        At least one with a choice.

    Returns
    -------
    Calibration
    """
    grammar_p, model_p, distances, entropies = [], [], [], []
    expected = token_distributions(model, corpus, pairs)
    for (source, target), rows in zip(pairs, expected):
        translations = corpus.all_translations_of(
            data.detokenize(source, corpus.source_language)
        )
        for t, row in enumerate(rows):
            next_tokens = next_token_probabilities(translations, target[:t])
            p = torch.tensor(list(next_tokens.values()))
            entropies.append(entropy(p))
            if len(next_tokens) > 1:
                ids = corpus.target_vocabulary.ids(next_tokens)
                q = row[ids]
                grammar_p.append(p)
                model_p.append(q)
                # What the model gives to tokens that are not right is a difference, too.
                distances.append(((p - q).abs().sum() + 1 - q.sum()) / 2)
    return Calibration(
        grammar=torch.cat(grammar_p),
        model=torch.cat(model_p),
        steps=len(distances),
        all_steps=len(entropies),
        distance=torch.stack(distances).mean().item(),
        grammar_entropy=torch.stack(entropies).mean().item(),
        model_entropy=entropy(torch.cat(expected)).mean().item(),
    )

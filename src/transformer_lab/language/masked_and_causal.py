"""What a masked and a causal model are good for: ``python -m transformer_lab families --help``."""

import time

import torch
from torch.nn.functional import cross_entropy

from transformer_book import nn
from transformer_book.nn import padding_mask
from transformer_book.special_ids import BOS, EOS, PAD

from .. import experiment
from .sentences import Sentences, is_grammar_sentence

KINDS = {"masked": "encoder-only", "causal": "decoder-only"}
HIDDEN_SHARE = 0.15  # of the words, each time anew; BERT's share
PEAK_RATE = 0.004  # the largest learning rate


def parameter_millions(configs) -> list[float]:
    """Return how many million weights each configuration has, without making room for them."""
    with torch.device("meta"):
        models = [nn.model_from_config(config) for config in configs]
    return [sum(W.numel() for W in model.parameters()) / 1e6 for model in models]


def untrained_variant(kind: str, sentences: Sentences, seed=0):
    """Return an untrained model: of the same choices and weights, but for the mask."""
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)
        return nn.model_from_config(
            nn.TransformerConfig(
                len(sentences.vocabulary),
                len(sentences.vocabulary),
                kind=KINDS[kind],
                d_model=64,
                d_ff=128,
                N=2,
                h=4,
                dropout=0.0,
                norm="pre",
                activation="gelu",
                attention_bias="all",
                positions="learned",
                embedding_scaled=False,
                max_length=40,
            )
        )


def masked_loss(
    model, ids: torch.Tensor, mask_id: int, generator: torch.Generator
) -> torch.Tensor:
    """Hide some words and ask for them; all others, on both sides, may be looked at."""
    hidden = torch.rand(ids.shape, generator=generator) < HIDDEN_SHARE
    hidden &= (ids != PAD) & (ids != BOS) & (ids != EOS)
    read = ids.masked_fill(hidden, mask_id)
    logits, _ = model(read, mask=padding_mask(read, PAD))
    return cross_entropy(logits[hidden], ids[hidden])


def causal_loss(model, ids: torch.Tensor) -> torch.Tensor:
    """Ask at each word for the next one; nothing is hidden but what comes later."""
    logits, _ = model(ids[:, :-1])
    return cross_entropy(logits.mT, ids[:, 1:], ignore_index=PAD)


def train_model(kind: str, sentences: Sentences, steps, seed=0, batch=64):
    """Train a model from nothing.

    Parameters
    ----------
    kind : "masked" or "causal"
    sentences : Sentences
    steps, seed, batch : int

    Returns
    -------
    Encoder or LanguageModel
        In evaluation mode.
    """
    model = untrained_variant(kind, sentences, seed)
    generator = torch.Generator().manual_seed(seed)
    optimiser = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98))
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, PEAK_RATE, steps, pct_start=0.1
    )
    for _ in range(steps):
        rows = torch.randint(len(sentences.train), (batch,), generator=generator)
        ids = sentences.train[rows]
        ids = ids[:, : int((ids != PAD).sum(dim=1).max())]
        if kind == "masked":
            loss = masked_loss(model, ids, sentences.mask, generator)
        else:
            loss = causal_loss(model, ids)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        schedule.step()
    return model.eval()


@torch.no_grad()
def hidden_word_logits_and_ids(
    model, kind: str, sentences: Sentences, ids: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the logits of every word hidden alone, (words, vocabulary), and the words.

    A masked model reads each sentence once for each word; a causal one reads it once, and its guess
    rests on what stands before.
    """
    maskable = (ids != PAD) & (ids != BOS) & (ids != EOS)
    if kind == "causal":
        logits, _ = model(ids[:, :-1])
        return logits[maskable[:, 1:]], ids[maskable]
    rows, positions = maskable.nonzero(as_tuple=True)
    read = ids[rows]
    read[torch.arange(len(rows)), positions] = sentences.mask
    # A model of the other kind hides what comes later, padding too.
    needs_mask = model.config.kind == "encoder-only"
    logits, _ = model(read, mask=padding_mask(read, PAD)) if needs_mask else model(read)
    return logits[torch.arange(len(rows)), positions], ids[maskable]


def hidden_word_accuracy(
    model, kind: str, sentences: Sentences, ids: torch.Tensor
) -> float:
    """Return how many of the hidden words the likeliest guess is, from 0 to 1."""
    logits, words = hidden_word_logits_and_ids(model, kind, sentences, ids)
    return (logits.argmax(-1) == words).float().mean().item()


@torch.no_grad()
def gap_filling_accuracy(
    model, sentences: Sentences, ids: torch.Tensor, batch_rows=4_096
) -> float:
    """Let a causal model fill gaps with both sides: try every word, and take the likeliest sentence.

    Parameters
    ----------
    model : LanguageModel
    sentences : Sentences
    ids : integer tensor, (sentences, longest)
    batch_rows : int
        Sentences read at a time.

    Returns
    -------
    float
        How many of the words hidden alone it finds, from 0 to 1.
    """
    maskable = (ids != PAD) & (ids != BOS) & (ids != EOS)
    first_word = sentences.mask + 1  # no mark is a guess
    candidates = torch.arange(first_word, len(sentences.vocabulary))
    correct = 0
    for row, place in maskable.nonzero().tolist():
        filled = ids[row][ids[row] != PAD].repeat(len(candidates), 1)
        filled[:, place] = candidates
        scores = [
            cross_entropy(model(batch[:, :-1])[0].mT, batch[:, 1:], reduction="none")
            for batch in filled.split(batch_rows)
        ]
        likeliest = torch.cat(scores).sum(dim=1).argmin()
        correct += int(candidates[likeliest] == ids[row, place])
    return correct / int(maskable.sum())


@torch.no_grad()
def generate_sentences(
    model,
    kind: str,
    sentences: Sentences,
    sentence_count: int,
    seed=0,
    lengths: list[int] | None = None,
) -> list[str]:
    """Let a model write sentences, each word drawn with the probability that the model gives it.

    A causal one writes until it writes the end. A masked one has no word for the end: it gets the
    length of a sentence, begins with masks alone and fills them from the left.

    Parameters
    ----------
    model : Encoder or LanguageModel
    kind : "masked" or "causal"
    sentences : Sentences
    sentence_count, seed : int
    lengths : sequence of int, optional
        Words of each sentence, for a masked model.

    Returns
    -------
    list of str
    """
    generator = torch.Generator().manual_seed(seed)
    longest = sentences.train.shape[1] - 2

    def draw_words(logits: torch.Tensor) -> torch.Tensor:
        logits[:, [PAD, BOS, sentences.mask]] = -torch.inf
        p = logits.softmax(dim=-1)
        return torch.multinomial(p, 1, generator=generator)[:, 0]

    if kind == "causal":
        ids = torch.full((sentence_count, 1), BOS)
        for _ in range(longest + 1):
            new = draw_words(model(ids)[0][:, -1])
            ids = torch.cat([ids, new[:, None]], dim=1)
        return [sentences.decode_text(row.tolist()) for row in ids]
    texts = []
    for length in lengths or ():
        ids = torch.tensor([[BOS, *[sentences.mask] * length, EOS]])
        for place in range(1, length + 1):
            ids[:, place] = draw_words(model(ids)[0][:, place])
        texts.append(sentences.decode_text(ids[0].tolist()))
    return texts


def train_and_score(
    kind: str,
    sentences: Sentences,
    steps: int,
    seed,
    written_sentence_count: int,
    lengths: list[int] | None = None,
) -> tuple[nn.Encoder | nn.LanguageModel, dict, list[str]]:
    """Train a model; return it, a row of the record, and what it wrote."""
    start = time.perf_counter()
    model = train_model(kind, sentences, steps, seed)
    logits, words = hidden_word_logits_and_ids(
        model, kind, sentences, sentences.held_out
    )
    texts = generate_sentences(
        model, kind, sentences, written_sentence_count, seed, lengths
    )
    return (
        model,
        {
            "kind": kind,
            "seed": seed,
            "steps": steps,
            "accuracy": (logits.argmax(-1) == words).float().mean().item(),
            "loss": cross_entropy(logits, words).item(),
            "accepted": sum(map(is_grammar_sentence, texts)) / len(texts),
            "seconds": round(time.perf_counter() - start, 1),
        },
        texts,
    )


def argument_parser():
    """Return the parser of this module's command line."""
    return experiment.experiment_parser(
        "families",
        "Train a masked and a causal model on the same sentences, and ask both to fill gaps and "
        "to write.",
        steps=([200, 500, 1500], "of each run"),
        written=(100, "sentences that each model writes"),
        scored=(40, "sentences whose gaps are tried word by word"),
    )


def main(argv=None):
    """Train all of them and write the record."""
    experiment.run_experiment(argument_parser(), argv, _train_all_variants)


def _train_all_variants(args) -> dict:
    sentences, runs, gap_scores = Sentences(), [], []
    gap_sentences = sentences.held_out[: args.scored]
    for seed in experiment.seeds_of(args):
        for steps in args.steps:
            causal, causal_row, texts = train_and_score(
                "causal", sentences, steps, seed, args.written
            )
            lengths = [max(1, len(text.split())) for text in texts]
            masked, masked_row, _ = train_and_score(
                "masked", sentences, steps, seed, args.written, lengths
            )
            runs += [causal_row, masked_row]
            if steps == max(args.steps):
                gap_scores.append(
                    {
                        "seed": seed,
                        "left alone": hidden_word_accuracy(
                            causal, "causal", sentences, gap_sentences
                        ),
                        "every word tried": gap_filling_accuracy(
                            causal, sentences, gap_sentences
                        ),
                        "masked": hidden_word_accuracy(
                            masked, "masked", sentences, gap_sentences
                        ),
                    }
                )
    return {"runs": runs, "scored": gap_scores}

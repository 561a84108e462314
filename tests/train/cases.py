"""Small corpora made by hand, small models, and a loop that shares no code with ours."""

import random

import torch

from transformer_book.data import PAD, ParallelCorpus
from transformer_book.data.subwords import Subwords
from transformer_book.nn import Transformer, TransformerConfig

LETTERS = "abcdefgh"


def corpus(
    translate, n=200, lengths=(3, 8), seed=0, unseen=20, letters=LETTERS, joint=False
):
    """Random words of letters; ``translate`` gives each its target."""
    draw = random.Random(seed)
    sources = {}
    while len(sources) < n + 2 * unseen:
        sources["".join(draw.choices(letters, k=draw.randint(*lengths)))] = None
    pairs = [(tuple(source), tuple(translate(source))) for source in sources]
    return ParallelCorpus.from_pairs(
        pairs[: -2 * unseen],
        pairs[-2 * unseen : -unseen],
        pairs[-unseen:],
        joint_vocabulary=joint,
        name="letters",
        title="letters",
        terms="none",
        source_language="x",
        target_language="x",
    )


def copying(**about):
    return corpus(str, **about)


def subworded(n=1_500, unseen=24, seed=0):
    """Sentences of words in subwords, one vocabulary for both languages.

    The target is the source, but unseen ones have another first word: no model gets all right.
    """
    draw, subwords = random.Random(seed), Subwords([("a", "b"), ("c", "d</w>")])
    texts = {}
    while len(texts) < n + 2 * unseen:
        words = ["".join(draw.choices("abcd", k=draw.randint(1, 3))) for _ in range(4)]
        words.append(draw.choice([".", "&apos;s", "?"]))
        texts[tuple(words)] = words if len(texts) < n else ["abcd", *words[1:]]
    pairs = [
        tuple(tuple(subwords.cut(words)) for words in pair) for pair in texts.items()
    ]
    return ParallelCorpus.from_pairs(
        pairs[: -2 * unseen],
        pairs[-2 * unseen : -unseen],
        pairs[-unseen:],
        joint_vocabulary=True,
        name="subworded",
        title="words of letters",
        terms="none",
        source_language="en",
        target_language="en",
        subwords=subwords,
        moses=True,
    )


def model(corpus, seed=0, dtype=torch.float32, **changes):
    words = len(corpus.source_vocabulary), len(corpus.target_vocabulary)
    sizes = dict(
        d_model=16, d_ff=32, h=2, N=1, share="target", max_length=64, dropout=0.0
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return Transformer(TransformerConfig(*words, **sizes | changes)).to(dtype)


def plain_losses(model, batches, rates, smoothing, clip=None):
    """Train with torch's own loss on all logits; return the loss of each step."""
    adam, losses = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98), eps=1e-9), []
    for batch, lr in zip(batches, rates, strict=True):
        logits, _ = model(batch.source, batch.decoder_input)
        loss = torch.nn.functional.cross_entropy(
            logits.transpose(1, 2),
            batch.labels,
            ignore_index=PAD,
            label_smoothing=smoothing,
        )
        adam.zero_grad()
        loss.backward()
        if clip:
            torch.nn.utils.clip_grad_norm_(model.parameters(), clip)
        adam.param_groups[0]["lr"] = lr
        adam.step()
        losses.append(loss.item())
    return losses

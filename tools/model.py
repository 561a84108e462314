"""Ship the trained translator with the site, and write down what PyTorch makes of it."""

import hashlib
import json
import shutil
from collections import Counter
from functools import cache, partial
from itertools import pairwise

from .made import Made
from .store import key_of

SENTENCES = 200
NAMES = ("model.safetensors", "vocabulary.json")
EXPECTED = "expected.safetensors"
ABOUT = "about.json"
CHANGED = 50  # of them are translated by a changed model, too
LONGEST = 48  # tokens of such a translation, which may never end
READY = (  # to choose from, beside the sentence that the book follows
    "Two dogs slept under two tables.",
    "The girl sang happily in the garden on Sunday.",
    "My rabbit saw the fox behind the tree.",
    "Two girls sat on two rugs and they were dry-cleaned.",
)


def publish(build, code, store):
    """Copy the model into the site, and make ``_build/numbers`` if model or code have changed.

    A book that trains no translator gets none.

    Parameters
    ----------
    build : pathlib.Path
        ``_build``, with the site in ``html``.
    code : str
        A hash of all the code that makes the numbers.
    store : Store

    Raises
    ------
    RuntimeError
        If the file of weights is damaged.
    """
    site, numbers = build / "html" / "_static" / "model", build / "numbers"
    weights = next((build / "model").glob("book-*.safetensors"), None)
    if weights is None:
        for folder in (site, numbers):
            shutil.rmtree(folder, ignore_errors=True)
        return
    made, key = Made(numbers, "numbers"), key_of(weights.read_bytes(), code)
    if not made.is_of(key):
        made.make(key, store, partial(write_numbers, weights))
    site.mkdir(parents=True, exist_ok=True)
    for path, name in zip(
        (weights, weights.with_name("vocabulary.json")), NAMES, strict=True
    ):
        shutil.copyfile(path, site / name)
    shutil.copyfile(numbers / EXPECTED, site / EXPECTED)
    about = json.loads((numbers / ABOUT).read_text("utf-8"))
    shipped = {name: (site / name).read_bytes() for name in NAMES}
    about["bytes"] = sum(map(len, shipped.values()))
    about["sha256"] = {
        name: hashlib.sha256(it).hexdigest() for name, it in shipped.items()
    }
    (site / ABOUT).write_text(json.dumps(about, separators=(",", ":")), "utf-8")


def write_numbers(weights, folder):
    """Translate unseen sentences of the grammar by PyTorch, as :func:`write_translations` does.

    ``changed.json`` has for each of ``changes_of`` what a model changed so writes of the first
    sentences, and ``changed.safetensors`` the logits of each of its steps, by change and number.
    ``expected.safetensors`` has the logits of one sentence, with the ids that the model reads.
    ``about.json`` is what a page knows before it loads the model.
    """
    from safetensors.torch import (
        save_file,
    )  # torch takes seconds, and most builds need none of it

    from transformer_book import data, nn, storage

    try:
        model = nn.load_weights(weights)
    except storage.StorageError as error:
        raise RuntimeError(str(error)) from error
    corpus = data.load_parallel("grammar")
    sentences = corpus.test[:SENTENCES]
    texts = [data.detokenize(tokens, corpus.source_language) for tokens, _ in sentences]
    write_translations(model, texts, corpus.ids(sentences), folder)
    save_file(_expected(model, corpus), folder / EXPECTED)
    source = data.collate(corpus.ids(sentences[:CHANGED])).source
    changed, odds = _changed(weights, source)
    save_file(odds, folder / "changed.safetensors")
    (folder / "changed.json").write_text(json.dumps(changed), "utf-8")
    ready = [data.parallel.FOLLOWED[0], *READY]
    about = {
        "N": model.config.N,
        "h": model.config.h,
        "sentences": ready,
        "follows": followers(),
        "gloss": data.glosses(),
    }
    (folder / ABOUT).write_text(json.dumps(about), "utf-8")


def write_translations(model, texts, pairs, folder, copied=(), **search):
    """Write what PyTorch makes of sentences, for a browser to be compared with.

    ``translations.json`` has for each sentence its text, its ids with EOS, the ids of its greedy
    and its beam translation, and the scores of all that the beam search found.
    ``logits.safetensors`` has by its number the logits, (m, words), float32, of the decoder that
    reads BOS and the greedy translation.

    Parameters
    ----------
    model : Transformer
    texts : list of str
    pairs : list of (list of int, list of int)
        The ids of the texts without marks; of their translations nothing is read.
    folder : pathlib.Path
    copied : sequence of int
        As of ``decode.greedy``.
    **search
        As of ``decode.beam_search``.
    """
    from safetensors.torch import save_file

    from transformer_book import data, decode

    source = data.collate(pairs).source
    greedy, logits = _followed(model, source, copied)
    beam = decode.beam_search(model, source, copied=copied, **search)
    rows = {str(i): logits[i, : len(own) + 1].clone() for i, own in enumerate(greedy)}
    save_file(rows, folder / "logits.safetensors")
    translations = [
        {
            "text": text,
            "source": row[row != data.PAD].tolist(),
            "greedy": own,
            "beam": found[0].ids,
            "scores": [one.score for one in found],
        }
        for text, row, own, found in zip(texts, source, greedy, beam)
    ]
    text = json.dumps(translations, ensure_ascii=False)
    (folder / "translations.json").write_text(text, "utf-8")


def _followed(model, source, copied=()):
    """Translate greedily; return the ids, and the logits of the decoder that reads them."""
    import torch

    from transformer_book import data, decode

    greedy = decode.greedy(model, source, copied=copied)
    pairs = [
        (row[row != data.PAD].tolist()[:-1], own) for row, own in zip(source, greedy)
    ]
    taught = data.collate(pairs)
    with torch.inference_mode():
        logits, _ = model(taught.source, taught.decoder_input)
    return greedy, logits


def changes_of(config):
    """Return the changes whose translations are written down, by a name: every kind of them."""
    last = f"decoder.{config.N - 1}"
    first = [["encoder.0.self_attention", k] for k in range(config.h)]
    return {
        "no scale": {"scale": False},
        "no mask": {"causal": False},
        "no positions": {"positions": False},
        "no positions of the source": {"positions": ["source"]},
        "no positions of the target": {"positions": ["target"]},
        "no residuals": {"residual": False},
        "one residual": {"residual": [f"{last}.feed_forward"]},
        "one head": {"silenced": [[f"{last}.self_attention", config.h - 1]]},
        "all heads of a layer": {"silenced": first},
        "several": {"scale": False, "positions": ["target"], "silenced": first[:1]},
    }


def _changed(weights, source):
    """Translate with each change; return what is written, and each step's logits."""
    import torch

    from transformer_book import decode, nn
    from transformer_lab.changes import changed

    # In float64: without residuals two words may be as probable but for the rounding.
    model = nn.load_weights(weights).double()
    written, logits = {}, {}
    for name, changes in changes_of(model.config).items():
        masked = changes.get("causal", True)
        with changed(model, **changes), torch.inference_mode():
            # With a cache no word would see a later one, mask or not.
            found = decode.greedy(model, source, max_length=LONGEST, use_cache=masked)
            for i, own in enumerate(found):
                steps = _steps(model, source[i], own, masked)
                logits[f"{name} {i}"] = steps.float()
        written[name] = {"changes": changes, "greedy": found}
    return written, logits


def _steps(model, source, own, masked):
    """Return the logits of each step, (m, words), none of which may see what was written later."""
    import torch

    from transformer_book import data

    row = source[source != data.PAD][None]
    ids = torch.tensor([[data.BOS, *own][:LONGEST]])
    if masked:
        return model(row, ids)[0][0]
    begun = [ids[:, :k] for k in range(1, ids.shape[1] + 1)]
    return torch.stack([model(row, one)[0][0, -1] for one in begun])


def _expected(model, corpus):
    """What a reader's browser compares itself with: the book's sentence, and its logits."""
    import torch

    from transformer_book import data

    source = torch.tensor([[*corpus.source_ids(data.parallel.FOLLOWED[0]), data.EOS]])
    (own,), logits = _followed(model, source)
    decoder_input = torch.tensor([data.BOS, *own])
    return {
        "source": source[0].float(),
        "decoder_input": decoder_input.float(),
        "logits": logits[0].clone(),
    }


@cache  # thousands of sentences are drawn
def followers(sentences=20_000):
    """Return for each word of the grammar those that may follow it, the most frequent first.

    The empty word stands for the beginning. All words are as they are inside a sentence.
    """
    from transformer_book.data import grammar

    counts = {}
    for english, _ in grammar.grammar_pairs(sentences):
        first, *others = grammar.words(english)
        for word, following in pairwise(["", first.lower(), *others, "."]):
            counts.setdefault(word, Counter())[following] += 1
    return {
        word: [each for each, _ in own.most_common()] for word, own in counts.items()
    }

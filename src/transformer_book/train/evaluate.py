"""Score a run's translations: ``python -m transformer_book.train.evaluate --help``."""

import argparse
import hashlib
import html
import json
import time
from dataclasses import asdict
from pathlib import Path

import torch

from .. import data, progress, records, storage
from ..data.batches import collate
from ..decode.beam import beam_search
from ..decode.scores import bleu, sacre
from ..nn import load_weights
from ..shapes import check_count
from .loop import validation_loss
from .recipes import RECIPES
from .settings import Settings

ROWS = 100  # sentences that are translated at one time
EXAMPLES = 100
SPLITS = ("validation", "test")


def translations(model, corpus, pairs, beams, length_penalty):
    """Translate the sources of pairs by beam search, sentences of similar length together.

    Parameters
    ----------
    model : Transformer
    corpus : ParallelCorpus
    pairs : sequence of (sequence of str, sequence of str)
        For example ``corpus.test``.
    beams, length_penalty
        As in ``decode.beam_search``.

    Returns
    -------
    list of list of str
        The words of the best hypothesis for each pair, in the order of the pairs.

    Raises
    ------
    DecodeError
        Naming the setting, what was given and what was expected.
    """
    ids, found = corpus.ids(pairs), [None] * len(pairs)
    order = sorted(range(len(ids)), key=lambda i: len(ids[i][0]))
    with progress.bar(len(ids), "sentence", "translating") as bar:
        for start in range(0, len(order), ROWS):
            some = order[start : start + ROWS]
            source = collate([ids[i] for i in some]).source
            for i, (best, *_) in zip(some, beam_search(model, source, beams, length_penalty)):
                found[i] = corpus.target_words(best.ids)
            bar.update(len(some))
    return found


def words(corpus, tokens):
    """Return the words of tokens of a corpus: subwords joined, Chinese characters single."""
    return list(tokens) if corpus.subwords is None else corpus.subwords.join(tokens)


def fingerprint(pairs):
    """Return what tells these pairs from others: the reader's own file may be a newer one."""
    return hashlib.sha256(repr(pairs).encode()).hexdigest()[:16]


def scores(corpus, pairs, hypotheses):
    """Score translations on the corpus's own words, and by sacreBLEU on plain sentences.

    Parameters
    ----------
    corpus : ParallelCorpus
    pairs : sequence of (sequence of str, sequence of str)
        Whose targets are the references.
    hypotheses : list of list of str
        Words, one list for each pair.

    Returns
    -------
    dict
        ``sentences``, ``bleu`` (the fields of ``decode.scores.Bleu``) and ``sacrebleu``.

    Raises
    ------
    ScoreError
        If there is no pair, or the numbers differ.
    """
    # Not from ids, which have no word for what training never saw.
    references = [words(corpus, target) for _, target in pairs]
    plain = [[_sentence(corpus, some) for some in texts] for texts in (hypotheses, references)]
    return {
        "sentences": len(pairs),
        "bleu": asdict(bleu(hypotheses, references)),
        "sacrebleu": sacre(*plain, corpus.target_language),
    }


def _sentence(corpus, words):
    if corpus.moses:
        words = [html.unescape(word) for word in words]
    return data.detokenize(words, corpus.target_language)


def arguments():
    """Return the parser of this module's command line."""
    parser = argparse.ArgumentParser(
        prog="python -m transformer_book.train.evaluate",
        description="Translate with the model of a run, score the translations and record both. "
        "Beside the record, FILE.hypotheses.txt gets those of the test, one a line.",
    )
    add = parser.add_argument
    add("--run", required=True, type=Path, metavar="FOLDER", help="of transformer_book.train")
    add("--out", required=True, type=Path, metavar="FILE", help="the JSON file to write")
    add("--recipe", choices=list(RECIPES), help="whose search is used; default: the run's own")
    add("--weights", default="model.safetensors", help="a file of the run; default: %(default)s")
    add("--split", nargs="+", choices=SPLITS, default=list(SPLITS), help="default: both")
    add("--beams", type=int, help="of the search; default: the recipe's")
    add("--length-penalty", type=float, help="of the search; default: the recipe's")
    add("--device", choices=("cpu", "cuda"), help="default: cuda if there is one")
    add("--threads", type=int, help="default: torch's choice")
    return parser


def main(argv=None):
    """Translate, score, and write the record; where that fails, one line on stderr."""
    parser = arguments()
    given = parser.parse_args(argv)
    if not given.out.parent.is_dir():  # found out now, not after the minutes of translating
        parser.error(f"{given.out.parent} is not a folder; --out needs one that exists")
    gpu = torch.cuda.is_available()
    given.device = given.device or ("cuda" if gpu else "cpu")
    if given.device == "cuda" and not gpu:
        parser.error("--device is cuda, but torch finds no GPU here; expected cpu")
    try:
        if given.threads is not None:
            check_count(parser.prog, "--threads", given.threads, "a number of threads")
            torch.set_num_threads(given.threads)
        _run(parser, given)
    except ValueError as error:  # the package's own: a file, data, a setting
        parser.exit(2, f"{parser.prog}: error: {error}\n")


def _run(parser, given):
    training = _read(given.run, "record.json", "recipe", "corpus", "settings", "seed")
    name = given.recipe or training["recipe"]
    recipe = RECIPES[name]
    corpus = data.load_parallel(training["corpus"])
    model = load_weights(given.run / given.weights).to(given.device)
    _check_words(given.run, model, corpus)
    search = {
        "beams": recipe.beams if given.beams is None else given.beams,
        "length_penalty":
            recipe.length_penalty if given.length_penalty is None else given.length_penalty,
    }
    started, found, written = time.perf_counter(), {}, {}
    for split in given.split:
        pairs = getattr(corpus, split)
        written[split] = translations(model, corpus, pairs, **search)
        loss = validation_loss(model, corpus.ids(pairs), Settings(**training["settings"]))
        found[split] = scores(corpus, pairs, written[split]) | {"loss": loss}
        print(f"{split}: {_line(found[split])}")
    asked = {"recipe": name, **search, "weights": given.weights, "split": given.split}
    values = {key: asked.get(key, value) for key, value in vars(given).items()}
    values = {key: value for key, value in values.items() if value is not None}
    around = records.circumstances("torch", "numpy", "sacrebleu")
    around["hardware"] |= {
        "device": torch.cuda.get_device_name() if given.device == "cuda" else "cpu",
        "threads": torch.get_num_threads(),
    }
    record = {
        "command": records.command(parser, argparse.Namespace(**values)),
        **around,
        "corpus": {
            **{key: getattr(corpus, key) for key in ("name", "title", "terms")},
            "test": fingerprint(corpus.test),
        },
        "parameters": asked | {"seed": training["seed"]},
        "seconds": round(time.perf_counter() - started, 1),
        "scores": found,
        "training": training,
    }
    if "test" in written:
        record["examples"] = _examples(corpus, written["test"])
        text = "".join(f"{' '.join(some)}\n" for some in written["test"])
        storage.write(given.out.with_suffix(".hypotheses.txt"), text.encode())
    records.write(given.out, record)


def _examples(corpus, hypotheses):
    """Return the first translations of the test with their sources, references and score."""
    some = [
        (words(corpus, source), words(corpus, target), hypothesis)
        for (source, target), hypothesis in zip(corpus.test[:EXAMPLES], hypotheses)
    ]
    _, references, written = zip(*some)
    names = ("source", "reference", "hypothesis")
    return {
        "bleu": bleu(written, references).score,
        "sentences": [dict(zip(names, map(" ".join, texts))) for texts in some],
    }


def _read(folder, name, *keys):
    """Return what a JSON file of a run holds, these keys and perhaps more."""
    try:
        found = json.loads(Path(folder, name).read_text("utf-8"))
        return found | {key: found[key] for key in keys}
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise storage.StorageError(
            f"{folder} holds no run that has come to its end: {name} cannot be used "
            f"({type(error).__name__}: {error}). Give the folder that "
            "python -m transformer_book.train --out wrote."
        ) from error


def _check_words(folder, model, corpus):
    stored = _read(folder, "vocabulary.json", "source", "target")
    for side in ("source", "target"):
        theirs, ours = stored[side], [*getattr(corpus, f"{side}_vocabulary")]
        size = getattr(model.config, f"{side}_words")
        if theirs != ours or size != len(ours):
            raise data.DataError(
                f"The model of {folder} was made for another vocabulary than the {side} words of "
                f"{corpus.name}: {size:,} tokens, expected {len(ours):,}, and these. Score it "
                "on the files that it was trained with."
            )


def _line(found):
    ours, others = found["bleu"], found["sacrebleu"]
    return (
        f"BLEU {ours['score']:.2f} on {found['sentences']:,} sentences; by sacreBLEU BLEU "
        f"{others['bleu']['score']:.2f}, chrF {others['chrf']['score']:.2f}"
    )


if __name__ == "__main__":
    main()

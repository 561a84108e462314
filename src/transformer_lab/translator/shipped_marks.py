"""What becomes of numbers and names in the translator that the site ships: ``shipped-marks --help``."""

import argparse
import time

import torch

from transformer_book import data
from transformer_book.data import downloads, tatoeba

from .. import records
from ..translations.copied_tokens import count_unforced_copies, score_copied_tokens
from ..translations.worst import pair_rows, worst_translations
from . import finished_run, site_translator
from .evaluate import SPLITS, corpus_facts, translate_pairs
from .recipes import RECIPES


def score_marks(model, corpus, split: str, beams: int, length_penalty) -> dict:
    """Count what arrives of the numbers and names of a part of the corpus.

    Parameters
    ----------
    model : Transformer
    corpus : ParallelCorpus
        With ``known``.
    split : "validation" or "test"
    beams, length_penalty
        As in ``decode.beam_search``.

    Returns
    -------
    dict
        ``copied``, as of ``score_copied_tokens``, and ``unforced``, as of ``count_unforced_copies``.
    """
    pairs = getattr(corpus, split)
    spaced = translate_pairs(model, corpus, pairs, beams, length_penalty)
    return {
        "copied": score_copied_tokens(corpus, pairs, spaced),
        "unforced": count_unforced_copies(model, corpus, pairs, beams, length_penalty),
    }


def worst_test_translations(model, corpus) -> list[dict]:
    """Return the worst greedy translations of the test, as of ``worst_translations``."""
    path = downloads.fetch(data.corpus_registry.TATOEBA)
    _, _, sentences = tatoeba.split_pairs(tatoeba.read_pairs(path))
    spaced = translate_pairs(model, corpus, corpus.test, 1, 0.0)
    return worst_translations(
        pair_rows(sentences, tatoeba.read_attributions(path)),
        [corpus.write_sentence(words) for words in spaced],
    )


def argument_parser():
    """Return the parser of this module's command line."""
    parser = argparse.ArgumentParser(
        prog="python -m transformer_lab shipped-marks",
        description="Translate the validation and test sentences with the translator that the site "
        "ships, greedily and by beam search, and count which numbers and names arrive.",
    )
    finished_run.add_scoring_options(parser)
    return parser


def main(argv=None):
    """Write the record; where that fails, one line on stderr."""
    finished_run.run_command(argument_parser(), argv, _score_shipped_marks)


def _score_shipped_marks(parser, args) -> None:
    started = time.perf_counter()
    args.threads = args.threads or torch.get_num_threads()
    args.recipe = args.recipe or "tatoeba"
    recipe = RECIPES[args.recipe]
    model = site_translator.load()[0].to(args.device)
    corpus = data.load_parallel("tatoeba")
    searches = {"greedy": (1, 0.0), "beam": (recipe.beams, recipe.length_penalty)}
    scores = {
        search: {split: score_marks(model, corpus, split, *options) for split in SPLITS}
        for search, options in searches.items()
    }
    record = {
        "command": records.command(parser, args),
        **finished_run.environment(args.device),
        "corpus": corpus_facts(corpus, "test"),
        "parameters": {
            "seed": records.load("tatoeba_shipped")["parameters"]["seed"],
            "beams": recipe.beams,
            "length_penalty": recipe.length_penalty,
        },
        "seconds": round(time.perf_counter() - started, 1),
        "scores": scores,
        "worst": worst_test_translations(model, corpus),
    }
    records.write(args.out, record)

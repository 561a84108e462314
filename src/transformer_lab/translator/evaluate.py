"""Score a run's translations: ``python -m transformer_lab evaluate --help``."""

import argparse
import hashlib
import time
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch

from transformer_book import data, storage
from transformer_book.data.batches import collate
from transformer_book.decode.beam import beam_search
from transformer_book.train.loop import validation_loss

from .. import records
from ..translations.copied_tokens import count_unforced_copies, score_copied_tokens
from ..translations.scores import bleu, sacrebleu_scores
from ..translations.translate_corpus import translate_corpus
from . import finished_run
from .recipes import RECIPES
from .run_settings import RunSettings

EXAMPLE_TRANSLATION_COUNT = 100
SPLITS = ("validation", "test")


def translate_pairs(model, corpus, pairs, beams, length_penalty) -> list[list[str]]:
    """Translate the sources of pairs by beam search.

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
        The words of the best hypothesis for each pair, in the order of the pairs, as of
        ``corpus.spaced_target_words``.

    Raises
    ------
    DecodeError
        Naming the setting, its value and what was expected.
    """
    sources = [source for source, _ in corpus.ids(pairs)]
    best_hypotheses = translate_corpus(
        model, sources, beams, length_penalty, corpus.copied_ids
    )
    return [
        corpus.spaced_target_words(hypothesis.ids, source)
        for hypothesis, (source, _) in zip(best_hypotheses, pairs)
    ]


def split_hash(pairs) -> str:
    """Return what tells these pairs from others: the file that a reader downloads may be a newer one."""
    return hashlib.sha256(repr(pairs).encode()).hexdigest()[:16]


def corpus_facts(corpus, split: str) -> dict:
    """Return what a record says of a corpus, and of the part that was scored."""
    facts = {key: getattr(corpus, key) for key in ("name", "title", "terms")}
    facts["training_pairs"] = len(corpus.train)
    return facts | {split: split_hash(getattr(corpus, split))}


def score_translations(corpus, pairs, hypotheses: list[list[str]]) -> dict:
    """Score translations on the words of the corpus, and by sacreBLEU on plain sentences.

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
        ``sentences``, ``source_words``, ``bleu`` (the fields of ``scores.Bleu``) and
        ``sacrebleu``.

    Raises
    ------
    ScoreError
        If there is no pair, or the numbers differ.
    """
    # Not from ids, which have no word for what training never saw.
    references = [corpus.join_tokens(target) for _, target in pairs]
    plain_hypotheses, plain_references = (
        [corpus.write_sentence(words) for words in texts]
        for texts in (hypotheses, references)
    )
    return {
        "sentences": len(pairs),
        "source_words": sum(len(corpus.join_tokens(source)) for source, _ in pairs),
        "bleu": asdict(bleu(hypotheses, references)),
        "sacrebleu": sacrebleu_scores(
            plain_hypotheses, plain_references, corpus.target_language
        ),
    }


def evaluate(
    model, corpus, split: str, run_settings: RunSettings, **search
) -> tuple[dict, list[list[str]]]:
    """Translate a part of a corpus and score it.

    Parameters
    ----------
    model : Transformer
    corpus : ParallelCorpus
    split : "validation" or "test"
    run_settings : RunSettings
        Of the run, by which the loss is computed.
    **search
        ``beams`` and ``length_penalty``, as in ``decode.beam_search``.

    Returns
    -------
    metrics : dict
        As of ``score_translations``, and ``loss``, in nats per token; of a corpus with marks also
        ``copied``, of ``score_copied_tokens``, and ``unforced``.
    hypotheses : list of list of str
    """
    pairs = getattr(corpus, split)
    spaced = translate_pairs(model, corpus, pairs, **search)
    hypotheses = [[word for word in words if word != " "] for words in spaced]
    metrics = score_translations(corpus, pairs, hypotheses)
    if corpus.known is not None:
        metrics["copied"] = score_copied_tokens(corpus, pairs, spaced)
        metrics["unforced"] = count_unforced_copies(model, corpus, pairs, **search)
    return metrics | {
        "loss": validation_loss(model, corpus.ids(pairs), run_settings)
    }, hypotheses


def sentence_cross_attention(model, corpus, source_tokens, **search) -> dict:
    """Translate one sentence and return where each of its pieces looked.

    Parameters
    ----------
    model : Transformer
    corpus : ParallelCorpus
    source_tokens : sequence of str
        For example ``corpus.test[0][0]``.
    **search
        As of ``evaluate``.

    Returns
    -------
    dict
        ``source``, n tokens; ``target``, the m of the best hypothesis, both with EOS; and
        ``cross_attention``, lists of shape (N, h, m, n), to 4 decimals.
    """
    ((ids, _),) = corpus.ids([(source_tokens, ())])
    source_ids = collate([(ids, ())]).source
    ((hypothesis, *_),) = beam_search(
        model, source_ids, copied_ids=corpus.copied_ids, **search
    )
    batch = collate([(ids, hypothesis.ids)], model.config.pad_id).to(
        model.output.device
    )
    with torch.inference_mode():
        _, weights = model(batch.source, batch.decoder_input, need_weights=True)
    A = torch.cat(
        [weights[f"decoder.{i}.cross_attention"] for i in range(model.config.N)]
    )
    return {
        "source": [*source_tokens, "<eos>"],
        "target": [*corpus.target_vocabulary.tokens(hypothesis.ids), "<eos>"],
        "cross_attention": np.round(A.double().cpu().numpy(), 4).tolist(),
    }


def argument_parser():
    """Return the parser of this module's command line."""
    parser = argparse.ArgumentParser(
        prog="python -m transformer_lab evaluate",
        description="Translate with the model of a run, score the translations and record both. "
        "Beside the record, FILE.hypotheses.txt gets those of the test, one a line.",
    )
    add = parser.add_argument
    add(
        "--run",
        required=True,
        type=Path,
        metavar="FOLDER",
        help="of python -m transformer_lab train",
    )
    finished_run.add_scoring_options(parser)
    add(
        "--weights",
        default="model.safetensors",
        help="a file of the run; default: %(default)s",
    )
    add(
        "--split", nargs="+", choices=SPLITS, default=list(SPLITS), help="default: both"
    )
    add("--beams", type=int, help="of the search; default: the recipe's")
    add("--length-penalty", type=float, help="of the search; default: the recipe's")
    add(
        "--attention",
        type=int,
        metavar="N",
        help="also record that of test sentence N, from 1",
    )
    return parser


def main(argv=None):
    """Translate, score, and write the record; where that fails, one line on stderr."""
    finished_run.run_command(argument_parser(), argv, _evaluate_run)


def _evaluate_run(parser, args) -> None:
    training = finished_run.read_run_record(args.run)
    settings = RunSettings(**training["settings"])
    name = args.recipe or training["recipe"]
    search = {
        key: getattr(RECIPES[name], key)
        if getattr(args, key) is None
        else getattr(args, key)
        for key in ("beams", "length_penalty")
    }
    corpus = data.load_parallel(training["corpus"])
    _check_test_sentence_number(corpus, args.attention)
    model = finished_run.load_run_model(args.run, args.weights, corpus, args.device)
    started, metrics, hypotheses = time.perf_counter(), {}, {}
    for split in args.split:
        metrics[split], hypotheses[split] = evaluate(
            model, corpus, split, settings, **search
        )
        print(f"{split}: {_summary_line(metrics[split])}")
    parameters = {
        "recipe": name,
        **search,
        "weights": args.weights,
        "split": args.split,
    }
    values = {key: parameters.get(key, value) for key, value in vars(args).items()}
    values = {key: value for key, value in values.items() if value is not None}
    record = {
        "command": records.command(parser, argparse.Namespace(**values)),
        **finished_run.environment(args.device),
        "corpus": corpus_facts(corpus, "test"),
        "parameters": parameters | {"seed": training["seed"]},
        "seconds": round(time.perf_counter() - started, 1),
        "scores": metrics,
        "training": training,
    }
    if args.attention:
        source, _ = corpus.test[args.attention - 1]
        weights = sentence_cross_attention(model, corpus, source, **search)
        record["attention"] = {"sentence": args.attention, **search} | weights
    if "test" in hypotheses:
        record["examples"] = _example_translations(corpus, hypotheses["test"])
        text = "".join(f"{' '.join(words)}\n" for words in hypotheses["test"])
        storage.write_file(args.out.with_suffix(".hypotheses.txt"), text.encode())
    records.write(args.out, record)


def _check_test_sentence_number(corpus, test_sentence_number: int | None) -> None:
    if test_sentence_number is not None and not 1 <= test_sentence_number <= len(
        corpus.test
    ):
        raise data.DataError(
            f"--attention is {test_sentence_number}; expected the number of a test sentence of "
            f"{corpus.name}, 1 to {len(corpus.test):,}."
        )


def _example_translations(corpus, hypotheses) -> dict:
    """Return the first translations of the test with their sources, references and score."""
    triples = [
        (corpus.join_tokens(source), corpus.join_tokens(target), hypothesis)
        for (source, target), hypothesis in zip(
            corpus.test[:EXAMPLE_TRANSLATION_COUNT], hypotheses
        )
    ]
    _, references, shown = zip(*triples)
    names = ("source", "reference", "hypothesis")
    training_words = {
        word for _, target in corpus.train for word in corpus.join_tokens(target)
    }
    return {
        "bleu": bleu(shown, references).score,
        "sentences": [dict(zip(names, map(" ".join, texts))) for texts in triples],
        # What pieces are put together to, and no training sentence has.
        "coined": [
            [word for word in words if word not in training_words] for words in shown
        ],
    }


def _summary_line(metrics: dict) -> str:
    by_hand, by_sacrebleu = metrics["bleu"], metrics["sacrebleu"]
    return (
        f"BLEU {by_hand['score']:.2f} on {metrics['sentences']:,} sentences; by sacreBLEU BLEU "
        f"{by_sacrebleu['bleu']['score']:.2f}, chrF {by_sacrebleu['chrf']['score']:.2f}"
    )

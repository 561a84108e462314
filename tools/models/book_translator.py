"""Ship the trained translator with the site, and write down how PyTorch translates with it."""

import hashlib
import json
import shutil
from collections import Counter
from functools import cache, partial
from itertools import pairwise

from tools.cache.file_set import FileSet
from tools.cache.store import hash_parts

from .translations import translate_greedily, write_translations

TRANSLATED_SENTENCE_COUNT = 200
SHIPPED_FILE_NAMES = ("model.safetensors", "vocabulary.json")
EXPECTED_LOGITS_FILE_NAME = "expected.safetensors"
ABOUT_FILE_NAME = "about.json"
CHANGED_MODEL_SENTENCE_COUNT = 50  # of them are translated by a changed model, too
MAX_CHANGED_MODEL_TRANSLATION_LENGTH = (
    48  # tokens of such a translation, which may never end
)
SUGGESTED_SENTENCES = (  # to choose from, beside the sentence that the book follows
    "Two dogs slept under two tables.",
    "The girl sang happily in the garden on Sunday.",
    "My rabbit saw the fox behind the tree.",
    "Two girls sat on two rugs and they were dry-cleaned.",
)


def publish_translator(build_folder, code_key, store):
    """Copy the model into the site, and make ``_build/numbers`` if model or code have changed.

    A book that trains no translator gets none.

    Parameters
    ----------
    build_folder : pathlib.Path
        ``_build``, with the site in ``html``.
    code_key : str
        A hash of all the code that makes the numbers.
    store : Store

    Raises
    ------
    RuntimeError
        If the file of weights is damaged.
    """
    site, numbers = (
        build_folder / "html" / "_static" / "model",
        build_folder / "numbers",
    )
    weights = next((build_folder / "model").glob("book-*.safetensors"), None)
    if weights is None:
        for folder in (site, numbers):
            shutil.rmtree(folder, ignore_errors=True)
        return
    file_set, key = (
        FileSet(numbers, "numbers"),
        hash_parts(weights.read_bytes(), code_key),
    )
    if not file_set.is_current(key):
        file_set.make(key, store, partial(write_translation_numbers, weights))
    site.mkdir(parents=True, exist_ok=True)
    for path, name in zip(
        (weights, weights.with_name("vocabulary.json")), SHIPPED_FILE_NAMES, strict=True
    ):
        shutil.copyfile(path, site / name)
    shutil.copyfile(
        numbers / EXPECTED_LOGITS_FILE_NAME, site / EXPECTED_LOGITS_FILE_NAME
    )
    about = json.loads((numbers / ABOUT_FILE_NAME).read_text("utf-8"))
    shipped = {name: (site / name).read_bytes() for name in SHIPPED_FILE_NAMES}
    about["bytes"] = sum(map(len, shipped.values()))
    about["sha256"] = {
        name: hashlib.sha256(content).hexdigest() for name, content in shipped.items()
    }
    (site / ABOUT_FILE_NAME).write_text(
        json.dumps(about, separators=(",", ":")), "utf-8"
    )


def write_translation_numbers(weights_path, numbers_folder):
    """Translate unseen sentences of the grammar by PyTorch, as ``write_translations`` does.

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
        model = nn.load_weights(weights_path)
    except storage.StorageError as error:
        raise RuntimeError(str(error)) from error
    corpus = data.load_parallel("grammar")
    sentences = corpus.test[:TRANSLATED_SENTENCE_COUNT]
    texts = [data.detokenize(tokens, corpus.source_language) for tokens, _ in sentences]
    write_translations(model, texts, corpus.ids(sentences), numbers_folder)
    save_file(
        _expected_source_and_logits(model, corpus),
        numbers_folder / EXPECTED_LOGITS_FILE_NAME,
    )
    source = data.collate(corpus.ids(sentences[:CHANGED_MODEL_SENTENCE_COUNT])).source
    changed, odds = _translate_with_changes(weights_path, source)
    save_file(odds, numbers_folder / "changed.safetensors")
    (numbers_folder / "changed.json").write_text(json.dumps(changed), "utf-8")
    ready = [data.parallel_corpus.FOLLOWED_PAIR[0], *SUGGESTED_SENTENCES]
    about = {
        "N": model.config.N,
        "h": model.config.h,
        "sentences": ready,
        "follows": followers_by_word(),
        "gloss": data.grammar_glosses(),
    }
    (numbers_folder / ABOUT_FILE_NAME).write_text(json.dumps(about), "utf-8")


def changes_by_name(config) -> dict[str, dict]:
    """Return the changes whose translations are written down, by a name: every kind of them."""
    last_layer = f"decoder.{config.N - 1}"
    first_layer_heads = [["encoder.0.self_attention", k] for k in range(config.h)]
    return {
        "no scale": {"scale": False},
        "no mask": {"causal": False},
        "no positions": {"positions": False},
        "no positions of the source": {"positions": ["source"]},
        "no positions of the target": {"positions": ["target"]},
        "no residuals": {"residual": False},
        "one residual": {"residual": [f"{last_layer}.feed_forward"]},
        "one head": {"silenced": [[f"{last_layer}.self_attention", config.h - 1]]},
        "all heads of a layer": {"silenced": first_layer_heads},
        "several": {
            "scale": False,
            "positions": ["target"],
            "silenced": first_layer_heads[:1],
        },
    }


def _translate_with_changes(weights_path, source_ids) -> tuple:
    """Translate with each change; return what is written, and each step's logits."""
    import torch

    from transformer_book import decode, nn
    from transformer_lab.translations.interventions import model_without_parts

    # In float64: without residuals two words may be as probable but for the rounding.
    model = nn.load_weights(weights_path).double()
    by_change, logits = {}, {}
    for name, changes in changes_by_name(model.config).items():
        causal = changes.get("causal", True)
        with model_without_parts(model, **changes), torch.inference_mode():
            # With a cache no word would see a later one, mask or not.
            translations = decode.greedy(
                model,
                source_ids,
                max_length=MAX_CHANGED_MODEL_TRANSLATION_LENGTH,
                use_cache=causal,
            )
            for i, translation in enumerate(translations):
                steps = _step_logits(model, source_ids[i], translation, causal)
                logits[f"{name} {i}"] = steps.float()
        by_change[name] = {"changes": changes, "greedy": translations}
    return by_change, logits


def _step_logits(model, source_row, translation_ids, is_causal: bool):
    """Return the logits of each step, (m, words), none of which may see what was written later."""
    import torch

    from transformer_book import data

    row_without_padding = source_row[source_row != data.PAD][None]
    ids = torch.tensor(
        [[data.BOS, *translation_ids][:MAX_CHANGED_MODEL_TRANSLATION_LENGTH]]
    )
    if is_causal:
        return model(row_without_padding, ids)[0][0]
    prefixes = [ids[:, :k] for k in range(1, ids.shape[1] + 1)]
    return torch.stack(
        [model(row_without_padding, prefix)[0][0, -1] for prefix in prefixes]
    )


def _expected_source_and_logits(model, corpus) -> dict:
    """What a reader's browser compares itself with: the book's sentence, and its logits."""
    import torch

    from transformer_book import data

    source = torch.tensor(
        [[*corpus.source_ids(data.parallel_corpus.FOLLOWED_PAIR[0]), data.EOS]]
    )
    (translation,), logits = translate_greedily(model, source)
    decoder_input = torch.tensor([data.BOS, *translation])
    return {
        "source": source[0].float(),
        "decoder_input": decoder_input.float(),
        "logits": logits[0].clone(),
    }


@cache  # thousands of sentences are drawn
def followers_by_word(sentence_count: int = 20_000) -> dict:
    """Return for each word of the grammar those that may follow it, the most frequent first.

    The empty word stands for the beginning. All words are as they are inside a sentence.
    """
    from transformer_book.data import grammar

    counts = {}
    for english, _ in grammar.grammar_pairs(sentence_count):
        first, *others = grammar.sentence_words(english)
        for word, following in pairwise(["", first.lower(), *others, "."]):
            counts.setdefault(word, Counter())[following] += 1
    return {
        word: [follower for follower, _ in counter.most_common()]
        for word, counter in counts.items()
    }

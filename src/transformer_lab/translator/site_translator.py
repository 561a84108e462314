"""A translator as the site ships it: a folder that a page loads, and that Python reads as well.

``model.safetensors`` has the weights as whole numbers of eight bits, as ``nn.save_weights`` writes
them with ``torch.int8``. ``vocabulary.json`` has ``source`` and ``target``, tokens in the order of
their ids, and ``merges``, pairs of symbols in the order in which they were learned; ``known`` has
the words that are translated, where all other names, numbers and addresses are read as marks, see
``data.placeholders``.
``glosses.json`` has the English of Chinese words. ``about.json`` is what a page knows before it
loads these. ``authors.txt`` names who wrote the sentences that were learned from.

How a word is cut: its characters are symbols, the last with ``</w>`` behind it. Of all merges whose
two symbols stand side by side the first one is applied, wherever they do, until there is none. A symbol
that is no token of the source is cut again into the two that the merge joined, and these
likewise. A symbol with ``</w>`` is written without, any other with ``@@`` behind it.
"""

import hashlib
import json
from importlib import resources
from pathlib import Path

import torch

from transformer_book import storage
from transformer_book.data.corpus_registry import TATOEBA
from transformer_book.data.parallel_corpus import ParallelCorpus
from transformer_book.data.subwords import Subwords
from transformer_book.data.vocabulary import Vocabulary, text_ids
from transformer_book.nn import Transformer, load_weights, save_weights
from transformer_book.storage import StorageError

from .json_files import read_json

WEIGHTS, WORDS, GLOSSES = LOADED_FILES = (
    "model.safetensors",
    "vocabulary.json",
    "glosses.json",
)
ABOUT, AUTHORS = "about.json", "authors.txt"
# What phones and word processors write, and the corpus does not.
PLAIN_PUNCTUATION_TABLE = str.maketrans(
    {"‘": "'", "’": "'", "“": '"', "”": '"', "…": "..."}
)
FOLDER = Path(str(resources.files("transformer_lab"))) / "models" / "tatoeba"


def write_translator_folder(
    folder, model, corpus, glosses: dict[str, str], authors, about: dict
) -> None:
    """Write a translator into a folder.

    Parameters
    ----------
    folder : path-like
    model : Transformer
    corpus : ParallelCorpus
        Whose words the model knows; with subwords.
    glosses : dict of str to str
    authors : iterable of str
    about : dict
        Gets ``bytes`` and ``sha256`` of the files that a page loads.

    Raises
    ------
    StorageError
        If a file cannot be written.
    """
    folder = Path(folder)
    save_weights(folder / WEIGHTS, model, torch.int8)
    words = {
        "source": [*corpus.source_vocabulary],
        "target": [*corpus.target_vocabulary],
        "merges": corpus.subwords.merges,
    }
    if corpus.known is not None:
        words["known"] = sorted(corpus.known)
    _write_json(folder / WORDS, words)
    _write_json(folder / GLOSSES, glosses)
    storage.write_file(
        folder / AUTHORS, "".join(f"{author}\n" for author in authors).encode()
    )
    files = {name: (folder / name).read_bytes() for name in LOADED_FILES}
    sums = {name: hashlib.sha256(file).hexdigest() for name, file in files.items()}
    sizes = {"bytes": sum(map(len, files.values())), "sha256": sums}
    _write_json(folder / ABOUT, about | sizes)


def load(folder=None) -> tuple[Transformer, ParallelCorpus]:
    """Return a translator that :func:`write_translator_folder` has written.

    Parameters
    ----------
    folder : path-like, optional
        By default the one that comes with the package.

    Returns
    -------
    model : Transformer
        In evaluation mode, of float32: whole numbers times their scales.
    corpus : ParallelCorpus
        Without sentences.

    Raises
    ------
    StorageError
        If a file is missing or damaged, or weights and words do not belong together.
    """
    folder = FOLDER if folder is None else folder
    model = load_weights(Path(folder, WEIGHTS))
    words = read_json_file(folder, WORDS, "source", "target", "merges")
    sizes = tuple(len(words[side]) for side in ("source", "target"))
    if sizes != (model.config.source_words, model.config.target_words):
        raise StorageError(
            f"{folder}: {WORDS} has {sizes[0]:,} and {sizes[1]:,} words, and {WEIGHTS} needs "
            f"{model.config.source_words:,} and {model.config.target_words:,}. Expected two "
            "files of one model; write both again with python -m transformer_lab ship."
        )
    return model, ParallelCorpus(
        name=TATOEBA.name,
        title=TATOEBA.title,
        terms=TATOEBA.terms,
        source_language="en",
        target_language="zh",
        train=(),
        validation=(),
        test=(),
        # Special tokens keep their order; others would be sorted.
        source_vocabulary=Vocabulary(words["source"], words["source"]),
        target_vocabulary=Vocabulary(words["target"], words["target"]),
        subwords=Subwords(words["merges"]),
        known=frozenset(words["known"]) if "known" in words else None,
    )


def source_ids(corpus, text: str) -> list[int]:
    """Number the subwords of what a reader types, without marks.

    Parameters
    ----------
    corpus : ParallelCorpus
    text : str
        Curly quotation marks are read as straight ones, "…" as "...".

    Returns
    -------
    list of int
        UNK for a character that training never saw.

    Raises
    ------
    DataError
        If there is no word.
    """
    return text_ids(corpus.source_vocabulary, source_tokens(corpus, text))


def source_tokens(corpus, text: str) -> list[str]:
    """Cut what a reader types into the tokens that :func:`source_ids` numbers.

    Parameters
    ----------
    corpus : ParallelCorpus
    text : str

    Returns
    -------
    list of str
        By the ``Placeholder`` among them ``corpus.target_sentence`` writes what was copied.

    Raises
    ------
    DataError
        If there is no word.
    """
    return corpus.source_tokens(text.translate(PLAIN_PUNCTUATION_TABLE))


def read_json_file(folder, file_name: str, *keys) -> dict:
    """Return what a JSON file of a folder holds.

    Parameters
    ----------
    folder : path-like
    file_name : str
        ``GLOSSES``, for example.
    *keys : str
        What it must have.

    Returns
    -------
    dict

    Raises
    ------
    StorageError
        If the file is missing, no JSON, or lacks a key.
    """
    remedy = "Write it again with python -m transformer_lab ship."
    return read_json(folder, file_name, keys, "translator to ship", remedy)


def _write_json(path: Path, content) -> None:
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    storage.write_file(path, f"{text}\n".encode())

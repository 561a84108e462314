"""Put the translator of Tatoeba into the site, and write down how PyTorch translates with it."""

import shutil
from functools import partial

from tools.cache.file_set import FileSet
from tools.cache.store import hash_parts

from .translations import write_translations

TRANSLATOR_FOLDER_PARTS = ("src", "transformer_lab", "models", "tatoeba")
RECORD_NAME = "tatoeba_shipped"


def publish_translator(root, build_folder, code_key, store):
    """Copy the translator's files into the site; write ``_build/numbers/tatoeba`` if these or the
    code have changed.

    A book without a translator gets none.

    Parameters
    ----------
    root : pathlib.Path
        The project's folder.
    build_folder : pathlib.Path
        ``_build``, with the site in ``html``.
    code_key : str
        A hash of all the code that makes the numbers.
    store : Store

    Raises
    ------
    RuntimeError
        If the translator's files are damaged.
    """
    folder = root.joinpath(*TRANSLATOR_FOLDER_PARTS)
    site, numbers = (
        build_folder / "html" / "_static" / "tatoeba",
        build_folder / "numbers" / "tatoeba",
    )
    shutil.rmtree(site, ignore_errors=True)
    if not folder.is_dir():
        shutil.rmtree(numbers, ignore_errors=True)
        return
    shutil.copytree(folder, site)
    words = (folder / "vocabulary.json").read_text("utf-8")
    weights = (folder / "model.safetensors").read_bytes()
    file_set, key = (
        FileSet(numbers, "tatoeba_numbers"),
        hash_parts(weights, words, code_key),
    )
    if not file_set.is_current(key):
        file_set.make(key, store, partial(write_translation_numbers, folder))


def write_translation_numbers(translator_folder, numbers_folder):
    """Translate the record's test sentences, as ``write_translations`` says."""
    # torch takes seconds to import, and most builds need none of it
    from transformer_book.storage import StorageError
    from transformer_lab import records
    from transformer_lab.translator import site_translator

    try:
        model, corpus = site_translator.load(translator_folder)
    except StorageError as error:
        raise RuntimeError(str(error)) from error
    record = records.load(RECORD_NAME)
    texts = [sentence["source"] for sentence in record["sentences"]]
    pairs = [(site_translator.source_ids(corpus, text), ()) for text in texts]
    search = {key: record["parameters"][key] for key in ("beams", "length_penalty")}
    write_translations(model, texts, pairs, numbers_folder, corpus.copied_ids, **search)

"""Put the translator of Tatoeba into the site, and write down what PyTorch makes of it."""

import shutil
from functools import partial

from .made import Made
from .model import write_translations
from .store import key_of

FOLDER = ("src", "transformer_lab", "models", "tatoeba")
RECORD = "tatoeba_shipped"


def publish(root, build, code, store):
    """Copy the translator's files into the site; write ``_build/numbers/tatoeba`` if these or the
    code have changed.

    A book without a translator gets none.

    Parameters
    ----------
    root : pathlib.Path
        The project's folder.
    build : pathlib.Path
        ``_build``, with the site in ``html``.
    code : str
        A hash of all the code that makes the numbers.
    store : Store

    Raises
    ------
    RuntimeError
        If the translator's files are damaged.
    """
    folder = root.joinpath(*FOLDER)
    site, numbers = (
        build / "html" / "_static" / "tatoeba",
        build / "numbers" / "tatoeba",
    )
    shutil.rmtree(site, ignore_errors=True)
    if not folder.is_dir():
        shutil.rmtree(numbers, ignore_errors=True)
        return
    shutil.copytree(folder, site)
    words = (folder / "vocabulary.json").read_text("utf-8")
    weights = (folder / "model.safetensors").read_bytes()
    made, key = Made(numbers, "tatoeba_numbers"), key_of(weights, words, code)
    if not made.is_of(key):
        made.make(key, store, partial(write_numbers, folder))


def write_numbers(folder, numbers):
    """Translate the record's test sentences, as ``model.write_translations`` says."""
    # torch takes seconds to import, and most builds need none of it
    from transformer_book.storage import StorageError
    from transformer_lab import records, shipped

    try:
        model, corpus = shipped.load(folder)
    except StorageError as error:
        raise RuntimeError(str(error)) from error
    record = records.load(RECORD)
    texts = [one["source"] for one in record["sentences"]]
    pairs = [(shipped.source_ids(corpus, text), ()) for text in texts]
    search = {key: record["parameters"][key] for key in ("beams", "length_penalty")}
    write_translations(model, texts, pairs, numbers, corpus.copied, **search)

"""Where the files are: the user's folder, the cache, the origin, in this order."""

import errno
import hashlib
import importlib.util
import os
import time
import warnings
from pathlib import Path

from tqdm import TqdmWarning

from .. import progress
from .corpus_registry import Corpus
from .errors import DataError

with warnings.catch_warnings():
    # pooch imports tqdm.auto, which warns on a notebook's page where ipywidgets is missing.
    warnings.simplefilter("ignore", TqdmWarning)
    import pooch

FOLDER_SETTING = "TRANSFORMER_BOOK_DATA"
# A live download writes at least every TIMEOUT seconds, so an older leftover belongs to nobody.
TIMEOUT_SECONDS = 30
ABANDONED_AFTER_SECONDS = 600
CHUNK_BYTES = 1 << 16


def cache_folder():
    """Return the folder for downloads, as a Path; it need not exist.

    Raises
    ------
    DataError
        If this user has none, as HOME is not set.
    """
    try:
        return Path(pooch.os_cache("transformer-book")).expanduser()
    except RuntimeError as error:
        raise DataError(
            "This user has no home folder; expected one, in which downloads are kept. "
            "Set HOME, or XDG_CACHE_HOME, to a folder that can be written.",
            reason="there is no folder for downloads (HOME is not set)",
        ) from error


def find_file(corpus: Corpus):
    """Return the file of a corpus on this machine, or None. Nothing is read or downloaded.

    Parameters
    ----------
    corpus : Corpus

    Returns
    -------
    pathlib.Path or None

    Raises
    ------
    DataError
        If ``TRANSFORMER_BOOK_DATA`` names a folder that does not exist, or there is no cache.
    """
    if corpus.package is not None:
        # Finds the folder, imports nothing.
        spec = importlib.util.find_spec(corpus.package)
        locations = spec.submodule_search_locations if spec else None
        folders = [Path(folder) for folder in locations or ()]
    else:
        folders = _user_folders()
        if not any((f / corpus.file).is_file() for f in folders):
            folders = [cache_folder()]
    return next((f / corpus.file for f in folders if (f / corpus.file).is_file()), None)


def fetch(corpus: Corpus):
    """Return the file of a corpus, checked if it has a hash, after downloading it if need be.

    Parameters
    ----------
    corpus : Corpus

    Returns
    -------
    pathlib.Path

    Raises
    ------
    DataError
        If the file cannot be had, or is not the file that the registry describes.
    """
    path = find_file(corpus)
    if path is not None:
        if corpus.hash is not None:
            check_hash(path, corpus)
        return path
    if corpus.origin is None:
        raise DataError(
            f"{corpus.title} ({corpus.name}) is not on this machine: no file {corpus.file} in "
            f"{_describe_search_places(corpus)}. {_describe_remedy(corpus)}",
            reason="its file is not on this machine and it has no address to download it from",
        )
    return _download(corpus)


def check_hash(path, corpus: Corpus):
    """Raise unless the file has the hash that the registry gives for the corpus.

    Raises
    ------
    DataError
        Naming the file and both hashes. The file stays as it is.
    """
    assert corpus.hash is not None
    algorithm, expected = corpus.hash.split(":")
    hash_of_file = file_digest(path, algorithm)
    if hash_of_file != expected:
        raise DataError(
            f"{path} is not the file of {corpus.name}: its {algorithm} is {hash_of_file}, "
            f"expected {expected} (size {path.stat().st_size} bytes, expected {corpus.size}). It was left "
            f"as it is. Move or delete it and run again. {_describe_remedy(corpus)}",
            reason="its file is damaged or another one (wrong hash)",
        )


def file_digest(path, algorithm="sha256"):
    """Return the hexadecimal digest of a file."""
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, algorithm).hexdigest()
    except OSError as error:
        raise DataError(
            f"{path} cannot be read: {error.strerror}. Check its permissions, or remove it.",
            reason="its file cannot be read",
        ) from error


def _user_folders() -> list:
    setting = os.environ.get(FOLDER_SETTING)
    if not setting:
        return []
    folder = Path(setting).expanduser()
    if not folder.is_dir():
        raise DataError(
            f"{FOLDER_SETTING} is {setting!r}, which is not a folder. Set it to a folder that "
            "holds the data, or unset it.",
            reason=f"{FOLDER_SETTING} does not name a folder",
        )
    return [folder]


def _download(corpus: Corpus):
    import requests  # slow to import, and needed here alone

    target = cache_folder() / corpus.file
    downloader = pooch.HTTPDownloader(
        progressbar=progress.make_progress_bar(corpus.size, "B", corpus.file),
        chunk_size=CHUNK_BYTES,
        timeout=TIMEOUT_SECONDS,
    )
    pooch.get_logger().setLevel(
        "WARNING"
    )  # else it writes the cache's path on the page
    try:
        _remove_abandoned_downloads(target.parent)
        # pooch writes under another name and renames the file only once the hash is right.
        pooch.retrieve(
            corpus.origin,
            corpus.hash,
            fname=target.name,
            path=target.parent,
            downloader=downloader,
        )
    except requests.RequestException as error:
        raise DataError(
            f"{corpus.origin} could not be downloaded: {error}. Nothing was kept. "
            f"Check the network and run again. {_describe_remedy(corpus)}",
            reason="its download failed (no network, or no answer)",
        ) from error
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        cause = "the disk is full" if full else error.strerror or str(error)
        raise DataError(
            f"{corpus.origin} could not be saved to {target}: {cause}. It needs {corpus.size:,} "
            f"bytes there. Nothing was kept. Make room and run again. {_describe_remedy(corpus)}",
            reason=f"its download could not be saved: {cause}",
        ) from error
    except ValueError as error:  # pooch's message names both hashes
        raise DataError(
            f"{corpus.origin} sent something else than {corpus.file}: {error} "
            f"Nothing was kept. Run again, later if need be. {_describe_remedy(corpus)}",
            reason="what its address sent has the wrong hash",
        ) from error
    return target


def _remove_abandoned_downloads(folder):
    """Remove what a download that was killed has left behind; pooch names it tmp..."""
    for leftover in folder.glob("tmp*"):
        try:
            if time.time() - leftover.stat().st_mtime > ABANDONED_AFTER_SECONDS:
                leftover.unlink()
        except FileNotFoundError:
            pass  # another process swept it first


def _describe_search_places(corpus: Corpus) -> str:
    if corpus.package is not None:
        return f"the package {corpus.package}"
    return " or ".join(str(folder) for folder in [*_user_folders(), cache_folder()])


def _describe_remedy(corpus: Corpus) -> str:
    if corpus.package is not None:
        return f"Install {corpus.package} again."
    if corpus.by_hand is not None:
        return (
            f"{corpus.by_hand} at {cache_folder() / corpus.file}, or at {corpus.file} in a folder "
            f"of your own that {FOLDER_SETTING} names."
        )
    advice = f"Or set {FOLDER_SETTING} to a folder that holds {corpus.file}"
    if corpus.reader is None:
        return f"{advice}."
    return f"{advice}, or unset TRANSFORMER_BOOK_CORPUS to use the sample that needs no download."

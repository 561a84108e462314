"""A machine of one's own: the reader's functions, with weights that the book trained, translate."""

import copy
import os
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

from transformer_book.by_hand.transformer import load_weights
from transformer_book.data import DataError, load_parallel
from transformer_book.model_folders import model_folders
from transformer_book.special_ids import BOS, EOS

from .reader_file import ReaderError, is_stub, load_reader_file
from .tasks import tasks_by_name
from .trial import join_names, needed_library, to_arrays, to_tensors

EXAMPLE_SENTENCE = (
    "The black cat sat on the couch and the brown dog slept on the rug ."  # the book's
)
MAX_TRANSLATION_LENGTH = 60  # characters of a translation
# In the order in which a translation needs them; they call the other functions of the file.
TRANSLATION_FUNCTION_NAMES = (
    "embed",
    "padding_mask",
    "encoder_layer",
    "decoder_layer",
    "logits",
    "greedy",
)
WEIGHTS_FILE_GLOB = "book-*.safetensors"


def translate_with_file(path, sentence: str, weights_path) -> str:
    """Translate a sentence with the functions of a file.

    Parameters
    ----------
    path : path-like
        The reader's file.
    sentence : str
        English, of the words of the book's grammar.
    weights_path : path-like
        The file of a translator's weights that ``nn.save_weights`` wrote.

    Returns
    -------
    str

    Raises
    ------
    ReaderError
        If a function is not written yet, or the file of weights is not there.
        Also if a word is not of the grammar.
    """
    module = load_reader_file(path)
    missing = [
        name
        for name in TRANSLATION_FUNCTION_NAMES
        if not hasattr(module, name) or is_stub(getattr(module, name))
    ]
    if missing:
        raise ReaderError(
            f"the machine needs {', '.join(missing)}, which {path} does not have yet. Write them first."
        )
    config, W = load_weights(weights_path)
    corpus = load_parallel("grammar")
    try:
        source = np.array([[*corpus.source_ids(sentence), EOS]])
    except DataError as error:
        says = str(error).partition(" Use words of ")[0]
        raise ReaderError(
            f"{says} A sentence whose words are among them: {EXAMPLE_SENTENCE}"
        ) from None
    try:
        model = ReaderTranslator(module, config, W)
        ids = model.greedy(
            model.make_next_logits(source), BOS, EOS, MAX_TRANSLATION_LENGTH
        )
    except Exception as error:
        says = describe_mixed_libraries(module)
        if says:
            raise ReaderError(says) from error
        raise
    return corpus.target_sentence([int(i) for i in ids])


def describe_mixed_libraries(module) -> str:
    """Say which functions take only arrays and which only tensors, if there are such of both kinds."""
    of = {}
    for name, task in tasks_by_name().items():
        function = getattr(module, name, None)
        if function is not None and not is_stub(function) and "torch" in sys.modules:
            of.setdefault(needed_library(task, function), []).append(name)
    if not of.keys() >= {"numpy", "torch"}:
        return ""
    return (
        f"some of the functions are for arrays of NumPy alone ({join_names(of['numpy'])}), and others for "
        f"tensors of PyTorch alone ({join_names(of['torch'])}). Write them all with the same library."
    )


class ReaderTranslator:
    """The functions of a file, put together to an encoder–decoder with these weights.

    Parameters
    ----------
    module : module
        With the functions named in ``TRANSLATION_FUNCTION_NAMES``.
    config : TransformerConfig
    W : dict of str to array
        By the names of ``nn.save_weights``.
    """

    def __init__(self, module, config, W):
        self.module, self.config, self.W = module, config, W
        # Tensors where the file takes no arrays.
        self.library = np
        try:
            self.module.embed(np.array([[0]]), np.eye(2))
        except Exception:
            self.library = sys.modules.get("torch", np)

    def call_function(self, function_name: str, *arguments):
        """Call a function of the file with copies of the arguments."""
        arguments = to_tensors(copy.deepcopy(arguments), self.library)
        return to_arrays(getattr(self.module, function_name)(*arguments))

    def make_next_logits(self, source_ids: np.ndarray) -> Callable:
        """Read a source sentence, (1, n); return the model that ``greedy`` asks."""
        E_source = self.W["source_embedding"]
        E_target = self.W.get("target_embedding", E_source)
        output = self.W.get("output", E_target)
        h, layers = self.config.h, range(self.config.N)
        mask = self.call_function("padding_mask", source_ids, self.config.pad_id)
        memory = self.call_function("embed", source_ids, E_source)
        for i in layers:
            memory = self.call_function(
                "encoder_layer", memory, encoder_layer_weights(self.W, i), h, mask
            )

        def next_logits(ids):
            x = self.call_function("embed", np.array([list(map(int, ids))]), E_target)
            for i in layers:
                W = decoder_layer_weights(self.W, i)
                x = self.call_function("decoder_layer", x, memory, W, h, mask)
            return self.call_function("logits", x, output)[0, -1]

        return next_logits

    def greedy(self, next_logits, bos, eos, longest):
        """Let the file's ``greedy`` write with this model."""
        return self.call_function("greedy", next_logits, bos, eos, longest)


def encoder_layer_weights(W: dict, layer_index: int) -> dict[str, dict]:
    """Return the weights of encoder layer i as the workshop's ``encoder_layer`` takes them."""
    name = f"encoder.{layer_index}"
    return {
        "attention": attention_matrices(W, f"{name}.self_attention")
    } | network_and_norm_weights(W, name, 2)


def decoder_layer_weights(W: dict, layer_index: int) -> dict[str, dict]:
    """Return the weights of decoder layer i as the workshop's ``decoder_layer`` takes them."""
    name = f"decoder.{layer_index}"
    return {
        "self": attention_matrices(W, f"{name}.self_attention"),
        "cross": attention_matrices(W, f"{name}.cross_attention"),
    } | network_and_norm_weights(W, name, 3)


def attention_matrices(W: dict, prefix: str) -> dict:
    """Return W_Q, W_K, W_V and W_O of an attention; the first three are side by side in the file."""
    W_QKV = W[f"{prefix}.W_QKV"]
    d = W_QKV.shape[-1] // 3
    matrices = (W_QKV[:, i * d : (i + 1) * d] for i in range(3))
    return dict(zip(("W_Q", "W_K", "W_V"), matrices)) | {"W_O": W[f"{prefix}.W_O"]}


def network_and_norm_weights(W: dict, prefix: str, norm_count: int) -> dict[str, dict]:
    """Return the weights of a layer's feed-forward network and of its norms."""
    network = {k: W[f"{prefix}.feed_forward.{k}"] for k in ("W_1", "b_1", "W_2", "b_2")}
    return {"feed_forward": network} | {
        f"norm_{j}": {
            k: W[f"{prefix}.add_and_norm_{j}.layer_norm.{k}"] for k in ("gamma", "beta")
        }
        for j in range(1, norm_count + 1)
    }


def book_weights() -> Path:
    """Return the file of the translator that the book's build has trained.

    Raises
    ------
    ReaderError
        If it is not there.
    """
    folders = model_folders()
    for folder in folders:
        if files := sorted(folder.glob(WEIGHTS_FILE_GLOB), key=os.path.getmtime):
            return files[-1]
    raise ReaderError(
        "the weights of the book's build are not there. Run make book, or name a file: --weights FILE. "
        f"({folders[0]} has no {WEIGHTS_FILE_GLOB}.)"
    )

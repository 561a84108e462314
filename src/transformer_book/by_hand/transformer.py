"""The Transformer in NumPy, from ids to logits, on the weights of a file."""

import math
import os

import numpy as np
from jaxtyping import Float, Int

from .. import storage
from ..config import TransformerConfig
from ..shapes import ShapeError, checked
from .layers import decoder_layer, encoder_layer, weights_under
from .masks import padding_mask
from .norm import layer_norm
from .positions import positional_encoding


def load_weights(path: str | os.PathLike) -> tuple[TransformerConfig, dict]:
    """Return the configuration and the weights by name that ``nn.save_weights`` wrote.

    Raises
    ------
    StorageError
        If the file is missing, truncated, no safetensors file, carries no configuration, or holds
        other weights than a translator's.
    """
    W, metadata = storage.read_tensors_as_floats(path, "np")
    config = storage.config_of(path, metadata)
    storage.check_floats(path, W)
    if "source_embedding" not in W:
        raise storage.StorageError(
            f"{path} has no source_embedding; expected the weights of a Transformer. "
            "Read a language model with nn.load_language_model."
        )
    return config, W


@checked
def transformer(
    source: Int[np.ndarray, "batch n"],
    target: Int[np.ndarray, "batch m"],
    W: dict,
    config: TransformerConfig,
) -> tuple[Float[np.ndarray, "batch m target_words"], dict]:
    """Return a logit for each word of the vocabulary after each position of the target.

    Parameters
    ----------
    source : integer array, (batch, n)
        Ids of the source, padded at the end.
    target : integer array, (batch, m)
        Ids of the target so far, the sign for "begin" first, padded at the end.
    W : dict of str to array
        Weights by name, as ``load_weights`` returns them.
    config : TransformerConfig

    Returns
    -------
    logits : array, (batch, m, target_words)
        Row j is about the word after target position j, and depends on positions 0 to j.
    weights : dict
        Each attention's weights, (batch, h, queries, keys), by name.

    Raises
    ------
    ShapeError
        Naming the argument, what was given and what was expected.
    """
    # A shared matrix is stored once, under the first of its names.
    E_source = W["source_embedding"]
    E_target = W.get("target_embedding", E_source)
    output = W.get("output", E_target)
    memory, weights = encode(embed(source, E_source, config), source, W, config)
    mask = padding_mask(source, config.pad_id)
    x, more_weights = decode(embed(target, E_target, config), memory, mask, W, config)
    return x @ output.T, weights | more_weights


def embed(ids, E, config: TransformerConfig) -> np.ndarray:
    """Look up the ids' embeddings, times sqrt(d_model), and add the positions."""
    if ids.shape[-1] > config.max_length:
        raise ShapeError(
            f"transformer: a sentence has {ids.shape[-1]} tokens; expected at most "
            f"{config.max_length}. Cut the sentence, or use a model with a larger max_length."
        )
    if ids.dtype.kind not in "iu" or ids.min() < 0 or ids.max() >= len(E):
        raise ShapeError(
            f"transformer: ids go from {ids.min()} to {ids.max()}, in {ids.dtype}; expected whole "
            f"numbers from 0 to {len(E) - 1}. Use the vocabulary of this model."
        )
    PE = positional_encoding(ids.shape[-1], config.d_model)
    return E[ids] * math.sqrt(config.d_model) + PE.astype(E.dtype)


def encode(
    x, source_ids, W: dict, config: TransformerConfig
) -> tuple[np.ndarray, dict]:
    """Pass embedded source words, (batch, n, d_model), through the encoder's layers."""
    mask, weights = padding_mask(source_ids, config.pad_id), {}
    for i in range(config.N):
        layer = weights_under(W, f"encoder.{i}")
        x, attentions = encoder_layer(x, layer, config.h, mask, config.norm)
        weights |= {f"encoder.{i}.{name}": A for name, A in attentions.items()}
    return _final_norm_if_pre(x, W, "encoder_norm", config), weights


def decode(
    x, memory, memory_mask, W: dict, config: TransformerConfig
) -> tuple[np.ndarray, dict]:
    """Pass embedded target words, (batch, m, d_model), through the decoder's layers."""
    weights = {}
    for i in range(config.N):
        layer = weights_under(W, f"decoder.{i}")
        x, attentions = decoder_layer(
            x, memory, layer, config.h, memory_mask, config.norm
        )
        weights |= {f"decoder.{i}.{name}": A for name, A in attentions.items()}
    return _final_norm_if_pre(x, W, "decoder_norm", config), weights


def _final_norm_if_pre(
    x, W: dict, norm_name: str, config: TransformerConfig
) -> np.ndarray:
    return layer_norm(x, **weights_under(W, norm_name)) if config.norm == "pre" else x

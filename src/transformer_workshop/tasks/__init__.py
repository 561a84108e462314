"""The tasks, a file each; the order is that in which they are written."""

from importlib import import_module

ORDER = (
    "softmax",
    "merge_pair",
    "positional_encoding",
    "scaled_dot_product_attention",
    "causal_mask",
    "padding_mask",
    "split_heads",
    "merge_heads",
    "multi_head_attention",
    "layer_norm",
    "feed_forward",
    "encoder_layer",
    "decoder_layer",
    "embed",
    "logits",
    "shifted_batch",
    "smoothed_loss",
    "learning_rate",
    "adam_step",
    "greedy",
    "beam_search",
    "attend_with_cache",
    "rotate",
    "rms_norm",
    "grouped_query_attention",
    "merge_softmax_parts",
    "top_p",
)


def tasks():
    """Return the tasks in their order.

    Returns
    -------
    dict of str to Task
    """
    return {name: import_module(f"{__name__}.{name}").TASK for name in ORDER}

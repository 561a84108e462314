"""The tasks, a file each."""

from ..task import Task
from . import (
    adam_step,
    attend_with_cache,
    beam_search,
    causal_mask,
    decoder_layer,
    embed,
    encoder_layer,
    feed_forward,
    greedy,
    grouped_query_attention,
    layer_norm,
    learning_rate,
    logits,
    merge_heads,
    merge_pair,
    merge_softmax_parts,
    multi_head_attention,
    padding_mask,
    positional_encoding,
    rms_norm,
    rotate,
    scaled_dot_product_attention,
    shifted_batch,
    smoothed_loss,
    softmax,
    split_heads,
    top_p,
    training_loop,
)

TASK_MODULES = (  # in which they are written
    softmax,
    merge_pair,
    positional_encoding,
    embed,
    scaled_dot_product_attention,
    causal_mask,
    padding_mask,
    split_heads,
    merge_heads,
    multi_head_attention,
    layer_norm,
    feed_forward,
    encoder_layer,
    decoder_layer,
    logits,
    shifted_batch,
    smoothed_loss,
    learning_rate,
    adam_step,
    greedy,
    beam_search,
    training_loop,
    attend_with_cache,
    rotate,
    rms_norm,
    grouped_query_attention,
    merge_softmax_parts,
    top_p,
)


def tasks_by_name() -> dict[str, Task]:
    """Return the tasks in their order.

    Returns
    -------
    dict of str to Task
    """
    return {module.TASK.name: module.TASK for module in TASK_MODULES}

"""Six families: how the configuration and the weights of each are read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ...options import ConfigError
from . import configs, names
from .architecture import Architecture
from .fields import Fields


@dataclass(frozen=True)
class Family:
    """What has to be known of a family to read its configuration and its weights.

    Parameters
    ----------
    read : callable
        Makes an Architecture of the fields of a config.json.
    names : dict of str to str
        Our names of weights, each with theirs, as in :mod:`.names`.
    prefix : str
        What the names in a checkpoint may begin with.
    classes : dict of str to str
        The classes that write such checkpoints, each with the ``output`` of its model, or "" for the
        family's own.
    unused : tuple of str
        Patterns of names that a checkpoint may hold besides, and that no logit depends on.
    copies : dict of str to str
        Second names that a weight may have, each with its first; any of them may be the only one.
    transposed : bool
        Whether its matrices are (out, in), as those of ``torch.nn.Linear``.
    ones : dict of str to int
        Which of our weights has how many axes of length 1 before its own there.
    older : dict of str to str
        Patterns in the names of its first checkpoints, and what they became.
    tied : bool
        Whether the embedding is the output too wherever a checkpoint has no other, whatever its
        config.json says.
    """

    read: Callable
    names: Mapping[str, str]
    prefix: str
    classes: Mapping[str, str]
    unused: tuple[str, ...] = ()
    copies: Mapping[str, str] = field(default_factory=dict)
    transposed: bool = True
    ones: Mapping[str, int] = field(default_factory=dict)
    older: Mapping[str, str] = field(default_factory=dict)
    tied: bool = False


_LLAMA_UNUSED = ("layers.*.self_attn.rotary_emb.inv_freq",)
FAMILIES = {
    "bert": Family(
        configs.bert,
        names.BERT,
        "bert.",
        {"BertForMaskedLM": "", "BertForPreTraining": "", "BertModel": "none"},
        (
            "pooler.dense.*",
            "cls.seq_relationship.*",
            "cls.predictions.decoder.bias",  # the same as cls.predictions.bias
            "embeddings.position_ids",
        ),
        copies={"cls.predictions.decoder.bias": "cls.predictions.bias"},
        older={
            r"LayerNorm\.gamma$": "LayerNorm.weight",
            r"LayerNorm\.beta$": "LayerNorm.bias",
        },
    ),
    "gpt2": Family(
        configs.gpt2,
        names.GPT2,
        "transformer.",
        {"GPT2LMHeadModel": "", "GPT2Model": ""},
        ("h.*.attn.bias", "h.*.attn.masked_bias"),  # the causal mask
        transposed=False,  # its Conv1D keeps (in, out), as we do
    ),
    "t5": Family(
        configs.t5,
        names.T5,
        "",
        {"T5ForConditionalGeneration": "", "T5WithLMHeadModel": ""},
        (
            "*.embed_tokens.weight",  # the same as shared.weight
            "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight",
        ),
        copies={
            f"{stack}.embed_tokens.weight": "shared.weight"
            for stack in ("encoder", "decoder")
        },
        # What the gate of version 1.1 scales stands in the place of what nothing scaled.
        older={r"DenseReluDense\.wi_1": "DenseReluDense.wi"},
        tied=True,
    ),
    "llama": Family(
        configs.llama, names.LLAMA, "model.", {"LlamaForCausalLM": ""}, _LLAMA_UNUSED
    ),
    "qwen3": Family(
        configs.qwen3, names.LLAMA, "model.", {"Qwen3ForCausalLM": ""}, _LLAMA_UNUSED
    ),
    "vit": Family(
        configs.vit,
        names.VIT,
        "vit.",
        {"ViTForImageClassification": "", "ViTModel": "none"},
        ("pooler.dense.*",),
        ones={"first": 2, "positions": 1},
    ),
}


def family_of(config: Mapping) -> Family:
    """Return the family that a config.json names as its ``model_type``.

    Parameters
    ----------
    config : mapping

    Raises
    ------
    ConfigError
        If it is none of those that this book knows.
    """
    kind = config.get("model_type")
    if not isinstance(kind, str) or kind not in FAMILIES:
        raise ConfigError(
            f"config.json: model_type is {kind!r}; expected one of {', '.join(FAMILIES)}. Of other "
            "architectures this book's module does not know what their weights mean."
        )
    return FAMILIES[kind]


def architecture_of(config: Mapping) -> Architecture:
    """Return the choices that a family's own config.json describes.

    Parameters
    ----------
    config : mapping
        The fields of the file, as ``json.load`` reads them.

    Returns
    -------
    Architecture

    Raises
    ------
    ConfigError
        For a family that this book does not know, a field that is missing, one that asks for what its
        module does not compute, and one of which this reader does not know whether it does.
    """
    family, fields = family_of(config), Fields(config)
    choices = family.read(fields)
    configs.common(fields, choices["kind"])
    output = family.classes[_class_of(fields, family)]
    fields.check()
    if output:
        choices |= dict(classes=None, head=False, output_bias=False, output=output)
    return Architecture(**choices)


def _class_of(fields, family):
    """Return the class that wrote a checkpoint; a family's first if its file names none."""
    written = fields("architectures", None)
    if written in (None, []):
        return next(iter(family.classes))
    name = written[0] if isinstance(written, list) and len(written) == 1 else written
    if not isinstance(name, str) or name not in family.classes:
        raise ConfigError(
            f"config.json: architectures is {name!r}; expected one of "
            f"{', '.join(family.classes)}. The output layers of others mean something else."
        )
    return name

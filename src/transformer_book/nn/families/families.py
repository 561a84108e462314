"""The families: how the configuration and the weights of each are read."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ...config import ConfigError, TransformerConfig
from . import decoders, encoders, names, t5
from .fields import Fields


@dataclass(frozen=True)
class Family:
    """What has to be known of a family to read its configuration and its weights.

    Parameters
    ----------
    choices_of : callable
        Makes the settings of a TransformerConfig of the fields of a config.json.
    names : dict of str to str
        Our names of weights, each with theirs, as in :mod:`.names`.
    prefix : str
        What the names in a checkpoint may begin with.
    classes : dict of str to str
        The classes that write such checkpoints, each with the ``output`` of its model, or "" for that
        of the family.
    unused_names : tuple of str
        Patterns of names that a checkpoint may hold besides, and that no logit depends on.
    second_names : dict of str to str
        Second names that a weight may have, each with its first; any of them may be the only one.
    transposed : bool
        Whether its matrices are (out, in), as those of ``torch.nn.Linear``.
    unit_axes : dict of str to int
        How many axes of length 1 stand before those of one of our weights, by its name.
    older_names : dict of str to str
        Patterns in the names of its first checkpoints, and what they became.
    gamma_shift : float
        What their scale of a norm is short of ours: they may multiply by 1 + it.
    interleaved : bool
        Whether queries, keys and values of a head stand side by side, and not those of all heads.
    tied : bool
        Whether the embedding is the output too wherever a checkpoint has no other, whatever its
        config.json says.
    """

    choices_of: Callable
    names: Mapping[str, str]
    prefix: str
    classes: Mapping[str, str]
    unused_names: tuple[str, ...] = ()
    second_names: Mapping[str, str] = field(default_factory=dict)
    transposed: bool = True
    unit_axes: Mapping[str, int] = field(default_factory=dict)
    older_names: Mapping[str, str] = field(default_factory=dict)
    tied: bool = False
    gamma_shift: float = 0.0
    interleaved: bool = False


_NAME_BY_OLDER_PATTERN = {
    r"LayerNorm\.gamma$": "LayerNorm.weight",
    r"LayerNorm\.beta$": "LayerNorm.bias",
}


def _llama_like_family(
    choices_of: Callable,
    class_prefix: str,
    names: dict[str, str] = names.LLAMA,
    **differences,
) -> Family:
    """Return a family whose checkpoints are laid out as Llama's."""
    unused = ("layers.*.self_attn.rotary_emb.inv_freq",)
    return Family(
        choices_of,
        names,
        "model.",
        {f"{class_prefix}ForCausalLM": ""},
        unused,
        **differences,
    )


FAMILIES = {
    "bert": Family(
        encoders.bert,
        names.BERT,
        "bert.",
        {"BertForMaskedLM": "", "BertForPreTraining": "", "BertModel": "vectors"},
        (
            "pooler.dense.*",
            "cls.seq_relationship.*",
            "cls.predictions.decoder.bias",  # the same as cls.predictions.bias
            "embeddings.position_ids",
        ),
        second_names={"cls.predictions.decoder.bias": "cls.predictions.bias"},
        older_names=_NAME_BY_OLDER_PATTERN,
    ),
    "roberta": Family(
        encoders.roberta,
        names.ROBERTA,
        "roberta.",
        {"RobertaForMaskedLM": "", "RobertaModel": "vectors"},
        ("pooler.dense.*", "lm_head.decoder.bias", "embeddings.position_ids"),
        second_names={"lm_head.decoder.bias": "lm_head.bias"},
        older_names=_NAME_BY_OLDER_PATTERN,
    ),
    "distilbert": Family(
        encoders.distilbert,
        names.DISTILBERT,
        "distilbert.",
        {"DistilBertForMaskedLM": "", "DistilBertModel": "vectors"},
    ),
    "gpt2": Family(
        decoders.gpt2,
        names.GPT2,
        "transformer.",
        {"GPT2LMHeadModel": "", "GPT2Model": ""},
        ("h.*.attn.bias", "h.*.attn.masked_bias"),  # the causal mask
        transposed=False,  # its Conv1D keeps (in, out), as we do
    ),
    "gpt_neox": Family(
        decoders.gpt_neox,
        names.NEOX,
        "gpt_neox.",
        {"GPTNeoXForCausalLM": ""},
        (
            "layers.*.attention.bias",  # the causal mask
            "layers.*.attention.masked_bias",
            "layers.*.attention.rotary_emb.inv_freq",
        ),
        interleaved=True,
    ),
    "t5": Family(
        t5.t5,
        names.T5,
        "",
        {"T5ForConditionalGeneration": "", "T5WithLMHeadModel": ""},
        (
            "*.embed_tokens.weight",  # the same as shared.weight
            "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight",
        ),
        second_names={
            f"{stack}.embed_tokens.weight": "shared.weight"
            for stack in ("encoder", "decoder")
        },
        # What the gate of version 1.1 scales stands in the place of what nothing scaled.
        older_names={r"DenseReluDense\.wi_1": "DenseReluDense.wi"},
        tied=True,
    ),
    "llama": _llama_like_family(decoders.llama, "Llama"),
    "mistral": _llama_like_family(decoders.mistral, "Mistral"),
    "qwen2": _llama_like_family(decoders.qwen2, "Qwen2"),
    "qwen3": _llama_like_family(decoders.qwen3, "Qwen3"),
    "phi3": _llama_like_family(decoders.phi3, "Phi3", names.PHI3),
    "olmo2": _llama_like_family(decoders.olmo2, "Olmo2", names.OLMO2),
    "gemma": _llama_like_family(decoders.gemma, "Gemma", gamma_shift=1.0),
    "gemma2": _llama_like_family(
        decoders.gemma2, "Gemma2", names.GEMMA2, gamma_shift=1.0
    ),
    "gemma3_text": _llama_like_family(
        decoders.gemma3, "Gemma3", names.GEMMA2, gamma_shift=1.0
    ),
    "vit": Family(
        encoders.vit,
        names.VIT,
        "vit.",
        {"ViTForImageClassification": "", "ViTModel": "vectors"},
        ("pooler.dense.*",),
        unit_axes={"first": 2, "PE": 1},
    ),
}


def family_of(fields: Mapping) -> Family:
    """Return the family that a config.json names as its ``model_type``.

    Parameters
    ----------
    fields : mapping

    Raises
    ------
    ConfigError
        If it is none of those that this book knows.
    """
    kind = fields.get("model_type")
    if not isinstance(kind, str) or kind not in FAMILIES:
        raise ConfigError(
            f"config.json: model_type is {kind!r}; expected one of {', '.join(FAMILIES)}. Of other "
            "architectures this book's module does not know what their weights mean."
        )
    return FAMILIES[kind]


def config_of(fields: Mapping) -> TransformerConfig:
    """Return the configuration that the config.json of a family describes.

    Parameters
    ----------
    fields : mapping
        Those of the file, as ``json.load`` reads them.

    Returns
    -------
    TransformerConfig

    Raises
    ------
    ConfigError
        For a family that this book does not know, a field that is missing, one that asks for what its
        model does not compute, and one of which this reader does not know whether it does.
    """
    family, checked = family_of(fields), Fields(fields)
    choices = family.choices_of(checked)
    output = family.classes[_written_class_name(checked, family)]
    checked.check_all_used()
    if choices["pad_id"] >= choices["target_words"]:  # of no word that there is
        choices["pad_id"] = 0
    if output:
        choices |= dict(output_layer=False, output_bias=False, output=output)
    return TransformerConfig(**choices)


def _written_class_name(fields: Fields, family: Family) -> str:
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

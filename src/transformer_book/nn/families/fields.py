"""The fields of a config.json: each is used, is known to change no logit, or is refused by name."""

import math
from collections.abc import Mapping
from reprlib import repr as shortened

from ...expect import is_finite_number, is_integer
from ...options import ConfigError

NOT_COMPUTED_ADVICE = "This book's module does not compute the other."
NOT_READ_ADVICE = (
    "This reader does not know the other. Read this model with transformers."
)

# Fields that no logit depends on, in any family: why, and their names.
_HARMLESS_FIELDS_BY_REASON = {
    "dropout is for training": """
        attention_dropout attention_probs_dropout_prob attn_pdrop classifier_dropout dropout
        dropout_rate embd_pdrop hidden_dropout hidden_dropout_prob qa_dropout resid_pdrop
        seq_classif_dropout""",
    "weights are read, not drawn": "initializer_factor initializer_range",
    "the caller chooses the type of the weights": "dtype torch_dtype use_bfloat16",
    "ids of a tokenizer's marks": """
        bos_token_id cls_token_id decoder_start_token_id eos_token_id mask_token_id pad_token_id
        sep_token_id unk_token_id""",
    "about the tokenizer": "prefix tokenizer_class",
    "how a text is written from the logits": """
        assistant_confidence_threshold assistant_lookbehind bad_words_ids begin_suppress_tokens
        diversity_penalty do_sample early_stopping encoder_no_repeat_ngram_size
        encoder_repetition_penalty epsilon_cutoff eta_cutoff exponential_decay_length_penalty
        forced_bos_token_id forced_eos_token_id length_penalty max_length min_length
        no_repeat_ngram_size num_assistant_tokens num_assistant_tokens_schedule num_beam_groups
        num_beams num_return_sequences remove_invalid_values repetition_penalty suppress_tokens
        target_lookbehind task_specific_params temperature top_k top_p typical_p""",
    "names of classes; a family with an output for classes reads them": """
        _num_labels finetuning_task id2label label2id num_labels problem_type""",
    "what is returned besides the logits": """
        output_attentions output_hidden_states output_past output_scores return_dict
        return_dict_in_generate use_return_dict""",
    "how fast the same is computed, and in how much memory": """
        _attn_implementation _attn_implementation_autoset attn_implementation
        cache_implementation chunk_size_feed_forward experts_implementation gradient_checkpointing
        torchscript use_cache""",
    "what wrote the file": """
        _commit_hash _name_or_path name_or_path tf_legacy_loss transformers.js_config
        transformers_version""",
}
# As well, in one family.
_HARMLESS_FIELDS_BY_FAMILY_AND_REASON = {
    "bert": {
        "of outputs that are not read": """
            directionality pooler_fc_size pooler_num_attention_heads pooler_num_fc_layers
            pooler_size_per_head pooler_type""",
    },
    "gpt2": {
        "of an output that is not read": """
            summary_activation summary_first_dropout summary_proj_to_labels summary_type
            summary_use_proj""",
        "the same products in another order": "reorder_and_upcast_attn",
        "in its first files; the shapes of the weights say as much": """
            n_ctx n_special predict_special_tokens""",
    },
    "llama": {
        "rotary positions have no last one": "max_sequence_length",
        "how training was spread over machines": "pretraining_tp",
        "what wrote the file": "is_llama_config",
    },
    "t5": {"buckets of distances have no last position": "n_positions"},
    "vit": {
        "of outputs that are not read": "encoder_stride pooler_act pooler_output_size",
        "there are no words": "tie_word_embeddings",
    },
}


def reason_by_harmless_field(model_type: str) -> dict[str, str]:
    """Return the fields that no logit of a family depends on, each with the reason.

    Parameters
    ----------
    model_type : str
        The ``model_type`` of a config.json.

    Returns
    -------
    dict of str to str
    """
    tables = (
        _HARMLESS_FIELDS_BY_REASON,
        _HARMLESS_FIELDS_BY_FAMILY_AND_REASON.get(model_type, {}),
    )
    return {
        name: why
        for table in tables
        for why, names in table.items()
        for name in names.split()
    }


class Fields:
    """The fields of a config.json, with one clear error for each that is not there or cannot be.

    Whatever a reader asks for counts as used. :meth:`check_all_used` refuses what is neither used nor
    harmless: nobody can say that it changes nothing, whatever its value is.

    Parameters
    ----------
    config : mapping
        With a ``model_type`` among its fields.
    """

    def __init__(self, config):
        self.config = config
        self.source = f"config.json of {config['model_type']!r}"
        self.harmless = reason_by_harmless_field(config["model_type"])
        self._used, self._inner_fields = {"model_type"}, []

    def __call__(self, name, *default):
        """Return a field as it is written; without a default it has to be there."""
        self._used.add(name)
        if name not in self.config and not default:
            raise ConfigError(
                f"{self.source} has no field {name!r}; expected a number there. Use the file that "
                "was published with the weights."
            )
        return self.config.get(name, *default)

    def error(
        self, name: str, value, expected: str, advice: str = NOT_COMPUTED_ADVICE
    ) -> ConfigError:
        """Return the error for a field that has a value which is not expected."""
        return ConfigError(
            f"{self.source}: {name} is {value!r}; expected {expected}. {advice}"
        )

    def _checked_value(
        self,
        name: str,
        optional_default: tuple,
        is_valid,
        expected: str,
        null_allowed: bool = False,
    ):
        value = self(name, *optional_default)
        # null is the same as no field where the default is None.
        null_allowed = null_allowed or optional_default == (None,)
        if not (is_valid(value) or (value is None and null_allowed)):
            advice = "Use the file that was published with the weights."
            raise self.error(name, value, expected, advice)
        return value

    def integer(
        self,
        name: str,
        *default: int | None,
        least: int = 1,
        most: float = math.inf,
        null_allowed: bool = False,
    ):
        """Return an integer; None as well if it is the default, or ``null_allowed`` may be written."""
        expected = f"a whole number of at least {least}"
        if most < math.inf:
            expected += f" and at most {most}"
        return self._checked_value(
            name,
            default,
            lambda x: is_integer(x) and least <= x <= most,
            expected,
            null_allowed,
        )

    def layer_count(self, name: str, *default: int | None):
        """Return how many layers there are; a number beyond all sense would fill the memory."""
        return self.integer(name, *default, most=10_000)

    def number(self, name: str, *default: float | None, null_allowed: bool = False):
        """Return a number above 0; None as well if it is the default, or ``null_allowed`` may be written."""
        return self._checked_value(
            name,
            default,
            lambda x: is_finite_number(x) and x > 0,
            "a number above 0",
            null_allowed,
        )

    def ids(self, name: str) -> tuple[int, ...]:
        """Return the ids of a field that may be one, some or none."""
        ids = self(name, None)
        ids = () if ids is None else tuple(ids) if isinstance(ids, list) else (ids,)
        if not all(is_integer(x) and x >= 0 for x in ids):
            raise self.error(name, ids, "an id, or a list of them", NOT_READ_ADVICE)
        return ids

    def flag(self, name: str, *default: bool) -> bool:
        """Return True or False."""
        return self._checked_value(
            name, default, lambda x: isinstance(x, bool), "True or False"
        )

    def text(self, name: str, *default: str) -> str:
        """Return a word."""
        return self._checked_value(
            name, default, lambda x: isinstance(x, str), "a word"
        )

    def require_one_of(
        self, name: str, *values, advice: str = NOT_COMPUTED_ADVICE
    ) -> None:
        """Raise ConfigError unless a field has one of the values; the first if it is not there."""
        value = self(name, values[0])
        if value not in values:
            raise self.error(name, value, " or ".join(map(repr, values)), advice)

    def ignore(self, *names: str) -> None:
        """Count fields that no logit depends on as used."""
        self._used.update(names)

    def mapping(self, name: str, *default: Mapping | None):
        """Return a mapping."""
        return self._checked_value(
            name, default, lambda x: isinstance(x, Mapping), "fields with names"
        )

    def nested_fields(self, *names: str) -> "Fields":
        """Return the fields inside the first of some fields that has any; they are checked too."""
        mappings = {name: self.mapping(name, None) for name in names}
        name = next((name for name in names if mappings[name]), names[-1])
        inner = Fields(
            {"model_type": self.config["model_type"]} | dict(mappings[name] or {})
        )
        inner.source, inner.harmless = f"{self.source}, {name}", {}
        self._inner_fields.append(inner)
        return inner

    def check_all_used(self) -> None:
        """Raise ConfigError for fields that no reader has asked for, unless they are harmless."""
        for inner in self._inner_fields:
            inner.check_all_used()
        names = self.config.keys() - self._used - self.harmless.keys()
        if names:
            unknown = [f"{name} is {shortened(self.config[name])}" for name in names]
            raise ConfigError(
                f"{self.source}: {', '.join(sorted(unknown))}; expected no field that this reader does "
                "not know, as it may change what is computed. If you know that no logit depends on it, "
                "take it out of the file, or name it in the reader: fields.ignore(...)."
            )

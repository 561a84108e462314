"""Sizes of published models, from which the bytes of their caches and weights follow."""

from typing import NamedTuple


class ModelSizes(NamedTuple):
    """The sizes that settle a model's cache and weights, from its published configuration.

    ``d_ff`` is the width of one expert where there are several. ``gates`` is 3 where the feed-forward
    network has a gate, and so three matrices, else 2.
    """

    name: str
    N: int
    d_model: int
    h: int
    g: int  # heads of keys, as many of values
    d_k: int
    d_ff: int
    words: int
    gates: int = 3
    tied: bool = False
    positions: int = 0
    biases: bool = False
    experts: int = 1
    active: int = 1  # experts that a token passes

    @property
    def parameters(self) -> int:
        """Parameters, counted matrix by matrix."""
        return self._count_parameters(self.experts)

    @property
    def active_parameters(self) -> int:
        """Parameters of all that a token passes."""
        return self._count_parameters(self.active)

    def _count_parameters(self, experts: int) -> int:
        d_model, width, shared = self.d_model, self.h * self.d_k, self.g * self.d_k
        norms = 2 * d_model * (2 if self.biases else 1)
        layer = 2 * d_model * width + 2 * d_model * shared + norms
        layer += experts * self.gates * d_model * self.d_ff
        if self.experts > 1:
            layer += d_model * self.experts  # the router
        if self.biases:
            layer += width + 2 * shared + d_model + self.d_ff + d_model
        ends = (1 if self.tied else 2) * self.words * d_model + self.positions * d_model
        return self.N * layer + ends + norms // 2

    def cache_bytes(self, tokens: int = 1, bytes_per_number: int = 2) -> int:
        """Bytes of the keys and values of so many tokens."""
        return 2 * self.N * tokens * self.g * self.d_k * bytes_per_number


# Radford et al. (2019); Touvron et al. (2023); Yang et al. (2025); from the configurations published
# with the weights. Qwen3's normalised queries and keys, 2 * 128 parameters a layer, are not counted.
GPT2 = ModelSizes(
    "GPT-2", 12, 768, 12, 12, 64, 3072, 50257, 2, tied=True, positions=1024, biases=True
)
LLAMA_2_70B = ModelSizes("Llama-2-70B", 80, 8192, 64, 8, 128, 28672, 32000)
QWEN3_32B = ModelSizes("Qwen3-32B", 64, 5120, 64, 8, 128, 25600, 151936)
# Jiang et al. (2024); from the configuration published with the weights.
MIXTRAL_8X7B = ModelSizes(
    "Mixtral 8x7B", 32, 4096, 32, 8, 128, 14336, 32000, experts=8, active=2
)
PUBLISHED_MODELS = (GPT2, LLAMA_2_70B, QWEN3_32B)

# From each publisher's config.json, what a model's shape and wiring depend on.
CONFIGS: dict[str, dict] = {
    "BERT": {
        "model_type": "bert",
        "vocab_size": 30522,
        "hidden_size": 768,
        "intermediate_size": 3072,
        "num_hidden_layers": 12,
        "num_attention_heads": 12,
        "max_position_embeddings": 512,
        "type_vocab_size": 2,
        "hidden_act": "gelu",
        "layer_norm_eps": 1e-12,
    },
    "GPT-2": {
        "model_type": "gpt2",
        "vocab_size": 50257,
        "n_embd": 768,
        "n_layer": 12,
        "n_head": 12,
        "n_positions": 1024,
        "activation_function": "gelu_new",
        "layer_norm_epsilon": 1e-5,
    },
    "T5": {
        "model_type": "t5",
        "vocab_size": 32128,
        "d_model": 512,
        "d_kv": 64,
        "d_ff": 2048,
        "num_layers": 6,
        "num_heads": 8,
        "relative_attention_num_buckets": 32,
        "layer_norm_epsilon": 1e-6,
        "feed_forward_proj": "relu",
    },
    "Llama 3": {
        "model_type": "llama",
        "vocab_size": 128256,
        "hidden_size": 4096,
        "intermediate_size": 14336,
        "num_hidden_layers": 32,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
        "hidden_act": "silu",
        "rms_norm_eps": 1e-5,
        "rope_theta": 500000.0,
        "tie_word_embeddings": False,
    },
    "Qwen3": {
        "model_type": "qwen3",
        "vocab_size": 151936,
        "hidden_size": 1024,
        "intermediate_size": 3072,
        "num_hidden_layers": 28,
        "num_attention_heads": 16,
        "num_key_value_heads": 8,
        "head_dim": 128,
        "hidden_act": "silu",
        "rms_norm_eps": 1e-6,
        "rope_theta": 1000000.0,
        "tie_word_embeddings": True,
    },
    "ViT": {
        "model_type": "vit",
        "hidden_size": 768,
        "intermediate_size": 3072,
        "num_hidden_layers": 12,
        "num_attention_heads": 12,
        "image_size": 224,
        "patch_size": 16,
        "num_channels": 3,
        "id2label": dict.fromkeys(range(1000), ""),
        "hidden_act": "gelu",
        "layer_norm_eps": 1e-12,
    },
}

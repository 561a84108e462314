"""With the weights of ``transformers``' own classes our logits and gradients are theirs."""

import pytest
import torch
import transformers as t

from transformer_book.nn import families, padding_mask

from .peers import MAKERS, inputs_of, peer_of

CLOSE = dict(atol=5e-5, rtol=0)


def both(family, folder, **changes):
    """Return a peer, and ours, loaded from the files that the peer wrote."""
    peer = peer_of(family, **changes)
    peer.save_pretrained(folder)
    return peer, families.load(folder)


@pytest.mark.parametrize("family", MAKERS)
@torch.no_grad()
def test_logits_are_those_of_transformers(family, tmp_path):
    peer, model = both(family, tmp_path)
    ours, theirs = inputs_of(family)
    logits, weights = model(**ours)
    expected = peer(**theirs).logits
    assert expected.std() > 0.5  # not all alike
    torch.testing.assert_close(logits, expected, **CLOSE)
    assert weights == {}


VARIANTS = {
    "gpt2, own output": ("gpt2", dict(tie_word_embeddings=False)),
    "bert, relu": ("bert", dict(hidden_act="relu")),
    "t5, version 1.1": (
        "t5",
        dict(feed_forward_proj="gated-gelu", tie_word_embeddings=False),
    ),
    "t5, gated silu": ("t5", dict(feed_forward_proj="gated-silu")),
    "llama, biases, one matrix": (
        "llama",
        dict(attention_bias=True, tie_word_embeddings=True),
    ),
    "llama, no shared heads": ("llama", dict(num_key_value_heads=4)),
    "llama, stretched as in 3.1": (
        "llama",
        dict(
            rope_parameters={
                "rope_type": "llama3",
                "rope_theta": 50.0,
                "factor": 4.0,
                "low_freq_factor": 1.0,
                "high_freq_factor": 3.0,
                "original_max_position_embeddings": 16,
            }
        ),
    ),
    "qwen3, one matrix": ("qwen3", dict(tie_word_embeddings=True)),
    "gpt2, scores as they are": ("gpt2", dict(scale_attn_weights=False)),
    "gpt_neox, one after the other": ("gpt_neox", dict(use_parallel_residual=False)),
    "gemma 3, long texts": (
        "gemma3_text",
        dict(
            rope_parameters={
                "sliding_attention": {"rope_type": "default", "rope_theta": 30.0},
                "full_attention": {
                    "rope_type": "linear",
                    "factor": 4.0,
                    "rope_theta": 200.0,
                },
            }
        ),
    ),
    "phi 3, half of each head turns": (
        "phi3",
        dict(
            rope_parameters={
                "rope_type": "default",
                "rope_theta": 50.0,
                "partial_rotary_factor": 0.5,
            }
        ),
    ),
    "vit, grey": ("vit", dict(num_channels=1, patch_size=6)),
}


@pytest.mark.parametrize("variant", VARIANTS)
@torch.no_grad()
def test_choices_within_a_family_are_read(variant, tmp_path):
    family, changes = VARIANTS[variant]
    peer, model = both(family, tmp_path, **changes)
    ours, theirs = inputs_of(family)
    if family == "vit":
        ours = {"images": ours["images"][:, :1]}
        theirs = {"pixel_values": ours["images"]}
    torch.testing.assert_close(model(**ours)[0], peer(**theirs).logits, **CLOSE)


@pytest.mark.parametrize("family", ["bert", "gpt2", "t5"])
def test_gradients_of_all_weights_are_those_of_transformers(family, tmp_path):
    # The bias of keys has a gradient of 0: in float32 that is nothing but rounding errors. T5 has no
    # such bias, and its norms compute in float32 whatever they are given.
    dtype, close = torch.float64, 1e-9
    if family == "t5":
        dtype, close = torch.float32, 1e-5
    peer, model = (m.to(dtype) for m in both(family, tmp_path))
    ours, theirs = inputs_of(family)
    logits, expected = model(**ours)[0], peer(**theirs).logits
    pull = torch.randn(logits.shape, generator=torch.Generator().manual_seed(1))
    logits.backward(pull)
    expected.backward(pull)
    own = families.FAMILIES[family]
    gradients = {name: W.grad for name, W in model.named_parameters()}
    assert all(grad is not None for grad in gradients.values())
    seen = families.family_weights(model, own, gradients)
    wanted = {name: W.grad for name, W in peer.named_parameters()}
    wanted = families.used_weights_without_prefix(own, wanted)
    assert seen.keys() == wanted.keys()
    for name, grad in wanted.items():
        most = float(grad.abs().max())
        torch.testing.assert_close(
            seen[name], grad, atol=close * max(most, 1), rtol=close
        )


@pytest.mark.parametrize(
    "family, padding",
    [
        *((family, "right") for family in ("bert", "roberta", "distilbert")),
        *((family, "left") for family in ("bert", "roberta", "distilbert", "t5")),
        ("t5", "right"),
        ("llama", "right"),
    ],
)
@torch.no_grad()
def test_padding_is_hidden_as_transformers_hides_it(family, padding, tmp_path):
    peer, model = both(family, tmp_path)
    ours, theirs = inputs_of(family)
    ids = next(iter(ours.values()))
    ids[1, slice(12, None) if padding == "right" else slice(8)] = 0
    if model.config.kind == "encoder-only":
        ours["mask"] = padding_mask(ids, 0)
    theirs["attention_mask"] = (ids != 0).long()
    logits, expected = model(**ours)[0], peer(**theirs).logits
    words = slice(12) if padding == "right" else slice(8, None)
    real = slice(None) if family == "t5" else words
    torch.testing.assert_close(logits[0], expected[0], **CLOSE)
    torch.testing.assert_close(logits[1, real], expected[1, real], **CLOSE)


@pytest.mark.parametrize(
    "family, kind", [("bert", t.BertModel), ("vit", t.ViTModel)], ids=["bert", "vit"]
)
@torch.no_grad()
def test_a_model_without_an_output_layer_gives_its_vectors(family, kind, tmp_path):
    peer, model = both(family, tmp_path, kind=kind)
    ours, theirs = inputs_of(family)
    expected = peer(**theirs).last_hidden_state
    torch.testing.assert_close(model(**ours)[0], expected, **CLOSE)


@pytest.mark.parametrize("family", MAKERS)
@torch.no_grad()
def test_attention_weights_are_those_of_transformers(family, tmp_path):
    peer, model = both(family, tmp_path, attn_implementation="eager")
    ours, theirs = inputs_of(family)
    logits, weights = model(**ours, need_weights=True)
    output = peer(**theirs, output_attentions=True)
    torch.testing.assert_close(logits, output.logits, **CLOSE)
    names = {"layers.{}.self_attention": "attentions"}
    if family == "t5":
        names = {
            "encoder.{}.self_attention": "encoder_attentions",
            "decoder.{}.self_attention": "decoder_attentions",
            "decoder.{}.cross_attention": "cross_attentions",
        }
    for name, theirs in names.items():
        for i, A in enumerate(output[theirs]):
            torch.testing.assert_close(weights[name.format(i)], A, **CLOSE)

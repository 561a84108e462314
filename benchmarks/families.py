"""GPT-2, BERT and Llama as this book's models, beside ``transformers``' classes, same weights."""

from tempfile import TemporaryDirectory
from typing import Any

import torch
from transformers.models.bert.configuration_bert import BertConfig
from transformers.models.bert.modeling_bert import BertForMaskedLM
from transformers.models.gpt2.configuration_gpt2 import GPT2Config
from transformers.models.gpt2.modeling_gpt2 import GPT2LMHeadModel
from transformers.models.llama.configuration_llama import LlamaConfig
from transformers.models.llama.modeling_llama import LlamaForCausalLM

from transformer_book.nn import families

from .memory import measure_peak_bytes
from .timing import median_seconds_and_ratios

BATCH, N, WORDS = 8, 128, 10_000
CONFIG_SIZES: dict[str, Any] = dict(
    vocab_size=WORDS,
    hidden_size=512,
    intermediate_size=2048,
    num_hidden_layers=6,
    num_attention_heads=8,
)
SPECIAL_ID_OPTIONS: dict[str, Any] = dict(
    bos_token_id=1, eos_token_id=2, pad_token_id=0
)


def make_peers_by_family() -> dict[str, torch.nn.Module]:
    """Return a model of each family with random weights, in evaluation mode."""
    torch.manual_seed(0)
    peers_by_name: dict[str, Any] = {
        "GPT-2": GPT2LMHeadModel(
            GPT2Config(
                vocab_size=WORDS,
                n_embd=512,
                n_layer=6,
                n_head=8,
                use_cache=False,
                **SPECIAL_ID_OPTIONS,
            )
        ),
        "BERT": BertForMaskedLM(BertConfig(**CONFIG_SIZES, pad_token_id=0)),
        "Llama": LlamaForCausalLM(
            LlamaConfig(
                **CONFIG_SIZES,
                num_key_value_heads=2,
                use_cache=False,
                **SPECIAL_ID_OPTIONS,
            )
        ),
    }
    return {name: peer.eval() for name, peer in peers_by_name.items()}


def load_as_our_model(peer_model):
    """Return this book's model with the weights of a peer, by way of the files that it writes."""
    with TemporaryDirectory() as folder:
        peer_model.save_pretrained(folder)
        return families.load(folder)


def make_training_step(compute_logits, model):
    def run_step() -> None:
        for W in model.parameters():
            W.grad = None
        compute_logits().sum().backward()

    return run_step


def measure_row(
    family_name: str, peer_model, measures_backward: bool
) -> tuple[str, str, str]:
    model = load_as_our_model(peer_model)
    ids = torch.randint(3, WORDS, (BATCH, N))
    calls = [lambda: model(ids)[0], lambda: peer_model(ids).logits]
    with torch.no_grad():
        torch.testing.assert_close(*(call() for call in calls), atol=1e-4, rtol=1e-4)
    if measures_backward:
        calls = [make_training_step(*pair) for pair in zip(calls, (model, peer_model))]
        seconds, ratio = median_seconds_and_ratios(*calls, min_seconds=8.0)
        memory, peer_memory = (measure_peak_bytes(call) for call in calls)
    else:
        with torch.inference_mode():
            seconds, ratio = median_seconds_and_ratios(*calls, min_seconds=8.0)
            memory, peer_memory = (measure_peak_bytes(call) for call in calls)
    what = "forward and backward" if measures_backward else "forward"
    return (
        f"{family_name}, read by `families.load`, 6 layers, d_model 512, {BATCH} x {N} tokens, {what}",
        f"{seconds * 1000:,.0f} ms, {memory / 2**20:,.0f} MB",
        f"{ratio:.2f} x the time and {memory / peer_memory:.2f} x the memory of `transformers`' own",
    )


def measure_rows() -> list[tuple[str, str, str]]:
    """Return a row for each family, forward, and with its gradients."""
    torch.set_num_threads(2)
    return [
        measure_row(name, peer, train)
        for name, peer in make_peers_by_family().items()
        for train in (False, True)
    ]

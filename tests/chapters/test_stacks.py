"""What the chapter on stacks says of the package: its numbers, and who reads whom."""

import numpy as np
import pytest
import torch

from tests.nn.models import config, ids, model
from tests.worked_example import W_K, W_O, W_Q, W_V, X
from transformer_book import nn
from transformer_book.storage import StorageError

N = 3
Y = np.array([[1.0, 0, 0, 0], [0, 2, 0, 1]])
every = pytest.mark.parametrize("norm", ("post", "pre"))


def weights(sublayers):
    """The chapter's layer: the attention of the eight steps over ten, FFN(x) = |x|."""
    eye = np.eye(4)
    W = {
        "feed_forward.W_1": np.hstack([eye, -eye]),
        "feed_forward.b_1": np.zeros(8),
        "feed_forward.W_2": np.vstack([eye, eye]),
        "feed_forward.b_2": np.zeros(4),
    }
    for i, name in enumerate(sublayers, start=1):
        W |= {
            f"add_and_norm_{i}.layer_norm.gamma": np.ones(4),
            f"add_and_norm_{i}.layer_norm.beta": np.zeros(4),
        }
        if name != "feed_forward":
            W |= {f"{name}.W_QKV": np.hstack([W_Q, W_K, W_V]), f"{name}.W_O": W_O / 10}
    return {name: torch.tensor(array) for name, array in W.items()}


def filled(theirs, attentions):
    """Give torch's layer the same weights; torch keeps each matrix transposed."""
    W = weights(["self_attention", "feed_forward"])
    with torch.no_grad():
        for attention in attentions:
            attention.in_proj_weight.copy_(W["self_attention.W_QKV"].T)
            attention.out_proj.weight.copy_(W["self_attention.W_O"].T)
            attention.in_proj_bias.zero_(), attention.out_proj.bias.zero_()
        for linear, i in ((theirs.linear1, 1), (theirs.linear2, 2)):
            linear.weight.copy_(W[f"feed_forward.W_{i}"].T)
            linear.bias.zero_()
    return theirs.train()  # dropout is 0; training avoids torch's fast path


@every
def test_the_numbers_of_both_layers_equal_torch(norm):
    options = dict(
        dropout=0.0, batch_first=True, dtype=torch.float64, norm_first=norm == "pre"
    )
    x, y = torch.tensor(X)[None], torch.tensor(Y)[None]
    encoder = nn.EncoderLayer(4, 2, 8, norm=norm).double()
    encoder.load_state_dict(weights(["self_attention", "feed_forward"]))
    theirs = torch.nn.TransformerEncoderLayer(4, 2, 8, **options)
    memory, _ = encoder(x)
    expected = filled(theirs, [theirs.self_attn])(x)
    torch.testing.assert_close(memory, expected)
    decoder = nn.DecoderLayer(4, 2, 8, norm=norm).double()
    decoder.load_state_dict(
        weights(["self_attention", "cross_attention", "feed_forward"])
    )
    theirs = torch.nn.TransformerDecoderLayer(4, 2, 8, **options)
    filled(theirs, [theirs.self_attn, theirs.multihead_attn])
    causal = torch.nn.Transformer.generate_square_subsequent_mask(
        2, dtype=torch.float64
    )
    torch.testing.assert_close(
        decoder(y, memory)[0], theirs(y, expected, tgt_mask=causal)
    )


def outputs(made, source, target):
    """Return what each layer and the output layer make, by name."""
    found, hooks = {}, []
    for stack in ("encoder", "decoder"):
        for i, layer in enumerate(getattr(made, stack)):

            def note(module, inputs, output, name=f"{stack}.{i}"):
                found[name] = output[0].detach()

            hooks.append(layer.register_forward_hook(note))
    found["logits"] = made(source, target)[0].detach()
    for hook in hooks:
        hook.remove()
    return found


@every
def test_a_changed_part_moves_what_lies_above_it_and_the_memory_moves_the_whole_decoder(
    norm,
):
    made = model(config("tiny", norm, "none", N=N))
    source, target = ids(11, [6], 1), ids(11, [5], 2)
    before = outputs(made, source, target)
    encoder, decoder = (
        [f"{stack}.{i}" for i in range(N)] for stack in ("encoder", "decoder")
    )
    chains = {
        "source_embedding": encoder + decoder,
        "target_embedding": decoder,
        "output": [],
    }
    chains |= {name: encoder[i:] + decoder for i, name in enumerate(encoder)}
    chains |= {name: decoder[i:] for i, name in enumerate(decoder)}
    parameters = dict(made.named_parameters())
    for part, above in chains.items():
        own = [
            p
            for name, p in parameters.items()
            if name == part or name.startswith(f"{part}.")
        ]
        saved = [p.detach().clone() for p in own]
        with torch.no_grad():
            for p in own:
                p.add_(torch.randn(p.shape, dtype=p.dtype))
            after = outputs(made, source, target)
            for p, old in zip(own, saved, strict=True):
                p.copy_(old)
        moved = {name for name in before if not torch.equal(before[name], after[name])}
        assert own and moved == {*above, "logits"}, part


@every
def test_a_source_word_moves_every_logit(norm):
    made = model(config("tiny", norm, N=N))
    source, target = ids(11, [6], 1), ids(11, [5], 2)
    logits, _ = made(source, target)
    for i in range(6):
        other = source.clone()
        other[0, i] = source[0, i] % 10 + 1
        assert ((made(other, target)[0] - logits).abs() > 1e-9).all()


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_the_stream_of_pre_ln_is_a_sum_of_two_or_three_terms_a_layer(stack):
    made = model(config("tiny", "pre", N=N))
    layers, ends, added = getattr(made, stack), [], []
    for module in (layers[0], getattr(made, f"{stack}_norm")):
        module.register_forward_pre_hook(lambda _, inputs: ends.append(inputs[0]))
    for layer in layers:
        for name, part in layer.named_children():
            if name.endswith("attention"):
                part.register_forward_hook(lambda _, x, y: added.append(y[0]))
            elif name == "feed_forward":
                part.register_forward_hook(lambda _, x, y: added.append(y))
    made(ids(11, [6], 1), ids(11, [5], 2))
    assert len(added) == {"encoder": 2, "decoder": 3}[stack] * N
    torch.testing.assert_close(ends[1], ends[0] + sum(added))


@every
def test_equal_words_without_positions_are_parted_by_a_causal_mask_alone(norm):
    torch.manual_seed(0)
    layers = [nn.EncoderLayer(16, 2, 32, norm=norm).double() for _ in range(N)]
    words = torch.randn(5, 16, dtype=torch.float64)[torch.tensor([0, 1, 2, 0, 3, 4])]
    ends = []
    for mask in (None, nn.causal_mask(6)[None]):
        x = words[None]
        for layer in layers:
            x, _ = layer(x, mask)
        ends.append(x[0])
    torch.testing.assert_close(ends[0][0], ends[0][3])
    assert not torch.allclose(ends[1][0], ends[1][3], atol=0.01)


def test_stacks_of_unequal_height_compute_and_are_refused_by_their_file(tmp_path):
    path, settings = tmp_path / "model.safetensors", config("tiny", N=N)
    made = model(settings)
    source, target = ids(11, [6], 1), ids(11, [5], 2)
    logits, _ = made(source, target)
    layer = nn.EncoderLayer(settings.d_model, settings.h, settings.d_ff).double()
    made.encoder.append(layer)
    del made.decoder[-1]
    assert made(source, target)[0].shape == logits.shape
    with pytest.raises(StorageError, match="encoder.3|decoder.2"):
        nn.save_weights(path, made)
    assert not path.exists()

"""What the chapter on looking inside rests on: rows that write, and heads that are removed."""

import torch

from transformer_book import data, nn


def without(W_O, i, h):
    """Return W_O without the rows of head i, as the chapter removes a head."""
    cut, d_v = W_O.detach().clone(), len(W_O) // h
    cut[i * d_v : (i + 1) * d_v] = 0
    return cut


def test_the_row_of_a_character_is_the_one_that_writes_it():
    batch = data.collate([([5, 6, 7], [8, 9])])
    assert batch.labels[0].tolist() == [8, 9, data.EOS]
    assert batch.decoder_input[0, 1:].tolist() == batch.labels[0, :-1].tolist()


def test_zero_rows_of_w_o_remove_one_head_and_leave_the_others():
    torch.manual_seed(0)
    h, attention = 4, nn.MultiHeadAttention(16, 4).double()
    x = torch.randn(2, 5, 16, dtype=torch.float64)
    whole = attention(x, x, x)[0]
    parts = []
    for i in range(h):
        kept = attention.W_O.detach().clone()
        with torch.no_grad():
            attention.W_O.copy_(without(kept, i, h))
            parts.append(whole - attention(x, x, x)[0])
            attention.W_O.copy_(kept)
    assert all(part.abs().max() > 1e-3 for part in parts)
    assert torch.allclose(sum(parts), whole)


def test_without_all_its_heads_attention_says_nothing():
    torch.manual_seed(0)
    h, attention = 4, nn.MultiHeadAttention(16, 4).double()
    cut = attention.W_O.detach().clone()
    for i in range(h):
        cut.copy_(cut * (without(torch.ones_like(cut), i, h) != 0))
    assert not cut.any()
    with torch.no_grad():
        attention.W_O.copy_(cut)
    x = torch.randn(2, 5, 16, dtype=torch.float64)
    assert not attention(x, x, x)[0].any()

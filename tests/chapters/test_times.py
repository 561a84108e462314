"""What pages say in words of the times they quote holds for the records."""

from itertools import pairwise

import pytest

from transformer_press import times


def falls(numbers):
    return all(a > b for a, b in pairwise(numbers))


def rnn_and_attention(found):
    ratio = [a / b for a, b in zip(found["RNN"], found["attention"])]
    return ratio[2] > 1 and sum(x > 1 for x in ratio) > len(ratio) / 2


HOLDS = {
    # Additive attention took longer.
    "additive_attention": lambda t: all(
        a > d for a, d in zip(t["additive"], t["dot product"])
    ),
    "additive_attention_one_query": lambda t: t[1] > t[0],
    # A step for more texts takes longer, and a text's share of it less.
    "batch": lambda t: t[-1] > t[0] > t[-1] / 32,
    # The version that recounts little is faster.
    "bpe": lambda t: falls(t.values()),
    # No step is shorter than the timetable of four stages, which rest for 30 ms in a pass.
    "bubble": lambda t: min(t) > 2 * (1 + 3) * 0.03,
    # A draft did not pay.
    "draft": lambda t: t[1] > t[0],
    # The mixture is slower than what it computes, and faster than what it holds.
    "experts": lambda t: t["512 words"][1] < t["512 words"][0] < t["512 words"][2],
    # Attention in tiles is not linear.
    "flash": lambda t: t["tiles, Python"][-1] > 2 * t["tiles, Python"][-2],
    # Smaller blocks take longer to gather.
    "gathering": lambda t: t["gather, blocks of 1"] > t["gather, blocks of 16"],
    "growing_cache": lambda t: t[0] > t[1],
    # Sixteen heads are not sixteen times faster than one.
    "heads": lambda t: t[4] > t[0] / 4,
    # The longer the text, the more the cache saves.
    "kv_cache": lambda t: falls([one / all_rows for one, all_rows in t]),
    "translator_cache": lambda t: falls([1 / x for x in t.values()]),
    # On AMD's processors oneDNN is the faster library.
    "linear": lambda t: t["maker"] != "AuthenticAMD" or t["plain"] > 1,
    # The step that admits the long prompt takes longest.
    "long_prompt": lambda t: max(t[2:]) == t[20],
    # The kernel skips what causal=True hides, and has to read a dense mask.
    "masks": lambda t: falls(
        t[f"{way}"]
        for way in (
            "all weights, dense mask",
            "kernel, dense mask",
            "kernel, no mask",
            "kernel, causal=True",
        )
    ),
    # The fewer operations are no promise.
    "norms": lambda t: t["and backward"][1] > t["and backward"][0],
    # Continuous batching gives the first token sooner, and more tokens a second.
    "readers": lambda t: (
        t["continuous"][0] > t["static"][0] and t["continuous"][1] < t["static"][1]
    ),
    # A second forward pass takes time, and less than the whole step did.
    "recompute": lambda t: 1 < t[1] / t[0] < 2,
    "rnn_cnn_attention": rnn_and_attention,
    # The fewer rows share the weights, the less a machine does.
    "roofline": lambda t: falls(x / m for x, m in zip(t, (1, 2, 4, 8, 16, 64, 256))),
    # Shared keys are faster, and latent attention computes more.
    "shared_heads": lambda t: t["g = 8"] > t["g = 1"] < t["latent, d_c = 128"],
}


@pytest.mark.parametrize("name", HOLDS)
def test_what_is_said_holds(name):
    assert HOLDS[name](times.load(name)["numbers"])

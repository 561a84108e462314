"""The online softmax and rotary positions, wrong: query by query, or with complex numbers."""

import numpy as np
import torch

from . import wrong


def parts_with(factor_1, factor_2=None):
    """Return the merge of two parts with these factors for l and o, query by query."""

    def merge(m_1, l_1, o_1, m_2, l_2, o_2):
        m, l, o = m_1.copy(), l_1.copy(), o_1.copy()  # noqa: E741
        for at in np.ndindex(m_1.shape[:-1]):
            largest = max(m_1[at].item(), m_2[at].item())
            with np.errstate(all="ignore"):
                f_1, g_1 = factor_1(np.exp(m_1[at] - largest))
                f_2, g_2 = (factor_2 or factor_1)(np.exp(m_2[at] - largest))
            m[at] = largest
            l[at] = l_1[at] * f_1 + l_2[at] * f_2
            o[at] = o_1[at] * g_1 + o_2[at] * g_2
        return m, l, o

    return merge


def both(f):
    return f, f


def none(f):
    return 1, 1


wrong("M30", "merge_softmax_parts")(parts_with(none))
wrong("M30", "merge_softmax_parts")(parts_with(none, both))
wrong("M30", "merge_softmax_parts")(parts_with(both, none))
wrong("M30", "merge_softmax_parts")(parts_with(lambda f: (f, 1)))
wrong("M30", "merge_softmax_parts")(parts_with(lambda f: (1, f)))


def turn(x, angle):
    """Turn neighbouring numbers, as complex ones, by angles, (n, pairs)."""
    pairs = torch.view_as_complex(x.double().unflatten(-1, (-1, 2)).contiguous())
    turned = pairs * torch.polar(torch.ones_like(angle), angle)
    return torch.view_as_real(turned).flatten(-2)


def angles(positions, d_k, base, power=1.0):
    p = torch.arange(0, d_k, 2, dtype=torch.float64)
    return torch.outer(positions.double(), base ** (-power * p / d_k))


@wrong("M1", "rotate")
def exponent_doubled(x, positions, base=10_000.0):
    return turn(x, angles(positions, x.size(-1), base, power=2.0))


@wrong("M2", "rotate")
def half_of_the_pairs(x, positions, base=10_000.0):
    angle = angles(positions, x.size(-1), base)
    result = torch.zeros_like(x)
    for c in range(0, x.size(-1) // 2, 2):
        result[..., c : c + 2] = turn(x[..., c : c + 2], angle[:, c // 2, None])
    return result


@wrong("M2", "rotate")
def half_left_as_it_is(x, positions, base=10_000.0):
    angle = angles(positions, x.size(-1), base)
    angle[:, (x.size(-1) // 2 + 1) // 2 :] = 0
    return turn(x, angle)


@wrong("M3", "rotate")
def positions_from_one(x, positions, base=10_000.0):
    return turn(x, angles(positions + 1, x.size(-1), base))


@wrong("M14", "rotate")
def one_clock(x, positions, base=10_000.0):
    return turn(x, positions.double()[:, None])


@wrong("M32", "rotate")
def rows_counted(x, positions, base=10_000.0):
    return turn(x, angles(torch.arange(x.size(-2)), x.size(-1), base))


def rotate_half(x):
    a, b = x.chunk(2, dim=-1)
    return torch.cat([-b, a], dim=-1)


@wrong("M37", "rotate")
def as_llama(x, positions, base=10_000.0):
    angle = angles(positions, x.size(-1), base).repeat(1, 2)
    return x * angle.cos() + rotate_half(x) * angle.sin()


@wrong("M37", "rotate")
def angles_of_llama_and_neighbours(x, positions, base=10_000.0):
    angle = angles(positions, x.size(-1), base).repeat(1, 2)
    a, b = x[..., 0::2], x[..., 1::2]
    turned = torch.stack([-b, a], dim=-1).flatten(-2)
    return x * angle.cos() + turned * angle.sin()


@wrong("M38", "rotate")
def rotated_again(x, positions, base=10_000.0):
    cache, angle = x.double()[..., :0, :], angles(positions, x.size(-1), base)
    for i in range(x.size(-2)):  # a new key in each step
        cache = torch.cat([cache, x.double()[..., i : i + 1, :]], dim=-2)
        cache = turn(cache, angle[: i + 1])
    return cache

"""Scaling laws: a fit that finds what it was not told, and counts that torch counts too."""

import numpy as np
import pytest
import torch
from scipy.optimize import minimize, minimize_scalar
from torch.utils.flop_counter import FlopCounterMode

from transformer_book import nn
from transformer_book.config import TransformerConfig
from transformer_lab.costs import scaling_laws
from transformer_lab.costs.scaling_laws import BESIROGLU, HOFFMANN, ScalingLaw

MADE = ScalingLaw(1.7, 60.0, 400.0, 0.45, 0.55)
SHARES = ("all", "none")


def runs(law, noise=0.0, seed=0):
    """Return N, D and losses of a grid of runs that follow a law, up to noise of ln L."""
    N, D = (
        x.ravel()
        for x in np.meshgrid(np.geomspace(3e3, 5e5, 7), np.geomspace(1e4, 1e6, 6))
    )
    error = noise * np.random.default_rng(seed).standard_normal(len(N))
    return N, D, law.loss(N, D) * np.exp(error)


def test_without_noise_the_fit_is_the_law_the_runs_were_made_from():
    assert scaling_laws.fit_law(*runs(MADE)) == pytest.approx(MADE, rel=1e-3)


def test_with_noise_the_exponents_are_found_and_the_bootstrap_covers_them():
    N, D, losses = runs(MADE, noise=0.003)
    found = scaling_laws.fit_law(N, D, losses)
    assert found.alpha == pytest.approx(MADE.alpha, abs=0.06)
    assert found.beta == pytest.approx(MADE.beta, abs=0.06)
    laws = scaling_laws.bootstrap_laws(N, D, losses, draws=60)
    assert len(laws) == 60 and laws == scaling_laws.bootstrap_laws(
        N, D, losses, draws=60
    )
    for name in ("alpha", "beta"):
        low, high = np.quantile([getattr(law, name) for law in laws], [0.01, 0.99])
        assert low < getattr(MADE, name) < high < low + 0.3


def test_one_run_far_off_hardly_moves_the_fit_where_a_plain_square_would_be_pulled():
    N, D, losses = runs(MADE, noise=0.0005)
    losses[10] *= 1.3
    huber, square = (
        scaling_laws.fit_law(N, D, losses, huber_delta=delta).alpha
        for delta in (1e-3, 100)
    )
    assert abs(huber - MADE.alpha) < 0.01 < 0.05 < abs(square - MADE.alpha)


def test_the_fit_is_no_worse_than_what_scipys_other_search_finds():
    N, D, losses = runs(MADE, noise=0.01, seed=5)

    def cost(p):
        law = ScalingLaw(*np.exp(p[:3]), *p[3:])
        r = np.abs(np.log(law.loss(N, D)) - np.log(losses))
        return np.where(r < 1e-3, r**2 / 2, 1e-3 * (r - 5e-4)).sum()

    def packed(law):
        return [*np.log(law[:3]), *law[3:]]

    ours = cost(packed(scaling_laws.fit_law(N, D, losses)))
    other = minimize(
        cost, packed(MADE), method="Nelder-Mead", options={"maxiter": 5000}
    )
    assert ours <= other.fun * (1 + 1e-3)


@pytest.mark.parametrize("law", [MADE, HOFFMANN, BESIROGLU])
@pytest.mark.parametrize("C", [1e10, 1e20])
def test_the_best_size_is_where_scipy_finds_the_lowest_loss(law, C):
    N, D = law.compute_optimal(C)
    assert pytest.approx(C) == 6 * N * D
    found = minimize_scalar(
        lambda n: law.loss(np.exp(n), C / 6 / np.exp(n)),
        bounds=(0, 60),
        method="bounded",
    )
    assert np.log(N) == pytest.approx(found.x, abs=1e-3)
    a, b = law.compute_exponents
    more = law.compute_optimal(10 * C)
    assert more == pytest.approx((N * 10**a, D * 10**b)) and a + b == pytest.approx(1)


def test_the_published_laws_say_what_their_papers_say():
    assert HOFFMANN.compute_exponents == pytest.approx(
        (0.46, 0.54), abs=0.015
    )  # their table 2
    N, D = BESIROGLU.compute_optimal(5.76e23)  # the compute of Gopher and of Chinchilla
    assert 15 < D / N < 25
    N, D = HOFFMANN.compute_optimal(5.76e23)  # what was odd about the published numbers
    assert D / N > 50


def test_the_lowest_point_of_a_parabola_is_found_and_one_at_the_edge_is_refused():
    N = np.array([1e3, 3e3, 1e4, 4e4])
    losses = 3 + 0.1 * (np.log(N) - np.log(5e3)) ** 2
    assert scaling_laws.parabola_minimum(N, losses) == pytest.approx((5e3, 3.0))
    with pytest.raises(ValueError, match="no lowest point between them"):
        scaling_laws.parabola_minimum(N, np.log(N))
    with pytest.raises(ValueError, match="no lowest point between them"):
        scaling_laws.parabola_minimum(N, -losses)
    with pytest.raises(ValueError, match="got 2 sizes; expected at least 3"):
        scaling_laws.parabola_minimum(N[[0, 0, 1]], losses[:3])


def test_a_power_is_a_line_on_logs():
    x = np.array([1e3, 1e5, 1e7])
    assert scaling_laws.fit_power_law(x, 2.5 * x**-0.1) == pytest.approx((2.5, -0.1))


def test_a_band_holds_its_share_of_the_laws():
    laws = [ScalingLaw(float(E), 1.0, 1.0, 1.0, 1.0) for E in range(101)]
    low, high = scaling_laws.loss_band(
        laws, np.array([1e9, 1e9]), np.array([1e9, 1e9]), 0.9
    )
    assert low == pytest.approx([5, 5]) and high == pytest.approx([95, 95])


@pytest.mark.parametrize("given", [5, (8, 7)])
def test_too_few_runs_or_sizes_that_do_not_match_are_refused(given):
    some, other = given if isinstance(given, tuple) else (given, given)
    with pytest.raises(ValueError, match=f"fit: got {some} N.*expected as many"):
        scaling_laws.fit_law([1e3] * some, [1e5] * other, [3.0] * other)


def test_a_loss_that_is_not_positive_is_refused():
    with pytest.raises(ValueError, match="not positive"):
        scaling_laws.fit_law([1e3] * 8, [1e5] * 8, [3.0] * 7 + [0.0])


def config(share, norm="pre"):
    return TransformerConfig(
        30, 30, 24, 96, h=2, N=3, norm=norm, share=share, dropout=0.0, max_length=16
    )


@pytest.mark.parametrize("share", SHARES)
@pytest.mark.parametrize("norm", ["pre", "post"])
def test_parameters_are_those_of_the_model(share, norm):
    model = nn.LanguageModel(config(share, norm))
    in_layers, in_all = scaling_laws.parameter_counts(model.config)
    assert in_all == sum(W.numel() for W in model.parameters())
    rest = [*model.layers.parameters(), *model.norm.parameters()]
    assert in_layers == sum(W.numel() for W in rest)


@pytest.mark.parametrize("share", SHARES)
def test_operations_are_those_that_torch_counts(share):
    model = nn.LanguageModel(config(share))
    ids = torch.zeros(2, 16, dtype=torch.long)
    with FlopCounterMode(display=False) as counter:
        logits, _ = model(ids, need_weights=True)
        logits.sum().backward()
    assert (
        counter.get_total_flops()
        == scaling_laws.training_flops(model.config, 16).total * 2 * 16
    )

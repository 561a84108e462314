"""Scaling laws: how the loss falls with parameters and tokens, counted, fitted and extrapolated."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from scipy.optimize import least_squares


class ScalingLaw(NamedTuple):
    r"""A loss as a function of the number of parameters N and the number of tokens D.

    .. math:: L(N, D) = E + A / N^\alpha + B / D^\beta

    Hoffmann et al. (2022), section 3.3. Losses are in nats per token.
    """

    E: float
    A: float
    B: float
    alpha: float
    beta: float

    def loss(self, N, D):
        """Return the loss, in nats per token, of N parameters after D tokens."""
        return self.E + self.A / N**self.alpha + self.B / D**self.beta

    @property
    def compute_exponents(self) -> tuple[float, float]:
        r"""The pair a, b; the best N grows as C^a, the best D as C^b, and a + b = 1."""
        exponent_sum = self.alpha + self.beta
        return self.beta / exponent_sum, self.alpha / exponent_sum

    def compute_optimal(self, C) -> tuple:
        r"""Return the N and the D whose loss is the least among those with 6 N D = C.

        .. math:: N = G\,(C/6)^a, \quad D = (C/6)^b / G, \quad
                  G = \left(\frac{\alpha A}{\beta B}\right)^{1/(\alpha+\beta)}
        """
        a, b = self.compute_exponents
        G = (self.alpha * self.A / (self.beta * self.B)) ** (
            1 / (self.alpha + self.beta)
        )
        return G * (C / 6) ** a, (C / 6) ** b / G


# Hoffmann et al. (2022), section D.3; Besiroglu et al. (2024), fitted to the same runs again.
HOFFMANN = ScalingLaw(1.69, 406.4, 410.7, 0.34, 0.28)
BESIROGLU = ScalingLaw(1.8172, 482.01, 2085.43, 0.3478, 0.3658)
KAPLAN_EXPONENT = 0.73  # Kaplan et al. (2020): the best N grows as C to this power
# Operations, of the training of Gopher and of Chinchilla.
CHINCHILLA_OPERATIONS = 5.76e23

# Parameters and tokens as their papers give them: Brown et al. (2020); Hoffmann et al. (2022);
# Touvron et al. (2023); Grattafiori et al. (2024).
PUBLISHED_TRAININGS: dict[str, tuple[float, float]] = {
    "GPT-3": (175e9, 300e9),
    "Gopher": (280e9, 300e9),
    "Chinchilla": (70e9, 1.4e12),
    "Llama 2 70B": (70e9, 2e12),
    "Llama 3 8B": (8e9, 15e12),
}


class FlopsPerToken(NamedTuple):
    """Floating-point operations for one token of training, by what they are spent on."""

    layers: int
    output: int
    attention: int

    @property
    def total(self) -> int:
        """All of them."""
        return sum(self)


def parameter_counts(config) -> tuple[int, int]:
    """Return how many weights lie in the layers of a language model, and how many in all.

    Parameters
    ----------
    config : TransformerConfig
        Of a ``LanguageModel``. Heads of keys are not shared.

    Returns
    -------
    in_layers, in_all : int
        All but embedding and output layer, and with them.
    """
    d_model, d_ff = config.d_model, config.d_ff
    layer = 4 * d_model**2 + 2 * d_model * d_ff
    layer += d_ff + d_model + 4 * d_model  # its biases and two norms
    in_layers = config.N * layer + (2 * d_model if config.norm == "pre" else 0)
    matrices = 2 if config.share == "none" else 1
    return in_layers, in_layers + matrices * config.target_words * d_model


def training_flops(config, context: int) -> FlopsPerToken:
    """Count the operations that training on a token takes, those of products of matrices.

    A product of m times k times n counts 2 m k n, and backward as many as two products forward.
    Attention is counted with its hidden half, as ``FlopCounterMode`` does.

    Parameters
    ----------
    config : TransformerConfig
        Of a ``LanguageModel``.
    context : int
        Tokens of a window.

    Returns
    -------
    FlopsPerToken
    """
    d_model = config.d_model
    layers = config.N * (4 * d_model**2 + 2 * d_model * config.d_ff)
    return FlopsPerToken(
        6 * layers,
        6 * config.target_words * d_model,
        6 * config.N * 2 * context * d_model,
    )


def fit_law(
    N, D, losses, start: ScalingLaw | None = None, huber_delta=1e-3
) -> ScalingLaw:
    """Fit a law to runs: least squares of the logarithm, with Huber's loss.

    Parameters
    ----------
    N, D, losses : sequences of float
        Of each run; at least six.
    start : ScalingLaw, optional
        Where the search begins. Without it, it begins at each point of a grid, and the best end counts:
        the search can stop in a place that is only the best of its neighbourhood.
    huber_delta : float
        Residuals of ln L beyond it count in proportion, and not by their square. As in the paper.

    Returns
    -------
    ScalingLaw

    Raises
    ------
    ValueError
        If there are too few runs, or a number is not positive.
    """
    N, D, losses = (np.asarray(x, dtype=float) for x in (N, D, losses))
    if not 6 <= len(losses) == len(N) == len(D):
        raise ValueError(
            f"fit: got {len(N)} N, {len(D)} D and {len(losses)} losses; expected as many of each, and "
            "at least 6, as a law has five numbers. Give more runs."
        )
    if min(N.min(), D.min(), losses.min()) <= 0:
        raise ValueError(
            "fit: got a number that is not positive; expected sizes above 0."
        )
    log_N, log_D, log_L = np.log(N), np.log(D), np.log(losses)

    def loss_terms(p) -> np.ndarray:
        e, a, b, alpha, beta = p
        return np.exp(
            [np.full_like(log_N, e), a - alpha * log_N, b - beta * log_D]
        )  # (3, runs)

    def log_residuals(p) -> np.ndarray:
        return np.log(loss_terms(p).sum(0)) - log_L

    def jacobian(p) -> np.ndarray:
        parts = loss_terms(p)
        share = parts / parts.sum(0)
        return np.stack([*share, -share[1] * log_N, -share[2] * log_D], axis=1)

    low = math.log(losses.min())
    starts = (
        [(math.log(start.E), math.log(start.A), math.log(start.B), *start[3:])]
        if start
        else [
            (low + e, alpha * log_N.mean(), beta * log_D.mean(), alpha, beta)
            for e in (-1.0, -0.2)
            for alpha in (0.3, 0.7)
            for beta in (0.3, 0.7)
        ]
    )
    # An E above the lowest loss, or an exponent of 0 or of 3, would be no law.
    bounds = (
        np.array([-12.0, -12.0, -12.0, 0.0, 0.0]),
        np.array([low, 60.0, 60.0, 3.0, 3.0]),
    )
    inside = 1e-6  # a search may not begin on an edge
    ends = [
        least_squares(
            log_residuals,
            np.clip(p, bounds[0] + inside, bounds[1] - inside),
            jacobian,
            bounds=bounds,
            loss="huber",
            f_scale=huber_delta,
            x_scale=(0.3, 1.0, 1.0, 0.1, 0.1),
            max_nfev=300,
        )
        for p in starts
    ]
    e, a, b, alpha, beta = min(ends, key=lambda end: end.cost).x.tolist()
    return ScalingLaw(math.exp(e), math.exp(a), math.exp(b), alpha, beta)


def bootstrap_laws(N, D, losses, draws=200, seed=0) -> list[ScalingLaw]:
    """Fit laws to runs drawn again with repetition: how far the fit hangs on which runs there were.

    Parameters
    ----------
    N, D, losses : sequences of float
        As of :func:`fit_law`.
    draws, seed : int

    Returns
    -------
    list of ScalingLaw
        One for each draw. Each search begins at the fit to all runs.
    """
    N, D, losses = (np.asarray(x, dtype=float) for x in (N, D, losses))
    fit_to_all_runs, generator = fit_law(N, D, losses), np.random.default_rng(seed)
    laws = []
    for _ in range(draws):
        rows = generator.integers(len(N), size=len(N))
        laws.append(fit_law(N[rows], D[rows], losses[rows], start=fit_to_all_runs))
    return laws


def parabola_minimum(N, losses) -> tuple[float, float]:
    """Return where a parabola through the losses at equal compute, over ln N, is lowest.

    Parameters
    ----------
    N, losses : sequences of float
        Of at least three runs with the same compute.

    Returns
    -------
    N, loss : float

    Raises
    ------
    ValueError
        If there are fewer than three sizes, or the parabola has no lowest point between them.
    """
    N, losses = np.asarray(N, dtype=float), np.asarray(losses, dtype=float)
    if len(np.unique(N)) < 3:
        raise ValueError(
            f"parabola_minimum: got {len(np.unique(N))} sizes; expected at least 3 for a parabola. "
            "Train more sizes with this compute."
        )
    centre = np.log(N).mean()
    c2, c1, c0 = np.polyfit(np.log(N) - centre, losses, 2)
    log_N = centre - c1 / (2 * c2)
    if c2 <= 0 or not math.log(N.min()) <= log_N <= math.log(N.max()):
        raise ValueError(
            f"parabola_minimum: the losses of N from {N.min():,.0f} to {N.max():,.0f} have no lowest point "
            "between them; expected one. Train models that are smaller, or larger."
        )
    return math.exp(log_N), c0 - c1**2 / (4 * c2)


def fit_power_law(x: Sequence[float], y: Sequence[float]) -> tuple[float, float]:
    """Return the factor k and the exponent p of the line y = k x^p through points, fitted on logs.

    Parameters
    ----------
    x, y : sequences of float
        At least two points, all above 0.
    """
    p, k = np.polyfit(np.log(x), np.log(y), 1)
    return math.exp(k), float(p)


def loss_band(laws, N, D, share=0.95) -> Float[np.ndarray, "2 points"]:
    """Return the lower and the upper edge between which this share of the laws' losses lies."""
    losses = np.array([law.loss(N, D) for law in laws])
    edge = (1 - share) / 2
    return np.quantile(losses, [edge, 1 - edge], axis=0)

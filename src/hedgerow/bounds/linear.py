"""The bound on the regret of HLinUCB."""

import math

import numpy as np
from numpy.typing import ArrayLike

from .bound import Bound, Reading, check_settings, require, vacuous


def log_determinant(matrices: ArrayLike) -> float:
    """Log-determinant of the block matrix with one d x d block per arm: the sum over the arms.

    Args:
        matrices: the block of each arm.

    Returns:
        The logarithm of the determinant.

    Raises:
        ValueError: if a block has no positive determinant.

    Examples:
        >>> round(log_determinant([[[2, 0], [0, 3]], [[1, 0], [0, 4]]]), 6)  # log 6 + log 4
        3.178054
    """
    blocks = np.array(matrices, dtype=np.float64)
    if blocks.ndim != 3 or blocks.shape[1] != blocks.shape[2] or blocks.size == 0:
        raise ValueError(f"matrices must be one d x d matrix per arm, got shape {blocks.shape}")
    with np.errstate(invalid="ignore"):
        signs, logs = np.linalg.slogdet(blocks)
    for arm in np.flatnonzero(~((signs > 0.0) & np.isfinite(logs))):
        raise ValueError(f"matrices must have positive determinants, arm {arm} has sign {signs[arm]:g}, logarithm {logs[arm]:g}")
    return float(logs.sum())


def hlinucb(
    final: float,
    *,
    dimension: int,
    horizon: int,
    sigma: float,
    delta: float,
    norm: float,
    phi: float = 1.0,
    history: float | None = None,
    form: Reading = "printed",
) -> Bound:
    """The bound of HLinUCB (thm:hlinucb).

    "printed" is the theorem to the letter; it leaves ``phi`` undefined, 1 is the ridge weight. "repaired", without d and phi,
    treats history as ordinary data, c = sigma sqrt(2 log(det(A_T)^(1/2) / delta)) + ||theta*||, and goes on as the proof does,
    R(T) <= 2 c sqrt(T) sqrt(2 log(det A_T / det H)), for alpha = c, expected rewards in [-1, 1] and, if c < 1, ||x|| <= 1.

    Args:
        final: log det A_T, see :func:`log_determinant`.
        dimension: numbers of a context.
        horizon: rounds T.
        sigma: the noise is sigma-subgaussian.
        delta: the bound fails with at most this probability.
        norm: ||theta*||, all arms' coefficients in one vector.
        phi: the constant phi of the theorem.
        history: log det H. None: det H = 1, and it is LinUCB's bound.
        form: "printed" or "repaired".

    Returns:
        The bound.

    Examples:
        >>> given = dict(dimension=5, horizon=10_000, sigma=0.5, delta=0.05, norm=1.0, form="repaired")
        >>> round(hlinucb(60.0, **given).value), round(hlinucb(60.0, history=25.0, **given).value)
        (11090, 8470)
    """
    check_settings(horizon, form, Reading)
    before = 0.0 if history is None else history
    for name, value in {"dimension": dimension, "sigma": sigma, "phi": phi}.items():
        require(0.0 < value < math.inf, name, "a number above 0", value)
    for name, value in {"norm": norm, "history": before}.items():
        require(0.0 <= value < math.inf, name, "a number of at least 0", value)
    require(0.0 < delta < 1.0, "delta", "above 0 and below 1", delta)
    require(before - 1e-9 * (1.0 + before) <= final < math.inf, "final", f"log det A_T, not below log det H = {before:g}", final)
    growth = max(final - before, 0.0)
    if form == "printed":
        radius = sigma * (math.sqrt(dimension * (growth / 2.0 - math.log(delta))) + norm / math.sqrt(phi))
        note = "HLinUCB (Theorem 4) as printed: not a proven bound, its radius leaves out the noise in history."
    else:
        radius = sigma * math.sqrt(2.0 * (final / 2.0 - math.log(delta))) + norm
        note = f"HLinUCB (Theorem 4), repaired: holds with probability {1.0 - delta:g} if alpha is the radius {radius:.4g}."
    value = radius * math.sqrt(8.0 * horizon * growth)
    return Bound(value, form, note + vacuous(value, 2.0 * horizon))

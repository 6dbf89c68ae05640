"""What a hierarchical linear policy knows as a whole: one row of numbers.

COUNT            online rounds in the sums below
BINS    3 x 64   residuals by size of prediction: how many, sum of squared predictions z, less the offset; of squared residuals y
LEAST, LARGEST   range of the online rewards
STEP             log2 of the spread that is searched finely (rho; phi in a flat policy), in units of 1 / mean x_j^2
RHO, PHI         variance of a node around its parent, and of the nodes right under the root around 0, in units of SIG2
SIG2, OFFSET     variance of the noise of a round of weight 1; reward level that all arms share
ETA, KAPPA       noise variance = KAPPA (ETA VARIANCE + z); constant, KAPPA, while ETA < 0
STANDARD         variance that weight 1 stands for; 0 until the noise has first looked other than constant
REFERENCE        z of the middle bin
VARIANCE         of all rewards at the last refresh
DEPTH            levels of the tree under the root
NEXT             rounds, online and historical, at which the next refresh is due; 1 while there are no data
DRIFT, KEPT      an arm's history is that of a theta_then ~ N(KEPT theta, DRIFT SIG2 I); while DRIFT is 0 of theta itself
RATE, FLOOR      how the width of an index grows, and the least of it (width.py)
LENGTH           mean of x'x
WEIGHTS          whether rounds may weigh other than 1 (1 or 0)
CONSTANT         the column of the contexts that never changes, or -1
LEVELS           whether contexts are seen with a 1 after their columns, for levels of the arms (1 or 0); 1 without data
AGAINST, ASK     nats by which arms without levels were likelier, at most; rounds at which to ask for levels again
LENS  2 (d + 1)  one over the unit of each column, and its mean in units of the constant one (see lens.py)
"""

import numpy as np

from ...core.kernel import compiled
from ...core.types import Floats

BIN_COUNT = 64
FOLLOWED = 256.0
"""Times by which the variance of the rewards must have left the middle bin for the bins to follow."""

COUNT, BINS = 0, 1
LEDGER_SUMS = BINS + 3 * BIN_COUNT
"""How many leading numbers of a ledger are sums."""

LEAST, LARGEST, STEP, RHO, PHI, SIG2, OFFSET, ETA, KAPPA, STANDARD = range(LEDGER_SUMS, LEDGER_SUMS + 10)
REFERENCE, VARIANCE, DEPTH, NEXT, DRIFT, KEPT, RATE, LENGTH, FLOOR, WEIGHTS = range(STANDARD + 1, STANDARD + 11)
CONSTANT, LEVELS, AGAINST, ASK, LENS = range(WEIGHTS + 1, WEIGHTS + 6)


def ledger_size(dimension: int) -> int:
    """Length of the ledger of a policy over contexts of this length."""
    return LENS + 2 * (dimension + 1)


def new_ledger(weights: bool, dimension: int) -> Floats:
    """The ledger of a policy without data; ``rebuild`` makes it fit the sums."""
    ledger = np.zeros(ledger_size(dimension))
    ledger[WEIGHTS] = float(weights)
    ledger[CONSTANT], ledger[LENS : LENS + dimension + 1] = -1.0, 1.0
    clear(ledger)
    return ledger


@compiled
def clear(ledger: Floats) -> None:
    """Forget all but what the policy was made with."""
    ledger[:WEIGHTS] = 0.0
    ledger[LEAST], ledger[LARGEST] = 1e300, -1e300
    ledger[RHO], ledger[PHI], ledger[SIG2], ledger[KAPPA], ledger[NEXT], ledger[KEPT] = 1.0, 1.0, 1.0, 1.0, 1.0, 1.0
    ledger[ETA] = -1.0
    ledger[LEVELS], ledger[FLOOR] = 1.0, 1.0
    forget_levels(ledger)


@compiled
def forget_levels(ledger: Floats) -> None:
    """What data said of levels of the arms counts no more."""
    ledger[AGAINST], ledger[ASK] = 0.0, 0.0


@compiled
def void(ledger: Floats) -> bool:
    """Whether history was found to say nothing."""
    found: bool = ledger[DRIFT] > 0.0 and ledger[KEPT] == 0.0
    return found


def mean_residual(ledger: Floats) -> float:
    """Mean squared residual, 0 without any."""
    count, _, squares = ledger[BINS:LEDGER_SUMS].reshape(3, BIN_COUNT).sum(axis=1)
    return float(squares / count) if count > 0.0 else 0.0


def standard_of(ledger: Floats) -> float:
    """The variance that weight 1 stands for or, as long as no round weighs otherwise, would; 0 if nothing is known."""
    return float(ledger[STANDARD]) or mean_residual(ledger)


def merged(ledger: Floats, other: Floats, since: Floats | None = None) -> Floats:
    """A ledger with the rounds of both, those of ``since`` counted once, and the settings of the first; ``rebuild`` then brings
    those up to date.

    >>> first, second = new_ledger(True, 2), new_ledger(True, 2)
    >>> first[LEAST], second[LEAST] = 2.0, 1.0
    >>> float(merged(first, second)[LEAST])
    1.0
    """
    both = (ledger if ledger[NEXT] > 1.0 else other).copy()
    both[WEIGHTS] = ledger[WEIGHTS]
    both[STANDARD] = standard_of(ledger) or standard_of(other) if ledger[STANDARD] or other[STANDARD] else 0.0
    both[AGAINST] = max(ledger[AGAINST], other[AGAINST])
    both[:LEDGER_SUMS] = 0.0
    for part, sign in ((ledger, 1.0), (other, 1.0)) if since is None else ((ledger, 1.0), (other, 1.0), (since, -1.0)):
        if part[REFERENCE] == both[REFERENCE]:
            both[:LEDGER_SUMS] += sign * part[:LEDGER_SUMS]
            continue
        both[:BINS] += sign * part[:BINS]
        for count, prediction, residual in part[BINS:LEDGER_SUMS].reshape(3, BIN_COUNT).T:
            if count > 0.0:
                _put(both, sign * count, sign * prediction, sign * residual)
    bins = both[BINS:LEDGER_SUMS].reshape(3, BIN_COUNT)
    bins[:, (bins < 0.0).any(axis=0)] = 0.0  # residuals of before that a worker has forgotten since
    both[LEAST] = min(ledger[LEAST], other[LEAST])
    both[LARGEST] = max(ledger[LARGEST], other[LARGEST])
    return both


@compiled
def _put(ledger: Floats, count: float, prediction: float, residual: float) -> None:
    """Add squared residuals to the bin of their mean squared prediction; a bin is a factor of two wide."""
    size = np.log2(prediction / count / (ledger[REFERENCE] + 1e-300) + 1e-300)
    at = BINS + int(min(max(np.floor(size) + BIN_COUNT // 2, 0.0), BIN_COUNT - 1.0))
    ledger[at] += count
    ledger[at + BIN_COUNT] += prediction
    ledger[at + 2 * BIN_COUNT] += residual


@compiled
def set_reference(ledger: Floats) -> None:
    """The middle bin is that of the rewards' variance, and follows it where the first rewards said little of the others."""
    if FOLLOWED * ledger[REFERENCE] >= ledger[VARIANCE] and ledger[REFERENCE] <= FOLLOWED * ledger[VARIANCE]:
        return
    bins = ledger[BINS:LEDGER_SUMS].copy().reshape(3, BIN_COUNT)
    ledger[BINS:LEDGER_SUMS] = 0.0
    ledger[REFERENCE] = ledger[VARIANCE]
    for at in range(BIN_COUNT):
        if bins[0, at] > 0.0:
            _put(ledger, bins[0, at], bins[1, at], bins[2, at])


@compiled
def record(ledger: Floats, prediction: float, residual: float) -> None:
    """Note the squared residual of one round, predicted before its reward was used."""
    _put(ledger, 1.0, prediction, residual)

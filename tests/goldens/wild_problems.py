"""Hold the random problems of the wild league: compare what seeds draw with wild_problems.json.

    PYTHONPATH=. python tests/goldens/wild_problems.py --write     write wild_problems.json anew

wild_problems.json holds for each problem a hash of all that is whole numbers or names, and a few sums of what is not, rounded to
nine digits: logarithms and powers may differ in the last one from processor to processor.
"""

import argparse
import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.wild.problems import Classical, Contextual, contextual, problem

PATH = Path(__file__).with_suffix(".json")
CLASSICAL_SEEDS, CONTEXTUAL_SEEDS = range(1, 61), range(1, 31)
MOST_CELLS_HELD = 300_000
"""Arms times rounds up to which the rewards of replication 0 are held, too."""


def held() -> dict[str, dict[str, list[Any]]]:
    """What is held of every problem, by kind and seed."""
    return {
        "classical": {str(seed): of_classical(problem(seed)) for seed in CLASSICAL_SEEDS},
        "contextual": {str(seed): of_contextual(contextual(seed)) for seed in CONTEXTUAL_SEEDS},
    }


def of_classical(drawn: Classical) -> list[Any]:
    """A hash, then sums."""
    names = (drawn.noise, drawn.shape, drawn.quality, drawn.sizes, drawn.history, drawn.change)
    whole = (drawn.arms, drawn.rounds, names, _listed(drawn.clusters), _listed(drawn.history_arms))
    parts = [drawn.means, drawn.history_rewards, drawn.noise_sd, drawn.unit, drawn.shift, drawn.top]
    return [_hash(whole), *_sums(parts), *_table(drawn)]


def of_contextual(drawn: Contextual) -> list[Any]:
    """A hash, then sums."""
    names = (drawn.noise, drawn.contexts.kind, drawn.coefficients.link, drawn.quality, drawn.history)
    yes = (drawn.contexts.one, drawn.coefficients.sparse, drawn.coefficients.levels)
    sizes = (drawn.arms, drawn.rounds, drawn.dimension)
    whole = (sizes, names, yes, _listed(drawn.clusters), _listed(drawn.history_arms))
    parts = [drawn.coefficients.theta, drawn.history_rewards, drawn.history_contexts, drawn.unit, drawn.noise_level]
    return [_hash(whole), *_sums(parts), *_table(drawn)]


def _table(drawn: Classical | Contextual) -> list[float]:
    if drawn.arms * drawn.rounds > MOST_CELLS_HELD:
        return []
    return _sums([part * np.arange(1, part.shape[1] + 1) for part in drawn.table(0)])


def _sums(parts: list[Any]) -> list[float]:
    """Sums of absolute values, so that nothing cancels."""
    return [float(f"{np.abs(part).sum():.9g}") for part in parts]


def _listed(numbers: np.ndarray | None) -> list[int] | None:
    return None if numbers is None else numbers.tolist()


def _hash(whole: Any) -> str:
    return hashlib.blake2b(repr(whole).encode(), digest_size=8).hexdigest()


def main() -> None:
    """Write the file."""
    command = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    command.add_argument("--write", action="store_true", required=True)
    command.parse_args()
    lines = [
        f' "{kind}": {{\n' + ",\n".join(f'  "{seed}": {json.dumps(row)}' for seed, row in rows.items()) + "\n }"
        for kind, rows in held().items()
    ]
    PATH.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()

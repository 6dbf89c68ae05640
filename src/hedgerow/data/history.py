"""History: what was played before, as sums per arm."""

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..core import state_file
from ..core.labels import as_label, shown
from ..core.sums import LARGEST, PLAYS, fields_of, row_size
from ..core.types import Floats, Label, tuples
from ..present.numbers import numeral
from .encoding import Encoding
from .group_by import Sums
from .history_fit import check_fit, listed_reasons, shared_encoding
from .history_sources import HistorySources
from .history_view import HistoryView
from .rounds import as_dimension


class History(HistorySources, HistoryView):
    """Sums of logged rounds per arm: plays, rewards, squared rewards and, with contexts, r x, x x' and x.

    Args:
        arms: the arms, each once.
        sums: a row of sums for each arm; the ``from_`` methods make them.
        dimension: how many numbers a context has, None for none.
        encoding: how raw contexts became these numbers.
        missing: rows of the log that were left out, by reason.
        newest: time of the newest round, in seconds since 1970, if it is known: a policy that forgets by time needs it.

    Examples:
        >>> log = History.from_rounds(arms=["a", "b", "a"], rewards=[1, 0, 0.5])
        >>> log
        History(2 arms, 3 plays)
        >>> log.weighted(0.5).plays("a")
        1.0
    """

    def __init__(
        self,
        arms: Iterable[Label],
        sums: Floats,
        dimension: int | None = None,
        *,
        encoding: Encoding | None = None,
        missing: Mapping[str, int] | None = None,
        newest: float | None = None,
    ):
        self.arms: tuple[Label, ...] = tuple(arms)
        self.encoding = encoding
        self.missing: dict[str, int] = dict(missing or {})
        self.sums: Floats = np.ascontiguousarray(sums, dtype=np.float64)
        self.dimension = dimension
        self.newest: float | None = None if newest is None else float(newest)
        expected = (len(self.arms), row_size(dimension))
        if len(set(self.arms)) < len(self.arms):
            twice = [arm for arm, times in Counter(self.arms).items() if times > 1]
            raise ValueError(f"sums must be one row for each arm, there are several for {shown(twice)}: add them up first")
        if self.sums.shape != expected:
            raise ValueError(f"sums must be a row of {expected[1]} numbers for each arm, got shape {self.sums.shape}")
        if not np.isfinite(self.sums).all() or (self.sums[:, PLAYS] < 0.0).any():
            raise ValueError("a history must hold finite sums of at least no plays")
        if encoding is not None and encoding.dimension != dimension:
            raise ValueError(f"the encoding gives {encoding.dimension} numbers, the history has contexts of {dimension}")
        self._row_of = {arm: row for row, arm in enumerate(self.arms)}

    def plays(self, arm: Label) -> float:
        """How often an arm was played.

        Args:
            arm: its label.

        Returns:
            Its plays, 0 for an arm that the history does not have.
        """
        return float(self.sums[self._row_of[arm], PLAYS]) if arm in self._row_of else 0.0

    def weighted(self, weight: float) -> "History":
        """The same history, each round counted ``weight`` times.

        Args:
            weight: below 1 the history is trusted less.

        Returns:
            Another history.

        Raises:
            ValueError: if the weight is negative or no number.

        Examples:
            >>> History.from_rounds(arms=["a", "a"], rewards=[1.0, 0.0]).weighted(0.5).plays("a")
            1.0
        """
        if isinstance(weight, bool) or not isinstance(weight, int | float | np.number) or not 0.0 <= weight < LARGEST:
            raise ValueError(f"weight must be a number of at least 0, got {weight!r}")
        return self._with(self.arms, self.sums * weight)

    def only(self, arms: Iterable[Label]) -> "History":
        """The part of the history about some arms.

        Args:
            arms: their labels.

        Returns:
            Another history.

        Examples:
            >>> History.from_rounds(arms=["a", "b"], rewards=[1.0, 0.0]).only(["a"]).arms
            ('a',)
        """
        wanted = set(arms)
        kept = [arm for arm in self.arms if arm in wanted]
        if self.arms and not kept:
            warnings.warn(f"none of {shown(wanted)} is in the history, whose arms are {shown(self.arms)}", stacklevel=2)
        rows = self.sums[[self._row_of[arm] for arm in kept]]
        return self._with(kept, rows)

    def _with(self, arms: Iterable[Label], sums: Floats) -> "History":
        """The same with other sums."""
        return History(arms, sums, self.dimension, encoding=self.encoding, missing=self.missing, newest=self.newest)

    def rows_for(self, arms: Sequence[Label], dimension: int | None) -> Floats:
        """Rows of sums in the order of a policy's arms, as wide as its contexts need.

        Args:
            arms: the arms of the policy.
            dimension: how many numbers its contexts have, None for none.

        Returns:
            A row for each arm, zeros for an arm that the history does not have.

        Raises:
            ValueError: if the history has other arms, or contexts of another length.
        """
        known = arms if isinstance(arms, range) else dict(zip(arms, range(len(arms)), strict=True))
        check_fit(self.arms, self.dimension, known, dimension)
        rows = np.zeros((len(arms), row_size(dimension)))
        position: Callable[[Any], int] = known.index if isinstance(known, range) else known.__getitem__
        rows[[position(arm) for arm in self.arms]] = self.sums[:, : rows.shape[1]]
        return rows

    def __add__(self, other: "History") -> "History":
        if not isinstance(other, History):
            return NotImplemented
        if self.arms and other.arms and self.dimension != other.dimension:
            raise ValueError(f"histories with contexts of {self.dimension} and {other.dimension} numbers cannot be added")
        dimension = self.dimension if self.arms else other.dimension
        encoding = shared_encoding(self.encoding, other.encoding, bool(self.arms and other.arms))
        both = Sums(self.arms, self.sums, self.missing).plus(Sums(other.arms, other.sums, other.missing), row_size(dimension))
        newest = max((each for each in (self.newest, other.newest) if each is not None), default=None)
        return History(both.arms, both.rows, dimension, encoding=encoding, missing=both.missing, newest=newest)

    def save(self, path: str | Path) -> None:
        """Write the history to a file that ``hedgerow.load`` reads.

        Args:
            path: the file.
        """
        state_file.save(path, *self._state(True))

    def _state(self, _waiting: bool) -> tuple[state_file.Manifest, dict[str, state_file.Block]]:
        encoding = None if self.encoding is None else self.encoding.to_json()
        manifest: state_file.Manifest = {"kind": "history", "arms": list(self.arms), "dimension": self.dimension}
        manifest |= {"encoding": encoding, "missing": self.missing}
        manifest |= {} if self.newest is None else {"newest": self.newest}
        return manifest, {"sums": state_file.Block(self.sums, fields_of(self.dimension))}

    @classmethod
    def _restore(cls, file: state_file.StateFile) -> "History":
        arms = tuple(as_label(tuples(arm), "an arm label") for arm in file.manifest["arms"])
        dimension = as_dimension(file.manifest["dimension"])
        columns = file.manifest["encoding"]
        encoding = None if columns is None else Encoding.from_json(columns)
        missing = {str(reason): int(rows) for reason, rows in file.manifest["missing"].items()}
        sums = file.array("sums", fields_of(dimension), len(arms))
        return cls(arms, sums, dimension, encoding=encoding, missing=missing, newest=file.manifest.get("newest"))

    def __repr__(self) -> str:
        contexts = f", contexts of {self.dimension}" if self.dimension else ""
        left_out = f"; left out: {listed_reasons(self.missing)}" if self.missing else ""
        return f"History({len(self.arms)} arms, {numeral(self.sums[:, PLAYS].sum(), 6)} plays{contexts}{left_out})"

"""Many noisy answers to one question: the engine runs once, noise is drawn at the release seam.

The question goes through ``Database.query`` once, which fixes plan, noise and ledger entry. Its
exact cells are then laid side by side as often as there are draws, get noise from ``Noise.sample``
in one call, and become values and intervals by the code that makes every answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hedgerow.answers.answer import Answer, build_answer
from hedgerow.engines.data_source import Cells
from hedgerow.release.candidate_selection import CalibratedSelection
from truth.oracle import Grid

__all__ = ["Asked", "Draws", "stated_bias"]


def stated_bias(answer: Answer, column: str) -> float:
    """Return the bias that an answer states for a column of sums: what scaled rows lose at most.

    Each noisy number may lack the ``bias`` of its law; an aggregate has them times their weights.
    """
    output = next(one for one in answer._question.outputs if one.name == column)
    known = answer._estimates[output.expression.column]  # type: ignore[union-attr]
    each = getattr(getattr(known, "law", None), "bias", 0)
    return float(sum(map(abs, getattr(known, "weights", ()))) * each)


@dataclass(frozen=True)
class Draws:
    """Values and intervals of each column, by group, a draw after the other."""

    values: dict[Any, dict[str, list[Any]]]
    intervals: dict[Any, dict[str, list[Any]]]
    count: int


class Asked:
    """A question that was answered once, and can be drawn again without running it."""

    def __init__(self, database: Any, sql: str, epsilon: Any) -> None:
        self.answer: Answer = database.query(sql, epsilon=epsilon)
        self.question = self.answer._question
        self._release = self.answer._releases[0]
        self._cells: Any = database.source.run(self.question.plan)

    def call(self, column: str) -> Any:
        """Return the aggregate that is shown under a name."""
        output = next(one for one in self.question.outputs if one.name == column)
        return next(one for one in self.question.aggregates if one.name == output.expression.column)  # type: ignore[union-attr]

    def grids(self, column: str) -> list[Grid]:
        """Return the grids that an aggregate reads its columns on: public, part of the question."""
        measure = self.call(column).measure
        second = getattr(measure, "second", None)
        snaps = [measure.grid, *([] if second is None else [second[1]])]
        return [Grid(snap.step, snap.low, snap.high) for snap in snaps if snap is not None]

    def stated_ranks(self, column: str, outside: Any) -> float | None:
        """Return how many ranks a chosen value is off at most, as its note states."""
        law = self._release.noise.mechanisms[
            self.question.plan.measures.index(self.call(column).measure)
        ]
        assert isinstance(law, CalibratedSelection)
        return law.rank_error(outside)

    def draw(self, count: int, columns: Sequence[str]) -> Draws:
        """Return so many answers with noise of their own."""
        cells, plan = self._cells, self.question.plan
        keys = list(zip(*cells.keys, strict=True)) if cells.keys else [()]
        places = list(range(count * len(keys)))
        tiled = Cells((places,), tuple(np.tile(column, count) for column in cells.numbers))
        shown, numbers = self._release.noise.sample(tiled, plan.measures)
        at = [keys[place % len(keys)] for (place,) in shown]  # type: ignore[operator]
        release = replace(self._release, keys=tuple(at), numbers=tuple(map(tuple, numbers)))
        answer = build_answer(self.question, [release], reused=False, notes=())
        return self._split(answer, at, count, columns)

    def _split(
        self, answer: Answer, at: Sequence[Any], count: int, columns: Sequence[str]
    ) -> Draws:
        values: dict[Any, dict[str, list[Any]]] = {}
        intervals: dict[Any, dict[str, list[Any]]] = {}
        for column in columns:
            pairs = answer.interval(column)
            for key, row, pair in zip(at, answer.rows, pairs, strict=True):
                name = key[0] if key else None
                values.setdefault(name, {}).setdefault(column, []).append(row[column])
                intervals.setdefault(name, {}).setdefault(column, []).append(pair)
        return Draws(values, intervals, count)

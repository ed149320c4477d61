"""A purse that writes down what passes its seam, and a trial: the same program on two neighbours,
with the noise frozen.

Whatever a program does with noisy numbers is its own affair. So if the second run is handed the
very numbers of the first, it must ask the same questions at the same prices and publish the same;
and what the exact answers differ by must be within the declared sensitivity. Where it is not so,
the program knows something that nobody paid for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from hedgerow.plan.contingency_table import ContingencyTable
from hedgerow.privacy.loss import Loss
from hedgerow.release.linear_queries import QueryBlock
from hedgerow.release.private_table import MarginalCandidate, PrivateTable

Program = Callable[[PrivateTable], Any]


@dataclass(frozen=True)
class Seam:
    """One step: what was asked, the exact answers, how far one unit may move them (l1 and l2
    squared, or each), what was handed out.
    """

    question: object
    exact: np.ndarray
    l1: Fraction
    l2_squared: Fraction
    given: Any


class Recording(PrivateTable):
    """A purse with a record; with the record of another run, it hands out what that one did."""

    def __init__(
        self,
        table: ContingencyTable,
        total: Loss,
        *,
        rows: int,
        relation: str,
        script: Sequence[Seam] | None = None,
    ) -> None:
        super().__init__(table, total, rows=rows, relation=relation)
        self.record: list[Seam] = []
        self.script = script

    def measure(self, block: QueryBlock, law: Any) -> Any:
        found = super().measure(block, law)
        matrices = tuple(
            (place, factor.apply(np.eye(factor.size, dtype=np.int64), 0).tobytes())
            for place, factor in block.factors
        )
        moved = block.sensitivity(self._terms["rows"], self._terms["relation"])
        return self._kept(
            ("measure", matrices, law),
            block.evaluate(self._table).ravel(),
            moved.l1,
            moved.l2_squared,
            found,
        )

    def select(
        self, candidates: Sequence[MarginalCandidate], *, epsilon: Any = None, rho: Any = None
    ) -> int:
        found = super().select(candidates, epsilon=epsilon, rho=rho)
        asked = tuple(
            (each.places, each.expected.tobytes(), each.weight, each.offset) for each in candidates
        )
        scores = np.array([self._compute_misfit(each) for each in candidates])
        each = Fraction(self._terms["rows"] * (2 if self._terms["relation"] == "change-one" else 1))
        return int(
            self._kept(
                ("choose", asked, epsilon, rho),
                scores,
                len(candidates) * each,
                len(candidates) * each**2,
                found,
            )
        )

    def _kept(
        self, question: object, exact: np.ndarray, l1: Fraction, l2_squared: Fraction, found: Any
    ) -> Any:
        at = len(self.record)
        given = found if self.script is None or at >= len(self.script) else self.script[at].given
        self.record.append(Seam(question, exact, l1, l2_squared, given))
        return given.copy() if isinstance(given, np.ndarray) else given


def trial(
    program: Program,
    tables: tuple[ContingencyTable, ContingencyTable],
    total: Loss,
    *,
    rows: int = 1,
    relation: str = "add-remove",
) -> list[str]:
    """What is wrong with a program, seen from two neighbours; nothing if all is well."""
    first = Recording(tables[0], total, rows=rows, relation=relation)
    published = np.asarray(program(first))
    second = Recording(tables[1], total, rows=rows, relation=relation, script=first.record)
    again = np.asarray(program(second))
    complaints = _seams(first.record, second.record)
    if published.shape != again.shape or (published != again).any():
        complaints.append("what is published differs, though all that was paid for is the same")
    if first.spent != second.spent:
        complaints.append("the price differs")
    return complaints


def _seams(first: Sequence[Seam], second: Sequence[Seam]) -> list[str]:
    if len(first) != len(second):
        return ["the number of steps differs"]
    complaints = []
    for a, b in zip(first, second, strict=True):
        if a.question != b.question:
            complaints.append("a question differs")
            break
        off = np.abs(a.exact - b.exact)
        if int(off.sum()) > a.l1 or int((off**2).sum()) > a.l2_squared:
            complaints.append("exact answers differ by more than was declared")
    return complaints

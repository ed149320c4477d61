"""Reconstruction of a secret yes/no column from counts: too many too accurate answers are the
table.

A question counts those of its ``members`` (a row of a 0/1 matrix over the people, which the
attacker knows) whose secret is yes, so the answers are close to members @ secret. There are three
methods, all over columns between 0 and 1, which are then rounded:

- ``least_squares``: the column whose answers are nearest in squares; best for errors that are
  spread like a bell or a box;
- ``linear_program``: nearest in absolute differences; the likeliest column under Laplace noise;
- ``fit_within_bound``: any column whose answers are all within a stated bound of those published,
  for errors that have one, such as rounding.

``scales`` is the width of the error of each answer; those with narrower errors weigh more. An
estimate in the very middle is rounded by a coin, so that a column about which nothing is known is
guessed right half the time and not more often.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.numeric.bits import draw_words
from hedgerow.plan.schema import Column, Schema
from hedgerow.sql.binder.rule import find_filled_args
from hedgerow.sql.catalog import Catalog, TableEntry
from hedgerow.sql.public_tables.phrases import write_fragment
from hedgerow.sql.public_tables.statement import PublicQuery, read_public_query

__all__ = [
    "Floats",
    "Mask",
    "Reconstruction",
    "fit_within_bound",
    "least_squares",
    "linear_program",
    "match_conditions",
]

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

_MAX_STEPS: Final = 2000  # of the descent, which usually stops much earlier
_CONVERGED_CHANGE: Final = 1e-7  # the descent stops when no estimate moves by more
_COIN_TOLERANCE: Final = 1e-6  # this near to 1/2 a coin decides


@dataclass(frozen=True, slots=True, eq=False)
class Reconstruction:
    """An estimate between 0 and 1 for each person, and the guess at the secret."""

    estimate: Floats
    guess: Mask

    def count_hits(self, truth: Mask) -> int:
        """Return the number of right guesses: all but the Hamming distance to the truth."""
        if truth.shape != self.guess.shape or truth.dtype != np.bool_:
            raise InvalidArgument(
                "truth", f"must be an array of {self.guess.size} booleans", truth.shape
            )
        return int(np.count_nonzero(self.guess == truth))


def match_conditions(public: Any, conditions: Sequence[str]) -> Mask:
    """Return the people each condition holds for, given a frame of public facts about them.

    This is the matrix of a list of WHERE clauses.
    """
    import duckdb

    from hedgerow.engines.duckdb.tables.arrow_snapshot import take_snapshot

    if not conditions:
        raise InvalidArgument(
            "conditions", "must hold at least one condition, as after WHERE", conditions
        )
    table = take_snapshot(public, "public")
    if len({name.casefold() for name in table.column_names}) < table.num_columns:
        raise InvalidArgument(
            "public", "must have columns that differ in more than upper and lower case"
        )
    masks = []
    with duckdb.connect(
        ":memory:", config={"enable_external_access": "false", "threads": "1"}
    ) as connection:
        for condition in conditions:
            try:
                asked = _parse_condition(condition, table.column_names)
                columns = [
                    asked.names.write_name(asked.names.number_name(name))
                    for name in table.column_names
                ]
                connection.register("public 0", table.rename_columns(columns))
                (column,) = (
                    connection.execute(write_fragment(asked.fragment, asked.names))
                    .fetchnumpy()
                    .values()
                )
            except (duckdb.Error, Refused):
                raise InvalidArgument(
                    "conditions",
                    "must each be a condition on the public columns, as after WHERE",
                    condition,
                ) from None
            masks.append(np.asarray(column, dtype=np.bool_))
    return np.array(masks, dtype=np.bool_)


def _parse_condition(condition: str, columns: Sequence[str]) -> PublicQuery:
    """Return the query for the people a condition holds for, parsed as one about public tables."""
    schema = Schema("public", tuple(Column(name, "text") for name in columns), None)
    read = read_public_query(
        f"SELECT COALESCE(({condition}), FALSE) FROM public",
        Catalog({"public": TableEntry(schema)}),
    )
    parts = set() if read is None else find_filled_args(read.tree)
    if read is None or parts != {"expressions", "from_"} or len(read.tree.expressions) != 1:
        raise Refused("This is not a condition. Write what would follow WHERE.")
    return read


def least_squares(members: Mask, answers: Floats, scales: Floats | None = None) -> Reconstruction:
    """Reconstruct by accelerated projected gradient descent (Beck and Teboulle)."""
    matrix, seen, weights = _check_inputs(members, answers, scales)
    matrix, seen = matrix * weights[:, None], seen * weights
    gram, pull = matrix.T @ matrix, matrix.T @ seen
    # The eigenvalues of a matrix without negative entries are at most its largest column sum.
    step = 1 / max(float(gram.sum(axis=0).max()), 1e-300)
    column = ahead = np.full(gram.shape[0], 0.5)
    momentum = 1.0
    for _ in range(_MAX_STEPS):
        after = np.clip(ahead - step * (gram @ ahead - pull), 0.0, 1.0)
        following = (1 + (1 + 4 * momentum * momentum) ** 0.5) / 2
        ahead = after + (momentum - 1) / following * (after - column)
        moved = float(np.max(np.abs(after - column)))
        column, momentum = after, following
        if moved < _CONVERGED_CHANGE:
            break
    return _round_estimate(column)


def linear_program(members: Mask, answers: Floats, scales: Floats | None = None) -> Reconstruction:
    """Reconstruct by the least sum of absolute differences, with HiGHS.

    A difference is above − below, both at least 0, and costs above + below.
    """
    from scipy import sparse

    matrix, seen, weights = _check_inputs(members, answers, scales)
    questions, people = matrix.shape
    each = sparse.identity(questions)
    equal = sparse.hstack([sparse.csr_matrix(matrix), each, -each]).tocsr()
    cost = np.concatenate([np.zeros(people), weights, weights])
    ends = [(0.0, 1.0)] * people + [(0.0, None)] * (2 * questions)
    return _round_estimate(_solve_linear_program(cost, ends, A_eq=equal, b_eq=seen)[:people])


def fit_within_bound(members: Mask, answers: Floats, bound: float) -> Reconstruction:
    """Reconstruct a column that fits every answer to within ``bound``, with HiGHS, or refuse."""
    from scipy import sparse

    matrix, seen, _ = _check_inputs(members, answers, None)
    if not bound >= 0:
        raise InvalidArgument("bound", "must be at least 0", bound)
    both = sparse.csr_matrix(np.vstack([matrix, -matrix]))
    sides = np.concatenate([seen, -seen]) + (bound + 1e-9)
    return _round_estimate(
        _solve_linear_program(
            np.zeros(matrix.shape[1]), [(0.0, 1.0)] * matrix.shape[1], A_ub=both, b_ub=sides
        )
    )


def _solve_linear_program(cost: Floats, ends: list[Any], **conditions: Any) -> Floats:
    from scipy.optimize import linprog

    found = linprog(cost, bounds=ends, method="highs", **conditions)
    if found.x is None:
        raise Refused(
            "No column of yes and no fits these answers to within the bound: their errors are"
            " larger. Use linear_program."
        )
    return np.asarray(found.x, dtype=np.float64)


def _check_inputs(
    members: Mask, answers: Floats, scales: Floats | None
) -> tuple[Floats, Floats, Floats]:
    """Return the matrix, the answers and the weights as floating-point arrays."""
    if members.ndim != 2 or not members.size:
        raise InvalidArgument(
            "members",
            "must be a matrix with a row for each question and a column for each person",
            members.shape,
        )
    questions = members.shape[0]
    seen = np.asarray(answers, dtype=np.float64)
    widths = np.ones(questions) if scales is None else np.asarray(scales, dtype=np.float64)
    if seen.shape != (questions,) or not np.isfinite(seen).all():
        raise InvalidArgument(
            "answers", f"must be {questions} numbers, one for each question", seen.shape
        )
    if widths.shape != (questions,) or not (np.isfinite(widths) & (widths > 0)).all():
        raise InvalidArgument(
            "scales", f"must be {questions} numbers above 0, one for each question", widths.shape
        )
    return members.astype(np.float64), seen, float(widths.min()) / widths


def _round_estimate(estimate: Floats) -> Reconstruction:
    coins = (draw_words(estimate.size) >> np.uint64(63)).astype(np.bool_)
    middle = np.abs(estimate - 0.5) < _COIN_TOLERANCE
    return Reconstruction(estimate, np.where(middle, coins, estimate > 0.5))

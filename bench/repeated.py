"""Many independent answers to one question, for the price of one pass over the data.

A question asked again is answered from the ledger, with the same noise. So it is asked once, as
anybody asks, of a database that was just opened; then the exact numbers of its plan are taken from
the engine once, and the noise that the question was priced with is drawn as many times as wanted.
Each draw becomes a row of an answer, by the same code that made the first one. Nobody but the
custodian could do that.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

import hedgerow
from bench.cells import Cell, table
from hedgerow.answers.answer import Answer, build_answer
from hedgerow.answers.explanation import Explanation
from hedgerow.database.database import CUSTODIAN
from hedgerow.database.query.pricing import (
    QueryRequest,
    find_stored_answers,
    price_with_noise,
)
from hedgerow.engines.data_source import Cells
from hedgerow.sql.parser import parse_question

__all__ = ["Repeated", "repeated"]


@dataclass(frozen=True, slots=True)
class Repeated:
    """The first answer, as it was given; ``runs`` of them in one, run after run; and what was
    said beforehand.
    """

    first: Answer
    many: Answer
    told: Explanation


def repeated(cell: Cell, runs: int, *, epsilon: Fraction, delta: Fraction) -> Repeated:
    """The answers to the question of a cell, at a loss of epsilon and delta in all. Which noise,
    is left to us.
    """
    declared = {"x": (cell.low, cell.high)} | (
        {"g": list(range(cell.groups))} if cell.groups else {}
    )
    with hedgerow.protect(
        table(cell.shape),
        unit="who",
        neighbours="add-remove",
        columns=declared,
        epsilon=10 * epsilon,
        delta=4 * delta,
        noise="best",
        max_groups=cell.max_groups,
        max_rows_per_group=cell.max_rows,
        max_units=100_000,
    ) as database:
        price = {"epsilon": epsilon, "delta": delta}
        told = database.explain(cell.sql, **price)
        first = database.query(cell.sql, **price)
        request = QueryRequest(cell.sql, CUSTODIAN, **price)
        question = parse_question(cell.sql, database.catalog)
        priced = price_with_noise(database, question, request)
        (paid,) = find_stored_answers(database.ledger, priced)
        plan = priced.question.plan
        exact = database.source.run(plan)
    keys, numbers = priced.noise.sample(_times(exact, runs), plan.measures)
    shown = tuple(key[1:] for key in keys)
    many = replace(paid, keys=shown, numbers=tuple(map(tuple, numbers)))
    return Repeated(first, build_answer(priced.question, [many], reused=False, notes=()), told)


def _times(exact: Any, runs: int) -> Cells:
    """The cells so many times over, with the number of the run as one more key, which comes
    first.
    """
    size = len(exact)
    numbers = tuple(np.tile(column, runs) for column in exact.numbers)
    return Cells(
        (np.repeat(np.arange(runs), size).tolist(), *(list(key) * runs for key in exact.keys)),
        numbers,
    )

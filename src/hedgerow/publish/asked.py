"""Any counts, published together: each says for every combination of codes how often it counts."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.plan.expressions import Expression, evaluate, typed
from hedgerow.plan.values import Range
from hedgerow.publish.designs import errors
from hedgerow.publish.domain import Domain
from hedgerow.publish.queries import Queries
from hedgerow.publish.sketch import Accuracy, Made, Sketch, Tell, measured, silent
from hedgerow.publish.table import counted
from hedgerow.publish.terms import Terms
from hedgerow.purse import Purse

__all__ = ["MOST_CELLS", "matrix_of", "padded", "queries"]

MOST_CELLS: Final = 1024
_BETA: Final = Fraction(1, 20)


def matrix_of(conditions: Sequence[Expression], domain: Domain, known: dict[str, Range]) -> npt.NDArray[np.int64]:
    """For each condition, and each combination of codes in their order, whether it holds. NULL, and what is not declared, is the last code
    of its column, so that a condition holds for the rows it holds for in SQL, whatever else is asked. A bin holds several values and cannot
    say."""
    _few(domain)
    for attribute in domain.attributes:
        if attribute.values is None:
            raise InvalidArgument(
                "bins", f"of {attribute.name} must be left out here: a condition may hold for a part of a bin", attribute.name
            )
    rows = [
        dict(zip(domain.names, row, strict=True)) for row in itertools.product(*((*(one.values or ()), None) for one in domain.attributes))
    ]
    whole = [typed(condition, known) for condition in conditions]
    return np.array([[int(evaluate(condition, row) is True) for row in rows] for condition in whole], dtype=np.int64)


def padded(matrix: Any, domain: Domain) -> npt.NDArray[np.int64]:
    """A matrix with a column for each combination of declared codes, the first attribute slowest, as one with a column for having none as
    well: such rows count nowhere, unless the matrix has these columns already."""
    _few(domain)
    given = np.asarray(matrix)
    if given.ndim != 2 or given.dtype.kind not in "biu" or given.shape[1] not in (domain.cells, domain.all_cells):
        many = f"{domain.cells} combinations of {', '.join(domain.names)}, or {domain.all_cells} with NULL"
        raise InvalidArgument("matrix", f"must be whole numbers, in a column for each of {many}", given.shape)
    if given.shape[1] == domain.all_cells:
        return given.astype(np.int64)
    found = np.zeros((len(given), *(size + 1 for size in domain.sizes)), dtype=np.int64)
    found[(slice(None), *(slice(size) for size in domain.sizes))] = given.reshape(len(given), *domain.sizes)
    return found.reshape(len(given), -1)


def _few(domain: Domain) -> None:
    if domain.all_cells > MOST_CELLS:
        raise Refused(
            f"The columns of these questions, {', '.join(domain.names)}, have {domain.all_cells:,} combinations; at most {MOST_CELLS:,} "
            "can be looked at together. Ask about fewer columns at a time, or publish a histogram."
        )


def queries(terms: Terms, domain: Domain, *, matrix: Any, names: Sequence[str]) -> Sketch:
    """The counts of a matrix with a column for each combination of codes, or, where having none is a code as well, for each of those. The
    table is crossed as one attribute of all combinations."""
    asked = np.asarray(matrix)
    if asked.ndim != 2 or asked.shape[0] != len(names) or asked.shape[1] not in (domain.cells, domain.all_cells):
        many = f"{domain.cells} combinations, or {domain.all_cells} with NULL"
        raise InvalidArgument("matrix", f"must have a row for each name and a column for each of {many}", asked.shape)
    if not asked.any(axis=1).all():
        empty = names[int(np.flatnonzero(~asked.any(axis=1))[0])]
        raise InvalidArgument("questions", "must be about somebody: no declared value meets this one", empty)
    design = Queries.plan(0, asked, terms)
    # What is lost in a combination is lost as often as the question counts it: so many times at most, and that of so many combinations.
    largest = np.abs(asked).max(axis=1)
    lost = largest * [terms.lost(int(many)) for many in -(-np.abs(asked).sum(axis=1) // largest)]
    variances, radii, lacking = errors(design, terms, _BETA, lost)
    prices = [terms.price(block, law) for block, law in design.measurements]

    def build(purse: Purse, tell: Tell = silent) -> Made:
        import pyarrow as pa

        found = design.answers(measured(purse, design.measurements, tell))
        columns = {"question": pa.array(list(names))} | counted(found, radii, np.maximum(found, 0.0))
        return Made(pa.table(columns), {"variances": dict(zip(names, variances.tolist(), strict=True))} | terms.facts)

    each = [Accuracy(name, 1, math.sqrt(float(v)), float(r)) for name, v, r in zip(names, variances, radii, strict=True)]
    together = Accuracy("each answer", len(names), math.sqrt(float(variances.mean())), float(radii.max()))
    note = "count is right on average and may be negative; count_clean is 0 where it is."
    told = (together, *each[:20])
    return Sketch("queries", domain, design.name, sum(prices[1:], prices[0]), told, build, (note,), design.measurements, lacking)

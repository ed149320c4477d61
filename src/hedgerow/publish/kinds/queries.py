"""Linear counting queries published together: each has a weight for every combination of codes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.plan.scalar.expressions import Expression, evaluate, insert_casts
from hedgerow.plan.values import Range
from hedgerow.publish.domain import Domain
from hedgerow.publish.output.table import build_count_columns
from hedgerow.publish.privacy_parameters import PrivacyParameters
from hedgerow.publish.specification import (
    INTERVAL_BETA,
    Accuracy,
    BuiltTable,
    Progress,
    Specification,
    ignore_progress,
    measure_all,
)
from hedgerow.publish.strategies.strategy import compute_errors
from hedgerow.publish.strategies.workload_matrix import LinearQueries
from hedgerow.release.private_table import PrivateTable

__all__ = ["MAX_QUERY_CELLS", "build_query_matrix", "pad_query_matrix", "specify_queries"]

MAX_QUERY_CELLS: Final = 1024
_MAX_LISTED_ANSWERS: Final = 20


def build_query_matrix(
    conditions: Sequence[Expression], domain: Domain, known: dict[str, Range]
) -> npt.NDArray[np.int64]:
    """Return for each condition and each combination of codes, in order, whether the condition
    holds. NULL and undeclared values are the last code of their column, so that a condition holds
    for the same rows as in SQL. Bins are refused: a condition may hold for a part of a bin.
    """
    _check_cell_count(domain)
    for attribute in domain.attributes:
        if attribute.values is None:
            raise InvalidArgument(
                "bins",
                f"of {attribute.name} must be left out: a condition may hold for a part of a bin",
                attribute.name,
            )
    rows = [
        dict(zip(domain.names, row, strict=True))
        for row in itertools.product(*((*(each.values or ()), None) for each in domain.attributes))
    ]
    whole = [insert_casts(condition, known) for condition in conditions]
    return np.array(
        [[int(evaluate(condition, row) is True) for row in rows] for condition in whole],
        dtype=np.int64,
    )


def pad_query_matrix(matrix: Any, domain: Domain) -> npt.NDArray[np.int64]:
    """Return a matrix over the combinations of declared codes, the first attribute slowest,
    extended by the combinations with NULL. Those count 0, unless the matrix already has their
    columns.
    """
    _check_cell_count(domain)
    given = np.asarray(matrix)
    if (
        given.ndim != 2
        or given.dtype.kind not in "biu"
        or given.shape[1] not in (domain.cell_count, domain.cell_count_with_null)
    ):
        cells = (
            f"{domain.cell_count} combinations of {', '.join(domain.names)}, or"
            f" {domain.cell_count_with_null} with NULL"
        )
        raise InvalidArgument(
            "matrix", f"must be of integers with a column for each of the {cells}", given.shape
        )
    if given.shape[1] == domain.cell_count_with_null:
        return given.astype(np.int64)
    found = np.zeros((len(given), *(size + 1 for size in domain.sizes)), dtype=np.int64)
    found[(slice(None), *(slice(size) for size in domain.sizes))] = given.reshape(
        len(given), *domain.sizes
    )
    return found.reshape(len(given), -1)


def _check_cell_count(domain: Domain) -> None:
    if domain.cell_count_with_null > MAX_QUERY_CELLS:
        raise Refused(
            f"The columns of these questions, {', '.join(domain.names)}, have"
            f" {domain.cell_count_with_null:,} combinations; the limit is {MAX_QUERY_CELLS:,}. Ask"
            " about fewer columns at a time, or publish a histogram."
        )


def specify_queries(
    terms: PrivacyParameters, domain: Domain, *, matrix: Any, names: Sequence[str]
) -> Specification:
    """Specify the counts of a matrix with a column for each combination of codes, with or without
    NULL as a code. The private table has one attribute of all combinations.
    """
    queries = np.asarray(matrix)
    if (
        queries.ndim != 2
        or queries.shape[0] != len(names)
        or queries.shape[1] not in (domain.cell_count, domain.cell_count_with_null)
    ):
        cells = f"{domain.cell_count} combinations, or {domain.cell_count_with_null} with NULL"
        raise InvalidArgument(
            "matrix",
            f"must have a row for each name and a column for each of the {cells}",
            queries.shape,
        )
    if not queries.any(axis=1).all():
        empty = names[int(np.flatnonzero(~queries.any(axis=1))[0])]
        raise InvalidArgument(
            "questions", "must each hold for some declared values; this one holds for none", empty
        )
    strategy = LinearQueries.plan(0, queries, terms)
    # The rows that a combination lacks are missing as often as the query counts it: at most
    # ``largest`` times each, over that many combinations.
    largest = np.abs(queries).max(axis=1)
    lost = largest * [
        terms.truncation_error(int(cells)) for cells in -(-np.abs(queries).sum(axis=1) // largest)
    ]
    errors = compute_errors(strategy, terms, INTERVAL_BETA, lost)

    def build(private_table: PrivateTable, tell: Progress = ignore_progress) -> BuiltTable:
        import pyarrow as pa

        answers = strategy.reconstruct(measure_all(private_table, strategy.measurements, tell))
        columns = {"question": pa.array(list(names))} | build_count_columns(
            answers, errors.radii, np.maximum(answers, 0.0)
        )
        variances = dict(zip(names, errors.variances.tolist(), strict=True))
        return BuiltTable(pa.table(columns), {"variances": variances} | terms.facts)

    each = [
        Accuracy(name, 1, math.sqrt(float(v)), float(r))
        for name, v, r in zip(names, errors.variances, errors.radii, strict=True)
    ]
    together = Accuracy("each answer", len(names), errors.rms, float(errors.radii.max()))
    note = "count is unbiased and may be negative; count_clean is 0 there."
    return Specification(
        "queries",
        domain,
        strategy.name,
        terms.total_cost(strategy.measurements),
        (together, *each[:_MAX_LISTED_ANSWERS]),
        build,
        (note,),
        strategy.measurements,
        errors.relative_truncation,
    )

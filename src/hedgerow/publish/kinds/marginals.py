"""Marginals of a few columns each, in one table: a column for each attribute, NULL where it is
summed out.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from hedgerow.charts.number_text import count_items
from hedgerow.errors import InvalidArgument, Refused
from hedgerow.numeric.exact_number import parse_whole
from hedgerow.publish.domain import Domain
from hedgerow.publish.nonnegative import project_nonnegative
from hedgerow.publish.output.table import build_count_columns, build_label_columns, list_axis_codes
from hedgerow.publish.privacy_parameters import PrivacyParameters
from hedgerow.publish.specification import (
    INTERVAL_BETA,
    MAX_CELLS,
    Accuracy,
    BuiltTable,
    Progress,
    Specification,
    ignore_progress,
    measure_all,
)
from hedgerow.publish.strategies.residual_basis import MarginalWorkload, Positions
from hedgerow.publish.strategies.residual_planner import choose_marginal_strategy
from hedgerow.publish.strategies.strategy import Floats, StrategyErrors, compute_errors
from hedgerow.release.private_table import PrivateTable

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["MARGINAL_COLUMN", "specify_marginals"]

MARGINAL_COLUMN: Final = "marginal"
_MAX_LISTED_MARGINALS: Final = 3  # best and worst ones whose accuracy is listed


def specify_marginals(terms: PrivacyParameters, domain: Domain, *, ways: int = 2) -> Specification:
    """Specify all marginals of one up to ``ways`` attributes, measured together: by residuals under
    a rho, directly under an epsilon.
    """
    if parse_whole(ways, "ways") > len(domain.attributes):
        raise InvalidArgument(
            "ways", f"must be at most the number of columns, {len(domain.attributes)}", ways
        )
    workload = MarginalWorkload.all_up_to(domain.sizes, ways)
    cells = sum(workload.count_cells(places) for places, _ in workload.wanted)
    if cells > MAX_CELLS:
        places = max((places for places, _ in workload.wanted), key=workload.count_cells)
        raise Refused(
            f"These {len(workload.wanted):,} tables have {cells:,} cells; the limit is"
            f" {MAX_CELLS:,}. The largest is {_format_marginal_name(domain, places)}"
            f" ({workload.count_cells(places):,}): give its columns fewer bins, leave one out, or"
            " ask for fewer ways."
        )
    strategy = choose_marginal_strategy(workload, terms)
    lost = workload.repeat_per_cell(
        [
            terms.truncation_error(domain.cell_count // workload.count_cells(places))
            for places, _ in workload.wanted
        ]
    )
    errors = compute_errors(strategy, terms, INTERVAL_BETA, lost)

    def build(private_table: PrivateTable, tell: Progress = ignore_progress) -> BuiltTable:
        noisy = measure_all(private_table, strategy.measurements, tell)
        tables = list(strategy.reconstruct_tables(noisy))
        # all cells of a marginal have the same variance
        variances = {
            _format_marginal_name(domain, places): float(errors.variances[start])
            for places, start in _list_offsets(workload)
        }
        facts = {"variances": variances, "measured": len(noisy)}
        return BuiltTable(_build_table(domain, tables, errors.radii), facts | terms.facts)

    note = (
        "The tables are consistent with each other in count; count_clean is post-processed in each"
        " table by itself: non-negative, with the same total."
    )
    scope = (
        f"Every table is {domain.row_scope}: a row without a declared value in one of them is in no"
        " table, not even in tables without that column."
    )
    return Specification(
        "marginals",
        domain,
        f"{strategy.name}, {count_items(len(strategy.measurements), 'measurement')}",
        terms.total_cost(strategy.measurements),
        _list_accuracies(domain, workload, errors),
        build,
        (note, scope),
        strategy.measurements,
        errors.relative_truncation,
    )


def _format_marginal_name(domain: Domain, places: Positions) -> str:
    return " x ".join(domain.names[place] for place in places)


def _list_offsets(workload: MarginalWorkload) -> list[tuple[Positions, int]]:
    sets = [places for places, _ in workload.wanted]
    starts = itertools.accumulate(map(workload.count_cells, sets), initial=0)
    return list(zip(sets, starts, strict=False))


def _list_accuracies(
    domain: Domain, workload: MarginalWorkload, errors: StrategyErrors
) -> tuple[Accuracy, ...]:
    variances, radii = errors.variances, errors.radii
    everything = Accuracy("every cell of every table", len(variances), errors.rms)
    order = sorted(_list_offsets(workload), key=lambda item: float(variances[item[1]]))
    if len(order) > 2 * _MAX_LISTED_MARGINALS:
        order = [*order[:_MAX_LISTED_MARGINALS], *order[-_MAX_LISTED_MARGINALS:]]
    each = [
        Accuracy(
            _format_marginal_name(domain, places),
            workload.count_cells(places),
            math.sqrt(float(variances[start])),
            float(radii[start]),
        )
        for places, start in order
    ]
    return (everything, *each)


def _build_table(
    domain: Domain, tables: Sequence[tuple[Positions, Floats]], radii: Floats
) -> pa.Table:
    import pyarrow as pa

    sizes = [table.size for _, table in tables]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    names = pa.array([_format_marginal_name(domain, places) for places, _ in tables])
    which = np.repeat(np.arange(len(tables), dtype=np.int32), sizes)
    columns: dict[str, Any] = {
        MARGINAL_COLUMN: pa.DictionaryArray.from_arrays(pa.array(which), names)
    }
    for place, attribute in enumerate(domain.attributes):
        codes = np.full(int(starts[-1]), -1, dtype=np.int32)
        for (places, table), start in zip(tables, starts[:-1], strict=True):
            if place in places:
                codes[start : start + table.size] = list_axis_codes(
                    table.shape, places.index(place)
                )
        columns |= build_label_columns(attribute, np.ma.masked_array(codes, codes < 0))
    counts = np.concatenate([table.ravel() for _, table in tables])
    clean = np.concatenate([project_nonnegative(table).ravel() for _, table in tables])
    return pa.table(columns | build_count_columns(counts, radii, clean))

"""Marginals of a few columns each, in one table: a column for each attribute, NULL where it is
summed out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.numeric.exact_number import parse_whole
from hedgerow.publish.domain import Domain
from hedgerow.publish.nonnegative import project_nonnegative
from hedgerow.publish.output.table import build_count_columns, build_label_columns, list_axis_codes
from hedgerow.publish.privacy_parameters import PrivacyParameters
from hedgerow.publish.specification import (
    Accuracy,
    BuiltTable,
    Progress,
    Specification,
    ignore_progress,
    measure_all,
)
from hedgerow.publish.strategies.direct_marginals import DirectMarginals
from hedgerow.publish.strategies.residual_basis import MarginalWorkload, Positions
from hedgerow.publish.strategies.residual_planner import ResidualPlanner, choose_marginal_strategy
from hedgerow.publish.strategies.strategy import Floats, compute_errors
from hedgerow.release.private_table import PrivateTable

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["MARGINAL_COLUMN", "specify_marginals"]

MARGINAL_COLUMN: Final = "marginal"
_BETA: Final = Fraction(1, 20)
_MAX_CELLS: Final = 2 * 10**7
_MAX_LISTED_MARGINALS: Final = 3  # marginals whose accuracy is told one by one


def specify_marginals(terms: PrivacyParameters, domain: Domain, *, ways: int = 2) -> Specification:
    """Specify all marginals of one up to ``ways`` attributes, measured together: by residuals under
    a rho, directly under an epsilon.
    """
    if parse_whole(ways, "ways") > len(domain.attributes):
        raise InvalidArgument(
            "ways", f"must be at most the number of columns, {len(domain.attributes)}", ways
        )
    wanted = MarginalWorkload.all_up_to(domain.sizes, ways)
    cells = sum(wanted.count_cells(places) for places, _ in wanted.wanted)
    if cells > _MAX_CELLS:
        places = max((places for places, _ in wanted.wanted), key=wanted.count_cells)
        raise Refused(
            f"These {len(wanted.wanted):,} tables have {cells:,} cells; at most {_MAX_CELLS:,} can"
            f" be told. The largest is {_format_marginal_name(domain, places)}"
            f" ({wanted.count_cells(places):,}): give its columns fewer bins, leave one out, or ask"
            " for fewer ways."
        )
    design = choose_marginal_strategy(wanted, terms)
    lost = wanted.repeat_per_cell(
        [
            terms.truncation_error(domain.cell_count // wanted.count_cells(places))
            for places, _ in wanted.wanted
        ]
    )
    variances, radii, lacking = compute_errors(design, terms, _BETA, lost)
    price = [terms.measurement_cost(block, law) for block, law in design.measurements]

    def build(purse: PrivateTable, tell: Progress = ignore_progress) -> BuiltTable:
        noisy = measure_all(purse, design.measurements, tell)
        tables = list(design.reconstruct_tables(noisy))
        facts = {"variances": _map_marginals(domain, wanted, variances), "measured": len(noisy)}
        return BuiltTable(_build_table(domain, tables, radii), facts | terms.facts)

    note = (
        "The tables agree with each other in count; count_clean is made of each table by itself:"
        " not negative, with the same total."
    )
    among = (
        f"Every table is {domain.row_scope}: a row that lacks one of them is in no table, also in"
        " those that do not show that column."
    )
    return Specification(
        "marginals",
        domain,
        _describe_strategy(design),
        sum(price[1:], price[0]),
        _list_accuracies(domain, wanted, variances, radii),
        build,
        (note, among),
        design.measurements,
        lacking,
    )


def _describe_strategy(design: ResidualPlanner | DirectMarginals) -> str:
    many = len(design.measurements)
    return f"{design.name}, {many:,} measurement{'' if many == 1 else 's'}"


def _format_marginal_name(domain: Domain, places: Positions) -> str:
    return " x ".join(domain.names[place] for place in places)


def _list_offsets(wanted: MarginalWorkload) -> list[tuple[Positions, int]]:
    """Return the position of the first cell of each marginal."""
    found, start = [], 0
    for places, _ in wanted.wanted:
        found.append((places, start))
        start += wanted.count_cells(places)
    return found


def _map_marginals(domain: Domain, wanted: MarginalWorkload, values: Floats) -> dict[str, float]:
    """Return the value of each marginal by name; all cells of a marginal share it."""
    return {
        _format_marginal_name(domain, places): float(values[start])
        for places, start in _list_offsets(wanted)
    }


def _list_accuracies(
    domain: Domain, wanted: MarginalWorkload, variances: Floats, radii: Floats
) -> tuple[Accuracy, ...]:
    everything = Accuracy(
        "every cell of every table", len(variances), math.sqrt(float(variances.mean()))
    )
    order = sorted(_list_offsets(wanted), key=lambda item: float(variances[item[1]]))
    shown = (
        order
        if len(order) <= 2 * _MAX_LISTED_MARGINALS
        else [*order[:_MAX_LISTED_MARGINALS], *order[-_MAX_LISTED_MARGINALS:]]
    )
    each = [
        Accuracy(
            _format_marginal_name(domain, places),
            wanted.count_cells(places),
            math.sqrt(float(variances[start])),
            float(radii[start]),
        )
        for places, start in shown
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
    neat = np.concatenate([project_nonnegative(table).ravel() for _, table in tables])
    return pa.table(columns | build_count_columns(counts, radii, neat))

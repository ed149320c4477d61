"""Histograms: noisy counts of all combinations of codes.

``specify_histogram`` publishes every cell of the domain, empty ones included: the set of cells is
public, and a noisy 0 looks like any other count. ``specify_sparse_histogram`` is for larger
domains. It publishes only combinations that occur, and of those only the ones with a noisy count
above a threshold; this costs a delta (``PrivateTable.discover`` has the proof).
"""

from __future__ import annotations

import math
from typing import Any

from hedgerow.accuracy.noise_variance import compute_noise_variance
from hedgerow.numeric.exact_number import Number
from hedgerow.publish.domain import Domain
from hedgerow.publish.nonnegative import project_nonnegative
from hedgerow.publish.output.table import build_dense_table, build_sparse_table
from hedgerow.publish.privacy_parameters import NOISE_NAMES, AdditiveNoise, PrivacyParameters
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
from hedgerow.release.linear_queries import BinSums, QueryBlock
from hedgerow.release.private_table import PrivateTable, calibrate_discovery

__all__ = [
    "build_noise_facts",
    "specify_histogram",
    "specify_sparse_histogram",
]


def specify_histogram(terms: PrivacyParameters, domain: Domain) -> Specification:
    """Specify a histogram of every cell, each with its own noise."""
    domain.refuse_more_cells(MAX_CELLS)
    block = _build_full_block(domain)
    mechanism = terms.calibrate(block)
    radius = _convert_to_rows(mechanism.error(INTERVAL_BETA), terms) + _compute_cell_truncation(
        terms
    )

    def build(private_table: PrivateTable, tell: Progress = ignore_progress) -> BuiltTable:
        (noisy,) = measure_all(private_table, [(block, mechanism)], tell)
        table = build_dense_table(domain, noisy, radius, project_nonnegative(noisy))
        return BuiltTable(
            table, build_noise_facts(mechanism, terms) | {"draws": 1, "radius": radius}
        )

    return Specification(
        "histogram",
        domain,
        f"each cell, {_describe_noise(mechanism, terms)}",
        terms.measurement_cost(block, mechanism),
        (
            Accuracy(
                "each cell",
                domain.cell_count,
                math.sqrt(compute_noise_variance(mechanism)) / terms.parts_per_row,
                float(radius),
            ),
        ),
        build,
        (
            "count is unbiased and may be negative; count_clean is post-processed: non-negative,"
            " with the same total.",
        ),
        ((block, mechanism),),
    )


def specify_sparse_histogram(
    terms: PrivacyParameters, domain: Domain, *, delta: Number
) -> Specification:
    """Specify the cells that enough rows share, for a ``delta`` in addition to the price."""
    block = _build_full_block(domain)
    mechanism = terms.calibrate(block)
    threshold, price, cut = calibrate_discovery(
        domain.sizes,
        mechanism,
        delta=delta,
        rows=terms.rows * terms.parts_per_row,
        relation=terms.relation,
        group=terms.group,
    )
    least = _convert_to_rows(threshold, terms)
    radius = _convert_to_rows(mechanism.error(INTERVAL_BETA), terms) + _compute_cell_truncation(
        terms
    )
    places = tuple(range(len(domain.attributes)))

    def build(private_table: PrivateTable, tell: Progress = ignore_progress) -> BuiltTable:
        codes, noisy = private_table.discover(places, mechanism, delta=delta)
        tell(1, 1)
        facts = build_noise_facts(mechanism, terms) | {
            "draws": 1,
            "radius": radius,
            "threshold": least,
            "cut": None if cut is None else _convert_to_rows(cut, terms),
        }
        return BuiltTable(
            build_sparse_table(
                domain,
                codes,
                noisy if terms.parts_per_row == 1 else noisy / terms.parts_per_row,
                radius,
            ),
            facts,
        )

    often = _convert_to_rows(threshold + mechanism.error(2 * INTERVAL_BETA), terms)
    notes = _list_sparse_notes(least, often + _compute_cell_truncation(terms))
    spread = math.sqrt(compute_noise_variance(mechanism)) / terms.parts_per_row
    accuracy = (Accuracy("each cell, if it is shown", domain.cell_count, spread, float(radius)),)
    return Specification(
        "sparse histogram",
        domain,
        f"cells of {_format_rows(least)} or more, {_describe_noise(mechanism, terms)}",
        price,
        accuracy,
        build,
        notes,
        ((block, mechanism),),
    )


def _list_sparse_notes(least: int | float, often: int | float) -> tuple[str, str]:
    return (
        f"Combinations with a noisy count of {_format_rows(least)} or more are shown. A combination"
        f" of {_format_rows(often)} rows or more is shown with a probability of at least 95 %; one"
        " that does not occur is never shown.",
        "At most 5 % of the intervals miss their exact count, over all combinations, shown or not."
        " Small counts are shown only if their noise is high: a count near the threshold is more"
        " likely too high than too low.",
    )


def build_noise_facts(mechanism: AdditiveNoise, terms: PrivacyParameters) -> dict[str, Any]:
    """Return the facts about the noise: its kind, its exact scale in rows, and the parts of a row
    in which it was drawn.
    """
    return {
        "noise": NOISE_NAMES[type(mechanism)].lower(),
        "scale": str(mechanism.scale / terms.parts_per_row),
    } | terms.facts


def _describe_noise(mechanism: AdditiveNoise, terms: PrivacyParameters) -> str:
    scale = float(mechanism.scale / terms.parts_per_row)
    return f"{NOISE_NAMES[type(mechanism)]} noise of scale {scale:.4g}"


def _convert_to_rows(parts: int, terms: PrivacyParameters) -> int | float:
    return int(parts) if terms.parts_per_row == 1 else int(parts) / terms.parts_per_row


def _compute_cell_truncation(terms: PrivacyParameters) -> int | float:
    return 0 if terms.parts_per_row == 1 else terms.truncation_error(1)


def _format_rows(rows: int | float) -> str:
    return f"{rows:,}" if isinstance(rows, int) else f"{rows:,.2f}"


def _build_full_block(domain: Domain) -> QueryBlock:
    return QueryBlock(tuple((place, BinSums(size)) for place, size in enumerate(domain.sizes)))

"""Histograms: how often each combination of codes is there, with noise, told once for everybody.

``specify_histogram`` tells every cell of the domain, those of nobody included: which cells are in
the table is public, and a noisy 0 looks like any other count. ``specify_sparse_histogram`` is for
domains that are too large for that. It tells only combinations that somebody has, and of those only
the ones shared by so many that it does not matter who they are; that takes a delta
(``purse.discover`` has the proof).
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, Final

from hedgerow.accuracy.noise_variance import compute_noise_variance
from hedgerow.mechanisms.gaussian import Gaussian
from hedgerow.mechanisms.laplace import Laplace
from hedgerow.numeric.exact_number import Number
from hedgerow.publish.domain import Domain
from hedgerow.publish.nonnegative import project_nonnegative
from hedgerow.publish.output.table import build_dense_table, build_sparse_table
from hedgerow.publish.privacy_parameters import AdditiveNoise, PrivacyParameters
from hedgerow.publish.specification import (
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
    "DENSE_KIND",
    "SPARSE_KIND",
    "build_noise_facts",
    "specify_histogram",
    "specify_sparse_histogram",
]

DENSE_KIND, SPARSE_KIND = "histogram", "sparse histogram"
_MAX_CELLS: Final = 2 * 10**7
_BETA: Final = Fraction(1, 20)
# in receipts and, in lower case, in facts: stored, whatever the classes are called
_NOISE_NAMES: Final[dict[type[AdditiveNoise], str]] = {Laplace: "Laplace", Gaussian: "Gaussian"}


def specify_histogram(terms: PrivacyParameters, domain: Domain) -> Specification:
    """Every cell with noise of its own."""
    domain.refuse_more_cells(_MAX_CELLS)
    block = _build_full_block(domain)
    law = terms.calibrate(block)
    radius = _convert_to_rows(law.error(_BETA), terms) + _compute_cell_truncation(terms)

    def build(purse: PrivateTable, tell: Progress = ignore_progress) -> BuiltTable:
        (noisy,) = measure_all(purse, [(block, law)], tell)
        table = build_dense_table(domain, noisy, radius, project_nonnegative(noisy))
        return BuiltTable(table, build_noise_facts(law, terms) | {"draws": 1, "radius": radius})

    return Specification(
        DENSE_KIND,
        domain,
        f"each cell, {_describe_noise(law, terms)}",
        terms.measurement_cost(block, law),
        (
            Accuracy(
                "each cell",
                domain.cell_count,
                math.sqrt(compute_noise_variance(law)) / terms.parts_per_row,
                float(radius),
            ),
        ),
        build,
        (
            (
                "count is right on average and may be negative; count_clean is made of it"
                " afterwards: not negative, with the same total."
            ),
        ),
        ((block, law),),
    )


def specify_sparse_histogram(
    terms: PrivacyParameters, domain: Domain, *, delta: Number
) -> Specification:
    """The cells that enough rows share, and no others, within a ``delta`` beside the price."""
    block = _build_full_block(domain)
    law = terms.calibrate(block)
    reach = {
        "rows": terms.rows * terms.parts_per_row,
        "relation": terms.relation,
        "group": terms.group,
    }
    found = calibrate_discovery(domain.sizes, law, delta=delta, **reach)  # type: ignore[arg-type]
    (least, cut), price = (
        (None if far is None else _convert_to_rows(far, terms) for far in (found[0], found[2])),
        found[1],
    )
    radius, places = (
        _convert_to_rows(law.error(_BETA), terms) + _compute_cell_truncation(terms),
        tuple(range(len(domain.attributes))),
    )

    def build(purse: PrivateTable, tell: Progress = ignore_progress) -> BuiltTable:
        codes, noisy = purse.discover(places, law, delta=delta)
        tell(1, 1)
        facts = build_noise_facts(law, terms) | {
            "draws": 1,
            "radius": radius,
            "threshold": least,
            "cut": cut,
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

    often = _format_rows(
        _convert_to_rows(found[0] + law.error(2 * _BETA), terms) + _compute_cell_truncation(terms)
    )
    notes = (
        (
            f"Shown are combinations whose noisy count is {_format_rows(least)} or more. Those of"
            f" {often} rows or more are shown with 95 % or more, those that nobody has never."
        ),
        (
            "An interval misses the exact count in 5 % of all combinations at most, shown or not."
            " Of small counts only those with high noise are shown: a count near the threshold is"
            " more likely too high than too low."
        ),
    )
    spread = math.sqrt(compute_noise_variance(law)) / terms.parts_per_row
    accuracy = (Accuracy("each cell, if it is shown", domain.cell_count, spread, float(radius)),)
    return Specification(
        SPARSE_KIND,
        domain,
        f"cells of {_format_rows(least)} or more, {_describe_noise(law, terms)}",
        price,
        accuracy,
        build,
        notes,
        ((block, law),),
    )


def build_noise_facts(law: AdditiveNoise, terms: PrivacyParameters) -> dict[str, Any]:
    """Return the facts of the noise: its kind, its exact scale in rows, and the parts of a row
    that it was drawn in.
    """
    return {
        "noise": _NOISE_NAMES[type(law)].lower(),
        "scale": str(law.scale / terms.parts_per_row),
    } | terms.facts


def _describe_noise(law: AdditiveNoise, terms: PrivacyParameters) -> str:
    return f"{_NOISE_NAMES[type(law)]} noise of scale {float(law.scale / terms.parts_per_row):.4g}"


def _convert_to_rows(parts: int, terms: PrivacyParameters) -> int | float:
    """Return so many parts as rows."""
    return int(parts) if terms.parts_per_row == 1 else int(parts) / terms.parts_per_row


def _compute_cell_truncation(terms: PrivacyParameters) -> int | float:
    """Return what one cell may lack."""
    return 0 if terms.parts_per_row == 1 else terms.truncation_error(1)


def _format_rows(rows: int | float | None) -> str:
    return f"{rows:,}" if isinstance(rows, int) else f"{rows:,.2f}"


def _build_full_block(domain: Domain) -> QueryBlock:
    return QueryBlock(tuple((place, BinSums(size)) for place, size in enumerate(domain.sizes)))

"""Synthetic tables as publications: rows of no real person, with the columns and values of the
data.

A code that is a bin becomes a number drawn uniformly from the bin: within bins the rows carry no
information.
"""

from __future__ import annotations

import math
from datetime import date
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from hedgerow.accuracy.noise_variance import compute_noise_variance
from hedgerow.errors import Refused
from hedgerow.numeric.exact_number import Number, parse_exact
from hedgerow.numeric.samplers.uniform_sampler import uniform_integers
from hedgerow.numeric.vectorised import MAX_SCALE, Integers
from hedgerow.publish.domain import Attribute, Domain
from hedgerow.publish.output.table import build_label_columns
from hedgerow.publish.privacy_parameters import PrivacyParameters
from hedgerow.publish.specification import (
    Accuracy,
    BuiltTable,
    Progress,
    Specification,
    ignore_progress,
)
from hedgerow.publish.synthetic import SyntheticQuality, synthesize
from hedgerow.publish.synthetic.pipeline import (
    ATTRIBUTE_SHARE,
    check_code_counts,
    parse_check_share,
)
from hedgerow.release.linear_queries import BinSums, QueryBlock
from hedgerow.release.private_table import PrivateTable

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["specify_synthetic"]

_DEFAULT_CHECK_SHARE: Final = Fraction(1, 20)
_UNIFORM_STEPS: Final = 2**52


def specify_synthetic(
    terms: PrivacyParameters,
    domain: Domain,
    *,
    check: Number = _DEFAULT_CHECK_SHARE,
    target: str | None = None,
) -> Specification:
    """Specify rows that agree with the real ones in pairs of columns. The share ``check`` of the
    price measures how well they do and, with a ``target``, how well a rule learnt from them
    predicts that column.
    """
    check_code_counts(domain.sizes)
    _refuse_undrawable_noise(terms, domain, parse_check_share(check))
    ordered = [place for place, attribute in enumerate(domain.attributes) if attribute.is_ordered]
    place = None if target is None else domain.find_position(target)

    def build(private_table: PrivateTable, tell: Progress = ignore_progress) -> BuiltTable:
        result = synthesize(
            private_table, terms, ordered=ordered, check=check, target=place, tell=tell
        )
        facts = {
            "rows": len(result.codes),
            "quality": _encode_quality(result.quality, domain),
            "steps": len(result.steps),
        }
        return BuiltTable(_build_table(domain, result.codes), facts | terms.facts)

    accuracy = _list_accuracies(
        terms.with_share(ATTRIBUTE_SHARE * (1 - parse_exact(check, "check"))), domain
    )
    notes = (
        "The error of pairs of columns depends on the data; a share of the price measures it for"
        " the report.",
        "Use the rows to explore and to test programs. For a single count, ask a question of its"
        " own: it is more accurate.",
    )
    return Specification(
        "synthetic",
        domain,
        "columns one by one, then pairs of groups of codes",
        terms.total,
        accuracy,
        build,
        notes,
    )


def _list_accuracies(terms: PrivacyParameters, domain: Domain) -> tuple[Accuracy, ...]:
    """Return the error known beforehand: the noise of the measured counts of single columns."""
    blocks = [QueryBlock(((place, BinSums(size)),)) for place, size in enumerate(domain.sizes)]
    power = -1 / 3 if terms.is_gaussian else -1 / 2
    mechanisms = terms.calibrate_all(blocks, [block.cells**power for block in blocks])
    squares = sum(
        compute_noise_variance(mechanism) * block.cells
        for block, mechanism in zip(blocks, mechanisms, strict=True)
    )
    spread = math.sqrt(squares / sum(domain.sizes)) / terms.parts_per_row
    return (Accuracy("each count of one column, as measured", sum(domain.sizes), spread),)


def _refuse_undrawable_noise(terms: PrivacyParameters, domain: Domain, check: Fraction) -> None:
    """Refuse parts so fine that the noise of some step could not be drawn.

    Of N tables of at most n cells that share a price, each gets at least 1/(N n) of it
    (``BudgetSpender.measure``), and no step has less than a quarter of the price without the check,
    or half of the check. With 1/k of the price, Laplace noise is k times as large as with all of
    it, Gaussian noise sqrt(k) times.
    """
    if terms.parts_per_row > 1:
        largest = sorted(domain.sizes)[-2:]
        tables = max(math.comb(len(domain.sizes), 2), len(domain.sizes))
        least = min(ATTRIBUTE_SHARE * (1 - check), check / 2 or Fraction(1))
        alone = terms.calibrate(QueryBlock(((0, BinSums(domain.sizes[0])),))).scale
        shares = tables * math.prod(largest) / least
        if (alone**2 * shares if terms.is_gaussian else (alone * shares) ** 2) > MAX_SCALE**2:
            raise Refused(
                "This publication needs more noise than can be drawn. Use fewer columns or fewer"
                " bins."
            )


def _encode_quality(quality: SyntheticQuality, domain: Domain) -> dict[str, Any]:
    """Return the quality report as plain data, with names for positions."""
    names, check, task = domain.names, quality.check, quality.task
    return {
        "attributes": dict(zip(names, quality.attributes, strict=True)),
        "pairs": [
            {
                "places": [names[place] for place in pair.places],
                "expected_error": pair.expected_error,
                "dependence": pair.dependence,
                "measured_dependence": pair.measured_dependence,
            }
            for pair in quality.pairs
        ],
        "check": check
        and {
            "pairs": [[names[place] for place in pair] for pair in check.pairs],
            "error": check.error,
            "at_most": check.at_most,
        },
        "task": task
        and {
            "target": names[task.target],
            "by": [names[place] for place in task.by],
            "synthetic": task.synthetic,
            "exact": task.exact,
            "commonest": task.commonest,
            "standard_error": task.standard_error,
        },
    }


def _build_table(domain: Domain, codes: Integers) -> pa.Table:
    import pyarrow as pa

    columns: dict[str, Any] = {}
    for place, attribute in enumerate(domain.attributes):
        if attribute.edges is None:
            columns |= build_label_columns(attribute, codes[:, place])
        else:
            columns[attribute.name] = _draw_from_bins(attribute, attribute.edges, codes[:, place])
    return pa.table(columns)


def _draw_from_bins(attribute: Attribute, edges: tuple[Fraction, ...], codes: Integers) -> Any:
    """Return a number drawn uniformly from the bin of each row."""
    import pyarrow as pa

    lows, highs = (np.array([float(edge) for edge in ends]) for ends in (edges[:-1], edges[1:]))
    parts = uniform_integers(_UNIFORM_STEPS, len(codes)) / _UNIFORM_STEPS
    drawn = lows[codes] + parts * (highs - lows)[codes]
    if attribute.type == "real":
        return pa.array(np.minimum(drawn, highs[-1]))
    whole = np.minimum(np.floor(drawn), np.ceil(highs[codes]) - 1).astype(np.int64)
    if attribute.type == "integer":
        return pa.array(whole)
    return pa.array((whole - date(1970, 1, 1).toordinal()).astype("int32"), type=pa.int32()).cast(
        pa.date32()
    )

"""Hints at publications that already hold the answer to a question, at no cost.

A count of rows, by keys and conditions on attributes with listed values, is a sum of published
cells. Its expected error follows from the receipt: the variance of a cell times their number.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from hedgerow.accuracy.noise_variance import compute_noise_variance
from hedgerow.answers.unit_noun import name_unit
from hedgerow.errors import SourceError
from hedgerow.plan.nodes import Filter, Project, Table
from hedgerow.plan.scalar.expressions import Expression, evaluate, find_columns, insert_casts
from hedgerow.policy import Policy
from hedgerow.publish.domain import Attribute
from hedgerow.publish.histogram_statistics import read_noise_mechanism, read_parts_per_row
from hedgerow.publish.output.publication import DATA_FILE, Publication
from hedgerow.sql.question import Question

__all__ = ["list_publication_hints"]

_MAX_COMBINATIONS: Final = 20_000


def list_publication_hints(question: Question, policy: Policy, epsilon: float) -> Iterator[str]:
    """Yield a hint for each publication that answers the question."""
    count, table = _match_row_count(question), policy.table(question.tables[0])
    if count is None or table is None or table.privacy_unit is None:
        return
    noun = name_unit(str(table.population), table.privacy_unit)
    for rule in policy.tables:
        path = policy.source_path(rule)
        if rule.population is not None or path.name != DATA_FILE:
            continue
        try:
            publication = Publication.load(path.parent)
        except SourceError:
            continue
        receipt = publication.receipt
        about = (receipt["table"], receipt["version"], receipt["where"])
        if about != (table.name, table.version, None):
            continue
        error = _compute_expected_error(publication, count)
        if error is not None:
            yield (
                f"The publication {rule.name} answers this question for free, with an expected"
                f" error of {error:.4g}; a new answer costs epsilon {epsilon:g}. Ask SELECT …"
                f" SUM(count) … FROM {rule.name}{_format_marginal_filter(publication, count)}. Each"
                f" {noun.singular} contributes at most {receipt['unit']['rows']} rows to it, and"
                " rows without a declared value in"
                f" {', '.join(publication.domain.names[:8])} are not counted. The expected error is"
                " that of the noise."
            )


@dataclass(frozen=True, slots=True)
class _RowCount:
    """The keys and the condition of a count of rows, in the columns of its table."""

    keys: list[Expression]
    condition: Expression | None

    @property
    def attributes(self) -> list[str]:
        """The columns that it reads, sorted."""
        parts = [*self.keys, *([] if self.condition is None else [self.condition])]
        return sorted({name for part in parts for name in find_columns(part)})


def _match_row_count(question: Question) -> _RowCount | None:
    """Return the count of a question that counts rows of one table; None for any other."""
    plan = question.plan
    if len(question.tables) != 1 or [measure.kind for measure in plan.measures] != ["rows"]:
        return None
    rows, keys = plan.bound.source, None
    if isinstance(rows, Project):
        outputs, rows = dict(rows.outputs), rows.source
        keys = [outputs[name] for name in plan.bound.keys]
    elif plan.bound.keys:
        return None
    condition = None
    if isinstance(rows, Filter):
        condition, rows = rows.condition, rows.source
    if not isinstance(rows, Table):
        return None
    if condition is not None:
        condition = insert_casts(condition, rows.columns)
    return _RowCount([insert_casts(key, rows.columns) for key in keys or ()], condition)


def _compute_expected_error(publication: Publication, count: _RowCount) -> float | None:
    """Return the root of the mean variance over the groups; None where the publication does not
    answer the count."""
    attributes = {attribute.name: attribute for attribute in publication.domain.attributes}
    needed = count.attributes
    values = [attributes[name].values if name in attributes else None for name in needed]
    if (
        any(found is None for found in values)
        or math.prod(len(found or ()) for found in values) > _MAX_COMBINATIONS
    ):
        return None
    cell = _compute_cell_variance(publication, needed, attributes)
    if cell is None:
        return None
    groups: dict[Any, int] = {}
    for combination in itertools.product(*(found or () for found in values)):
        row = dict(zip(needed, combination, strict=True))
        if count.condition is None or evaluate(count.condition, row) is True:
            group = tuple(evaluate(key, row) for key in count.keys)
            groups[group] = groups.get(group, 0) + 1
    return math.sqrt(cell * sum(groups.values()) / len(groups)) if groups else None


def _compute_cell_variance(
    publication: Publication, needed: list[str], attributes: Mapping[str, Attribute]
) -> float | None:
    """Return the variance of the count of one combination of the needed attributes."""
    if publication.kind == "histogram":
        others = math.prod(
            attribute.size for name, attribute in attributes.items() if name not in needed
        )
        variance = compute_noise_variance(read_noise_mechanism(publication.facts))
        return variance * others / read_parts_per_row(publication.facts) ** 2
    if publication.kind == "marginals" and (name := _find_marginal(publication, needed)):
        return float(publication.facts["variances"][name])
    return None


def _find_marginal(publication: Publication, names: list[str]) -> str | None:
    variances = publication.facts["variances"]
    return next((name for name in variances if set(name.split(" x ")) == set(names)), None)


def _format_marginal_filter(publication: Publication, count: _RowCount) -> str:
    """Return the WHERE clause that selects the rows of one marginal."""
    if publication.kind != "marginals":
        return ""
    return f" WHERE marginal = '{_find_marginal(publication, count.attributes)}'"

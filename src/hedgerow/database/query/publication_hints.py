"""Which publications already hold the answer to a question: asking them is free.

A count of rows, by keys and under conditions that read attributes with a code for each value, is a
sum of published cells. How far off that sum is follows from the receipt: the variance of a cell
times how many there are in it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from typing import Any, Final

from hedgerow.accuracy.noise_variance import compute_noise_variance
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
    """What to say about each publication that answers the question."""
    asked = _match_row_count(question)
    if asked is None:
        return
    keys, condition = asked
    for rule in policy.tables:
        path = policy.source_path(rule)
        if rule.population is not None or path.name != DATA_FILE:
            continue
        try:
            publication = Publication.load(path.parent)
        except SourceError:
            continue
        table = policy.table(question.tables[0])
        receipt = publication.receipt
        if (
            table is None
            or receipt["table"] != table.name
            or receipt["version"] != table.version
            or receipt["where"] is not None
        ):
            continue
        error = _compute_expected_error(publication, keys, condition)
        if error is not None:
            yield (
                f"This question can be answered from the publication {rule.name} for free, expected"
                f" error {error:.4g}; asking fresh costs epsilon {epsilon:g}. Ask SELECT …"
                " SUM(count) … FROM"
                f" {rule.name}{_format_marginal_filter(publication, keys, condition)}. It counts up"
                f" to {receipt['unit']['rows']} rows of a unit, and none without a declared value"
                f" in {', '.join(publication.domain.names[:8])}: the error is that of the noise."
            )


def _match_row_count(question: Question) -> tuple[list[Expression], Expression | None] | None:
    """The keys and the condition of a plain count of rows of one table, in its own columns; None
    for anything else.
    """
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
    known = rows.columns
    return [insert_casts(key, known) for key in keys or ()], (
        None if condition is None else insert_casts(condition, known)
    )


def _compute_expected_error(
    publication: Publication, keys: list[Expression], condition: Expression | None
) -> float | None:
    """The root of the mean over the groups of the variance of their sums; None where the cells
    do not tell.
    """
    attributes = {attribute.name: attribute for attribute in publication.domain.attributes}
    needed = _list_attributes(keys, condition)
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
        if condition is None or evaluate(condition, row) is True:
            group = tuple(evaluate(key, row) for key in keys)
            groups[group] = groups.get(group, 0) + 1
    return math.sqrt(cell * sum(groups.values()) / len(groups)) if groups else None


def _compute_cell_variance(
    publication: Publication, needed: list[str], attributes: Mapping[str, Attribute]
) -> float | None:
    """The variance of the count of one combination of the needed attributes."""
    if publication.kind == "histogram":
        others = math.prod(
            attribute.size for name, attribute in attributes.items() if name not in needed
        )
        return (
            compute_noise_variance(read_noise_mechanism(publication.facts))
            * others
            / read_parts_per_row(publication.facts) ** 2
        )
    if publication.kind == "marginals":
        variances = publication.facts["variances"]
        return next(
            (
                float(found)
                for name, found in variances.items()
                if set(name.split(" x ")) == set(needed)
            ),
            None,
        )
    return None


def _list_attributes(keys: list[Expression], condition: Expression | None) -> list[str]:
    return sorted(
        {
            name
            for part in [*keys, *([condition] if condition is not None else [])]
            for name in find_columns(part)
        }
    )


def _format_marginal_filter(
    publication: Publication, keys: list[Expression], condition: Expression | None
) -> str:
    """How to find the lines of one marginal."""
    if publication.kind != "marginals":
        return ""
    names = set(_list_attributes(keys, condition))
    found = next(name for name in publication.facts["variances"] if set(name.split(" x ")) == names)
    return f" WHERE marginal = '{found}'"

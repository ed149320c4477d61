"""Additivity of answers: the conditions under which exact parts add up to their exact total. They
follow from the plans alone, never from data.

Three conditions must hold:

* **The same rows.** Rows whose key is NULL are in no declared group, so the total must leave them
  out as well.
* **The same sum**: of the same column, clamped and rounded alike.
* **The same contribution of each unit.** Contribution bounds apply to each group, so a unit in
  several groups may contribute more, or less, to the parts than to the total. The contributions are
  equal

  - where no unit has more than one row: rows are units, or a subquery makes one row of each unit;
  - where no unit has more rows than the bounds keep, which is known where a subquery makes its rows
    by declared keys;
  - for COUNT(*) and COUNT(DISTINCT id) of all rows, where bounds of one group and one row make
    every unit count once on both sides.

Plans are compared in canonical form (``plan.canonical_plans``): the question of the parts without
the keys that the total lacks must be the question of the total.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, product
from typing import Final

from hedgerow.calibration.null_rejection import is_never_null
from hedgerow.errors import Refused
from hedgerow.plan.canonical_plans import compute_plan_key
from hedgerow.plan.contribution_limits import compute_max_rows_per_unit
from hedgerow.plan.measures import Measure
from hedgerow.plan.nodes import Aggregate, Bound, Filter, Group
from hedgerow.plan.scalar.expressions import Call, ColumnRef
from hedgerow.sql.question import AggregateCall, Question

__all__ = ["explain_non_additivity", "find_summed_measure", "is_same_sum", "match_keys"]

_MAX_KEY_MATCHES: Final = 64  # assignments of keys with equal values that are tried


def find_summed_measure(call: AggregateCall) -> Measure | None:
    """Return the measure that a COUNT or SUM adds up, also where it is read off moments; None for
    an aggregate that is not additive."""
    measure = call.measure
    if (
        call.function not in ("COUNT", "SUM")
        or not isinstance(measure, Measure)
        or measure.kind == "distinct"
        or call.clip is not None
    ):
        return None
    if measure.kind != "moments":
        return measure
    if call.function == "COUNT":
        return Measure("rows") if call.counts_rows else Measure("values", measure.column)
    return Measure("total", measure.column, measure.grid)


def match_keys(total: Question, parts: Question) -> tuple[int, ...]:
    """Return for each key of the total its index among the keys of the parts; refuse questions
    that are not total and parts of the same rows."""
    for question in (total, parts):
        if question.plan.population_join is not None:
            raise Refused(
                "Answers about two populations cannot be reconciled: the second population is"
                " bounded in each group separately. Reconcile answers about one population."
            )
        if question.plan.truncations is not None:
            raise Refused(
                "Answers about joined rows of different units cannot be reconciled: which rows meet"
                " depends on the columns that a question reads. Reconcile answers about rows of one"
                " unit each."
            )
        if question.plan.source.domain is None:
            names = " and ".join(key.text for key in question.keys)
            raise Refused(
                f"Groups by {names} with small noisy counts are hidden, so parts do not add up."
                " Declare the values in the policy."
            )
    rows = Measure("rows")
    tried = list(islice(_list_key_matches(total.plan, parts.plan), _MAX_KEY_MATCHES))
    wanted = _encode_meaning(total.plan, range(len(total.keys)), (), rows)
    for places in tried:
        if _encode_meaning(parts.plan, places, _list_other_keys(parts, places), rows) == wanted:
            return places
    for places in tried:
        if _encode_meaning(parts.plan, places, (), rows) == wanted:
            lacking = [parts.keys[place].text for place in _list_other_keys(parts, places)]
            raise Refused(
                f"Rows without {' or '.join(lacking)} are in the total but in no group. Ask for the"
                f" total with WHERE {' AND '.join(f'{name} IS NOT NULL' for name in lacking)}, or"
                " group by COALESCE(…)."
            )
    raise Refused(
        "These answers are not totals and parts of the same rows. Ask about the same tables and"
        " versions with the same WHERE, and let each question keep all keys of the one before."
    )


def _list_key_matches(total: Aggregate, parts: Aggregate) -> Iterator[tuple[int, ...]]:
    """Yield every assignment of the total's keys to keys of the parts with the same values."""
    lists = [frozenset(values) for values in parts.source.domain or ()]
    among = [
        [place for place, values in enumerate(lists) if values == frozenset(wanted)]
        for wanted in total.source.domain or ()
    ]
    return (places for places in product(*among) if len(set(places)) == len(places))


def _list_other_keys(parts: Question, places: Sequence[int]) -> list[int]:
    return [place for place in range(len(parts.keys)) if place not in places]


def is_same_sum(
    total: Question, sum_: Measure, parts: Question, part: Measure, places: Sequence[int]
) -> bool:
    """Return whether both measures add up the same values of the same rows; ``places`` are the
    indices of the total's keys among those of the parts."""
    wanted = _encode_meaning(total.plan, range(len(total.keys)), (), sum_)
    return _encode_meaning(parts.plan, places, _list_other_keys(parts, places), part) == wanted


def _encode_meaning(
    plan: Aggregate, keys: Sequence[int], known: Sequence[int], measure: Measure
) -> str:
    """Encode the plan with these keys and one measure, without its contribution bounds and
    without rows in which a key of ``known`` is NULL."""
    bound, rows = plan.bound, plan.bound.source
    for place in known:
        if bound.columns[bound.keys[place]].nullable and not is_never_null(plan, bound.keys[place]):
            rows = Filter(rows, Call("not", (Call("is null", (ColumnRef(bound.keys[place]),)),)))
    domain = plan.source.domain or ()
    group = Group(
        Bound(rows, tuple(bound.keys[place] for place in keys), 1, 1),
        tuple(domain[place] for place in keys),
    )
    return compute_plan_key(Aggregate(group, (measure,)))


def explain_non_additivity(total: Question, parts: Question, measure: Measure) -> str | None:
    """Explain why the exact parts of a sum need not add up to its total; None where they do."""
    above, below = total.plan, parts.plan
    max_rows = compute_max_rows_per_unit(below.bound.source)
    if max_rows == 1:
        return None
    if (
        max_rows is not None
        and measure.kind != "units"
        and measure.sum_bounds is None
        and all(_keeps_all_rows(plan, max_rows) for plan in (above, below))
    ):
        return None
    once = measure.kind == "units" or (
        measure.kind == "rows" and (above.bound.max_rows, below.bound.max_rows) == (1, 1)
    )
    if once and not above.bound.keys and below.bound.max_groups == 1:
        return None
    return (
        "contribution bounds apply to each group, so exact parts need not add up: one unit"
        f" contributes {_describe_bounds(below)} to the parts, and {_describe_bounds(above)} to the"
        " total. Parts add up where each unit has one row, as in a subquery with GROUP BY of the"
        " privacy id"
    )


def _describe_bounds(plan: Aggregate) -> str:
    groups, rows = plan.bound.max_groups, plan.bound.max_rows
    each = f"up to {rows:,} row{'s' * (rows != 1)}"
    if not plan.bound.keys:
        return each
    return f"{each} in one group" if groups == 1 else f"{each} in each of {groups:,} groups"


def _keeps_all_rows(plan: Aggregate, rows: int) -> bool:
    """Return whether the contribution bounds keep all of a unit's ``rows``."""
    groups = min(rows, plan.source.cells or rows)
    return plan.bound.max_rows >= rows and plan.bound.max_groups >= groups

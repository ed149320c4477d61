"""When exact parts add up to their exact total: told by the plans alone, never by data.

Three things must be so. **The same rows**: the rows of the parts are those of the total. Rows whose
key is NULL are in no declared group, so the total has to leave them out too. **The same sum**: of
the same column, clamped and snapped alike. **The same of each unit**: caps count the rows of a unit
by group, so a unit in several groups may count more, or less, in the parts than in the total. It
does not

* where no unit has more than one row (every row is a unit, or a subquery made one row of all that a
  unit has);
* where no unit has more rows than the caps let count, which is known where a subquery made them by
  declared keys;
* in COUNT(*) and COUNT(DISTINCT id) of all rows together, where caps of one group and one row have
  everybody count once on both sides.

Sameness is that of ``plan.normal``: the parts are asked again without the keys that the total does
not have, and that must be its question.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, product
from typing import Final

from hedgerow.errors import Refused
from hedgerow.plan.canonical_plans import compute_plan_key as meaning_of
from hedgerow.plan.contribution_limits import compute_max_rows_per_unit
from hedgerow.plan.measures import Measure
from hedgerow.plan.nodes import Aggregate, Bound, Filter, Group
from hedgerow.plan.null_rejection import is_never_null
from hedgerow.plan.scalar.expressions import Call, ColumnRef
from hedgerow.sql.question import AggregateCall, Question

__all__ = ["explain_non_additivity", "find_summed_measure", "is_same_sum", "match_keys"]

_MAX_KEY_MATCHES: Final = 64  # ways to match keys that have the same values


def find_summed_measure(call: AggregateCall) -> Measure | None:
    """What a COUNT or SUM adds up, also where it is read off moments; None for what does not add
    up.
    """
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
    """For each key of the total its place among those of the parts. Refused where these are no
    parts of it.
    """
    for question in (total, parts):
        if question.plan.population_join is not None:
            raise Refused(
                "Answers about two populations cannot be made consistent: those who are met are"
                " capped in each group by itself."
            )
        if question.plan.source.domain is None:
            names = " and ".join(key.text for key in question.keys)
            raise Refused(
                f"Groups by {names} are missing where noisy counts were small, so parts do not add"
                " up: list the values in the policy."
            )
    rows, tried = (
        Measure("rows"),
        list(islice(_list_key_matches(total.plan, parts.plan), _MAX_KEY_MATCHES)),
    )
    wanted = _encode_meaning(total.plan, range(len(total.keys)), (), rows)
    for places in tried:
        if _encode_meaning(parts.plan, places, _list_other_keys(parts, places), rows) == wanted:
            return places
    for places in tried:
        if _encode_meaning(parts.plan, places, (), rows) == wanted:
            raise Refused(
                _describe_null_keys(
                    [parts.keys[place].text for place in _list_other_keys(parts, places)]
                )
            )
    raise Refused(
        "These answers are not totals and parts of the same rows: ask about the same tables, of the"
        " same version, with the same WHERE, and let the keys of each be among those of the next."
    )


def _describe_null_keys(names: Sequence[str]) -> str:
    known = " AND ".join(f"{name} IS NOT NULL" for name in names)
    told = f"Rows without {' or '.join(names)} are in the total and in no group."
    return f"{told} Ask for the total with WHERE {known}, or group by COALESCE(…)."


def _list_key_matches(total: Aggregate, parts: Aggregate) -> Iterator[tuple[int, ...]]:
    """Keys with the same values may be the same."""
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
    """Whether both add up the same, of the same rows: ``places`` is where the keys of the total
    are among those of the parts.
    """
    wanted = _encode_meaning(total.plan, range(len(total.keys)), (), sum_)
    return _encode_meaning(parts.plan, places, _list_other_keys(parts, places), part) == wanted


def _encode_meaning(
    plan: Aggregate, keys: Sequence[int], known: Sequence[int], measure: Measure
) -> str:
    """Of the plan with these keys alone, one measure, caps aside, and without rows in which a
    key of ``known`` is NULL.
    """
    bound, rows = plan.bound, plan.bound.source
    for place in known:
        if bound.columns[bound.keys[place]].nullable and not is_never_null(plan, bound.keys[place]):
            rows = Filter(rows, Call("not", (Call("is null", (ColumnRef(bound.keys[place]),)),)))
    domain = plan.source.domain or ()
    group = Group(
        Bound(rows, tuple(bound.keys[place] for place in keys), 1, 1),
        tuple(domain[place] for place in keys),
    )
    return meaning_of(Aggregate(group, (measure,)))


def explain_non_additivity(total: Question, parts: Question, measure: Measure) -> str | None:
    """Why the exact parts of such a sum need not add up to the exact total; None where they do."""
    above, below = total.plan, parts.plan
    most = compute_max_rows_per_unit(below.bound.source)
    if most == 1:
        return None
    if (
        most is not None
        and measure.kind != "units"
        and measure.sum_bounds is None
        and all(_keeps_all_rows(plan, most) for plan in (above, below))
    ):
        return None
    once = measure.kind == "units" or (
        measure.kind == "rows" and (above.bound.max_rows, below.bound.max_rows) == (1, 1)
    )
    if once and not above.bound.keys and below.bound.max_groups == 1:
        return None
    return (
        "caps count the rows of a unit by group, so that exact parts need not add up (here"
        f" {_describe_caps(below)}, and in the total {_describe_caps(above)}); they do where each"
        " unit has one row: where rows are units, or in a subquery with GROUP BY of the id"
    )


def _describe_caps(plan: Aggregate) -> str:
    groups, rows = plan.bound.max_groups, plan.bound.max_rows
    each = f"{rows:,} row{'s' * (rows != 1)}"
    where = (
        ""
        if not plan.bound.keys
        else " in one group"
        if groups == 1
        else f" in each of {groups:,} groups"
    )
    return f"up to {each}{where}"


def _keeps_all_rows(plan: Aggregate, most: int) -> bool:
    """Whether of so many rows of a unit all count."""
    return plan.bound.max_rows >= most and plan.bound.max_groups >= min(
        most, plan.source.cells or most
    )

"""Values of keys and columns that WHERE leaves, from public facts alone.

Only the conditions and the declared values and bounds are examined: a group left out is empty in
every database.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from fractions import Fraction
from itertools import product
from math import prod
from typing import Final

from hedgerow.plan.nodes import Filter, Join, Project, RelationNode, UnitAggregation
from hedgerow.plan.scalar.expressions import (
    Call,
    ColumnRef,
    Constant,
    Expression,
    count_nodes,
    evaluate,
    find_columns,
    infer_range,
    insert_casts,
    substitute_columns,
)
from hedgerow.plan.scalar.functions import LOGARITHMS
from hedgerow.plan.values import Range, Value, number_date
from hedgerow.sql.binder.row_expressions import find_functions

__all__ = [
    "MIRRORED",
    "can_be_null",
    "find_listed_values",
    "inline_projections",
    "list_possible_values",
    "mirror_comparison",
    "narrow_domain",
    "split_conjuncts",
    "to_fraction",
]

MAX_EVALUATIONS: Final = 50_000  # expression nodes evaluated to list the values of a key
# Date parts that are the same on all days of one month, quarter or year.
_YEAR_PARTS: Final = frozenset({"year", "start of year"})
_QUARTER_PARTS: Final = _YEAR_PARTS | {"quarter", "start of quarter"}
_COARSER_PARTS: Final = {
    "start of month": _QUARTER_PARTS | {"month", "start of month"},
    "start of quarter": _QUARTER_PARTS,
    "start of year": _YEAR_PARTS,
}
_PYTHON_TYPES: Final[Mapping[str, type]] = {
    "boolean": bool,
    "integer": int,
    "real": float,
    "text": str,
    "date": date,
    "timestamp": datetime,
}
_INEXACT_FUNCTIONS: Final = ("/", "sqrt", "to real")
MIRRORED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "="}


def split_conjuncts(condition: Expression) -> Iterator[Expression]:
    """Yield the conditions that AND joins."""
    if isinstance(condition, Call) and condition.function == "and":
        for argument in condition.arguments:
            yield from split_conjuncts(argument)
    else:
        yield condition


def list_possible_values(
    expression: Expression,
    ranges: Mapping[str, Range],
    limit: int,
    conditions: Sequence[Expression] = (),
) -> set[Value] | None:
    """Return the values of an expression where the conditions hold; None if too many to try."""
    names = sorted(set(find_columns(expression)))
    # The logarithm may differ in its last bit between machines.
    relevant = [
        c
        for c in conditions
        if set(find_columns(c)) <= set(names) and not find_functions(c) & LOGARITHMS.keys()
    ]
    columns = [ranges[name].domain(limit) for name in names]
    known = [(*values, None) for values in columns if values is not None]
    work = prod(map(len, known)) * sum(map(count_nodes, [expression, *relevant]))
    inexact = find_functions(expression) & LOGARITHMS.keys()
    if len(known) < len(names) or work > MAX_EVALUATIONS or inexact:
        return None
    value, tests = (
        insert_casts(expression, ranges),
        [insert_casts(condition, ranges) for condition in relevant],
    )
    rows = (dict(zip(names, row, strict=True)) for row in product(*known))
    return {
        evaluate(value, row) for row in rows if all(evaluate(test, row) is True for test in tests)
    } - {None}


def narrow_domain(
    rows: RelationNode, key: Expression, domain: tuple[Value, ...], limit: int
) -> tuple[Value, ...]:
    """Return the values of a key that the conditions on the rows leave, in order."""
    found = domain
    for source, expression, conditions in _walk_sources(rows, key):
        ranges = source.columns
        values = list_possible_values(expression, ranges, limit, conditions)
        if values is not None:
            found = tuple(value for value in found if value in values)
        else:
            exact = find_functions(expression).isdisjoint(_INEXACT_FUNCTIONS)
            bounds = infer_range(
                expression, _narrow_ranges(ranges, conditions) if exact else ranges
            )
            tests = [
                test
                for condition in conditions
                if (test := _rewrite_on_key(condition, expression)) is not None
            ]
            cost = sum(map(count_nodes, tests)) * len(found)
            if cost <= MAX_EVALUATIONS:
                found = tuple(
                    v
                    for v in found
                    if _is_within(v, bounds)
                    and all(evaluate(test, {"": v}) is True for test in tests)
                )
    return found


def find_listed_values(rows: RelationNode, key: Expression, limit: int) -> tuple[Value, ...] | None:
    """Return the values of a key that the conditions list, as IN and = do; None if they do not.

    The analyst wrote them, so they are public: no other group has a row, whatever the data.
    """
    for source, expression, conditions in _walk_sources(rows, key):
        ranges = dict(source.columns)
        for name in dict.fromkeys(find_columns(expression)):
            values = _intersect_listed_values(conditions, ColumnRef(name), ranges[name].type)
            # Reals are left out, because 0.0 equals -0.0.
            if values is not None and ranges[name].values is None and ranges[name].type != "real":
                ranges[name] = ranges[name].with_changes(values=tuple(values))
        found = _intersect_listed_values(
            conditions, expression, infer_range(expression, ranges).type
        ) or list_possible_values(expression, ranges, limit, conditions)
        if found is None:
            found = _list_narrowed_times(expression, ranges, conditions)
        if found and len(found) <= limit:
            return tuple(sorted(found))  # type: ignore[type-var]
    return None


def _list_narrowed_times(
    expression: Expression, ranges: Mapping[str, Range], conditions: Sequence[Expression]
) -> set[Value] | None:
    """List the days, hours or the like of a timestamp between the bounds that conditions set."""
    if not find_functions(expression).isdisjoint(_INEXACT_FUNCTIONS):
        return None
    known = infer_range(expression, _narrow_ranges(ranges, conditions))
    is_time = known.type in ("date", "timestamp") and known.values is not None
    return set(known.values or ()) if is_time else None


def _intersect_listed_values(
    conditions: Sequence[Expression], subject: Expression, type_: str
) -> set[Value] | None:
    """Intersect the value lists of all conditions that have one; None if none has."""
    found = [
        values
        for condition in conditions
        if (values := _find_equal_constants(condition, subject, _PYTHON_TYPES[type_])) is not None
    ]
    return set.intersection(*found) if found else None


def _find_equal_constants(
    condition: Expression, subject: Expression, kind: type
) -> set[Value] | None:
    """Return the constants that =, IN, OR and AND let a subject be equal to; None if any."""
    condition = mirror_comparison(condition)
    if not isinstance(condition, Call):
        return None
    if condition.function in ("and", "or"):
        each = [_find_equal_constants(part, subject, kind) for part in condition.arguments]
        some = [values for values in each if values is not None]
        if condition.function == "or":
            return set().union(*some) if len(some) == len(each) else None
        return set.intersection(*some) if some else None
    if condition.function not in ("=", "in") or condition.arguments[0] != subject:
        return None
    constants = [
        argument.value if isinstance(argument, Constant) else None
        for argument in condition.arguments[1:]
    ]
    # Numbers of another type compare as doubles, and several integers equal one double.
    return set(constants) if all(type(value) is kind for value in constants) else None


def inline_projections(
    rows: RelationNode, expression: Expression
) -> tuple[RelationNode, Expression]:
    """Return an expression in terms of the tables, joins or per-unit aggregations below."""
    while isinstance(rows, Filter | Project):
        expression = (
            expression
            if isinstance(rows, Filter)
            else substitute_columns(expression, dict(rows.outputs))
        )
        rows = rows.source
    return rows, expression


def can_be_null(rows: RelationNode, key: Expression) -> bool:
    """Return whether a key may be NULL on rows that meet the conditions."""
    for source, expression, conditions in _walk_sources(rows, key):
        if (
            _intersect_listed_values(
                conditions, expression, infer_range(expression, source.columns).type
            )
            is not None
        ):
            return False
        names = set(find_columns(expression))
        relevant = [
            condition
            for condition in conditions
            if set(find_columns(condition)) and set(find_columns(condition)) <= names
        ]
        if any(evaluate(condition, dict.fromkeys(names)) is not True for condition in relevant):
            return False
    return True


def _walk_sources(
    rows: RelationNode, key: Expression
) -> Iterator[tuple[RelationNode, Expression, list[Expression]]]:
    """Yield each relation below, with the key and the conditions in terms of its columns."""
    conditions: list[Expression] = []
    while True:
        while isinstance(rows, Filter | Project):
            if isinstance(rows, Filter):
                conditions += split_conjuncts(rows.condition)
            else:
                outputs = dict(rows.outputs)
                key, conditions = (
                    substitute_columns(key, outputs),
                    [substitute_columns(condition, outputs) for condition in conditions],
                )
            rows = rows.source
        if conditions:
            yield rows, key, conditions
        names = set(find_columns(key))
        below = (
            set(rows.source.columns)
            if isinstance(rows, Join)
            else set(rows.keys)
            if isinstance(rows, UnitAggregation)
            else None
        )
        if below is None or not names <= below:
            return
        assert isinstance(rows, Join | UnitAggregation)
        rows, conditions = rows.source, []


def _rewrite_on_key(condition: Expression, key: Expression) -> Expression | None:
    """Return a condition as a test of the key, read as the column "", if it reads nothing else."""
    coarser = (
        _COARSER_PARTS.get(key.function, frozenset()) if isinstance(key, Call) else frozenset()
    )

    def of(part: Expression) -> Expression:
        if part == key:
            return ColumnRef("")
        if isinstance(part, Call):
            if (
                isinstance(key, Call)
                and part.function in coarser
                and part.arguments == key.arguments
            ):
                return Call(part.function, (ColumnRef(""),))
            return Call(part.function, tuple(map(of, part.arguments)))
        return part

    found = of(condition)
    exact = not find_functions(found) & LOGARITHMS.keys()
    return found if set(find_columns(found)) == {""} and exact else None


def _narrow_ranges(
    ranges: Mapping[str, Range], conditions: Sequence[Expression]
) -> dict[str, Range]:
    """Return ranges narrowed by comparisons of integers, dates and timestamps with constants.

    Reals stay as they are, because doubles round.
    """
    found = dict(ranges)
    for name, sign, value in (
        comparison
        for condition in conditions
        if (comparison := _parse_comparison(condition)) is not None
    ):
        known = found[name]
        if known.type not in ("integer", "date", "timestamp"):
            continue
        low, high = known.low, known.high
        if sign in ("<", ">") and value.denominator == 1:
            value += 1 if sign == ">" else -1
        if sign in (">", ">=", "="):
            low = value if low is None else max(low, value)
        if sign in ("<", "<=", "="):
            high = value if high is None else min(high, value)
        found[name] = (
            known.with_changes(low=low, high=high)
            if low is None or high is None or low <= high
            else known
        )
    return found


def _parse_comparison(condition: Expression) -> tuple[str, str, Fraction] | None:
    """Return column, sign and number of a comparison with a constant number or date."""
    condition = mirror_comparison(condition)
    if not isinstance(condition, Call) or condition.function not in MIRRORED:
        return None
    first, second = condition.arguments
    if not isinstance(first, ColumnRef) or not isinstance(second, Constant):
        return None
    number = to_fraction(second.value)
    return None if number is None else (first.column, condition.function, number)


def mirror_comparison(condition: Expression) -> Expression:
    """Return a comparison with its constant on the right."""
    if (
        not isinstance(condition, Call)
        or condition.function not in MIRRORED
        or not isinstance(condition.arguments[0], Constant)
    ):
        return condition
    return Call(MIRRORED[condition.function], condition.arguments[::-1])


def to_fraction(value: Value) -> Fraction | None:
    if isinstance(value, date):
        return Fraction(number_date(value))
    # A double would round larger integers.
    small = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 2**53
    return Fraction(value) if small else None  # type: ignore[arg-type]


def _is_within(value: Value, known: Range) -> bool:
    number = to_fraction(value)
    return number is None or (
        (known.low is None or known.low <= number) and (known.high is None or number <= known.high)
    )

"""Dates known by month or year, each as its first day.

Questions may use whole months and years of them. A part of one is refused: the answer would count
all of it or nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Final, Literal, NamedTuple

from sqlglot import exp

from hedgerow.errors import Unsupported
from hedgerow.plan.nodes import Filter, Join, Project, RelationNode, Table, Union, UnitAggregation
from hedgerow.plan.scalar.dates import DATE_PARTS, DATE_SHIFTS, DATE_TRUNCATIONS
from hedgerow.plan.scalar.expressions import Call, ColumnRef, Constant, Expression, find_columns
from hedgerow.plan.schema import Column
from hedgerow.sql.binder.typed_expression import TypedExpression
from hedgerow.sql.syntax.quoting import quote_name
from hedgerow.sql.syntax.source_text import SourceText

__all__ = [
    "Granularity",
    "compute_granularity",
    "find_coarse_columns",
    "list_granularity_notes",
    "refuse_finer_granularity",
]

Granularity = Literal["day", "month", "year"]
_DatePart = tuple[RelationNode, Expression, str]  # rows, expression over them, comparison sign


class _DateArgument(NamedTuple):
    """A date argument of a call; ``rows_id`` identifies the rows that it reads."""

    is_first: bool
    rows_id: int
    expression: Expression


# Date parts that are the same on all days of one month or year.
_YEAR_PARTS: Final = frozenset({"year", "start of year"})
_CONSTANT_PARTS: Final = {
    "month": _YEAR_PARTS | {"quarter", "month", "start of quarter", "start of month"},
    "year": _YEAR_PARTS,
}
_MIRRORED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_COMPARISONS: Final = frozenset({"=", "<>", *_MIRRORED, "in", "nullif", "least", "greatest"})
_DATE_FUNCTIONS: Final = frozenset(
    {*DATE_PARTS, *DATE_TRUNCATIONS, *DATE_SHIFTS, "days between", "to timestamp"}
)
_PART_FIXES: Final = {
    "month": "MONTH({0}), QUARTER({0}), YEAR({0}) or DATE_TRUNC('month', {0})",
    "year": "YEAR({0}) or DATE_TRUNC('year', {0})",
}


def refuse_finer_granularity(
    text: SourceText,
    node: exp.Expr,
    function: str,
    arguments: Sequence[tuple[RelationNode, TypedExpression]],
) -> None:
    """Refuse a function of dates that looks inside the months or years of a column.

    Each argument comes with the rows it reads.
    """
    if function not in _COMPARISONS and function not in _DATE_FUNCTIONS:
        return
    dates: dict[_DateArgument, RelationNode] = {}
    for place, (rows, value) in enumerate(arguments):
        if value.type == "date" and not value.is_null:
            dates[_DateArgument(place == 0, id(rows), value.expression)] = rows
    # Computed once per granularity and sign: LEAST may have a thousand arguments.
    unfit: dict[tuple[Granularity, str], dict[_DateArgument, str]] = {}
    for argument, rows in dates.items():
        sign = function if argument.is_first else _MIRRORED.get(function, function)
        for column in _find_passed_columns(rows, argument.expression):
            if (column.granularity, sign) not in unfit:
                unfit[column.granularity, sign] = (
                    _find_misaligned_dates(dates, column.granularity, sign)
                    if function in _COMPARISONS
                    else {}
                )
            # IN compares its first argument with each of the list.
            others = (
                advice
                for other, advice in unfit[column.granularity, sign].items()
                if other != argument and (function != "in" or other.is_first != argument.is_first)
            )
            fix = (
                next(others, None)
                if function in _COMPARISONS
                else _suggest_coarser_part(column, function, arguments[-1][1])
            )
            if fix is not None:
                problem = (
                    f"{column.name} is known by {column.granularity}, but this asks for"
                    f" part of a {column.granularity}"
                )
                raise text.refusal(
                    Unsupported, problem, node, f"{fix}{_suggest_day_declaration(column)}."
                )


def compute_granularity(rows: RelationNode, date_: Expression) -> Granularity:
    """Return the coarsest granularity of which all values of a date are first days.

    The last day of the calendar, where later dates are clamped, is ignored.
    """
    coarser: tuple[Granularity, ...] = ("year", "month")
    return next(
        (
            granularity
            for granularity in coarser
            if not any(_find_finer_parts(rows, date_, granularity, "="))
        ),
        "day",
    )


def find_coarse_columns(rows: RelationNode, names: Iterable[str]) -> Iterator[Column]:
    """Yield the columns known by month or year behind these columns and the conditions."""
    names = set(names)
    match rows:
        case Table():
            yield from (
                column
                for column in rows.schema.columns
                if column.name in names and column.granularity != "day"
            )
        case Filter():
            yield from find_coarse_columns(rows.source, names | set(find_columns(rows.condition)))
        case Project():
            yield from find_coarse_columns(
                rows.source,
                {
                    name
                    for output, made in rows.outputs
                    if output in names
                    for name in find_columns(made)
                },
            )
        case Join():
            own = names.difference(name for name, _ in rows.added_columns) | {
                here for here, _ in rows.on
            }
            yield from find_coarse_columns(rows.source, own)
            yield from find_coarse_columns(
                rows.other,
                {there for name, there in rows.added_columns if name in names}
                | {there for _, there in rows.on},
            )
        case UnitAggregation():
            made = {
                str(one.column)
                for name, one in rows.outputs
                if name in names and one.column is not None
            }
            yield from find_coarse_columns(rows.source, {*rows.keys, *made})
        case Union():
            for source in rows.sources:
                yield from find_coarse_columns(source, names)


def list_granularity_notes(rows: RelationNode, names: Iterable[str]) -> list[str]:
    """Return the notes of an answer about columns known by month or year."""
    found = dict.fromkeys(find_coarse_columns(rows, names))
    return [
        (
            f"{quote_name(one.name)} is known by {one.granularity}: each of its dates means"
            f" the whole {one.granularity}."
        )
        for one in found
    ]


def _find_passed_columns(rows: RelationNode, date_: Expression) -> Iterator[Column]:
    """Yield the columns known by month or year that a date passes on.

    A date truncated by DATE_TRUNC to a month or year may be compared with any day.
    """
    for source, part, _ in _walk_date_parts(rows, date_, "month", "=", set()):
        column = _find_table_column(source, part)
        if column is not None and column.granularity != "day":
            yield column


def _find_finer_parts(
    rows: RelationNode, date_: Expression, granularity: Granularity, sign: str
) -> Iterator[_DatePart]:
    """Yield the parts of a date that may lie inside a month or a year."""
    for source, part, by in _walk_date_parts(rows, date_, granularity, sign, set()):
        if isinstance(part, Constant):
            whole = not isinstance(part.value, date) or _is_aligned(granularity, by, part.value)
        elif isinstance(part, Call):
            whole = part.function in _CONSTANT_PARTS[granularity]
        else:
            column = _find_table_column(source, part)
            whole = column is not None and column.granularity in (granularity, "year")
        if not whole:
            yield source, part, by


def _walk_date_parts(
    rows: RelationNode,
    date_: Expression,
    granularity: Granularity,
    sign: str,
    seen: set[tuple[int, str, str]],
) -> Iterator[_DatePart]:
    """Yield the columns and constants that a date equals, up to whole months or years.

    Each column is visited once (``seen``): columns of nested subqueries may reference each other
    along exponentially many paths.
    """
    below: list[_DatePart] = []
    if isinstance(date_, Call):
        below = [(rows, part, by) for part, by in _list_date_arguments(date_, granularity, sign)]
    elif isinstance(date_, ColumnRef):
        place = (id(rows), date_.column, sign)
        if place in seen:
            return
        seen.add(place)
        below = [(source, part, sign) for source, part in _find_definitions(rows, date_.column)]
    if not below:
        yield rows, date_, sign
    for source, part, by in below:
        yield from _walk_date_parts(source, part, granularity, by, seen)


def _list_date_arguments(
    call: Call, granularity: Granularity, sign: str
) -> list[tuple[Expression, str]]:
    """Return the arguments that are whole months or years if the call is one.

    For some signs a last day is as good as a first one; adding months to it breaks that.
    """
    name, arguments = call.function, call.arguments
    if name == "add months":
        return [(arguments[0], "=")] if _is_aligned_shift(granularity, arguments[1]) else []
    if name in ("start of month", "start of quarter"):
        return [] if name in _CONSTANT_PARTS[granularity] else [(arguments[0], "=")]
    values = {"case": (*arguments[1::2], arguments[-1]), "nullif": arguments[:1]}
    return [
        (part, sign)
        for part in values.get(name, arguments if name in ("coalesce", "least", "greatest") else ())
    ]


def _is_aligned_shift(granularity: str, months: Expression) -> bool:
    """Return whether adding these months to the start of a month or year gives another start."""
    return granularity == "month" or (
        isinstance(months, Constant) and isinstance(months.value, int) and months.value % 12 == 0
    )


def _find_table_column(rows: RelationNode, part: Expression) -> Column | None:
    return (
        rows.schema.column(part.column)
        if isinstance(rows, Table) and isinstance(part, ColumnRef)
        else None
    )


def _find_definitions(rows: RelationNode, name: str) -> Iterator[tuple[RelationNode, Expression]]:
    """Yield the definitions of a column in the rows below."""
    match rows:
        case Filter():
            yield rows.source, ColumnRef(name)
        case Project():
            yield from ((rows.source, made) for output, made in rows.outputs if output == name)
        case Join():
            added = dict(rows.added_columns)
            yield (
                (rows.other, ColumnRef(added[name]))
                if name in added
                else (rows.source, ColumnRef(name))
            )
        case UnitAggregation():
            least = [
                one.column
                for output, one in rows.outputs
                if output == name and one.kind in ("least", "greatest")
            ]
            yield from (
                (rows.source, ColumnRef(str(column)))
                for column in ([name] if name in rows.keys else least)
            )
        case Union():
            yield from ((source, ColumnRef(name)) for source in rows.sources)


def _suggest_coarser_part(column: Column, function: str, last: TypedExpression) -> str | None:
    """Return what to write instead of a date part finer than the column, if it is."""
    if function in ("days between", "add days"):
        word = column.granularity.upper()
        return (
            f"Write {quote_name(column.name)} + INTERVAL 1 {word}, or"
            f" DATE_DIFF('{column.granularity}', a, b)"
        )
    if function == "add months":
        return (
            None
            if _is_aligned_shift(column.granularity, last.expression)
            else f"Write {quote_name(column.name)} + INTERVAL 1 YEAR"
        )
    return (
        None
        if function in _CONSTANT_PARTS[column.granularity]
        else f"Write {_PART_FIXES[column.granularity].format(quote_name(column.name))}"
    )


def _find_misaligned_dates(
    dates: Mapping[_DateArgument, RelationNode], granularity: Granularity, sign: str
) -> dict[_DateArgument, str]:
    """Return what to write instead of each date that is not compared in whole months or years."""
    found: dict[_DateArgument, str] = {}
    for argument, rows in dates.items():
        for source, part, by in _find_finer_parts(rows, argument.expression, granularity, sign):
            # In a subquery the column may have another name.
            named = _find_table_column(source, part) if source is rows else None
            if isinstance(part, Constant) and isinstance(part.value, date):
                found.setdefault(
                    argument, f"Write {_format_nearest_day(granularity, by, part.value)}"
                )
            elif named is not None:
                found.setdefault(
                    argument, f"Write DATE_TRUNC('{granularity}', {quote_name(named.name)})"
                )
            found.setdefault(argument, f"Write DATE_TRUNC('{granularity}', …) of the other date")
    return found


def _is_aligned(granularity: Granularity, sign: str, day: date) -> bool:
    """Return whether comparing with a day takes each month or year as a whole.

    For <= and > the last day does so too.
    """
    return day == _compute_first_day(granularity, day) or (
        sign in ("<=", ">") and day == _compute_last_day(granularity, day)
    )


def _format_nearest_day(granularity: Granularity, sign: str, day: date) -> str:
    end = (
        _compute_last_day(granularity, day)
        if sign in ("<=", ">")
        else _compute_first_day(granularity, day)
    )
    return f"'{end}' instead of '{day}'" + (
        "" if sign in _MIRRORED else f": it means the whole {granularity}"
    )


def _compute_first_day(granularity: Granularity, day: date) -> date:
    return DATE_TRUNCATIONS[f"start of {granularity}"](day)


def _compute_last_day(granularity: Granularity, day: date) -> date:
    first = _compute_first_day(granularity, day)
    after = DATE_SHIFTS["add months"](first, 1 if granularity == "month" else 12)
    return after if after == date.max else DATE_SHIFTS["add days"](after, -1)


def _suggest_day_declaration(column: Column) -> str:
    listed = [value for value in column.values or () if isinstance(value, date)]
    if not listed:
        return ""
    every = f"{min(listed)} … {_compute_last_day(column.granularity, max(listed))}"
    return (
        f'; or declare days in the policy: {column.name} = {{ type = "date", values = "{every}" }}'
    )

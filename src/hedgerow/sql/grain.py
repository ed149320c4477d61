"""Dates that are known by month or by year, each as the first day of its own. Whole months and years of them can be asked for; for a part
of one, an answer would count all of it or nothing, so that is refused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from typing import Final

from sqlglot import exp

from hedgerow.errors import Unsupported
from hedgerow.plan.dates import MOVES, PARTS, STARTS
from hedgerow.plan.expressions import Call, Constant, Expression, Read, reads
from hedgerow.plan.nodes import Filter, Fold, Join, Project, Rows, Table, Union
from hedgerow.plan.schema import Column
from hedgerow.sql.quoting import quoted
from hedgerow.sql.text import Text
from hedgerow.sql.typed import Typed

__all__ = ["coarse", "refuse_finer", "told"]

# The parts and first days that are the same on all days of one month or year.
_YEAR: Final = frozenset({"year", "start of year"})
_SAME: Final = {"month": _YEAR | {"quarter", "month", "start of quarter", "start of month"}, "year": _YEAR}
_TURNED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_COMPARED: Final = frozenset({"=", "<>", *_TURNED, "in", "nullif", "least", "greatest"})
_OF_ONE: Final = frozenset({*PARTS, *STARTS, *MOVES, "days between"})
_KEPT: Final = frozenset({"add months", "coalesce", "case", "nullif", "least", "greatest"})
_PARTS: Final = {
    "month": "MONTH({0}), QUARTER({0}), YEAR({0}) or DATE_TRUNC('month', {0})",
    "year": "YEAR({0}) or DATE_TRUNC('year', {0})",
}


def refuse_finer(text: Text, node: exp.Expr, function: str, arguments: Sequence[tuple[Rows, Typed]]) -> None:
    """Refuses a function of dates that looks within the months or years by which a column is known; each argument is one over rows."""
    if function not in _COMPARED and function not in _OF_ONE:
        return
    dates = [(rows, value.expression) for rows, value in arguments if value.type == "date" and not value.is_null]
    for place, (rows, expression) in enumerate(dates):
        column = _column(rows, expression)
        if column is None:
            continue
        others = [other for at, other in enumerate(dates) if at != place]
        sign = _TURNED.get(function, function) if place else function
        instead = _instead(column, sign, others) if function in _COMPARED else _part(column, function, [value for _, value in arguments])
        if instead is not None:
            what = f"{column.name} is known by {column.grain}, and this asks for less than a whole one"
            raise text.refusal(Unsupported, what, node, f"{instead}{_days(column)}.")


def coarse(rows: Rows, names: Iterable[str]) -> Iterator[Column]:
    """The columns of tables known by month or year that these columns of the rows, or conditions on them, are made of."""
    names = set(names)
    match rows:
        case Table():
            yield from (one for one in rows.schema.columns if one.name in names and one.grain != "day")
        case Filter():
            yield from coarse(rows.source, names | set(reads(rows.condition)))
        case Project():
            yield from coarse(rows.source, {name for output, made in rows.outputs if output in names for name in reads(made)})
        case Join():
            own = names.difference(name for name, _ in rows.adds) | {here for here, _ in rows.on}
            yield from coarse(rows.source, own)
            yield from coarse(rows.other, {there for name, there in rows.adds if name in names} | {there for _, there in rows.on})
        case Fold():
            made = {str(one.column) for name, one in rows.outputs if name in names and one.column is not None}
            yield from coarse(rows.source, {*rows.keys, *made})
        case Union():
            for source in rows.sources:
                yield from coarse(source, names)


def told(rows: Rows, names: Iterable[str]) -> list[str]:
    """What an answer says of such columns."""
    found = dict.fromkeys(coarse(rows, names))
    return [f"{quoted(one.name)} is known by {one.grain}: each of its dates stands for a whole {one.grain}." for one in found]


def _column(rows: Rows, expression: Expression) -> Column | None:
    """The column that is known by month or year and handed on by the expression, in whole months or years; None where all is days."""
    if isinstance(expression, Constant):
        return None
    if isinstance(expression, Read) and isinstance(rows, Table):
        found = rows.schema.column(expression.column)
        return None if found is None or found.grain == "day" else found
    if isinstance(expression, Read):
        below = list(_below(rows, expression.column))
    else:
        below = [(rows, part) for part in expression.arguments] if expression.function in _KEPT else []
    return next((found for source, part in below if (found := _column(source, part)) is not None), None)


def _below(rows: Rows, name: str) -> Iterator[tuple[Rows, Expression]]:
    """What a column is made of in the rows below."""
    match rows:
        case Filter():
            yield rows.source, Read(name)
        case Project():
            yield from ((rows.source, made) for output, made in rows.outputs if output == name)
        case Join():
            added = dict(rows.adds)
            yield (rows.other, Read(added[name])) if name in added else (rows.source, Read(name))
        case Fold():
            least = [one.column for output, one in rows.outputs if output == name and one.kind in ("least", "greatest")]
            yield from ((rows.source, Read(str(column))) for column in ([name] if name in rows.keys else least))
        case Union():
            yield from ((source, Read(name)) for source in rows.sources)


def _part(column: Column, function: str, arguments: Sequence[Typed]) -> str | None:
    """What to write instead of a part of a date that is finer than the column; None where it is not."""
    if function in ("days between", "add days"):
        word = column.grain.upper()
        return f"Write {quoted(column.name)} + INTERVAL 1 {word}, or DATE_DIFF('{column.grain}', a, b)"
    if function == "add months":
        count = arguments[1].expression
        whole = column.grain == "month" or (isinstance(count, Constant) and isinstance(count.value, int) and count.value % 12 == 0)
        return None if whole else f"Write {quoted(column.name)} + INTERVAL 1 YEAR"
    return None if function in _SAME[column.grain] else f"Write {_PARTS[column.grain].format(quoted(column.name))}"


def _instead(column: Column, sign: str, others: Sequence[tuple[Rows, Expression]]) -> str | None:
    """What to compare the column with instead; None where all others are whole months or years."""
    for rows, other in others:
        if isinstance(other, Constant):
            assert isinstance(other.value, date)
            if not _whole(column, sign, other.value):
                return f"Write {_nearest(column, sign, other.value)}"
        else:
            found = _column(rows, other)
            start = isinstance(other, Call) and other.function in STARTS and other.function in _SAME[column.grain]
            if not start and (found is None or found.grain != column.grain):
                return f"Write DATE_TRUNC('{column.grain}', …) of the other date"
    return None


def _whole(column: Column, sign: str, day: date) -> bool:
    """Whether a comparison with the day takes each month or year as a whole. Up to its last day, or after it, does so too."""
    return day == _first(column, day) or (sign in ("<=", ">") and day == _last(column, day))


def _nearest(column: Column, sign: str, day: date) -> str:
    end = _last(column, day) if sign in ("<=", ">") else _first(column, day)
    return f"'{end}' instead of '{day}'" + ("" if sign in _TURNED else f": it stands for the whole {column.grain}")


def _first(column: Column, day: date) -> date:
    return STARTS[f"start of {column.grain}"](day)


def _last(column: Column, day: date) -> date:
    first = _first(column, day)
    after = MOVES["add months"](first, 1 if column.grain == "month" else 12)
    return after if after == date.max else MOVES["add days"](after, -1)


def _days(column: Column) -> str:
    """How the policy would declare days."""
    listed = [value for value in column.values or () if isinstance(value, date)]
    if not listed:
        return ""
    every = f"{min(listed)} … {_last(column, max(listed))}"
    return f'; or have the policy declare days: {column.name} = {{ type = "date", values = "{every}" }}'

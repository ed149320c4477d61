"""Dates that are known by month or by year, each as the first day of its own. Whole months and years of them can be asked for; for a part
of one, an answer would count all of it or nothing, so that is refused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Final, Literal

from sqlglot import exp

from hedgerow.errors import Unsupported
from hedgerow.plan.dates import MOVES, PARTS, STARTS
from hedgerow.plan.expressions import Call, Constant, Expression, Read, reads
from hedgerow.plan.nodes import Filter, Fold, Join, Project, Rows, Table, Union
from hedgerow.plan.schema import Column
from hedgerow.sql.quoting import quoted
from hedgerow.sql.text import Text
from hedgerow.sql.typed import Typed

__all__ = ["Grain", "coarse", "grain_of", "refuse_finer", "told"]

Grain = Literal["day", "month", "year"]
_Date = tuple[bool, int, Expression]  # an argument, each once: whether others stand before it, and the id of the rows that it is over
_Part = tuple[Rows, Expression, str]  # of a date: over which rows, and the sign by which it is compared

# The parts and first days that are the same on all days of one month or year.
_YEAR: Final = frozenset({"year", "start of year"})
_SAME: Final = {"month": _YEAR | {"quarter", "month", "start of quarter", "start of month"}, "year": _YEAR}
_TURNED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_COMPARED: Final = frozenset({"=", "<>", *_TURNED, "in", "nullif", "least", "greatest"})
_OF_ONE: Final = frozenset({*PARTS, *STARTS, *MOVES, "days between"})
_PARTS: Final = {
    "month": "MONTH({0}), QUARTER({0}), YEAR({0}) or DATE_TRUNC('month', {0})",
    "year": "YEAR({0}) or DATE_TRUNC('year', {0})",
}


def refuse_finer(text: Text, node: exp.Expr, function: str, arguments: Sequence[tuple[Rows, Typed]]) -> None:
    """Refuses a function of dates that looks within the months or years by which a column is known; each argument is one over rows."""
    if function not in _COMPARED and function not in _OF_ONE:
        return
    dates: dict[_Date, Rows] = {}
    for place, (rows, value) in enumerate(arguments):
        if value.type == "date" and not value.is_null:
            dates[place > 0, id(rows), value.expression] = rows
    unfit: dict[tuple[Grain, str], dict[_Date, str]] = {}  # looked for once: LEAST may have a thousand arguments, and each as many others
    for one, rows in dates.items():
        sign = _TURNED.get(function, function) if one[0] else function
        for column in _handed_on(rows, one[2]):
            if (column.grain, sign) not in unfit:
                unfit[column.grain, sign] = _unfit(dates, column.grain, sign) if function in _COMPARED else {}
            # What IN lists is compared with what stands before it, and not with the rest of the list.
            others = (said for at, said in unfit[column.grain, sign].items() if at != one and (function != "in" or at[0] != one[0]))
            instead = next(others, None) if function in _COMPARED else _part(column, function, arguments[-1][1])
            if instead is not None:
                what = f"{column.name} is known by {column.grain}, and this asks for less than a whole one"
                raise text.refusal(Unsupported, what, node, f"{instead}{_days(column)}.")


def grain_of(rows: Rows, date_: Expression) -> Grain:
    """The coarsest of which all values of a date are the first days, whatever the data hold. The last day of the calendar, to which what
    lies beyond it is moved, is left out of account."""
    coarser: tuple[Grain, ...] = ("year", "month")
    return next((grain for grain in coarser if not any(_finer(rows, date_, grain, "="))), "day")


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


def _handed_on(rows: Rows, date_: Expression) -> Iterator[Column]:
    """The columns known by month or year that a date hands on, in whole months or years. What is cut to a month or a year by DATE_TRUNC is
    asked for in these, and compared with any day."""
    for source, part, _ in _made_of(rows, date_, "month", "=", set()):
        column = _column(source, part)
        if column is not None and column.grain != "day":
            yield column


def _finer(rows: Rows, date_: Expression, grain: Grain, sign: str) -> Iterator[_Part]:
    """The parts of a date that may lie within a month or a year; none where all its values are whole ones."""
    for source, part, by in _made_of(rows, date_, grain, sign, set()):
        if isinstance(part, Constant):
            whole = not isinstance(part.value, date) or _whole(grain, by, part.value)
        elif isinstance(part, Call):
            whole = part.function in _SAME[grain]
        else:
            column = _column(source, part)
            whole = column is not None and column.grain in (grain, "year")
        if not whole:
            yield source, part, by


def _made_of(rows: Rows, date_: Expression, grain: Grain, sign: str, seen: set[tuple[int, str, str]]) -> Iterator[_Part]:
    """The parts of which a date is one, or whole months or years away from one: columns of tables, constants, and what has no such parts.
    Each column is ``seen`` once: those of subqueries may name each other so often that there are more ways down than anybody can go."""
    below: list[_Part] = []
    if isinstance(date_, Call):
        below = [(rows, part, by) for part, by in _parts(date_, grain, sign)]
    elif isinstance(date_, Read):
        place = (id(rows), date_.column, sign)
        if place in seen:
            return
        seen.add(place)
        below = [(source, part, sign) for source, part in _below(rows, date_.column)]
    if not below:
        yield rows, date_, sign
    for source, part, by in below:
        yield from _made_of(source, part, grain, by, seen)


def _parts(call: Call, grain: Grain, sign: str) -> list[tuple[Expression, str]]:
    """The arguments that are whole months or years where the function is. A last day is as good as a first one for some signs, and is not
    a last day any more when months are added to it."""
    name, arguments = call.function, call.arguments
    if name == "add months":
        return [(arguments[0], "=")] if _keeps(grain, arguments[1]) else []
    if name in ("start of month", "start of quarter"):
        return [] if name in _SAME[grain] else [(arguments[0], "=")]
    values = {"case": (*arguments[1::2], arguments[-1]), "nullif": arguments[:1]}
    return [(part, sign) for part in values.get(name, arguments if name in ("coalesce", "least", "greatest") else ())]


def _keeps(grain: str, months: Expression) -> bool:
    """Whether so many months after the start of a month or year another one starts."""
    return grain == "month" or (isinstance(months, Constant) and isinstance(months.value, int) and months.value % 12 == 0)


def _column(rows: Rows, part: Expression) -> Column | None:
    """The column of a table that is read here."""
    return rows.schema.column(part.column) if isinstance(rows, Table) and isinstance(part, Read) else None


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


def _part(column: Column, function: str, last: Typed) -> str | None:
    """What to write instead of a part of a date that is finer than the column; None where it is not. Months that are added come last."""
    if function in ("days between", "add days"):
        word = column.grain.upper()
        return f"Write {quoted(column.name)} + INTERVAL 1 {word}, or DATE_DIFF('{column.grain}', a, b)"
    if function == "add months":
        return None if _keeps(column.grain, last.expression) else f"Write {quoted(column.name)} + INTERVAL 1 YEAR"
    return None if function in _SAME[column.grain] else f"Write {_PARTS[column.grain].format(quoted(column.name))}"


def _unfit(dates: Mapping[_Date, Rows], grain: Grain, sign: str) -> dict[_Date, str]:
    """What to write instead of those dates that are not compared in whole months or years."""
    found: dict[_Date, str] = {}
    for one, rows in dates.items():
        for source, part, by in _finer(rows, one[2], grain, sign):
            named = _column(source, part) if source is rows else None  # elsewhere it may have another name
            if isinstance(part, Constant) and isinstance(part.value, date):
                found.setdefault(one, f"Write {_nearest(grain, by, part.value)}")
            elif named is not None:
                found.setdefault(one, f"Write DATE_TRUNC('{grain}', {quoted(named.name)})")
            found.setdefault(one, f"Write DATE_TRUNC('{grain}', …) of the other date")
    return found


def _whole(grain: Grain, sign: str, day: date) -> bool:
    """Whether a comparison with the day takes each month or year as a whole. Up to its last day, or after it, does so too."""
    return day == _first(grain, day) or (sign in ("<=", ">") and day == _last(grain, day))


def _nearest(grain: Grain, sign: str, day: date) -> str:
    end = _last(grain, day) if sign in ("<=", ">") else _first(grain, day)
    return f"'{end}' instead of '{day}'" + ("" if sign in _TURNED else f": it stands for the whole {grain}")


def _first(grain: Grain, day: date) -> date:
    return STARTS[f"start of {grain}"](day)


def _last(grain: Grain, day: date) -> date:
    first = _first(grain, day)
    after = MOVES["add months"](first, 1 if grain == "month" else 12)
    return after if after == date.max else MOVES["add days"](after, -1)


def _days(column: Column) -> str:
    """How the policy would declare days."""
    listed = [value for value in column.values or () if isinstance(value, date)]
    if not listed:
        return ""
    every = f"{min(listed)} … {_last(column.grain, max(listed))}"
    return f'; or have the policy declare days: {column.name} = {{ type = "date", values = "{every}" }}'

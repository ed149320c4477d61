"""Reading columns: from what the data hold to a value of the declared type, or NULL, as ``plan.reading`` says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Final

from sqlglot import exp

from hedgerow.engines.dialect import Dialect
from hedgerow.engines.terms import as_type, between, both, call, cast, column, constant, either, one_of, real, test, text, when, whole
from hedgerow.errors import Unsupported
from hedgerow.plan.schema import Column
from hedgerow.plan.values import Type

__all__ = ["READABLE", "UNITS", "Stored", "as_stored", "bounded", "parse", "read", "read_unit"]

# Declared type: the types in the data that it can be read from.
READABLE: Final[Mapping[Type, tuple[Type, ...]]] = {
    "boolean": ("boolean", "integer", "real"),
    "integer": ("integer", "real", "boolean"),
    "real": ("real", "integer", "boolean"),
    "text": ("text", "integer", "boolean"),
    "date": ("date",),
}
UNITS: Final[tuple[Type, ...]] = ("integer", "text", "real")

_PLAIN: Final = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)"
_POWER: Final = r"[eE][+-]?[0-9]{1,9}"
_PIECES: Final = r"([+-]?)([0-9]*)\.?([0-9]*)[eE]([+-]?[0-9]+)"  # the sign, the digits before and after the point, the power of ten
_INFINITE: Final = ("inf", "+inf", "-inf", "infinity", "+infinity", "-infinity")
_DATE: Final = r"([0-9]{1,9})-([0-9]{1,2})-([0-9]{1,2})([ T][0-9:.]+(Z|[+-][0-9:]+)?)?"
_NEAR: Final = 2**40  # so far doubles are within a thousandth, also those that the engine makes of decimals
_BEYOND: Final = 2.0**63
_TRUE: Final = ("true", "t", "yes", "y", "1")
_FALSE: Final = ("false", "f", "no", "n", "0")
_VISIBLE: Final = (0x21, 0x7E)  # from ! to ~
_WHITE: Final = "".join(chr(code) for code in range(0x3001) if chr(code).isspace())

Branch = tuple[exp.Expr, exp.Expr]  # a condition, and what a value is where it holds


@dataclass(frozen=True, slots=True)
class Stored:
    """A column where it lies: its name in the engine and its type there, whether its whole numbers may need more than 64 bits, and of ids
    the engine's own type, if those of another do not compare with it exactly."""

    name: str
    type: Type
    wide: bool = False
    alone: str = ""


def read(declared: Column, stored: Stored, dialect: Dialect) -> exp.Expr:
    """The value of a column as declared."""
    raw = column(stored.name)
    value, missing = _typed(raw, stored.type, declared.type), _missing(raw, stored.type, dialect)
    if declared.type == "date":
        value = between(value, constant(date.min, "date"), constant(date.max, "date"))
        value = value if declared.grain == "day" else dialect.starts[f"start of {declared.grain}"](value)
    if declared.values is not None:
        return _listed(value, missing, declared)
    if declared.low is not None and declared.high is not None and declared.type in ("integer", "real", "date"):
        ends = _ends(declared, declared.low, declared.high)
        if declared.type != "integer" or not (stored.wide or stored.type == "real"):
            # Nearly all values lie between the bounds: asked before the rest, which is asked of few. But NaN comes first: where a Parquet
            # file tells ends that lie between the bounds, and leaves NaN out of them, the engine takes the bounds for kept.
            inside = exp.Between(this=value.copy(), low=ends[0].copy(), high=ends[1].copy())
            return when(*missing, (inside, value), otherwise=between(value.copy(), *ends))
        if max(abs(declared.low), abs(declared.high)) <= _NEAR:
            return _between_doubles(raw, value, declared, ends, missing)
        return call("coalesce", between(value, *ends, *missing), _far(raw, *ends, *missing))
    return when(*missing, otherwise=value) if missing else value


def _between_doubles(raw: exp.Expr, value: exp.Expr, declared: Column, ends: tuple[exp.Expr, exp.Expr], missing: list[Branch]) -> exp.Expr:
    """Moved to an end before it is cast, so that numbers beyond 64 bits are too. Doubles lie on the same side of an end as the numbers that
    they stand for, or else the number is less than a half away from the end, and rounds to it."""
    assert declared.low is not None
    assert declared.high is not None
    size = as_type(raw.copy(), "real")
    below = test(size, exp.LT, real(float(declared.low)))
    above = test(size.copy(), exp.GT, real(float(declared.high)))
    return when(*missing, (below, ends[0]), (above, ends[1]), otherwise=value)


def _far(raw: exp.Expr, low: exp.Expr, high: exp.Expr, *before: Branch) -> exp.Expr:
    """The end at which numbers beyond 64 bits lie, NULL for all others. Their doubles are beyond as well, however they round."""
    size = as_type(raw.copy(), "real", total=True)
    ends = ((exp.GTE, _BEYOND, high), (exp.LTE, -_BEYOND, low))
    return when(
        *((condition.copy(), value.copy()) for condition, value in before),
        *((test(size.copy(), sign, real(end)), to.copy()) for sign, end, to in ends),
    )


def _missing(raw: exp.Expr, stored: Type, dialect: Dialect) -> list[Branch]:
    """The branch that turns NaN into NULL, where there can be NaN."""
    return [(dialect.is_nan(as_type(raw.copy(), "real")), exp.Null())] if stored == "real" else []


def _typed(raw: exp.Expr, stored: Type, declared: Type) -> exp.Expr:
    if stored == "real" and declared == "integer":
        # Rounded before it is cast: a cast rounds halves to even. Decimals are rounded as decimals.
        return as_type(call("round", raw), "integer", total=True)
    if stored == "real" and declared == "boolean":
        return test(as_type(raw, "real"), exp.NEQ, real(0.0))
    return as_type(raw, declared, total=True)


def _listed(value: exp.Expr, missing: list[Branch], declared: Column) -> exp.Expr:
    return when(*missing, (one_of(value, declared.values or (), declared.type), value.copy()))


def _ends(declared: Column, low: Fraction, high: Fraction) -> tuple[exp.Expr, exp.Expr]:
    if declared.type == "real":
        return real(float(low)), real(float(high))
    if declared.type == "date":
        return constant(date.fromordinal(int(low)), "date"), constant(date.fromordinal(int(high)), "date")
    if int(low) >= 2**63 or int(high) < -(2**63):
        raise Unsupported(f"The bounds of {declared.name} lie beyond 64 bits; declare others.")
    return whole(max(int(low), -(2**63))), whole(min(int(high), 2**63 - 1))


def read_unit(stored: Stored, declared: Column | None, dialect: Dialect) -> tuple[exp.Expr, list[exp.Expr]]:
    """The id of the unit, and what must hold for a row to have one. The id is what is read as the declared type: a person must not
    become two by the way her number is written."""
    type_ = stored.type if declared is None else declared.type
    if declared is None or as_stored(stored, declared):
        # Enumerations and the like become the text that they stand for: two tables need not number them alike.
        unit = as_type(column(stored.name), "text") if type_ == "text" else column(stored.name)
    else:
        unit = read(declared, stored, dialect)
    there: list[exp.Expr] = [exp.Not(this=exp.Is(this=exp.Paren(this=unit.copy()), expression=exp.Null()))]
    if type_ == "real":
        there.append(exp.Not(this=dialect.is_nan(as_type(unit.copy(), "real"))))
    if type_ == "text":  # a blank is nobody: strangers must not become one
        there.append(_shows(unit))
    return unit, there


def as_stored(stored: Stored, declared: Column | None) -> bool:
    """Whether ids are taken as they lie: where nothing is declared, and whole numbers, which are what they are, also beyond 64 bits."""
    return declared is None or declared.type == stored.type == "integer"


def _shows(value: exp.Expr) -> exp.Expr:
    """Whether there is more to a piece of text than white space. Nearly always the first character tells: to look for all kinds of white
    space takes twenty times as long."""
    plain = exp.Between(this=call("ascii", value.copy()), low=whole(_VISIBLE[0]), high=whole(_VISIBLE[1]))
    return when((plain, exp.true()), otherwise=test(call("trim", value.copy(), text(_WHITE)), exp.NEQ, text("")))


def bounded(declared: Column) -> bool:
    """Whether whole numbers of the column are moved to a bound, however far out they are; elsewhere they have 64 bits or are none."""
    return declared.type == "integer" and declared.values is None and declared.low is not None


def parse(raw: exp.Expr, type_: Type, dialect: Dialect, *, moved: bool = False) -> exp.Expr:
    """What a piece of text spells as a value of the type, NULL where it spells none. ``moved``: whole numbers beyond 64 bits become the
    nearest of these, for bounds to move them on."""
    if type_ == "text":
        return raw
    if type_ == "boolean":
        word = call("lower", raw)
        return when((_one_of(word, _TRUE), exp.true()), (_one_of(word.copy(), _FALSE), exp.false()))
    trimmed = call("trim", raw, text(_WHITE))
    if type_ == "date":
        return _parse_date(trimmed, dialect)
    infinite = _one_of(call("lower", trimmed.copy()), _INFINITE)
    if type_ == "real":
        spelled = either([dialect.spells(trimmed, f"{_PLAIN}({_POWER})?"), infinite])
        return as_type(when((spelled, trimmed.copy())), "real", total=True)
    branches = [
        (dialect.spells(trimmed, _PLAIN), as_type(trimmed.copy(), "integer", total=True)),
        (dialect.spells(trimmed.copy(), _PLAIN + _POWER), as_type(_without_power(trimmed, dialect), "integer", total=True)),
    ]
    if not moved:
        return when(*branches)
    far = _far(trimmed, whole(-(2**63)), whole(2**63 - 1))
    return when(*((spelled, call("coalesce", number, far.copy())) for spelled, number in branches), (infinite, far))


def _without_power(trimmed: exp.Expr, dialect: Dialect) -> exp.Expr:
    """A number with a power of ten, written without it as far as the first decimal, which rounds it. With it, the engine's cast to a whole
    number gives up on more digits than 64 bits hold, and rounds by the wrong one where 19 are left."""
    sign, before, after, power = (dialect.piece(trimmed.copy(), _PIECES, group) for group in (1, 2, 3, 4))
    # A zero ahead, for numbers below a tenth; behind as many as take every number but 0 beyond 64 bits.
    digits = call("concat", text("0"), before, after, text("0" * 20))
    place = test(test(call("length", before.copy()), exp.Add, whole(1)), exp.Add, as_type(power, "integer", total=True))
    place = when((test(place, exp.LT, whole(0)), whole(0)), otherwise=place.copy())  # where the point goes
    decimal = call("substr", digits, test(place, exp.Add, whole(1)), whole(1))
    return call("concat", sign, text("0"), call("left", digits.copy(), place.copy()), text("."), decimal)


def _parse_date(trimmed: exp.Expr, dialect: Dialect) -> exp.Expr:
    """Years outside 1 to 9999 are tried as a leap year, then moved to the nearest day there is."""
    year = cast(dialect.piece(trimmed, _DATE, 1), "BIGINT", total=True)
    inside = exp.Between(this=year, low=whole(1), high=whole(9999))
    tried = as_type(when((inside, year.copy()), otherwise=whole(9996)), "text")
    pieces = [
        call("lpad", tried, cast(exp.Literal.number(4), "INT"), text("0")),
        *(dialect.piece(trimmed.copy(), _DATE, group) for group in (2, 3)),
    ]
    day = as_type(call("concat_ws", text("-"), *pieces), "date", total=True)
    found = both([dialect.spells(trimmed.copy(), _DATE), exp.Not(this=exp.Is(this=day, expression=exp.Null()))])
    lower = call("lower", trimmed.copy())
    return when(
        (_one_of(lower, [word for word in _INFINITE if not word.startswith("-")]), constant(date.max, "date")),
        (_one_of(lower.copy(), [word for word in _INFINITE if word.startswith("-")]), constant(date.min, "date")),
        (exp.Not(this=exp.Paren(this=found)), exp.Null()),
        (test(year.copy(), exp.LT, whole(1)), constant(date.min, "date")),
        (test(year.copy(), exp.GT, whole(9999)), constant(date.max, "date")),
        otherwise=day.copy(),
    )


def _one_of(value: exp.Expr, words: tuple[str, ...] | list[str]) -> exp.Expr:
    return exp.Paren(this=exp.In(this=value, expressions=[text(word) for word in words]))

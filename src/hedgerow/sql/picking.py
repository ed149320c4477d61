"""MEDIAN, QUANTILE, MIN, MAX and MODE: what is chosen instead of added up."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from hedgerow.errors import Unbounded
from hedgerow.plan.functions import half_away
from hedgerow.plan.measures import Snap
from hedgerow.plan.picks import METHODS, Method, Pick, PickKind
from hedgerow.sql.asked import Asked
from hedgerow.sql.grouping import domain_of
from hedgerow.sql.readers import RowReader, as_numbers
from hedgerow.sql.snapping import snap
from hedgerow.sql.typed import Typed

__all__ = ["read_pick"]

_KINDS: Final[dict[str, PickKind]] = {"QUANTILE": "quantiles", "MIN": "least", "MAX": "greatest", "MODE": "mode"}


def read_pick(reader: RowReader, asked: Asked, value: Typed, column: str) -> Pick:
    """The choice that is asked for; refused where nobody knows among what."""
    kind = _KINDS[asked.function]
    method = _method(reader, asked, kind)
    if value.range.values == ():
        reader.refuse(asked.node, "This is always NULL, and NULL is never chosen", "Leave it out.")
    if kind == "mode":
        return _mode(reader, asked, value, column, method)
    if value.type not in ("integer", "real", "date"):
        line = as_numbers(reader.scope, [value], "real", ", min = …, max = …")
        instead = "Use MODE(x), or COUNT(x)." if line is None else f"{line}; else use MODE(x), or COUNT(x)."
        reader.refuse(asked.node, f"{asked.name} works on numbers and dates, and this is {value.type}", instead)
    grid = _grid(reader, asked, value)
    at = _shares(reader, asked, value, method)
    if asked.named.bound is None:
        return Pick(kind, column, grid, at=at, method=method)
    return Pick(kind, column, grid, at=at, method=method, bound=max(1, half_away(asked.named.bound / grid.step)))


def _shares(reader: RowReader, asked: Asked, value: Typed, method: Method) -> tuple[Fraction, ...]:
    """The share of a quantile, between those of its bracket if there is one."""
    at, wide = asked.at, asked.named.bracket
    shares: tuple[Fraction, ...] = () if at is None else (at,) if wide is None else (at - wide, at, at + wide)
    if any(10**6 % share.denominator for share in shares):
        reader.refuse(asked.node, "A share has at most six decimals", "Write 0.333333 for a third.")
    if wide is None:
        return shares
    if wide <= 0 or not 0 < shares[0] < shares[-1] < 1:
        what = "A bracket lies around the share of its quantile, between 0 and 1"
        reader.refuse(asked.node, what, "Write MEDIAN(x, bracket => 0.05): from the quantile at 0.45 to that at 0.55.")
    if method != "exponential":
        reader.refuse(asked.node, f"How far off the method {method!r} is depends on the data", "Leave the method out, or the bracket.")
    if value.type == "date":
        reader.refuse(
            asked.node, "A bracket is for numbers", "Leave it out, or count days from one: DATE_DIFF('day', DATE '2026-01-01', d)."
        )
    return shares


def _method(reader: RowReader, asked: Asked, kind: PickKind) -> Method:
    """The method, which takes a bound if it is propose, and only then."""
    allowed, named = METHODS[kind], asked.named
    method = named.method or allowed[0]
    if method not in allowed:
        reader.refuse(asked.node, f"{asked.name} has no method {method[:30]!r}", f"The methods are {', '.join(allowed)}.")
    if (method == "propose") != (named.bound is not None):
        if named.bound is None:
            what = "method => 'propose' tests a bound, and none is proposed"
            reader.refuse(asked.node, what, "Add bound => 5: how far one person may move the answer, as you expect.")
        reader.refuse(asked.node, "A bound is proposed to the method 'propose' only", "Write method => 'propose', or leave bound out.")
    if named.bound is not None and named.bound <= 0:
        reader.refuse(asked.node, "The bound that is proposed is greater than 0", "Write bound => 5.")
    return method


def _grid(reader: RowReader, asked: Asked, value: Typed) -> Snap:
    if not value.range.bounded:
        raise reader.unbounded(asked.node, "and what is chosen is chosen between them", [value])
    grid = snap(value.range)
    if grid is None:
        what, instead = "The bounds of this are too wide to choose between them", "Declare narrower bounds in the policy: within ±2^53."
        raise reader.text.refusal(Unbounded, what, asked.node, instead)
    if grid.low == grid.high:
        reader.refuse(asked.node, "This can only have one value", "Leave it out.")
    return grid


def _mode(reader: RowReader, asked: Asked, value: Typed, column: str, method: Method) -> Pick:
    values = domain_of(reader.scope, value)
    if values is None:
        what = "MODE chooses among values that are known beforehand, and those of this are not declared"
        text = reader.text.cut(asked.arguments[0])
        instead = f'List them in the policy: {text} = {{ values = ["a", "b"] }}; or write GROUP BY {text} with COUNT(*).'
        raise reader.text.refusal(Unbounded, what, asked.node, instead)
    if len(values) < 2:
        reader.refuse(asked.node, "This can only have one value", "Leave it out.")
    return Pick(kind="mode", column=column, values=tuple(sorted(values)), method=method)  # type: ignore[type-var]

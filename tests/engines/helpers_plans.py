"""Made-up tables and plans for the tests of engines, and what the reference says about them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from engines.helpers_worlds import POOLS, World
from hedgerow.engines.data_source import Source
from hedgerow.engines.duckdb.engine import DuckDB
from hedgerow.engines.duckdb.tables.registry import RegisteredTable
from hedgerow.engines.reference import interpreter as reference
from hedgerow.errors import Refused
from hedgerow.plan.contingency import Contingency
from hedgerow.plan.measures import ClampedGrid, Measure
from hedgerow.plan.nodes import (
    Aggregate,
    Bound,
    Filter,
    Group,
    Join,
    Project,
    RelationNode,
    Table,
    Union,
)
from hedgerow.plan.scalar.expressions import Call, ColumnRef, Constant, Expression, infer_range
from hedgerow.plan.scalar.functions import LOGARITHMS
from hedgerow.plan.scalar.strings import PARSED_TEXTS
from hedgerow.plan.values import Range, Type, Value

# Every engine runs the whole conformance suite.
ENGINES: tuple[Callable[[Mapping[str, RegisteredTable]], Source], ...] = (DuckDB,)


BINARY: Mapping[str, tuple[Type, ...]] = {
    **dict.fromkeys(("+", "-", "*", "/", "least", "greatest"), ("real", "real")),
    "%": ("integer", "integer"),
    **dict.fromkeys(
        ("negate", "abs", "floor", "ceil", "round", "sqrt", *LOGARITHMS, "to real"), ("real",)
    ),
    "like": ("text", "text"),
    **dict.fromkeys(("and", "or"), ("boolean", "boolean", "boolean")),
    "not": ("boolean",),
    **dict.fromkeys(("year", "quarter", "month", "day", "day of week", "day of year"), ("date",)),
    **dict.fromkeys(
        ("start of year", "start of quarter", "start of month", "start of week"), ("date",)
    ),
    **dict.fromkeys(("add days", "add months"), ("date", "integer")),
    "days between": ("date", "date"),
    **dict.fromkeys(("hour", "minute", "second", "to date"), ("timestamp",)),
    **dict.fromkeys(("start of hour", "start of minute", "start of second"), ("timestamp",)),
    "to timestamp": ("date",),
    **dict.fromkeys(("add microseconds", "add calendar months"), ("timestamp", "integer")),
    **dict.fromkeys(
        ("hours between", "minutes between", "seconds between"), ("timestamp", "timestamp")
    ),
    **dict.fromkeys(("lower", "upper", "trim", "length"), ("text",)),
    "substring": ("text", "integer", "integer"),
    "right": ("text", "integer"),
    **dict.fromkeys(("concat", "starts with"), ("text", "text")),
    "position": ("text", "text"),
    **dict.fromkeys((f"parse {type_}" for type_ in PARSED_TEXTS), ("text",)),
    **dict.fromkeys(("matches pattern", "extract pattern", "replace pattern"), ("text", "text")),
}
ANY = ("=", "<>", "<", "<=", ">", ">=", "in", "is null", "case", "coalesce", "nullif")
GIVES: Mapping[str, Type] = {
    **dict.fromkeys(
        ("+", "-", "*", "least", "greatest", "negate", "abs", "/", "sqrt", *LOGARITHMS, "to real"),
        "real",
    ),
    **dict.fromkeys(
        (
            "%",
            "floor",
            "ceil",
            "round",
            "year",
            "quarter",
            "month",
            "day",
            "day of week",
            "day of year",
        ),
        "integer",
    ),
    **dict.fromkeys(
        ("like", "and", "or", "not", "=", "<>", "<", "<=", ">", ">=", "in", "is null"), "boolean"
    ),
    **dict.fromkeys(
        (
            "start of year",
            "start of quarter",
            "start of month",
            "start of week",
            "add days",
            "add months",
        ),
        "date",
    ),
    **dict.fromkeys(("lower", "upper", "trim", "substring", "right", "concat"), "text"),
    **dict.fromkeys(("length", "position", "days between"), "integer"),
    **dict.fromkeys(("hour", "minute", "second"), "integer"),
    **dict.fromkeys(("hours between", "minutes between", "seconds between"), "integer"),
    "to date": "date",
    **dict.fromkeys(("start of hour", "start of minute", "start of second"), "timestamp"),
    **dict.fromkeys(("to timestamp", "add microseconds", "add calendar months"), "timestamp"),
    "starts with": "boolean",
    **{f"parse {type_}": type_ for type_ in PARSED_TEXTS},
}
PATTERNS = ("%", "_", "a%", "%b", "a_b", "%a%b%", "", "\\%", "é", "%_%", "A", "x%x")


@st.composite
def expressions(
    draw: st.DrawFn, known: Mapping[str, Range], type_: Type, depth: int = 3
) -> Expression:
    """An expression of the type (a whole number may stand for a real) that the plan accepts."""
    if depth == 0 or draw(st.integers(0, 3)) == 0:
        return draw(_leaves(known, type_))
    makers = [
        name
        for name, given in GIVES.items()
        if given == type_
        or (type_ == "integer" and name in ("+", "-", "*", "negate", "abs", "least"))
    ]
    function = draw(st.sampled_from([*makers, "case", "coalesce", "nullif"]))
    inner: Type = (
        draw(st.sampled_from(["boolean", "integer", "real", "text", "date", "timestamp"]))
        if function in GIVES
        else type_
    )
    if function in ANY:
        count = {"in": 3, "is null": 1, "coalesce": 2}.get(function, 2)
        arguments = [draw(expressions(known, inner, depth - 1)) for _ in range(count)]
        if function == "case":
            arguments = [draw(expressions(known, "boolean", depth - 1)), *arguments]
    else:
        wanted = [
            "integer" if type_ == "integer" and given == "real" else given
            for given in BINARY[function]
        ]
        arguments = [draw(expressions(known, given, depth - 1)) for given in wanted]
        if function == "like" and draw(st.booleans()):
            arguments[1] = Constant(draw(st.sampled_from(PATTERNS)), "text")
        # or mostly refused: few whole numbers are bounded
        if function in ("substring", "right") and draw(st.booleans()):
            arguments[1:] = [Constant(draw(st.integers(-2, 4)), "integer") for _ in arguments[1:]]
    made = Call(function, tuple(arguments))
    try:
        found = infer_range(made, known)
    except Refused:
        return draw(_leaves(known, type_))
    return (
        made
        if found.type == type_ or (type_, found.type) == ("real", "integer")
        else draw(_leaves(known, type_))
    )


@st.composite
def _leaves(draw: st.DrawFn, known: Mapping[str, Range], type_: Type) -> Expression:
    fitting = [
        name
        for name, range_ in known.items()
        if range_.type == type_ or (type_, range_.type) == ("real", "integer")
    ]
    if fitting and draw(st.integers(0, 3)):
        return ColumnRef(draw(st.sampled_from(fitting)))
    return Constant(draw(constants(type_)), type_)


def constants(type_: Type) -> st.SearchStrategy[Value]:
    """Any value that can be written, NULL included."""
    if type_ == "date":
        return st.one_of(st.dates(), st.none())
    if type_ == "timestamp":
        return st.one_of(st.datetimes(), st.none())
    return st.sampled_from(
        [
            value
            for value in POOLS[type_]
            if not (isinstance(value, float) and not math.isfinite(value))
        ]
    )


@st.composite
def sources(draw: st.DrawFn, world: World) -> RelationNode:
    found: RelationNode = Table(world.schemas["t"])
    shape = draw(st.sampled_from(["plain", "plain", "plain", "union", "join"]))
    if shape == "union":
        found = Union((found, Table(world.schemas["more"])))
    if draw(st.integers(0, 2)) == 2:
        found = Filter(found, draw(expressions(found.columns, "boolean")))
    if shape == "join":
        matches = 1 if found.unit == "row" else draw(st.integers(1, 2))
        on = draw(
            st.sampled_from(
                [(("i", "i"),), (("r", "i"),), (('s"t', "s"),), (("i", "i"), ('s"t', "s"))]
            )
        )
        adds = draw(
            st.sampled_from([(("v", "v"), ("label", "s")), (("v", "v"),), (("label", "s"),)])
        )
        found = Join(found, Table(world.schemas["public"]), on, adds, matches)
    if draw(st.booleans()):
        known = found.columns
        made = [
            (
                f"p{i}",
                draw(
                    expressions(
                        known, draw(st.sampled_from(["boolean", "integer", "real", "text", "date"]))
                    )
                ),
            )
            for i in range(3)
        ]
        found = Project(
            found, (*made, *((name, ColumnRef(name)) for name in ("i", "r", "I") if name in known))
        )
    if draw(st.integers(0, 3)) == 3:
        found = Filter(found, draw(expressions(found.columns, "boolean", 2)))
    return found


@st.composite
def plans(draw: st.DrawFn, world: World) -> Aggregate:
    source = draw(sources(world))
    known = source.columns
    if draw(st.integers(0, 5)) == 5 and any(range_.type == "integer" for range_ in known.values()):
        return draw(_crosses(source))
    keys = tuple(
        draw(
            st.lists(
                st.sampled_from(sorted(known)),
                min_size=draw(st.sampled_from([1, 1, 1, 0])),
                max_size=2,
                unique=True,
            )
        )
    )
    domain = None
    if not keys or draw(st.booleans()):
        there = [row for _, row in reference.evaluate_relation(source, world.raw)]
        lists = [
            st.lists(
                _key(known[key], [row[key] for row in there]), min_size=1, max_size=4, unique=True
            )
            for key in keys
        ]
        domain = tuple(tuple(draw(values)) for values in lists)
    caps = (
        (1, 1)
        if source.unit == "row"
        else (draw(st.sampled_from([1, 1, 2, 3])), draw(st.sampled_from([1, 2, 3, 4])))
    )
    measures = draw(st.lists(_measures(known), min_size=1, max_size=4, unique=True))
    if source.unit != "row":
        finer = draw(st.sampled_from([1, 2, 2**10, 2**27, 2**34]))
        measures = [replace(one, resolution=finer) if one.is_scaled else one for one in measures]
    return Aggregate(Group(Bound(source, keys, *caps), domain), tuple(measures))


@st.composite
def _crosses(draw: st.DrawFn, source: RelationNode) -> Aggregate:
    """Combinations of whole numbers, of so many codes that some of those that are there are
    among them.
    """
    numbers = sorted(name for name, range_ in source.columns.items() if range_.type == "integer")
    names = draw(st.lists(st.sampled_from(numbers), min_size=1, max_size=4, unique=True))
    cross = Contingency(
        tuple(
            (name, draw(st.sampled_from([1, 2, 3, 100, 2**31, 2**53 + 2, 2**62]))) for name in names
        )
    )
    caps = (
        (1, 1)
        if source.unit == "row"
        else (draw(st.integers(1, 2)), draw(st.sampled_from([1, 2, 3, 2**40])))
    )
    if source.unit != "row":
        cross = replace(
            cross,
            resolution=draw(
                st.sampled_from([1, 2, 2**10, 2**22, 2**40] if caps[1] < 2**40 else [1, 2, 2**22])
            ),
        )
    return Aggregate(Group(Bound(source, (), *caps)), (cross,))


def _key(known: Range, there: list[Value]) -> st.SearchStrategy[Value]:
    """Mostly values that are there."""
    seen = [value for value in there if value is not None and value not in (math.inf, -math.inf)]
    free = constants(known.type).filter(lambda value: value is not None)
    return st.one_of(st.sampled_from(seen), st.sampled_from(seen), free) if seen else free


@st.composite
def _measures(draw: st.DrawFn, known: Mapping[str, Range]) -> Measure:
    numbers = [name for name, range_ in known.items() if range_.type in ("integer", "real")]
    kind: Any = draw(
        st.sampled_from([*(["total", "moments"] if numbers else []), "units", "rows", "values"])
    )
    if kind in ("units", "rows"):
        return Measure(kind)
    if kind == "values":
        return Measure(kind, draw(st.sampled_from(sorted(known))))
    step = draw(
        st.sampled_from(
            [
                Fraction(1),
                Fraction(1),
                Fraction(1, 4),
                Fraction(1, 3),
                Fraction(7),
                Fraction(1, 10**6),
                Fraction(3, 2**30),
            ]
        )
    )
    most = draw(st.sampled_from([3, 100, 2**20, 2**26, 2**27, 2**40, 2**53]))
    low, high = sorted(draw(st.tuples(st.integers(-most, most), st.integers(-most, most))))
    return Measure(
        kind,
        draw(st.sampled_from(numbers)),
        ClampedGrid(step, low, high),
        has_null_sum=kind == "moments" and draw(st.booleans()),
    )

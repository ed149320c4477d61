"""Made-up tables and plans for the tests of engines, and what the reference says about them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from fractions import Fraction
from typing import Any

import duckdb
import pyarrow as pa
from hypothesis import strategies as st

from hedgerow.engines.data_source import Source
from hedgerow.engines.duckdb.engine import DuckDB
from hedgerow.engines.duckdb.tables.registry import RegisteredTable
from hedgerow.engines.reference import interpreter as reference
from hedgerow.errors import Refused
from hedgerow.plan.contingency import Contingency, group_into_words
from hedgerow.plan.contingency_table import ContingencyTable
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
from hedgerow.plan.schema import Column, Schema
from hedgerow.plan.values import FIRST_NUMBERS, LAST_NUMBERS, Range, Type, Value, number_date

# Every engine runs the whole conformance suite.
ENGINES: tuple[Callable[[Mapping[str, RegisteredTable]], Source], ...] = (DuckDB,)

EPOCH = date(1970, 1, 1).toordinal()
ENDLESS, ENDLESS_PAST = 2**31 - 1, -(2**31) + 1  # how DuckDB stores dates without an end
TEXTS = (
    "",
    "a",
    "b",
    "ab",
    "A",
    "é",
    "😀",
    "a%b",
    "_",
    "'",
    "\\",
    "--",
    "NULL",
    "a\nb",
    "x" * 3000,
    "\x00",
    "a\x00b",
    '"',
    "ß",
    "\ufffe",
)
WHOLES = (
    0,
    1,
    -1,
    2,
    3,
    -7,
    5,
    99,
    2**31 - 1,
    -(2**31),
    2**53 + 1,
    -(2**53) - 1,
    2**62,
    2**63 - 1,
    -(2**63),
)
REALS = (
    0.0,
    -0.0,
    0.5,
    -0.5,
    1.5,
    2.5,
    0.1,
    1 / 3,
    -1e-300,
    5e-324,
    1e15 + 0.5,
    2.0**53,
    1e308,
    -1e308,
    math.inf,
    -math.inf,
    math.nan,
    7.25,
)
DATES = (
    "0001-01-01",
    "1969-12-31",
    "1970-01-01",
    "2000-02-29",
    "2024-05-17",
    "2024-12-31",
    "9999-12-31",
    "infinity",
    "-infinity",
)
TIMESTAMPS = (
    "0001-01-01 00:00:00",
    "0001-01-01 00:00:00.000001",
    "1582-10-10 05:06:07",
    "1969-12-31 23:59:59.999999",
    "1970-01-01 00:00:00",
    "2000-02-29 12:30:00",
    "2016-12-31 23:59:59.5",
    "2024-05-17 10:11:12.131415",
    "2024-12-31 22:00:00",
    "9999-12-31 23:59:59.999999",
    "infinity",
    "-infinity",
)


@dataclass(frozen=True)
class World:
    """Tables as an engine gets them and as the reference gets them; ``unit_type`` is the SQL
    type of the ids.
    """

    registered: Mapping[str, RegisteredTable]
    raw: Mapping[str, Sequence[Mapping[str, object]]]
    unit_type: str
    schemas: Mapping[str, Schema] = field(default_factory=dict)


def days(spelled: str | None) -> int | None:
    """The number that an Arrow date has."""
    if spelled is None:
        return None
    return {"infinity": ENDLESS, "-infinity": ENDLESS_PAST}.get(spelled) or date.fromisoformat(
        spelled
    ).toordinal() - EPOCH


def dates(spelled: Sequence[str | None]) -> pa.Array:
    return pa.array([days(one) for one in spelled], pa.int32()).view(pa.date32())


def microseconds(spelled: str | datetime | None) -> int | None:
    """The number that an Arrow timestamp has."""
    if spelled is None:
        return None
    endless = {"infinity": 2**63 - 1, "-infinity": -(2**63) + 1}.get(str(spelled))
    if endless is not None:
        return endless
    return (datetime.fromisoformat(str(spelled)) - datetime(1970, 1, 1)) // timedelta(
        microseconds=1
    )


def timestamps(spelled: Sequence[str | datetime | None]) -> pa.Array:
    return pa.array(map(microseconds, spelled), pa.int64()).view(pa.timestamp("us"))


ARROW: Mapping[Type, Callable[[Sequence[Any]], pa.Array]] = {
    "boolean": lambda values: pa.array(values, pa.bool_()),
    "integer": lambda values: pa.array(values, pa.int64()),
    "real": lambda values: pa.array(values, pa.float64(), from_pandas=False),
    "text": lambda values: pa.array(values, pa.string()),
    "date": dates,
    "timestamp": timestamps,
}
POOLS: Mapping[Type, tuple[Any, ...]] = {
    "boolean": (True, False, None),
    "integer": (*WHOLES, None),
    "real": (*REALS, None),
    "text": (*TEXTS, None),
    "date": (*DATES, None),
    "timestamp": (*TIMESTAMPS, None),
}
SQL_TYPES: Mapping[Type, str] = {
    "boolean": "BOOLEAN",
    "integer": "BIGINT",
    "real": "DOUBLE",
    "text": "VARCHAR",
    "date": "DATE",
    "timestamp": "TIMESTAMP",
}

_bounds = {
    "integer": [
        (-5, 5),
        (0, 100),
        (-(2**31), 2**31),
        (-(2**61), 2**61),
        (-(2**63), 2**63 - 1),
        (3, 3),
    ],
    "real": [
        (Fraction(-3, 2), Fraction(13, 4)),
        (0, 100),
        (Fraction(1, 10), Fraction(7, 3)),
        (-(2**40), 2**40),
        (-1, 1),
    ],
    "date": [
        (date(1970, 1, 1).toordinal(), date(2024, 6, 30).toordinal()),
        (1, date.max.toordinal()),
    ],
    "timestamp": [
        (number_date(datetime(1970, 1, 1)), number_date(datetime(2024, 6, 30, 12))),
        (FIRST_NUMBERS["timestamp"], LAST_NUMBERS["timestamp"]),
    ],
}


@st.composite
def columns(draw: st.DrawFn, name: str, type_: Type) -> Column:
    grain = draw(st.sampled_from(["day", "month", "year"])) if type_ == "date" else "day"
    how = draw(st.sampled_from(["bounds", "bounds", "values", "free"]))
    if how == "bounds" and type_ in _bounds:
        low, high = draw(st.sampled_from(_bounds[type_]))
        return Column(name, type_, Fraction(low), Fraction(high), granularity=grain)
    if how == "values" and type_ in ("integer", "text"):
        pool = [value for value in POOLS[type_] if value is not None]
        return Column(
            name,
            type_,
            values=tuple(
                draw(st.lists(st.sampled_from(pool), min_size=1, max_size=5, unique=True))
            ),
        )
    if how == "values" and type_ == "date":
        return Column(
            name,
            type_,
            values=(date(1970, 1, 1), date(2024, 5, 1), date(2000, 2, 29), date(2024, 1, 1)),
            granularity=grain,
        )
    return Column(name, type_, granularity=grain)


NAMES: Mapping[str, Type] = {
    "b": "boolean",
    "i": "integer",
    "J x": "integer",
    "r": "real",
    "q": "real",
    's"t': "text",
    "d": "date",
    "w": "timestamp",
}
IDS: Mapping[str, tuple[pa.DataType, tuple[Any, ...]]] = {
    "BIGINT": (pa.int64(), (1, 2, 3, -1, -(2**63), None)),
    "VARCHAR": (pa.string(), ("1", "2", "", "é", "b" * 20, None)),
    "DOUBLE": (pa.float64(), (1.0, 2.0, 3.5, 0.0, -0.0, math.nan, None)),
}


@st.composite
def worlds(draw: st.DrawFn, rows: int = 14) -> World:
    """Two tables about the same units, and a public one."""
    unit_type = draw(st.sampled_from(sorted(IDS)))
    unit = draw(st.sampled_from(["id", "id", "row"]))
    declared = tuple(draw(columns(name, type_)) for name, type_ in NAMES.items())
    schemas = {name: Schema(name, declared, unit) for name in ("t", "more")}
    schemas["public"] = Schema(
        "public",
        (
            Column("i", "integer"),
            Column("s", "text"),
            Column("v", "real", Fraction(0), Fraction(9)),
        ),
        None,
    )
    registered, raw = {}, {}
    for name, schema in schemas.items():
        count = (
            draw(st.sampled_from([rows, rows, rows // 2, 1, 0]))
            if name == "t"
            else draw(st.integers(0, 4))
        )
        listed = {column.name: draw(_few(_cells(column), count)) for column in schema.columns}
        arrays = {column.name: ARROW[column.type](listed[column.name]) for column in schema.columns}
        if schema.unit is not None:
            arrow, pool = IDS[unit_type]
            listed["id"] = draw(_few(st.sampled_from(pool), count))
            arrays["id"] = pa.array(listed["id"], arrow, from_pandas=False)
        registered[name] = RegisteredTable(pa.table(arrays), schema)
        raw[name] = [{key: values[i] for key, values in listed.items()} for i in range(count)]
    return World(registered, raw, unit_type, schemas)


@st.composite
def _few(draw: st.DrawFn, cells: st.SearchStrategy[Any], count: int) -> list[Any]:
    """That many cells of few different values, so that units have several groups, and groups
    several rows.
    """
    palette = draw(st.lists(cells, min_size=2, max_size=4))
    return draw(st.lists(st.sampled_from(palette), min_size=count, max_size=count))


def _cells(column: Column) -> st.SearchStrategy[Any]:
    """What may stand in a column: mostly what was declared, so that groups have several rows,
    and often what was not.
    """
    inside = [
        value.isoformat() if isinstance(value, date) else value for value in column.values or ()
    ]
    if column.low is not None and column.high is not None and column.type == "integer":
        inside = [int(column.low), int(column.high), int(column.low + column.high) // 2]
    if column.low is not None and column.high is not None and column.type == "real":
        inside = [
            float(column.low),
            float(column.high),
            float(column.low + column.high) / 2,
            float(column.low) + 0.3,
        ]
    pool = st.sampled_from(POOLS[column.type])
    return (
        st.one_of(st.sampled_from(inside), pool)
        if inside
        else st.one_of(st.sampled_from(POOLS[column.type][:3]), pool)
    )


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


class Ranks:
    """The order in which DuckDB keeps the groups of a unit, asked of DuckDB itself."""

    def __init__(self) -> None:
        self._connection = duckdb.connect()

    def __call__(
        self, unit_type: str, key_types: Sequence[Type]
    ) -> Callable[[Value, tuple[Value, ...]], int]:
        types = [unit_type, *(SQL_TYPES[type_] for type_ in key_types)]
        sql = f"SELECT hash(hash({', '.join(f'CAST(? AS {type_})' for type_ in types)})) >> 32"

        def rank(unit: Value, group: tuple[Value, ...]) -> int:
            found: Any = self._connection.execute(sql, [unit, *group]).fetchone()
            return int(found[0])

        return rank


def combinations(table: ContingencyTable) -> dict[tuple[int, ...], int]:
    """How often each combination is there, by its codes. One line for each, in order."""
    lines = list(zip(*(word.tolist() for word in table.words), strict=True))
    assert lines == sorted(set(lines))
    found = {}
    for words, count in zip(lines, table.counts.tolist(), strict=True):
        codes: list[int] = []
        for word, places in zip(words, group_into_words(table.sizes), strict=True):
            own: list[int] = []
            for place in reversed(places):
                word, code = divmod(word, table.sizes[place])
                own.insert(0, code)
            codes += own
        found[tuple(codes)] = count
    return found


def answer(source: Source, plan: Aggregate) -> dict[tuple[Value, ...], tuple[Any, ...]]:
    """What an engine says, as the reference says it; keys must not repeat."""
    cells = source.run(plan)
    groups = list(zip(*cells.keys, strict=True)) if cells.keys else [()] * len(cells)
    found = {
        group: tuple(map(_number, [column[i] for column in cells.numbers]))
        for i, group in enumerate(groups)
    }
    assert len(found) == len(groups)
    return found


def _number(number: Any) -> Any:
    return combinations(number) if isinstance(number, ContingencyTable) else int(number)


def expected(
    world: World, plan: Aggregate, ranks: Ranks
) -> dict[tuple[Value, ...], tuple[Any, ...]]:
    """What the reference says."""
    known = plan.bound.columns
    words = [
        "integer"
        for measure in plan.measures
        if isinstance(measure, Contingency)
        for _ in group_into_words(measure.sizes)
    ]
    rank = ranks(world.unit_type, [*(known[key].type for key in plan.bound.keys), *words])
    alone = plan.bound.source.unit == "row"
    return reference.interpret_plan(
        plan, world.raw, lambda unit, group: 0 if alone or not group else rank(unit, group)
    )

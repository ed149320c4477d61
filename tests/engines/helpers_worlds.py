"""Made-up tables: columns of every type with the values at which engines differ."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from fractions import Fraction
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from hedgerow.engines.duckdb.tables.registry import RegisteredTable
from hedgerow.plan.schema import Column, Schema
from hedgerow.plan.values import FIRST_NUMBERS, LAST_NUMBERS, Type, number_date

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

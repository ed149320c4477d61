"""Small tables full of trouble, and their neighbours: one unit added, removed or replaced."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from random import Random
from typing import Any

import pyarrow as pa

from hedgerow.policy import Policy

Row = dict[str, Any]
ID = "id"
HUGE = "x" * 20_000
EPOCH = date(1970, 1, 1).toordinal()
ENDLESS, ENDLESS_PAST = 2**31 - 1, -(2**31) + 1  # how Arrow hands DuckDB dates without an end


def day_number(spelled: str) -> int:
    return date.fromisoformat(spelled).toordinal() - EPOCH


# What a well-behaved row holds, and what trouble holds; dates as Arrow counts them.
TAME: Mapping[str, Sequence[Any]] = {
    "age": (0, 7, 30, 30, 55, 110),
    "n": (1, 2, 3, -4),
    "big": (0, 5, -(2**39), 2**39, 12_345_678_901),
    "cost": (0.0, 0.005, 12.34, 999.99, 1000.0),
    "temp": (-3.5, 0.0, 0.1, 7.25),
    "gap": (0.0, 2.0, 6.0, 10.0),
    "score": (-5.0, -0.5, 0.5, 1.5, 5.0),
    "price": (Decimal("0.00"), Decimal("0.12"), Decimal("99.50")),
    "region": ("north", "south", "east"),
    "level": (1, 2, 3),
    "city": ("ulm", "bonn", "kiel", ""),
    "flag": (True, False),
    "day": (day_number("2024-02-25"), day_number("2024-02-29"), day_number("2024-03-03")),
    "seen": (day_number("2023-12-31"), day_number("2024-07-01")),
}
WILD: Mapping[str, Sequence[Any]] = {
    "age": (None, -1, 111, 2**63 - 1, -(2**63)),
    "n": (None, 0, 2**63 - 1, -(2**63), 2**62),
    "big": (None, 2**63 - 1, -(2**63), 2**53 + 1),
    "cost": (None, math.nan, math.inf, -math.inf, -0.0, 1e308, 5e-324, -1e300),
    "temp": (None, math.nan, math.inf, -math.inf, 1e16, -1e16),
    "gap": (None, math.nan, math.inf, 1e300),
    "score": (None, math.nan, math.inf, -math.inf, 1e300, 2.5, -2.5, 9.3e18),
    "price": (None, Decimal("99999999.99"), Decimal("-99999999.99")),
    "region": (None, "", "North", "nowhere", HUGE),
    "level": (None, 0, 4, 2**63 - 1),
    "city": (None, "", HUGE, "a\x00b", "'", "%", "Ä", "😀"),
    "flag": (None,),
    "day": (None, ENDLESS, ENDLESS_PAST, day_number("0001-01-01"), day_number("9999-12-31")),
    "seen": (None, ENDLESS, ENDLESS_PAST, day_number("0001-01-01"), day_number("9999-12-31")),
}
ARROW: Mapping[str, pa.DataType] = {
    "age": pa.int64(),
    "n": pa.int64(),
    "big": pa.int64(),
    "cost": pa.float64(),
    "temp": pa.float64(),
    "gap": pa.float64(),
    "score": pa.float64(),
    "price": pa.decimal128(12, 2),
    "region": pa.string(),
    "level": pa.int64(),
    "city": pa.string(),
    "flag": pa.bool_(),
    "day": pa.date32(),
    "seen": pa.date32(),
}
COLUMNS: Mapping[str, Any] = {
    "age": (0, 110),
    "big": (-(2**39), 2**39),
    "cost": {"type": "real", "min": 0, "max": 1000, "step": 0.01},
    "temp": {"type": "real", "min": -3.5, "max": 7.25},
    # 10/4 is 3 where halves go away from zero, and 2 where they go to even
    "gap": {"type": "real", "min": 0, "max": 10, "step": 4},
    "score": {"type": "integer", "min": -5, "max": 5},
    "price": {"type": "real", "min": 0, "max": 99.5, "step": 0.25},
    "region": ["north", "south", "east", "west"],
    "level": [1, 2, 3],
    "day": {"type": "date", "values": "2024-02-25 … 2024-03-03"},
}
IDS: Mapping[str, tuple[pa.DataType, tuple[Any, ...], tuple[Any, ...]]] = {
    "integer": (pa.int64(), tuple(range(1, 30)), (2**63 - 1, -(2**63), 0)),
    "text": (pa.string(), tuple(f"p{n}" for n in range(1, 30)), ("", HUGE, "P1")),
    "real": (pa.float64(), tuple(n + 0.5 for n in range(1, 30)), (math.inf, -math.inf, 0.0)),
}


@dataclass(frozen=True)
class World:
    """How a table is protected, in the words of ``protect``."""

    unit: str
    relation: str
    max_groups: int
    max_rows: int
    noise: str
    ids: str

    @classmethod
    def draw(cls, random: Random) -> World:
        rows = random.random() < 0.25
        caps = (1, 1) if rows else (random.randint(1, 3), random.randint(1, 3))
        relation = random.choice(["add-remove", "change-one"])
        return cls(
            "row" if rows else ID,
            relation,
            *caps,
            random.choice(["laplace", "laplace", "gaussian"]),
            random.choice(sorted(IDS)),
        )

    @property
    def arguments(self) -> dict[str, Any]:
        columns = COLUMNS if self.unit == ID else {**COLUMNS, ID: {"hidden": True}}
        caps = {"max_groups": self.max_groups, "max_rows_per_group": self.max_rows, "max_units": 9}
        return {
            "unit": self.unit,
            "neighbours": self.relation,
            "columns": columns,
            "epsilon": 10_000,
            "delta": 0.1,
            "noise": self.noise,
            **caps,
        }

    def policy(self, tables: Mapping[str, pa.Table]) -> Policy:
        return Policy.for_frame(tables["data"], **self.arguments)

    def tables(self, rows: Sequence[Row]) -> dict[str, pa.Table]:
        """Arrow columns; NaN stays NaN."""
        arrays = {name: array([row[name] for row in rows], type_) for name, type_ in ARROW.items()}
        return {
            "data": pa.table({ID: array([row[ID] for row in rows], IDS[self.ids][0]), **arrays})
        }


def array(values: Sequence[Any], type_: pa.DataType) -> pa.Array:
    if type_ == pa.date32():
        return pa.array(values, pa.int32()).view(type_)
    return pa.array(values, type_, from_pandas=False)


def row(random: Random, who: Any, trouble: float = 0.2) -> Row:
    """A row of somebody's; ``trouble`` is the share of cells that hold something bad."""
    found = {
        name: random.choice(WILD[name] if random.random() < trouble else TAME[name])
        for name in TAME
    }
    return {ID: who, **found}


def base(random: Random, world: World, trouble: float = 0.2) -> list[Row]:
    """A few units with one to five rows each, one with many, and rows of nobody."""
    _, usual, odd = IDS[world.ids]
    sizes = [1, 1, 2, 3, random.randint(1, 5), random.choice([8, 20])]
    ids = [*random.sample(usual[:12], len(sizes) - 1), random.choice([*odd, usual[12]])]
    rows = [
        row(random, who, trouble) for who, size in zip(ids, sizes, strict=True) for _ in range(size)
    ]
    rows += [row(random, None, trouble) for _ in range(2)]
    random.shuffle(rows)
    return rows


# What somebody may bring. Each is a list of rows of one unit.
def _same(random: Random, who: Any) -> list[Row]:
    return [row(random, who)] * random.choice([2, 10, 60])


def _crowd(random: Random, who: Any) -> list[Row]:
    return [row(random, who) for _ in range(random.choice([5, 40]))]


def _groups(random: Random, who: Any) -> list[Row]:
    """As many groups as one can be in."""
    spread = [
        {"city": f"town {i}", "region": r, "level": i % 3 + 1, "n": i}
        for i in range(12)
        for r in ("north", "south", "east", "west")
    ]
    return [row(random, who, 0.05) | one for one in random.sample(spread, 25)]


def _end(which: Callable[[Sequence[Any]], Any]) -> Callable[[Random, Any], list[Row]]:
    """The largest or smallest of everything that has an order, over and over."""

    def made(random: Random, who: Any) -> list[Row]:
        ends = {
            name: which([v for v in (*TAME[name], *WILD[name]) if v is not None and v == v])
            for name in TAME
            if name not in _FREE
        }
        return [row(random, who, 0) | ends for _ in range(random.choice([1, 3, 9]))]

    return made


def _only(place: int) -> Callable[[Random, Any], list[Row]]:
    """A row that holds nothing but one kind of trouble: the first is NULL, the next NaN,
    infinity and so on.
    """

    def made(random: Random, who: Any) -> list[Row]:
        worst = {name: values[place % len(values)] for name, values in WILD.items()}
        return [{ID: who, **worst}] * random.choice([1, 4])

    return made


_FREE = ("region", "city", "level", "flag", "n")
VISITORS: Sequence[Callable[[Random, Any], list[Row]]] = (
    lambda random, who: [row(random, who, 0)],
    lambda random, who: [row(random, who, 1)],
    _same,
    _crowd,
    _groups,
    _groups,
    _end(max),
    _end(min),
    *(_only(place) for place in range(4)),
)


def neighbours(random: Random, world: World, rows: list[Row], count: int) -> Iterator[list[Row]]:
    """Tables that differ from ``rows`` in one unit."""
    _, usual, odd = IDS[world.ids]
    new = [who for who in (*usual[13:], *odd) if who not in {row[ID] for row in rows}]
    for turn in range(count):
        bring = VISITORS[(turn + random.randrange(2) * 7) % len(VISITORS)]
        yield _shuffled(random, _next(random, world, rows, bring(random, random.choice(new)), turn))


def _next(
    random: Random, world: World, rows: list[Row], visitor: list[Row], turn: int
) -> list[Row]:
    if world.unit == "row":
        gone = random.randrange(len(rows))
        left = rows[:gone] + rows[gone + 1 :]
        if world.relation == "change-one":
            return [*left, visitor[0]]
        return left if turn % 4 == 3 else [*rows, visitor[0]]
    ids = sorted({row[ID] for row in rows if row[ID] is not None}, key=str)
    who = ids[turn % len(ids)]
    left = [row for row in rows if row[ID] != who]
    if world.relation == "change-one":
        return left + ([row | {ID: who} for row in visitor] if random.random() < 0.5 else visitor)
    return left if turn % 4 == 3 else rows + visitor


def _shuffled(random: Random, rows: list[Row]) -> list[Row]:
    return random.sample(rows, len(rows))

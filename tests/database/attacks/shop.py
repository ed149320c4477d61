"""Tables that hang on each other, and their neighbours: one customer added, removed or replaced
with all that is hers.

orders say whose they are; items belong to whoever has an order of their number, returns to whoever
has an item of theirs; so an order number that two customers claim makes its items those of both,
and nobody claims some. Visits are a second table about customers, and towns are public, several
rows to a region. Visits and items may come in parts.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import pyarrow as pa

from database.attacks.helpers_shop_policy import (
    ARROW,
    ITEMS,
    LOOSE,
    OWN,
    OWN_ITEMS,
    PARTED,
    POLICY,
    SHARED,
)
from database.attacks.neighbours import ENDLESS, Row, array, day_number
from hedgerow.policy import Policy
from hedgerow.policy.toml.reader import parse_policy

Data = dict[str, list[Row]]
MONTHS, KINDS = (1, 2, 3, 4, 5), ("book", "lamp", "rope", "soap")
REGIONS = ("north", "south", "east", "west")
TOWNS = pa.table(
    {
        "region": ["north", "north", "north", "south", "south", "east", None, "nowhere"],
        "zone": ["a", "a", "b", "b", None, "a", "a", "b"],
        "people": [10, 10, 20, 30, 40, None, 5, 6],
    }
)


@dataclass(frozen=True)
class Shop:
    """How the tables are protected; ``parts`` is how many of each partition a customer counts
    in, None without partitions.
    """

    relation: str
    max_groups: int
    max_rows: int
    noise: str
    ids: str
    parts: int | None = None

    @classmethod
    def draw(cls, random: Random) -> Shop:
        caps = random.randint(1, 3), random.randint(1, 3)
        relation, noise = (
            random.choice(["add-remove", "change-one"]),
            random.choice(["laplace", "laplace", "gaussian"]),
        )
        return cls(
            relation,
            *caps,
            noise,
            random.choice(["integer", "text"]),
            random.choice([None, 1, 2, 3]),
        )

    def policy(self, _: Mapping[str, pa.Table]) -> Policy:
        caps = (
            f'neighbours = "{self.relation}"\nmax_units = 9\nmax_groups ='
            f" {self.max_groups}\nmax_rows_per_group = {self.max_rows}"
        )
        parts = {
            f"part_{table}": (
                ""
                if self.parts is None
                else (
                    f'[tables.{table}.partition]\ncolumn = "{column}"\nmax_parts_per_unit ='
                    f" {self.parts}"
                )
            )
            for table, column in PARTED.items()
        }
        return replace(
            parse_policy(POLICY.format(noise=self.noise, caps=caps, **parts)), ledger=None
        )

    def tables(self, data: Data) -> dict[str, pa.Table]:
        ids = pa.int64() if self.ids == "integer" else pa.string()
        made = {
            table: pa.table(
                {
                    name: array([row[name] for row in data[table]], type_ or ids)
                    for name, type_ in columns.items()
                }
            )
            for table, columns in ARROW.items()
        }
        return made | {"towns": TOWNS}

    def who(self, number: int) -> Any:
        return number if self.ids == "integer" else f"c{number}"

    def parts_between(self, table: str, one: Data, other: Data) -> set[str]:
        """The parts of a table where somebody counts who has other rows there in the two."""
        column, listed = PARTED[table], MONTHS if table == "visits" else KINDS
        mine, theirs = (self._counting(owned(data, table), column, listed) for data in (one, other))
        return {
            part
            for who in {**mine, **theirs}
            if mine.get(who) != theirs.get(who)
            for held in (mine, theirs)
            for part in held.get(who, {})
        }

    def _counting(
        self, rows: Mapping[Any, list[Row]], column: str, listed: Sequence[Any]
    ) -> dict[Any, dict[str, Counter[str]]]:
        found = {}
        for who, held in rows.items():
            values = sorted({row[column] for row in held} & set(listed))[: self.parts]
            found[who] = {
                str(value): Counter(repr(row) for row in held if row[column] == value)
                for value in values
            }
        return found


def owned(data: Data, table: str) -> dict[Any, list[Row]]:
    """Whose rows they are."""
    found = defaultdict[Any, list[Row]](list)
    if table in ("orders", "visits"):
        for row in data[table]:
            if row["customer"] is not None:
                found[row["customer"]].append(row)
        return found
    above, key, column = (
        ("orders", "number", "order_number") if table == "items" else ("items", "item", "item")
    )
    for who, rows in owned(data, above).items():
        keys = {row[key] for row in rows} - {None}
        found[who] = [row for row in data[table] if row[column] in keys]
    return found


def order(random: Random, who: Any, number: Any, trouble: float = 0.2) -> Row:
    wild = random.random() < trouble
    return {
        "customer": who,
        "number": number,
        "amount": random.choice([None, -1, 2**63 - 1] if wild else [0, 7, 30, 50]),
        "region": random.choice([None, "", "nowhere"] if wild else REGIONS),
        "note": random.choice([None, "", "x" * 5000] if wild else ["a", "b", "c", "d"]),
    }


def item(random: Random, number: Any, name: Any, trouble: float = 0.2) -> Row:
    wild = random.random() < trouble
    price = random.choice(
        [None, float("nan"), float("inf"), -1e300] if wild else [0.0, 0.25, 7.5, 20.0]
    )
    return {
        "order_number": number,
        "item": name,
        "price": price,
        "kind": random.choice([None, "Book", ""] if wild else KINDS),
    }


def returned(random: Random, name: Any, trouble: float = 0.2) -> Row:
    wild = random.random() < trouble
    return {
        "item": name,
        "days": random.choice([None, -5, 2**63 - 1] if wild else [0, 3, 14, 30]),
        "reason": random.choice([None, ""] if wild else ["late", "torn", "odd"]),
    }


def visit(random: Random, who: Any, trouble: float = 0.2) -> Row:
    wild = random.random() < trouble
    return {
        "customer": who,
        "minutes": random.choice([None, -9, 2**63 - 1] if wild else [0, 10, 45, 90]),
        "region": random.choice([None, "North"] if wild else REGIONS),
        "month": random.choice([None, 0, 6] if wild else MONTHS),
        "day": random.choice(
            [None, ENDLESS]
            if wild
            else [day_number("2024-02-25"), day_number("2024-02-29"), day_number("2024-03-03")]
        ),
    }


def base(random: Random, world: Shop, trouble: float = 0.2) -> Data:
    """Five customers, whose orders share their numbers; items of nobody, orders of nobody, and
    keys that are NULL.
    """
    data: Data = {"orders": [], "items": [], "returns": [], "visits": []}
    for place in range(5):
        who = world.who(place + 1)
        for _ in range(random.choice([1, 2, 5])):
            data["orders"].append(order(random, who, random.choice(SHARED), trouble))
        data["visits"] += [visit(random, who, trouble) for _ in range(random.choice([0, 1, 4, 12]))]
    data["orders"] += [
        order(random, None, random.choice(SHARED)),
        order(random, world.who(1), None),
    ]
    data["visits"].append(visit(random, None))
    data["items"] = [
        item(
            random,
            random.choice([*SHARED, *SHARED, *LOOSE, None]),
            random.choice([*ITEMS, None]),
            trouble,
        )
        for _ in range(30)
    ]
    data["returns"] = [returned(random, random.choice([*ITEMS, None]), trouble) for _ in range(20)]
    return data


def _hers(
    random: Random,
    who: Any,
    numbers: Sequence[Any],
    each: int,
    trouble: float,
    names: Sequence[int] = (),
) -> Data:
    """Orders of these numbers, and as many items, returns and visits; items have numbers of hers
    alone, and names of hers or ``names``.
    """
    alone = [number for number in numbers if number is not None and number >= OWN] or [OWN]
    orders = [
        order(random, who, numbers[place % len(numbers)], trouble)
        for place in range(max(each, len(numbers)))
    ]
    if OWN in alone and OWN not in numbers:
        orders.append(order(random, who, OWN, trouble))
    own = [OWN_ITEMS + place for place in range(max(1, each // 3))]
    return {
        "orders": orders,
        "items": [
            item(random, random.choice(alone), random.choice([*own, *names]), trouble)
            for _ in range(each)
        ],
        "returns": [returned(random, random.choice(own), trouble) for _ in range(each)],
        "visits": [visit(random, who, trouble) for _ in range(each)],
    }


def _crowd(random: Random, who: Any) -> Data:
    return _hers(random, who, [OWN + place for place in range(random.choice([1, 20]))], 60, 0.1)


def _claims(random: Random, who: Any) -> Data:
    """She claims the orders of all others, and those of nobody."""
    return _hers(random, who, [*SHARED, *LOOSE, None, OWN], 5, 0.1, ITEMS)


def _spread(random: Random, who: Any) -> Data:
    """In every group that there is."""
    data = _hers(random, who, [OWN, OWN + 1], 12, 0)
    data["orders"] = [
        order(random, who, OWN + place % 2, 0) | {"region": REGIONS[place % 4], "note": f"n{place}"}
        for place in range(12)
    ]
    data["items"] = [
        item(random, OWN, OWN_ITEMS + place, 0) | {"kind": KINDS[place % 4]} for place in range(8)
    ]
    months = [(month, region) for month in MONTHS for region in REGIONS]
    data["visits"] = [
        visit(random, who, 0) | {"month": month, "region": region}
        for month, region in random.sample(months, 12)
    ]
    return data


def _same(random: Random, who: Any) -> Data:
    return {
        table: rows[:1] * random.choice([2, 60])
        for table, rows in _hers(random, who, [OWN], 1, 0).items()
    }


VISITORS: Sequence[Callable[[Random, Any], Data]] = (
    lambda random, who: _hers(random, who, [OWN], 1, 0),
    lambda random, who: _hers(random, who, [OWN, random.choice(SHARED)], 4, 0.9, ITEMS),
    _crowd,
    _claims,
    _spread,
    _spread,
    _same,
)


def without(random: Random, data: Data, who: Any) -> Data:
    """The tables without a customer; what was hers alone may stay, and is then nobody's."""
    left = {
        **data,
        "orders": [row for row in data["orders"] if row["customer"] != who],
        "visits": [row for row in data["visits"] if row["customer"] != who],
    }
    if random.random() < 0.5:
        for table in ("returns", "items"):
            others = [
                row for other, rows in owned(data, table).items() if other != who for row in rows
            ]
            hers = [
                row
                for row in owned(data, table).get(who, ())
                if not any(row is one for one in others)
            ]
            left[table] = [row for row in data[table] if not any(row is one for one in hers)]
    return left


def neighbours(random: Random, world: Shop, data: Data, count: int) -> Iterator[Data]:
    """Tables that differ in one customer, in any order, with other rows of nobody."""
    for turn in range(count):
        bring = VISITORS[(turn - turn // 4 + random.randrange(2) * 3) % len(VISITORS)]
        who = world.who(1 + turn % 5)
        if world.relation == "change-one":
            left, new = without(random, data, who), random.choice([who, world.who(20)])
        else:
            left, new = (
                (without(random, data, who), None) if turn % 4 == 3 else (data, world.who(20))
            )
        more: Data = {} if new is None else bring(random, new)
        together = {table: [*rows, *more.get(table, ())] for table, rows in left.items()}
        together["items"] = [
            *together["items"],
            item(random, None, random.choice(ITEMS)),
            item(random, 99, random.choice(ITEMS)),
        ]
        yield {table: random.sample(rows, len(rows)) for table, rows in together.items()}

"""Stores whose customers are people only together with the store, and neighbours of them: one
customer of one store added, removed or replaced, with everything they bought and brought back.

Numbers of customers repeat in each store, and so do parts that only together mean somebody: 1 and
11, 11 and 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import pyarrow as pa

from database.attacks.neighbours import Row, array
from hedgerow.policy import Policy
from hedgerow.policy.toml.reader import parse_policy

Data = dict[str, list[Row]]
Who = tuple[Any, Any]
STORES, NUMBERS = (1, 11, 2), (1, 11, 111)
KINDS = ("food", "tools", "books")
ARROW: Mapping[str, Mapping[str, pa.DataType | None]] = {
    "sales": {
        "store": pa.int64(),
        "customer": None,
        "sale": pa.int64(),
        "kind": pa.string(),
        "price": pa.int64(),
    },
    "returns": {"store": pa.int64(), "customer": None, "kind": pa.string(), "days": pa.int64()},
    "lines": {"sale": pa.int64(), "kind": pa.string(), "pieces": pa.int64()},
}
COLUMNS = {
    "sales": """
store = {{ values = [1, 2, 11] }}
customer = {{ type = "{ids}" }}
sale = {{ type = "integer" }}
kind = {{ values = ["food", "tools", "books"] }}
price = {{ type = "integer", min = 0, max = 9 }}
""",
    "returns": """
store = {{ type = "integer" }}
customer = {{ type = "{ids}" }}
kind = {{ values = ["food", "tools", "books"] }}
days = {{ type = "integer", min = 0, max = 30 }}
""",
    "lines": """
sale = {{ type = "integer" }}
kind = {{ values = ["food", "tools", "books"] }}
pieces = {{ type = "integer", min = -1, max = 4 }}
""",
}
UNITS = {
    "sales": '["store", "customer"]',
    "returns": '["store", "customer"]',
    "lines": '"sale -> sales.sale, sales.(store, customer)"',
}


@dataclass(frozen=True)
class Stores:
    """How the tables are protected."""

    relation: str
    ids: str
    noise: str
    groups: int
    rows: int

    @classmethod
    def draw(cls, random: Random) -> Stores:
        return cls(
            random.choice(["add-remove", "change-one"]),
            random.choice(["integer", "text"]),
            random.choice(["laplace", "gaussian"]),
            random.randint(1, 2),
            random.randint(1, 3),
        )

    def policy(self, _: Mapping[str, pa.Table]) -> Policy:
        sections = [
            '[database]\nname = "stores"\n[budget]\nepsilon = 10_000\ndelta = 0.1\n'
            f'noise = "{self.noise}"'
        ]
        sections += [
            f'[tables.{table}]\nsource = "{table}.parquet"\nunit = {UNITS[table]}\n'
            f'neighbours = "{self.relation}"\nmax_units = 9\nmax_groups = {self.groups}\n'
            f"max_rows_per_group = {self.rows}\n"
            f"[tables.{table}.columns]\n{COLUMNS[table].format(ids=self.ids)}"
            for table in ARROW
        ]
        return replace(parse_policy("\n".join(sections)), ledger=None)

    def tables(self, data: Data) -> dict[str, pa.Table]:
        ids = pa.int64() if self.ids == "integer" else pa.string()
        return {
            table: pa.table(
                {
                    name: array([row[name] for row in data[table]], type_ or ids)
                    for name, type_ in columns.items()
                }
            )
            for table, columns in ARROW.items()
        }

    def who(self, place: int) -> Who:
        """One of nine customers of three stores, and then of a store that nobody lists."""
        store, number = (*STORES, 7)[place // 3], NUMBERS[place % 3]
        return store, number if self.ids == "integer" else str(number)


def buy(random: Random, who: Who, most: int) -> Data:
    """What one customer of one store did: sometimes the same again and again."""
    own = {"store": who[0], "customer": who[1]}
    sold = [
        {
            **own,
            "sale": random.choice([None, 1000 * (who[0] or 0) + int(who[1] or 0)]),
            "kind": random.choice([None, *KINDS]),
            "price": random.choice([None, -5, 0, 4, 9, 2**60]),
        }
        for _ in range(random.randint(0, most))
    ]
    back = [
        {**own, "kind": random.choice(KINDS), "days": random.choice([None, 0, 7, 99])}
        for _ in range(random.randint(0, most))
    ]
    lines = [
        {
            "sale": random.choice([None, *(row["sale"] for row in sold)]),
            "kind": random.choice(KINDS),
            "pieces": random.choice([None, -1, 4, 50]),
        }
        for _ in range(random.randint(0, most) if sold else 0)
    ]
    made: Data = {"sales": sold, "returns": back, "lines": lines}
    if random.random() < 0.3:
        made = {table: rows[:1] * random.choice([2, 7]) for table, rows in made.items()}
    return made


def base(random: Random, world: Stores) -> Data:
    """Eight customers, and rows that lack a part of their id."""
    each = [buy(random, world.who(place), 4) for place in range(8)]
    each += [buy(random, who, 2) for who in ((None, world.who(0)[1]), (1, None), (None, None))]
    return {table: [row for one in each for row in one[table]] for table in ARROW}


def neighbours(random: Random, world: Stores, data: Data, count: int) -> Iterator[Data]:
    """Tables that differ in one customer of one store, in any order."""
    for turn in range(count):
        left, who = data, world.who(turn % 9)
        leaves = world.relation == "change-one" or turn % 2 == 1
        if leaves:
            left = _remove(data, who)
        if world.relation == "change-one" or not leaves:
            added = buy(random, who if leaves else (7, world.who(2)[1]), random.choice([1, 3, 9]))
            left = {name: [*rows, *added[name]] for name, rows in left.items()}
        yield {name: random.sample(rows, len(rows)) for name, rows in left.items()}


def _remove(data: Data, who: Who) -> Data:
    owned = {row["sale"] for row in data["sales"] if (row["store"], row["customer"]) == who} - {
        None
    }
    return {
        "sales": [row for row in data["sales"] if (row["store"], row["customer"]) != who],
        "returns": [row for row in data["returns"] if (row["store"], row["customer"]) != who],
        "lines": [row for row in data["lines"] if row["sale"] not in owned],
    }


_SAME = "a.store = b.store AND a.customer = b.customer"
_ROWS = (
    ("sales a", "a.store a.kind", "price"),
    ("returns a", "a.kind", "days"),
    ("lines a", "a.kind", "pieces"),
    (f"sales a JOIN returns b ON {_SAME}", "a.store a.kind b.kind", "price days"),
    ("sales a JOIN returns b USING (store, customer)", "a.kind b.kind", "price days"),
    (f"sales a LEFT JOIN returns b ON {_SAME} AND a.kind = b.kind", "a.kind", "price days"),
    ("lines a JOIN sales b ON a.sale = b.sale", "a.kind b.store", "pieces price"),
    (
        f"sales a WHERE EXISTS (SELECT 1 FROM returns b WHERE {_SAME} AND b.days > 3)",
        "a.store a.kind",
        "price",
    ),
    (
        "sales a WHERE NOT (a.store, a.customer) IN (SELECT store, customer FROM returns)",
        "a.kind",
        "price",
    ),
    (
        "(SELECT store, customer, kind, COUNT(*) AS n FROM sales GROUP BY store, customer, kind)"
        " AS a",
        "a.store a.kind",
        "LEAST(n,3)",
    ),
    (
        "(SELECT store, customer, MAX(days) AS m FROM returns GROUP BY store, customer) AS a"
        f" JOIN sales b ON {_SAME}",
        "b.store",
        "m price",
    ),
    (
        "(SELECT DISTINCT store AS s, customer AS c, kind FROM sales) AS a JOIN returns b ON"
        " a.s = b.store AND a.c = b.customer",
        "a.kind",
        "days",
    ),
)


def question(random: Random) -> str:
    """A question about customers of stores."""
    rows, keys, numbers = random.choice(_ROWS)
    asked = ["COUNT(*)"]
    for column in numbers.split():
        asked += [f"{name}({column})" for name in ("SUM", "AVG", "MAX") if random.random() < 0.4]
    if rows.startswith("sales a") and random.random() < 0.4:
        asked.append("COUNT(DISTINCT (a.store, a.customer))")
    by = [key for key in keys.split() if random.random() < 0.6]
    shown = [
        *(f"{key} AS k{i}" for i, key in enumerate(by)),
        *random.sample(asked, min(2, len(asked))),
    ]
    grouped = f" GROUP BY {', '.join(by)}" if by else ""
    return f"SELECT {', '.join(shown)} FROM {rows}{grouped}"

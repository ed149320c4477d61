"""A forum where rows of different people meet, and its neighbours: one author added, removed or
replaced with everything they wrote. Where rows are units, it is one row.

Comments hang on posts of others, posts on posts of the same topic, and whom somebody follows is an
author. Some posts are hot: all comment on them.
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
TOPICS, MOODS = ("a", "b", "c"), ("glad", "sad")
POSTS = (1, 1, 1, 2, 2, 3, 4, 5, 6)
ARROW: Mapping[str, Mapping[str, pa.DataType | None]] = {
    "posts": {
        "author": None,
        "id": pa.int64(),
        "topic": pa.string(),
        "score": pa.int64(),
        "weight": pa.float64(),
    },
    "comments": {"author": None, "post_id": pa.int64(), "mood": pa.string(), "up": pa.int64()},
    "follows": {"author": None, "friend": None},
}
COLUMNS = {
    "posts": """
id = {{ type = "integer" }}
topic = {{ values = ["a", "b", "c"] }}
score = {{ type = "integer", min = -3, max = 5 }}
weight = {{ type = "real", min = -1, max = 1, step = 0.5 }}
""",
    "comments": """
post_id = {{ type = "integer" }}
mood = {{ values = ["glad", "sad"] }}
up = {{ type = "integer", min = 0, max = 9 }}
""",
    "follows": 'friend = {{ type = "{ids}" }}\n',
}


@dataclass(frozen=True)
class Forum:
    """How the tables are protected; ``caps`` are those of joins, per unit and per key."""

    relation: str
    unit: str
    ids: str
    noise: str
    caps: Mapping[str, tuple[int, int]]

    @classmethod
    def draw(cls, random: Random) -> Forum:
        unit = random.choice(["author", "author", "author", "row"])
        return cls(
            random.choice(["add-remove", "change-one"]),
            unit,
            random.choice(["integer", "text"]),
            random.choice(["laplace", "gaussian"]),
            {
                table: (1 if unit == "row" else random.randint(1, 4), random.randint(1, 3))
                for table in ARROW
            },
        )

    def policy(self, _: Mapping[str, pa.Table]) -> Policy:
        sections = [
            '[database]\nname = "forum"\n[budget]\nepsilon = 10_000\ndelta = 0.1\n'
            f'noise = "{self.noise}"'
        ]
        for table, (per_unit, per_key) in self.caps.items():
            sections.append(
                f'[tables.{table}]\nsource = "{table}.parquet"\nunit = "{self.unit}"\n'
                f'neighbours = "{self.relation}"\nmax_units = 9\n'
                f"max_join_rows_per_key = {per_key}"
            )
            if self.unit != "row":
                sections.append(
                    f"max_groups = 2\nmax_rows_per_group = 2\nmax_join_rows_per_unit = {per_unit}"
                )
            own = "" if self.unit == "row" else f'author = {{{{ type = "{self.ids}" }}}}\n'
            sections.append(f"[tables.{table}.columns]\n{own}{COLUMNS[table]}".format(ids=self.ids))
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

    def who(self, number: int) -> Any:
        return number if self.ids == "integer" else f"c{number}"


def post(random: Random, who: Any) -> Row:
    wild = random.random() < 0.2
    return {
        "author": who,
        "id": None if random.random() < 0.1 else random.choice(POSTS),
        "topic": random.choice([None, "d"] if wild else TOPICS),
        "score": random.choice([None, -(2**60), 2**63 - 1] if wild else [-3, 0, 1, 5]),
        "weight": random.choice([None, float("nan"), float("inf"), -0.0, 0.0, 0.25, 1.0, -1.0]),
    }


def comment(random: Random, who: Any) -> Row:
    wild = random.random() < 0.2
    return {
        "author": who,
        "post_id": None if random.random() < 0.1 else random.choice(POSTS),
        "mood": random.choice([None, ""] if wild else MOODS),
        "up": random.choice([None, -7, 2**62] if wild else [0, 3, 9]),
    }


def _write(random: Random, world: Forum, who: Any, most: int) -> Data:
    """What one author wrote: sometimes the same row again and again."""
    made: Data = {
        "posts": [post(random, who) for _ in range(random.randint(0, most))],
        "comments": [comment(random, who) for _ in range(random.randint(0, most))],
        "follows": [
            {"author": who, "friend": random.choice([None, *map(world.who, range(1, 7))])}
            for _ in range(random.randint(0, most))
        ],
    }
    if random.random() < 0.3:
        made = {table: rows[:1] * random.choice([2, 7]) for table, rows in made.items()}
    return made


def base(random: Random, world: Forum) -> Data:
    """Five authors, and rows of nobody."""
    each = [_write(random, world, world.who(number), 4) for number in range(1, 6)]
    each.append(_write(random, world, None, 2))
    return {table: [row for one in each for row in one[table]] for table in ARROW}


def neighbours(random: Random, world: Forum, data: Data, count: int) -> Iterator[Data]:
    """Tables that differ in one author, or in one row, in any order."""
    for turn in range(count):
        left, who = data, world.who(1 + turn % 6)
        if world.unit == "row":
            table = random.choice([*ARROW])
            more = _write(random, world, who, 9)[table][:1]
            if world.relation == "change-one" or random.random() < 0.5:
                if not (data[table] and (more or world.relation == "add-remove")):
                    continue
                place = random.randrange(len(data[table]))
                left = {**data, table: [*data[table][:place], *data[table][place + 1 :]]}
                more = more if world.relation == "change-one" else []
            left = {**left, table: [*left[table], *more]}
        else:
            if world.relation == "change-one" or turn % 2:
                left = {
                    name: [row for row in rows if row["author"] != who]
                    for name, rows in data.items()
                }
            if world.relation == "change-one" or left is data:
                new = who if world.relation == "change-one" else world.who(20)
                added = _write(random, world, new, random.choice([1, 3, 12]))
                left = {name: [*rows, *added[name]] for name, rows in left.items()}
        yield {name: random.sample(rows, len(rows)) for name, rows in left.items()}


_JOINS = (
    ("posts p JOIN comments c ON c.post_id = p.id", "topic mood", "score up weight"),
    ("posts p JOIN posts c ON c.id = p.id", "p.topic c.topic", "p.score c.score c.weight"),
    ("comments p, comments c WHERE c.post_id = p.post_id", "p.mood c.mood", "p.up c.up"),
    ("posts p JOIN comments c ON c.post_id = p.id AND c.up = p.score", "topic mood", "score up"),
)
_PEOPLE = (
    ("follows f JOIN posts p ON f.friend = p.author", "topic", "score weight"),
    ("follows f JOIN follows g ON f.friend = g.author", "", ""),
    (
        "follows f JOIN comments c ON f.author = c.author JOIN posts p ON p.id = c.post_id",
        "topic mood",
        "score up",
    ),
)


def question(random: Random) -> str:
    """A question about rows of different people."""
    rows, keys, numbers = random.choice(_JOINS + _PEOPLE)
    asked = ["COUNT(*)"]
    for column in numbers.split():
        asked += [f"{name}({column})" for name in ("SUM", "AVG", "COUNT") if random.random() < 0.3]
    by = [key for key in keys.split() if random.random() < 0.6]
    condition = " AND " if " WHERE " in rows else " WHERE "
    if numbers and random.random() < 0.4:
        rows += f"{condition}{random.choice(numbers.split())} > 0"
    shown = [
        *(f"{key} AS k{i}" for i, key in enumerate(by)),
        *random.sample(asked, min(2, len(asked))),
    ]
    if random.random() < 0.2 and " c " in rows and rows.startswith("posts p JOIN comments"):
        where = f" WHERE {random.choice(numbers.split())} < 9"
        rows = f"(SELECT {', '.join([*keys.split(), *numbers.split()])} FROM {rows}) AS x{where}"
    grouped = f" GROUP BY {', '.join(by)}" if by else ""
    return f"SELECT {', '.join(shown)} FROM {rows}{grouped}"

"""Made-up statements in which the constructs of analysts meet: people whom two columns identify,
sums of different values, keys on a grid, timestamps, lengths of texts, set operations of one
person's rows, their own clipping, and SQL over several answers.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import pyarrow as pa

from database.attacks import neighbours
from database.attacks.grammar import Words, asked, holds
from database.attacks.neighbours import ID, Row, World
from database.attacks.seam import versions
from database.attacks.statements import judge, run

START = datetime.datetime(2024, 2, 29, 22, 30)
MOMENTS: Sequence[Any] = (
    *(START + datetime.timedelta(minutes=n) for n in (0, 1, 59, 90, 700)),
    START.replace(microsecond=999_999),
    None,
    datetime.datetime(1, 1, 1),
    datetime.datetime(9999, 12, 31, 23, 59, 59),
)
WORDS: Sequence[Any] = ("", "a", "ulm", "a b c", "ä😀", "x" * 12, "x" * 13, neighbours.HUGE, None)


@dataclass(frozen=True)
class CombinedWorld(World):
    """One table with moments, words and, if ``is_composite``, people of several branches."""

    is_composite: bool = False

    @classmethod
    def draw(cls, random: Random) -> CombinedWorld:
        world = World.draw(random)
        plain = {name: getattr(world, name) for name in World.__dataclass_fields__}
        is_composite = random.random() < 0.4 and world.unit == ID
        return cls(
            **plain | ({"ids": "integer"} if is_composite else {}), is_composite=is_composite
        )

    @property
    def arguments(self) -> dict[str, Any]:
        found = super().arguments
        columns: dict[str, Any] = {
            **found["columns"],
            "at": {"type": "timestamp", "min": START, "max": START + datetime.timedelta(days=1)},
            "word": {"type": "text", "max_length": 12},
        }
        unit: Any = [ID, "branch"] if self.is_composite else found["unit"]
        return {**found, "columns": columns, "unit": unit}

    def tables(self, rows: Sequence[Row]) -> dict[str, pa.Table]:
        """Add moments and words that follow from the row, and the branch of composite ids."""
        table = super().tables(rows)["data"]
        draws = [Random(repr([row[name] for name in neighbours.TAME])) for row in rows]
        moments = pa.array([random.choice(MOMENTS) for random in draws], pa.timestamp("us"))
        words = pa.array([random.choice(WORDS) for random in draws], pa.string())
        table = table.append_column("at", moments).append_column("word", words)
        if self.is_composite:
            ids = [row[ID] for row in rows]
            first = [None if who is None else who // 3 for who in ids]
            second = [place % 3 if who is None else who % 3 for place, who in enumerate(ids)]
            table = table.set_column(0, ID, pa.array(first, pa.int64()))
            table = table.append_column("branch", pa.array(second, pa.int64()))
        return {"data": table}


def build_number(random: Random) -> str:
    made = random.choice(
        [
            *("age", "cost", "gap", "score", "price", "level", "LENGTH(word)", "LENGTH(word) / 3"),
            *("EXTRACT(HOUR FROM at)", "DATE_DIFF('minute', TIMESTAMP '2024-02-29 22:00:00', at)"),
            *("CAST(level AS DOUBLE)", "LENGTH(UPPER(word)) * gap", "WIDTH_BUCKET(age, 0, 90, 3)"),
        ]
    )
    if made.startswith("DATE_DIFF"):
        return f"LEAST(GREATEST({made}, 0), 900)"
    return f"({made} + {random.choice(['age', 'gap', '1'])})" if random.random() < 0.2 else made


COUNTED = ("at", "word", "DATE_TRUNC('hour', at)", "gap", "price", "level", "LENGTH(word)")
KEYS = (
    *("gap", "price", "ROUND(cost, 0)", "ROUND(cost / 7, 1)", "LENGTH(word)", "region", "level"),
    *("DATE_TRUNC('hour', at)", "DATE_TRUNC('minute', at)", "EXTRACT(HOUR FROM at)"),
    *("CAST(level AS VARCHAR)", "CAST(at AS DATE)", "WIDTH_BUCKET(cost, 0, 1000, 4)", "flag"),
)
CONDITION = holds(
    *("LENGTH(word) > 2", "at >= TIMESTAMP '2024-02-29 23:00:00'", "gap = 4", "price < 1.5"),
    *("ROUND(cost, 0) = 12", "word LIKE 'a%'", "at IS NULL", "level IN (1, 2)", "age > 20"),
    *("EXTRACT(MINUTE FROM at) = 30", "word = ''", "region <> 'north'"),
)
TABLE = Words("data", build_number, KEYS, COUNTED, ("region", "level", "flag", "gap"), CONDITION)
OTHER = (
    *("SUM(DISTINCT {})", "AVG(DISTINCT {})", "SKEWNESS({})", "KURTOSIS({})", "MIN(at)", "MAX(at)"),
    *("MEDIAN(at)", "REGR_SLOPE({}, age)", "REGR_R2(age, {})", "REGR_COUNT({}, score)"),
    *("MODE(DATE_TRUNC('hour', at))", "COUNT(DISTINCT at)", "SUM(LENGTH(word))", "AVG({})"),
)
NAMES = "age, cost, gap, score, price, level, region, at, word, flag"


def build_source(random: Random, ids: str) -> str:
    """Rows of the table, or of set operations and subqueries of the same people."""
    sides = [f"SELECT {ids}, {NAMES} FROM data WHERE {CONDITION(random)}" for _ in range(2)]
    own = " AND ".join(f"a.{name} = b.{name}" for name in ids.split(", "))
    fold = random.choice(["SUM(level)", "MAX(LENGTH(word))", "COUNT(DISTINCT at)"])
    return random.choice(
        [
            *["data"] * 4,
            f"({random.choice([' INTERSECT ', ' EXCEPT ', ' UNION ', ' UNION ALL ']).join(sides)})",
            f"(SELECT DISTINCT {ids}, {NAMES} FROM data)",
            f"(SELECT a.age, a.cost, b.gap, a.score, b.price, a.level, b.region, a.at, b.word,"
            f" a.flag FROM data a JOIN data b ON {own} AND a.level = b.level)",
            "(SELECT a.age, a.cost, a.gap, LEAST(folded, 4) AS score, a.price, a.level, a.region,"
            f" a.at, a.word, a.flag FROM data a JOIN (SELECT {ids}, {fold} AS folded FROM data"
            f" GROUP BY {ids}) b ON {own})",
            f"(SELECT * FROM data a WHERE EXISTS (SELECT 1 FROM data b WHERE {own} AND b.gap >"
            " a.gap))",
        ]
    )


def build_question(random: Random, ids: str) -> str:
    """One question."""
    question = asked(random, replace(TABLE, source=build_source(random, ids)))
    if random.random() < 0.6:
        head, _, tail = question.partition(" FROM ")
        extra = random.choice(OTHER).format(build_number(random))
        question = f"{head}, {extra} FROM {tail}"
    return question


def build_statement(random: Random, ids: str) -> str:
    """A question, one that measures its own clipping, or SQL over several answers."""
    made, source = random.random(), build_source(random, ids)
    key, number = random.choice(KEYS), build_number(random)
    if made < 0.55:
        return build_question(random, ids)
    if made < 0.7:
        group = random.choice(["", f" GROUP BY {key}"])
        what = random.choice(["COUNT(*", f"AVG({number}", f"SUM({number}", f"MEDIAN({number}"])
        shown = f"{key}, " if group else ""
        return f"SELECT {shown}{what}, clipped => TRUE) FROM {source}{group}"
    return random.choice(
        [
            f"SELECT {key} AS k, COUNT(*) / SUM(COUNT(*)) OVER () FROM {source} GROUP BY {key}",
            f"SELECT region, level, SUM({number}) FROM {source} GROUP BY CUBE (region, level)",
            f"SELECT COUNT(*) FROM {source} WHERE age > (SELECT AVG(age) FROM data)",
            f"SELECT region, SUM(DISTINCT level) FROM {source} GROUP BY ROLLUP (region)",
            f"WITH a AS (SELECT level, AVG({number}) AS m FROM {source} GROUP BY level) SELECT"
            " level, m / (SELECT SUM(LENGTH(word)) FROM data) FROM a ORDER BY m LIMIT 2",
            f"SELECT a.level, a.n - b.n FROM (SELECT level, COUNT(*) AS n FROM {source} GROUP BY"
            " level) a JOIN (SELECT level, COUNT(DISTINCT at) AS n FROM data GROUP BY level) b"
            " USING (level)",
        ]
    )


def seek_combined(name: str, pairs: int) -> tuple[int, int, list[str]]:
    """So many pairs of neighbours or a few more, the answered statements, and what was wrong; the
    same ones for the same name."""
    random, found, answered, problems = Random(name), 0, 0, list[str]()
    while found < pairs:
        world = CombinedWorld.draw(random)
        ids = f"{ID}, branch" if world.is_composite else ID
        data = neighbours.base(random, world)
        others = neighbours.neighbours(random, world, data, 8)
        with versions(world, [data, *others], asked=2) as opened:
            for _ in range(6):
                sql = build_statement(random, ids)
                outcome = run(opened, 0, sql)
                count, wrong = judge(opened, outcome)
                other = run(opened, 1, sql).seen
                if other != outcome.seen:
                    wrong.append(f"two neighbours look different: {outcome.seen}, {other}")
                found, answered = found + count, answered + bool(count)
                problems += [f"{world}: {sql}: {problem}" for problem in wrong]
    return found, answered, problems

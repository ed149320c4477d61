"""Made-up questions over the table of ``neighbours``: a small grammar of what analysts may
write.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random

NUMBERS = (
    "age",
    "big",
    "cost",
    "temp",
    "gap",
    "score",
    "price",
    "level",
    "MONTH(day)",
    "YEAR(seen)",
    "EXTRACT(DOW FROM day)",
)
WHOLES = ("age", "score", "level", "big", "DAY(seen)", "QUARTER(day)")
CONSTANTS = ("0", "1", "2", "-3", "7", "0.5", "-2.25", "10", "100")
KEYS = (
    "region",
    "level",
    "flag",
    "score",
    "FLOOR(age / 20)",
    "MONTH(day)",
    "DATE_TRUNC('month', day)",
    "CASE WHEN age > 30 THEN 'old' ELSE 'young' END",
    "city",
    "n",
    "seen",
    "COALESCE(city, 'none')",
    "age % 7",
    "big",
    "DATE_TRUNC('month', seen)",
    "CASE WHEN n > 0 THEN city ELSE region END",
    "UPPER(city)",
    "LEFT(region, 1)",
    "CONCAT(region, '-', city)",
    "LENGTH(city)",
    "day + INTERVAL '1' MONTH",
    "STARTS_WITH(city, 'u')",
)
PATTERNS = ("%", "_%", "%o%", "u__", "", "%x", "%\x00%")


def number(random: Random, depth: int) -> str:
    """A number with bounds, mostly."""
    if depth == 0 or random.random() < 0.25:
        return random.choice(NUMBERS) if random.random() < 0.85 else random.choice(CONSTANTS)
    a, b = number(random, depth - 1), number(random, depth - 1)
    if random.random() < 0.55:
        return f"({a} {random.choice('+-*')} {b})"
    return random.choice(
        [
            f"({a} / {random.choice(['2', '3', '-7', '0.1', '(age + 1)'])})",
            f"({random.choice(WHOLES)} % {random.choice(['3', '-2', 'score', 'level'])})",
            f"(-{a})",
            f"ABS({a})",
            f"FLOOR({a})",
            f"CEIL({a})",
            f"ROUND({a}, {random.choice(['0', '1', '-1'])})",
            f"CAST({a} AS DOUBLE)",
            f"SQRT({a})",
            f"LN(age + {random.choice(['1', '0.5'])})",
            f"LEAST({a}, {b})",
            f"GREATEST({a}, {b})",
            f"COALESCE({a}, {random.choice(CONSTANTS)})",
            f"NULLIF({a}, {random.choice(CONSTANTS)})",
            f"CASE WHEN {condition(random, depth - 1)} THEN {a} ELSE {b} END",
            f"CASE WHEN {condition(random, depth - 1)} THEN {a} END",
        ]
    )


def condition(random: Random, depth: int) -> str:
    """Something that holds or not, or is NULL."""
    if depth > 0 and random.random() < 0.35:
        a, b = condition(random, depth - 1), condition(random, depth - 1)
        return random.choice([f"({a} AND {b})", f"({a} OR {b})", f"NOT ({a})"])
    sign = random.choice(["=", "<>", "<", "<=", ">", ">="])
    a, b = number(random, max(depth - 1, 0)), number(random, max(depth - 1, 0))
    return random.choice(
        [
            f"{a} {sign} {b}",
            f"{a} {sign} {random.choice(CONSTANTS)}",
            f"{a} / {b} {sign} 1",
            f"{a} BETWEEN {random.choice(CONSTANTS)} AND {random.choice(CONSTANTS)}",
            f"n {sign} {random.choice(['0', '9223372036854775807', '1'])}",
            f"city LIKE '{random.choice(PATTERNS)}'",
            f"city {sign} '{random.choice(['', 'ulm', 'zzz'])}'",
            f"COALESCE(city, region, 'none') NOT LIKE '{random.choice(PATTERNS)}'",
            f"region IN ('north', '{random.choice(['east', 'nowhere'])}')",
            f"level IN (1, {random.choice(['2', '3', '9'])})",
            f"city IN ('ulm', '{random.choice(['bonn', 'nowhere', ''])}')",
            "flag",
            (
                f"{random.choice(['n', 'cost', 'city', 'seen', 'age'])} IS"
                f" {random.choice(['', 'NOT '])}NULL"
            ),
            f"day {sign} DATE '2024-03-01'",
            f"MONTH(seen) {sign} 7",
            f"DATE_TRUNC('year', seen) {sign} DATE '2024-01-01'",
            (
                f"DATE_DIFF('{random.choice(['day', 'month', 'year'])}', day, seen) {sign}"
                f" {random.choice(CONSTANTS)}"
            ),
            (
                f"seen - INTERVAL '{random.choice(['3', '400000'])}'"
                f" {random.choice(['DAY', 'MONTH', 'YEAR'])} {sign} day"
            ),
            (
                f"LENGTH({random.choice(['city', 'TRIM(city)', 'CONCAT(city, region)'])}) {sign}"
                f" {random.choice(['0', '3', '20000'])}"
            ),
            (
                f"STARTS_WITH({random.choice(['city', 'LOWER(region)'])},"
                f" '{random.choice(['', 'u', 'n'])}')"
            ),
            (
                f"SUBSTRING(city, {random.choice(['1', '2', '-1', '0'])},"
                f" {random.choice(['1', '0', '99999'])}) {sign} 'u'"
            ),
            f"RIGHT(city, {random.choice(['0', '1', '3'])}) {sign} UPPER(region)",
        ]
    )


@dataclass(frozen=True)
class Words:
    """What may be said of some source: its numbers, keys, columns to be counted and listed
    values; and conditions on it.
    """

    source: str
    number: Callable[[Random], str]
    keys: tuple[str, ...]
    counted: tuple[str, ...]
    listed: tuple[str, ...]
    condition: Callable[[Random], str]
    first: str = ""  # a WITH before the SELECT


SUMMED = ("SUM", "AVG", "VAR_POP", "VAR_SAMP", "STDDEV_POP", "STDDEV_SAMP")
PAIRED = ("COVAR_POP", "COVAR_SAMP", "CORR")
SHARES = ("0.5", "0.9", "0.01", "0.25")
METHODS = (
    "",
    "",
    ", method => 'inverse'",
    ", method => 'smooth'",
    ", method => 'laplace'",
    ", method => 'propose', bound => 3",
)
CLIPPED = ("", ", clipped => TRUE", ", clipped => TRUE, outer_bounds_per_group => (-500, 900)")
BRACKETS = ("", ", bracket => 0.05", ", bracket => 0.005")
LIMITS = ("(0, 1)", "(0, 50)", "(-3, 3)", "(-100, 0.5)", "(2, 7)")


def _count(random: Random, words: Words) -> str:
    value = random.choice([*words.counted, words.number(random)])
    return random.choice(
        [f"COUNT({value})", f"COUNT(DISTINCT {value})", f"COUNT(DISTINCT {value})"]
    )


def _limited(random: Random, words: Words) -> str:
    added = f"SUM({words.number(random)}"
    what = random.choice(["COUNT(*", f"COUNT({random.choice(words.counted)}", added, added])
    clipped = random.choice(CLIPPED) if what.startswith("SUM") else ""
    return f"{what}, contribution_bounds_per_group => {random.choice(LIMITS)}{clipped})"


def _pick(random: Random, words: Words) -> str:
    method, value = random.choice(METHODS), words.number(random)
    return random.choice(
        [
            f"MEDIAN({value}{method or random.choice(BRACKETS)})",
            f"QUANTILE({value}, {random.choice(SHARES)}{method or random.choice(BRACKETS)})",
            f"PERCENTILE_CONT({random.choice(SHARES)}) WITHIN GROUP (ORDER BY {value})",
            f"MIN({value}{method})",
            f"MAX({value}{method})",
        ]
    )


def _mode(random: Random, words: Words) -> str:
    method = random.choice(
        ("", ", method => 'inverse'", ", method => 'laplace'", ", method => 'stable'")
    )
    return f"MODE({random.choice(words.listed)}{method})"


def aggregate(random: Random, words: Words) -> str:
    """One aggregate."""
    made = random.choices(
        [
            lambda: "COUNT(*)",
            lambda: _count(random, words),
            lambda: f"SUM({words.number(random)})",
            lambda: f"{random.choice(SUMMED)}({words.number(random)})",
            lambda: f"{random.choice(PAIRED)}({words.number(random)}, {words.number(random)})",
            lambda: _limited(random, words),
            lambda: _pick(random, words),
            lambda: _mode(random, words),
        ],
        [3, 3, 4, 4, 1, 2, 4, 1],
    )[0]()
    return f"{made} FILTER (WHERE {words.condition(random)})" if random.random() < 0.15 else made


def asked(random: Random, words: Words) -> str:
    """A whole question of a source."""
    keys = random.sample(words.keys, min(len(words.keys), random.choice([0, 1, 1, 1, 2])))
    outputs = [*keys, *(aggregate(random, words) for _ in range(random.choice([1, 1, 2, 3])))]
    where = f" WHERE {words.condition(random)}" if random.random() < 0.5 else ""
    group = f" GROUP BY {', '.join(keys)}" if keys else ""
    return f"{words.first}SELECT {', '.join(outputs)} FROM {words.source}{where}{group}"


def simple(*names: str) -> Callable[[Random], str]:
    """A number that is one of these, or a little more than that."""

    def made(random: Random) -> str:
        a, b = random.choice(names), random.choice(names)
        return random.choice(
            [a, a, a, f"({a} {random.choice('+-*')} {b})", f"COALESCE({a}, 0)", f"LEAST({a}, {b})"]
        )

    return made


def holds(*conditions: str) -> Callable[[Random], str]:
    """One of these, or two together."""

    def made(random: Random) -> str:
        a, b = random.choice(conditions), random.choice(conditions)
        return random.choice([a, a, f"({a} AND {b})", f"({a} OR {b})", f"NOT ({a})"])

    return made


TABLE = Words(
    "data",
    lambda random: number(random, random.choice([0, 0, 1, 2, 3])),
    KEYS,
    ("n", "city", "flag", "seen", "region", "big", "UPPER(city)"),
    ("region", "level", "day", "MONTH(seen)", "flag"),
    lambda random: condition(random, random.choice([1, 2])),
)


def folded(random: Random) -> Words:
    """One row for each unit, or for each and some keys."""
    keys = random.sample(("region", "level", "city", "flag"), random.choice([0, 0, 1, 2]))
    sum_ = (
        f"LEAST(GREATEST(SUM({number(random, 1)}), {random.choice(['0', '-5'])}),"
        f" {random.choice(['3', '500'])})"
    )
    fold = random.choice(
        [
            f"LEAST(COUNT({random.choice(['*', 'n', 'DISTINCT city'])}), 9)",
            "MAX(age)",
            "MIN(score)",
            "AVG(cost)",
            "MAX(big)",
        ]
    )
    having = (
        f" HAVING {random.choice(['COUNT(*) > 1', 'SUM(age) > 30', 'COUNT(DISTINCT level) < 3'])}"
        if random.random() < 0.4
        else ""
    )
    where = f" WHERE {condition(random, 1)}" if random.random() < 0.3 else ""
    outputs = ", ".join(["id", *keys, f"{sum_} AS s", f"{fold} AS f", "COUNT(*) AS c"])
    inner = f"SELECT {outputs} FROM data{where} GROUP BY {', '.join(['id', *keys])}{having}"
    named = random.random() < 0.4
    return Words(
        "w" if named else f"({inner})",
        simple("s", "f", "LEAST(c, 5)"),
        (*keys, "LEAST(c, 4)", "CASE WHEN s > 1 THEN 'a' ELSE 'b' END", "FLOOR(f)"),
        ("s", "c", *keys),
        ("LEAST(c, 3)",),
        holds("c > 2", "s > 0", "f IS NOT NULL", "f < s"),
        f"WITH w AS ({inner}) " if named else "",
    )


def derived(random: Random) -> Words:
    """The rows of a table once for each unit, beside themselves, or twice."""
    columns = "id, age, level, region, city, cost"
    beside = random.choice(
        [
            "a.level = b.level",
            "a.city = b.city",
            "a.age < b.age",
            "a.region = b.region AND a.age = b.age",
        ]
    )
    if random.random() < 0.5:
        kind = "LEFT JOIN" if "<" not in beside and random.random() < 0.5 else "JOIN"
        return Words(
            f"data a {kind} data b ON a.id = b.id AND {beside}",
            simple("a.age", "b.age", "b.cost", "a.cost"),
            ("a.region", "b.level", "b.city", "a.city"),
            ("b.city", "a.age", "b.n"),
            ("b.region", "a.level"),
            holds("a.age > 20", "b.cost < 100", "a.cost = b.cost", "b.city IS NULL"),
        )
    source = random.choice(
        [
            f"(SELECT DISTINCT {columns} FROM data)",
            f"(SELECT {columns} FROM data UNION ALL SELECT {columns} FROM data)",
            (
                f"(SELECT {columns} FROM data WHERE age > 7 UNION ALL SELECT id, age + 1 AS age,"
                " level, region, city, cost FROM data)"
            ),
            (
                f"(SELECT {columns} FROM (SELECT * FROM data WHERE level = 1) UNION ALL SELECT"
                f" {columns} FROM data)"
            ),
        ]
    )
    return Words(
        source,
        simple("age", "cost", "level"),
        ("region", "city", "level"),
        ("city", "age", "cost"),
        ("region", "level"),
        holds("age > 20", "cost < 100", "city = 'ulm'", "region IS NULL"),
    )


def chosen(random: Random) -> Words:
    """The rows of those who are among others, or have another row that is like this one."""
    beside = random.choice(["level", "city", "region", "age"])
    rows = (
        f"SELECT 1 FROM data b WHERE b.id = a.id AND b.{beside} = a.{beside} AND b.cost"
        f" {random.choice('<>')} 100"
    )
    among = f"SELECT id FROM data WHERE {condition(random, 1)}"
    tests = (f"id IN ({among})", f"id NOT IN ({among})", f"EXISTS ({rows})", f"NOT EXISTS ({rows})")
    return replace(TABLE, source=f"(SELECT * FROM data a WHERE {random.choice(tests)})")


def question(random: Random) -> str:
    """A whole question."""
    made = random.random()
    return asked(
        random,
        (
            TABLE
            if made < 0.55
            else (
                folded(random) if made < 0.73 else derived(random) if made < 0.9 else chosen(random)
            )
        ),
    )

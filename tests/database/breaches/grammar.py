"""Made-up questions over the table of ``neighbours``: a small grammar of what analysts may write."""

from __future__ import annotations

from random import Random

NUMBERS = ("age", "big", "cost", "temp", "gap", "score", "price", "level", "MONTH(day)", "YEAR(seen)", "EXTRACT(DOW FROM day)")
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
            "flag",
            f"{random.choice(['n', 'cost', 'city', 'seen', 'age'])} IS {random.choice(['', 'NOT '])}NULL",
            f"day {sign} DATE '2024-03-01'",
            f"MONTH(seen) {sign} 7",
            f"DATE_TRUNC('year', seen) {sign} DATE '2024-01-01'",
        ]
    )


def aggregate(random: Random) -> str:
    """One aggregate."""
    kind = random.choice(["COUNT(*)", "COUNT", "SUM", "SUM", "AVG"])
    if kind == "COUNT(*)":
        return kind
    if kind == "COUNT":
        return f"COUNT({random.choice(['n', 'city', 'flag', 'seen', number(random, 2)])})"
    return f"{kind}({number(random, random.choice([0, 1, 2, 3]))})"


def question(random: Random) -> str:
    """A whole question."""
    keys = random.sample(KEYS, random.choice([0, 1, 1, 1, 2]))
    outputs = [*keys, *(aggregate(random) for _ in range(random.choice([1, 1, 2, 3])))]
    where = f" WHERE {condition(random, 2)}" if random.random() < 0.6 else ""
    group = f" GROUP BY {', '.join(keys)}" if keys else ""
    return f"SELECT {', '.join(outputs)} FROM data{where}{group}"

"""Questions with the functions that other databases know, for neighbours of one table."""

from __future__ import annotations

from random import Random

__all__ = ["function_question"]

AGGREGATES = (
    *("REGR_SLOPE(cost, age)", "REGR_COUNT(cost, age)", "REGR_SXX(age, score)"),
    *("SKEWNESS(age)", "KURTOSIS(age)", "KURTOSIS_POP(cost)", "SKEWNESS(score)"),
    *("SUMIF(age, level = 1)", "AVG(TRUNC(cost / 7))", "SUM(POWER(level, 3))", "SUM(SIGN(score))"),
    *("SUM(DISTINCT age)", "AVG(DISTINCT level)", "SUM(DISTINCT score)"),
    *("APPROX_COUNT_DISTINCT(city)", "APPROX_QUANTILE(age, 0.9)"),
    *("SUM(LEAST(GREATEST(TRY_CAST(city AS DOUBLE), 0), 9))", "AVG(LOG2(age + 1))"),
    *("COUNT(CAST(city AS DATE))", "AVG(EPOCH(day) / 86400)", "SUM(DEGREES(score))"),
    *("COUNT(DISTINCT SPLIT_PART(city, 'l', 1))",),
    *("COUNT(DECODE(region, 'north', 1, NULL, 2))", "BOOL_OR(age > 60)", "MIN(region)"),
)
KEYS = (
    *("WIDTH_BUCKET(age, 20, 60, 4)", "DECODE(city, 'ulm', 'here', 'away')", "level // 2"),
    *("NVL2(city, region, 'none')", "SIGN(score)", "region"),
    *("STRFTIME(day, '%Y-%m')", "DAYNAME(day)", "EXTRACT(week FROM day)", "REPLACE(city, 'u', '')"),
)
CONDITIONS = (
    *("city ILIKE 'U%'", "age IS DISTINCT FROM 30", "CONTAINS(city, 'o')"),
    *("TRY_CAST(city AS INTEGER) IS NULL", "CONCAT_WS('-', city, level) LIKE '%1'"),
    *("age BETWEEN SYMMETRIC 60 AND level", "region IS NOT DISTINCT FROM city"),
)


# The pieces of a text: a row becomes several of the same unit.
PIECES = (
    "(SELECT *, UNNEST(string_split(city, 'l')[1:3]) AS piece FROM data) AS data",
    "data LEFT JOIN UNNEST(string_split(CONCAT(city, ';:', region), ';:')[1:2]) AS t(piece)"
    " ON TRUE",
)


def function_question(random: Random) -> str:
    """One question, with or without keys and a condition, some about the pieces of a text."""
    keys = random.sample(KEYS, random.choice([0, 0, 1, 2]))
    source = "data"
    if random.random() < 0.2:
        source = random.choice(PIECES)
        keys += ["piece"] * random.choice([0, 1])
    outputs = [*keys, *random.sample(AGGREGATES, random.choice([1, 2, 3]))]
    where = f" WHERE {random.choice(CONDITIONS)}" if random.random() < 0.3 else ""
    group = f" GROUP BY {', '.join(keys)}" if keys else ""
    return f"SELECT {', '.join(outputs)} FROM {source}{where}{group}"

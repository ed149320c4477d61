"""When parts add up: whatever is not refused does, on all data that were tried; and what is
refused for its caps would be biased.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from hedgerow.answers.consistency.additivity import (
    explain_non_additivity,
    find_summed_measure,
    is_same_sum,
    match_keys,
)
from hedgerow.answers.estimates.estimate import compute_linear_weights
from hedgerow.engines.reference.interpreter import interpret_plan
from hedgerow.errors import Refused
from hedgerow.plan.measures import Measure
from hedgerow.plan.schema import Column, Schema
from hedgerow.sql.catalog import Catalog
from hedgerow.sql.parser import parse_question
from hedgerow.sql.question import AggregateCall, Question
from plan.worlds import rank
from sql.helpers_fixtures import CATALOG

COLUMNS = (
    Column("id", "integer"),
    Column("a", "text", values=("x", "y")),
    Column("b", "boolean"),
    Column("v", "integer", Fraction(-2), Fraction(3)),
    Column("free", "text"),
)
LISTED = Schema(
    "listed",
    (Column("a", "text", values=("x", "y")), Column("zone", "text", values=("n", "s"))),
    None,
)


def catalog(unit: str, groups: int, rows: int) -> Catalog:
    mine = replace(
        CATALOG.tables["answers" if unit == "row" else "visits"], schema=Schema("t", COLUMNS, unit)
    )
    public = replace(CATALOG.tables["regions"], schema=LISTED, unique=(("a",),))
    return Catalog(
        {
            "t": (
                mine if unit == "row" else replace(mine, max_groups=groups, max_rows_per_group=rows)
            ),
            "listed": public,
        }
    )


def tables(random: Random) -> dict[str, list[dict[str, Any]]]:
    def row() -> dict[str, Any]:
        values: dict[str, list[Any]] = {
            "a": ["x", "y", "z", None],
            "b": [True, False, None],
            "v": [*range(-3, 5), None],
            "free": ["p", "q", None],
        }
        return {
            "id": random.choice([1, 2, 3, None]),
            **{name: random.choice(pool) for name, pool in values.items()},
        }

    return {
        "t": [row() for _ in range(random.randrange(9))],
        "listed": [{"a": "x", "zone": "n"}, {"a": "y", "zone": "s"}],
    }


def exact(
    question: Question, call: AggregateCall, data: dict[str, list[dict[str, Any]]]
) -> dict[tuple[Any, ...], Fraction]:
    measures, weights = question.plan.measures, compute_linear_weights(call)
    assert weights is not None
    start = sum(measure.width for measure in measures[: measures.index(call.measure)])
    cells = interpret_plan(question.plan, data, rank)
    return {
        key: sum((w * numbers[start + i] for i, w in enumerate(weights)), Fraction(0))
        for key, numbers in cells.items()
    }


def add_up(
    total: Question,
    parts: Question,
    calls: tuple[AggregateCall, AggregateCall],
    at: tuple[int, ...],
    data: Any,
) -> bool:
    sums = dict.fromkeys(exact(total, calls[0], data), Fraction(0))
    for key, number in exact(parts, calls[1], data).items():
        sums[tuple(key[place] for place in at)] += number
    return sums == exact(total, calls[0], data)


SOURCES = (
    "t",
    "(SELECT id, MAX(v) > 0 AS a, COUNT(*) > 1 AS b, MIN(v) AS v FROM t GROUP BY id) AS u",
    "(SELECT id, a, b, MAX(v) AS v FROM t GROUP BY id, a, b) AS u",
    "(SELECT t.id, t.b, t.v, l.zone AS a FROM t JOIN listed l ON l.a = t.a) AS u",
    "(SELECT id, a, b, v FROM t UNION ALL SELECT id, a, b, v FROM t WHERE v > 0) AS u",
    (
        "(SELECT p.a, q.b, q.v FROM t AS p JOIN (SELECT id, MAX(v) AS v, COUNT(*) > 1 AS b FROM t"
        " GROUP BY id) AS q ON p.id = q.id) AS u"
    ),
)
PICKED = (
    "COUNT(*) AS n, COUNT(v) AS c, SUM(v) AS s, COUNT(*) FILTER (WHERE v > 0) AS f",
    (
        "AVG(v) AS m, COUNT(v) AS c, SUM(v) AS s, SUM(v, contribution_bounds_per_group => (0, 2))"
        " AS l, COUNT(DISTINCT v) AS d"
    ),
)
ON = {
    (): "a IS NOT NULL AND b IS NOT NULL",
    ("a",): "b IS NOT NULL",
    ("b",): "a IS NOT NULL",
    ("b", "a"): "TRUE",
    ("a", "b"): "v <> 1",
}


def pairs(known: Catalog) -> Iterator[tuple[Question, Question]]:
    for source in SOURCES:
        asked = []
        for keys, condition in ON.items():
            for more in ("", " AND v <> 1"):
                for picked in (*PICKED, "COUNT(DISTINCT id) AS u"):
                    select = ", ".join([*keys, picked])
                    try:
                        asked.append(
                            parse_question(
                                f"SELECT {select} FROM {source} WHERE {condition}{more}{_by(keys)}",
                                known,
                            )
                        )
                    except Refused:  # the unit "row" has no id, and no subquery for each person
                        continue
        found = [
            (one, other) for one in asked for other in asked if len(one.keys) < len(other.keys)
        ]
        yield from Random(0).sample(found, min(len(found), 30))


def _by(keys: tuple[str, ...]) -> str:
    return f" GROUP BY {', '.join(keys)}" if keys else ""


@pytest.mark.long
@pytest.mark.parametrize(
    ("unit", "groups", "rows"),
    [
        *(("row", 1, 1), ("id", 9, 12)),
        *(
            pytest.param("id", groups, rows, marks=pytest.mark.slow)
            for groups, rows in ((1, 1), (2, 1), (1, 3))
        ),
    ],
)
def test_accepted_totals_and_parts_add_up(unit: str, groups: int, rows: int) -> None:
    worlds = [tables(Random(number)) for number in range(8)]
    accepted, biased, told = 0, 0, set()
    for total, parts in pairs(catalog(unit, groups, rows)):
        try:
            at = match_keys(total, parts)
        except Refused:
            continue
        for call in total.aggregates:
            for other in parts.aggregates:
                one, two = find_summed_measure(call), find_summed_measure(other)
                if one is None or two is None or not is_same_sum(total, one, parts, two, at):
                    continue
                fits = [add_up(total, parts, (call, other), at, data) for data in worlds]
                why = explain_non_additivity(total, parts, one)
                assert why is not None or all(fits), (call.text, total, parts)
                accepted += why is None
                biased += why is not None and not all(fits)
                told.add(one.kind)
    assert accepted > 10
    assert (biased > 0) == (unit == "id")
    assert told >= {"rows", "values", "total"}


ROWS, CAPPED = catalog("row", 1, 1), catalog("id", 2, 1)


def two(total: str, parts: str, known: Catalog = ROWS) -> tuple[Question, Question]:
    return parse_question(total, known), parse_question(parts, known)


@pytest.mark.parametrize(
    ("total", "parts", "shared"),
    [
        ("SELECT COUNT(*) FROM t WHERE a IS NOT NULL", "SELECT a, COUNT(*) FROM t GROUP BY a", []),
        (
            "SELECT COUNT(*) FROM t WHERE a IN ('x', 'y')",
            "SELECT a, COUNT(*) FROM t WHERE a IN ('y', 'x') GROUP BY a",
            [],
        ),
        ("SELECT COUNT(*) FROM t", "SELECT COALESCE(a, 'no') AS a, COUNT(*) FROM t GROUP BY 1", []),
        (
            "SELECT COUNT(*) FROM t WHERE v > 0 AND NOT a IS NULL",
            "SELECT a, COUNT(*) FROM t WHERE 0 < v GROUP BY a",
            [],
        ),
        (
            "SELECT a, COUNT(*) FROM t WHERE b IS NOT NULL GROUP BY a",
            "SELECT b, a, COUNT(*) FROM t GROUP BY b, a",
            ["a"],
        ),
        (
            "SELECT v > 1 AS w, COUNT(*) FROM t WHERE b IS NOT NULL GROUP BY 1",
            "SELECT b, v > 1 AS w, COUNT(*) FROM t GROUP BY 1, 2",
            ["v > 1"],
        ),
    ],
)
def test_keys_are_found_in_any_order(total: str, parts: str, shared: list[str]) -> None:
    above, below = two(total, parts)
    assert (
        [below.keys[place].text for place in match_keys(above, below)]
        == [key.text for key in above.keys]
        == shared
    )
    assert [
        below.restore_key_order().keys[place].text
        for place in match_keys(above, below.restore_key_order())
    ] == shared


@pytest.mark.parametrize(
    ("total", "parts", "told"),
    [
        (
            "SELECT COUNT(*) FROM t",
            "SELECT a, COUNT(*) FROM t GROUP BY a",
            "Rows without a are in the total but in no group. .* WHERE a IS NOT",
        ),
        (
            "SELECT COUNT(*) FROM t",
            "SELECT b, a, COUNT(*) FROM t GROUP BY 1, 2",
            "without a or b .* WHERE a IS NOT NULL AND b IS NOT NULL",
        ),
        (
            "SELECT COUNT(*) FROM t",
            "SELECT v > 1, COUNT(*) FROM t WHERE v > -9 GROUP BY 1",
            "not totals and parts of the same rows",
        ),
        (
            "SELECT COUNT(*) FROM t WHERE v > 1",
            "SELECT v > 1, COUNT(*) FROM t WHERE v > 1 GROUP BY 1",
            "Rows without v > 1",
        ),
        (
            "SELECT COUNT(*) FROM t WHERE a = 'x'",
            "SELECT a, COUNT(*) FROM t GROUP BY a",
            "not totals and parts of the same rows",
        ),
        (
            "SELECT a, COUNT(*) FROM t GROUP BY a",
            "SELECT b, v > 1, COUNT(*) FROM t GROUP BY 1, 2",
            "keep all keys of the one before",
        ),
        (
            "SELECT COUNT(*) FROM t",
            "SELECT free, COUNT(*) FROM t GROUP BY free",
            "Groups by free with small noisy counts are hidden",
        ),
    ],
)
def test_other_rows_are_refused(total: str, parts: str, told: str) -> None:
    with pytest.raises(Refused, match=told):
        match_keys(*two(total, parts))


def test_two_populations_are_refused() -> None:
    met = parse_question(
        "SELECT kind, COUNT(*) AS n FROM care JOIN doctors USING (doctor_id) GROUP BY kind", CATALOG
    )
    with pytest.raises(Refused, match="two populations cannot be reconciled"):
        match_keys(met, met)


def test_caps_by_group_would_be_a_bias() -> None:
    """One person with a row in each of two groups, of whom one row counts: the total is 1, its
    parts add up to 2.
    """
    total, parts = two(
        "SELECT COUNT(*) FROM t WHERE a IS NOT NULL", "SELECT a, COUNT(*) FROM t GROUP BY a", CAPPED
    )
    at, (call,), (other,) = match_keys(total, parts), total.aggregates, parts.aggregates
    assert is_same_sum(total, Measure("rows"), parts, Measure("rows"), at)
    rows = [{"id": 1, "a": a, "b": True, "v": 1, "free": None} for a in "xy"]
    assert not add_up(total, parts, (call, other), at, {"t": rows})
    assert exact(total, call, {"t": rows}) == {(): 1}
    assert sum(exact(parts, other, {"t": rows}).values()) == 2
    told = explain_non_additivity(total, parts, Measure("rows"))
    assert told is not None
    assert "up to 1 row in each of 2 groups to the parts, and up to 1 row to the total" in told
    one = parse_question(
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(max_groups_contributed = 1) a, COUNT(*) FROM t"
        " GROUP BY a",
        CAPPED,
    )
    assert explain_non_additivity(total, one, Measure("rows")) is None
    assert "up to 1 row in one group" in str(
        explain_non_additivity(total, one, Measure("values", "v0"))
    )
    assert "up to 3 rows" in str(
        explain_non_additivity(
            total,
            parse_question("SELECT a, COUNT(*) FROM t GROUP BY a", catalog("id", 1, 3)),
            Measure("rows"),
        )
    )


def test_counts_and_sums_are_additive() -> None:
    picked = (
        "COUNT(*) AS n, SUM(v) AS s, AVG(v) AS m, COUNT(v) AS c, COUNT(DISTINCT v) AS d, MEDIAN(v)"
        " AS q, MAX(v) AS x"
    )
    found = {
        call.text: find_summed_measure(call)
        for call in parse_question(f"SELECT {picked} FROM t", CAPPED).aggregates
    }
    assert [found[text] for text in ("AVG(v)", "COUNT(DISTINCT v)", "MEDIAN(v)", "MAX(v)")] == [
        None
    ] * 4
    kinds = {text: measure.kind for text, measure in found.items() if measure is not None}
    assert kinds == {"COUNT(*)": "rows", "SUM(v)": "total", "COUNT(v)": "values"}
    clipped = "SELECT SUM(v, contribution_bounds_per_group => (0, 2), clipped => TRUE) AS s FROM t"
    assert find_summed_measure(parse_question(clipped, CAPPED).aggregates[0]) is None

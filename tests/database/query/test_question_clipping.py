"""``clipped => TRUE``: a question buys the measurement of its own clipping, inside its epsilon."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest

from database.test_measured_clipping import PAGE, opened, write
from engines.helpers_comparison import agreed
from hedgerow import protect
from hedgerow.answers.answer import Answer
from hedgerow.answers.clipping_caveats import NOTHING_TO_CUT
from hedgerow.answers.explanation import Explanation
from hedgerow.database import Database
from hedgerow.database.query.question_clipping import LOST_ROWS_GRID, build_lost_rows_plan
from hedgerow.engines.reference.interpreter import interpret_plan
from hedgerow.errors import BudgetExceeded, InvalidArgument, Refused
from hedgerow.plan.nodes import Aggregate
from hedgerow.plan.schema import Column, Schema
from hedgerow.privacy.unit import Unit
from hedgerow.sql.catalog import Catalog, TableEntry
from hedgerow.sql.parser import parse_question
from sql.helpers_fixtures import ask

TRIPS = Schema(
    "trips",
    (
        Column("day", "integer", values=(1, 2, 3, 4)),
        Column("km", "integer", Fraction(0), Fraction(9)),
    ),
    "id",
)
CATALOG = Catalog({"trips": TableEntry(TRIPS, max_groups=2, max_rows_per_group=3)})
# The question, and for the trips (day, km) of one person the groups of rows that it counts.
QUESTIONS: Sequence[tuple[str, int, Any]] = (
    ("SELECT COUNT(*, clipped => TRUE) FROM trips", 1, lambda day, km: 0),
    (
        "SELECT AVG(km, clipped => TRUE) FROM trips WHERE km > 3",
        1,
        lambda day, km: 0 if km is not None and km > 3 else None,
    ),
    (
        "SELECT day, SUM(km, clipped => TRUE) FROM trips WHERE day <> 4 GROUP BY day",
        2,
        lambda day, km: day if day != 4 else None,
    ),
    (
        "SELECT COUNT(*, clipped => TRUE) FROM trips JOIN (SELECT id, COUNT(*) AS n"
        " FROM trips GROUP BY id) AS s USING (id) WHERE n > 0",
        1,
        lambda day, km: 0,
    ),
    ("SELECT km, COUNT(*, clipped => TRUE) FROM trips GROUP BY km", 2, lambda day, km: km or 0),
)
Trip = tuple[int | None, int | None]


def build_plan(sql: str) -> Aggregate:
    plan = build_lost_rows_plan(parse_question(sql, CATALOG))
    assert plan is not None
    return plan


def make_tables(people: Sequence[Sequence[Trip]]) -> dict[str, list[dict[str, object]]]:
    """The trips of several people, and one of nobody."""
    rows: list[dict[str, object]] = [
        {"id": person, "day": day, "km": km}
        for person, trips in enumerate(people)
        for day, km in trips
    ]
    return {"trips": [*rows, {"id": None, "day": 1, "km": 5}]}


def count(plan: Aggregate, people: Sequence[Sequence[Trip]]) -> list[int]:
    found = interpret_plan(plan, make_tables(people), lambda *_: 0)
    return [int(found[key][0]) for key in sorted(found)]  # type: ignore[arg-type]


def draw_trips(random: Random, most: int = 14) -> list[Trip]:
    return [
        (random.choice((1, 2, 3, 4, None)), random.randrange(10))
        for _ in range(random.randrange(most))
    ]


def check_neighbours(sql: str, relation: str, pairs: int) -> int:
    """Compare neighbours, and return how many move as far as declared."""
    plan, random, reached = build_plan(sql), Random(f"{sql} {relation}"), 0
    (declared,) = plan.sensitivity(Unit(relation, "id"))  # type: ignore[arg-type]
    assert declared.l1 == (1 if relation == "add-remove" else 2)
    for _ in range(pairs):
        people = [draw_trips(random) for _ in range(3)]
        other = [[] if relation == "add-remove" else draw_trips(random, 40), *people[1:]]
        first, second = count(plan, people), count(plan, other)
        moved = sum(abs(a - b) for a, b in zip(first, second, strict=True))
        assert moved <= declared.l1
        reached += moved == declared.l1
    return reached


@pytest.mark.parametrize(("sql", "max_groups", "group"), QUESTIONS)
def test_each_person_is_in_the_bucket_of_the_rows_that_they_lose(
    sql: str, max_groups: int, group: Any
) -> None:
    """What counts is at most 3 rows of each group and some groups: the bound is below what is lost
    whichever groups are kept, and 0 exactly where nothing is lost."""
    plan, random = build_plan(sql), Random(sql)
    for _ in range(12):
        trips = draw_trips(random)
        sizes: dict[object, int] = {}
        for trip in trips:
            if (key := group(*trip)) is not None:
                sizes[key] = sizes.get(key, 0) + 1
        total, counted = sum(sizes.values()), sorted(min(n, 3) for n in sizes.values())[::-1]
        lost = total - sum(counted[:max_groups])  # at best
        stated = total - min(sum(counted), 3 * max_groups, sum(counted) - len(sizes) + max_groups)
        stated = max(stated, total - sum(counted))
        found = count(plan, [trips])
        expected = [0] * (len(LOST_ROWS_GRID) + 2)
        if sizes:
            expected[0 if not stated else 1 + sum(cap < stated for cap in LOST_ROWS_GRID)] = 1
        assert found == expected
        assert stated <= lost
        assert (stated == 0) == (lost == 0)


@pytest.mark.parametrize("relation", ["add-remove", "change-one"])
@pytest.mark.parametrize("sql", [sql for sql, *_ in QUESTIONS])
def test_no_neighbour_moves_the_measurement_further_than_declared(sql: str, relation: str) -> None:
    assert check_neighbours(sql, relation, 5) > 0


@pytest.mark.parametrize("sql", [sql for sql, *_ in QUESTIONS])
def test_engine_and_reference_agree(sql: str) -> None:
    random = Random(sql)
    people = [draw_trips(random, 30) for _ in range(12)]
    tables: Mapping[str, Any] = make_tables(people)
    assert len(agreed(build_plan(sql), tables)) == len(LOST_ROWS_GRID) + 2


SIZES = [1, 2, 40, 90] * 60
FRAME = pa.table(
    {
        "id": [n for n, size in enumerate(SIZES) for _ in range(size)],
        "day": [1 + i % 4 for size in SIZES for i in range(size)],
        "km": [i % 10 for size in SIZES for i in range(size)],
    }
)
LOST = sum(max(0, size - 30) for size in SIZES)


@pytest.fixture
def db() -> Iterator[Database]:
    with protect(
        FRAME,
        unit="id",
        neighbours="add-remove",
        columns={"day": [1, 2, 3, 4], "km": (0, 9)},
        epsilon=100,
        max_groups=4,
        max_rows_per_group=30,
    ) as database:
        yield database


def query(db: Database, sql: str, **options: Any) -> Answer:
    answer = db.query(sql, **options)
    assert isinstance(answer, Answer)
    return answer


COUNT = "SELECT COUNT(*, clipped => TRUE) AS n FROM trips"


def test_heavy_clipping_of_this_question_is_a_warning(db: Database) -> None:
    answer = query(db, "SELECT COUNT(*, clipped => TRUE) AS n FROM data", epsilon=20)
    (note,) = [note for note in answer.notes if "clipped" not in note and "cut off" in note]
    assert repr(answer).startswith("Warning: the caps cut off much. In this question at least ")
    removed = int(note.partition("and at least ")[2].partition(" of")[0].replace(",", ""))
    assert 0.4 * LOST < removed <= LOST  # e^-60: the noise of a bucket is about 1/4
    assert "ledger entry 4" in note
    # Where the condition leaves nothing to cut, nothing is warned of.
    light = query(db, "SELECT AVG(km, clipped => TRUE) AS m FROM data WHERE km = 3", epsilon=20)
    assert any("Clipping is measured for this question" in note for note in light.notes)
    assert "Warning" not in repr(light)


def test_both_parts_are_charged_inside_the_epsilon_and_stored(db: Database) -> None:
    sql = "SELECT day, COUNT(*, clipped => TRUE) AS n FROM data GROUP BY day"
    explained = db.explain(sql, epsilon=2)
    answer = query(db, sql, epsilon=2)
    assert explained.cost == answer.cost
    assert answer.cost.epsilon == 2 == db.budget.spent  # type: ignore[union-attr]
    kinds = [entry.kind for entry in db.ledger.entries()]
    assert kinds == ["open", "policy", "charge", "charge", "answer", "answer"]
    shares = [Fraction(e.body["epsilon"]) for e in db.ledger.entries() if e.kind == "charge"]
    assert shares == [Fraction(8, 5), Fraction(2, 5)]
    again = query(db, sql, epsilon=2)
    assert (again.rows, again.cost.epsilon, db.explain(sql, epsilon=2).free) == (
        answer.rows,
        0,
        True,
    )
    # It is the stored answer to the plain question, and the measurement serves others.
    plain = sql.replace(", clipped => TRUE", "")
    assert query(db, plain, epsilon=1.6).rows == answer.rows
    other = query(db, sql.replace("COUNT(*", "SUM(km"), epsilon=2)
    assert other.cost.epsilon == Fraction(8, 5)
    # A stored answer whose clipping is measured now is not free.
    query(db, "SELECT AVG(km) AS m FROM data WHERE day < 4", epsilon=1)
    known = "SELECT AVG(km, clipped => TRUE) AS m FROM data WHERE day < 4"
    assert db.explain(known, epsilon=1).cost.epsilon == Fraction(1, 5)
    late = query(db, known, epsilon=1)
    assert (late.cost.epsilon, late.receipt.reused) == (Fraction(1, 5), False)


def test_nothing_is_spent_where_no_cap_can_cut(db: Database) -> None:
    sql = (
        "SELECT AVG(n, clipped => TRUE) AS m FROM"
        " (SELECT id, LEAST(COUNT(*), 50) AS n FROM data GROUP BY id)"
    )
    answer = query(db, sql, epsilon=1)
    assert NOTHING_TO_CUT in answer.notes
    assert [e.body["epsilon"] for e in db.ledger.entries() if e.kind == "charge"] == ["1/1"]


def test_all_or_nothing_is_charged(db: Database) -> None:
    sql = "SELECT COUNT(*, clipped => TRUE) AS n FROM data"
    query(db, "SELECT SUM(km) FROM data", epsilon=99)
    with pytest.raises(BudgetExceeded):
        db.query(sql, epsilon=1.1)
    assert db.budget.spent == 99  # type: ignore[union-attr]
    assert query(db, sql, epsilon=1, request="one").cost.epsilon == 1
    assert query(db, sql, epsilon=1, request="one").cost.epsilon == 0


def test_explain_shows_both_parts(db: Database) -> None:
    explained = db.query(
        "EXPLAIN PRIVACY SELECT COUNT(*, clipped => TRUE) AS n FROM data", epsilon=1
    )
    assert isinstance(explained, Explanation)
    assert (explained.questions_left, len(explained.steps)) == (100, 2)
    steps = " ".join(explained.steps)
    assert "(epsilon 0.8)" in steps
    assert "by the rows that its caps cut (epsilon 0.2)" in steps


@pytest.mark.parametrize(
    ("sql", "problem"),
    [
        ("SELECT COUNT(DISTINCT day, clipped => TRUE) FROM data", "DISTINCT counts values"),
        ("SELECT SUM(km, clipped => TRUE, outer_bounds_per_group => (0, 9)) FROM data", "outer"),
        (
            "SELECT x / SUM(x) OVER () FROM (SELECT day, COUNT(*, clipped => TRUE) AS x"
            " FROM data GROUP BY day)",
            "measures one question",
        ),
    ],
)
def test_other_aggregates_and_statements_are_refused_before_a_charge(
    db: Database, sql: str, problem: str
) -> None:
    with pytest.raises((Refused, InvalidArgument), match=problem):
        db.query(sql, epsilon=1)
    assert db.budget.spent == 0  # type: ignore[union-attr]


def test_rows_of_several_people_cannot_be_measured() -> None:
    question = ask(
        "SELECT COUNT(*, clipped => TRUE) FROM posts JOIN replies"
        " ON replies.post_id = posts.post_id"
    )
    with pytest.raises(Refused, match="rows of several people"):
        build_lost_rows_plan(question)


def test_a_question_about_a_part_has_its_clipping_charged_to_that_part(tmp_path: Path) -> None:
    page = PAGE.replace("clipping_epsilon = 0.5\n", "") + (
        '[tables.flights.partition]\ncolumn = "month"\nmax_parts_per_unit = 12\n'
    )
    with opened(write(tmp_path, [40] * 30, page)) as db:
        sql = "SELECT COUNT(*, clipped => TRUE) AS n FROM flights WHERE month = 3"
        db.query(sql, epsilon=1)
        parts = [entry.body.get("parts") for entry in db.ledger.entries()][2:4]
    assert parts[0] == parts[1]
    assert parts[0]["aircrafts"][1] == ["3"]  # type: ignore[index]

"""The clinic of the fixtures, descriptions of questions, and the pairs in the .sql files.

A file has blocks separated by an empty line: the SQL, then lines that begin with ``--> ``. These
have the plan and the outputs, or in ``<rule>__refused.sql`` the first line of the refusal. ``python
-m sql.helpers_fixtures FILE`` in ``tests`` regenerates a file.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime
from fractions import Fraction
from pathlib import Path

from hedgerow.errors import Refused
from hedgerow.plan.measures import Truncation
from hedgerow.plan.schema import Column, Link, Schema
from hedgerow.plan.values import number_date
from hedgerow.sql.catalog import Catalog, TableEntry
from hedgerow.sql.parser import parse_question
from hedgerow.sql.question import Question
from sql.helpers_descriptions import describe

HERE = Path(__file__).parent
MARK = "--> "

VISITS = Schema(
    "visits",
    (
        Column("patient_id", "integer"),
        Column("age", "integer", Fraction(0), Fraction(110)),
        Column("Cost", "real", Fraction(0), Fraction(10_000), Fraction(1, 100)),
        Column("weight", "real"),
        Column("visits_before", "integer"),
        Column("region", "text", values=("north", "south", "east", "west")),
        Column("city", "text"),
        Column("smoker", "boolean"),
        Column("month", "date", values=tuple(date(2026, m, 1) for m in range(1, 13))),
        Column("day", "date"),
        Column("note", "text"),
    ),
    "patient_id",
)
ROWS = Schema(
    "answers",
    (Column("score", "integer", Fraction(-5), Fraction(5)), Column("region", "text")),
    "row",
)
REGIONS = Schema(
    "regions", (Column("region", "text"), Column("zone", "text", values=("a", "b"))), None
)
PATIENTS = Schema(
    "patients",
    (Column("id", "integer"), Column("sex", "text", values=("f", "m")), Column("region", "text")),
    "id",
)
LABS = Schema(
    "labs",
    (
        Column("patient_id", "integer"),
        Column("value", "real", Fraction(0), Fraction(100), Fraction(1, 10)),
        Column("kind", "text", values=("hb", "na")),
        Column("visit_age", "integer", Fraction(0), Fraction(110)),
        Column(
            "taken",
            "date",
            Fraction(date(2026, 1, 1).toordinal()),
            Fraction(date(2026, 12, 31).toordinal()),
        ),
    ),
    "patient_id",
)
ORDERS = Schema(
    "orders",
    (Column("patient_id", "integer"), Column("order_id", "integer"), Column("urgent", "boolean")),
    "patient_id",
)
LINES = Schema(
    "lines",
    (
        Column("order_id", "integer"),
        Column("drug", "text"),
        Column("amount", "integer", Fraction(0), Fraction(20)),
    ),
    "patient_id",
    link=Link("order_id", ORDERS, "order_id"),
)
DRUGS = Schema(
    "drugs",
    (Column("drug", "text"), Column("price", "real", Fraction(0), Fraction(500), Fraction(1))),
    None,
)
CARE = Schema(
    "care",
    (
        Column("patient_id", "integer"),
        Column("doctor_id", "integer"),
        Column("day", "date"),
        Column("kind", "text", values=("talk", "scan")),
        Column("minutes", "integer", Fraction(0), Fraction(90)),
    ),
    "patient_id",
)
DOCTORS = Schema(
    "doctors",
    (
        Column("doctor_id", "integer"),
        Column("field", "text", values=("skin", "eyes")),
        Column("years", "integer", Fraction(0), Fraction(50)),
    ),
    "doctor_id",
)
JULY = (datetime(2026, 7, 1), datetime(2026, 7, 31, 23, 59, 59, 999_999))
CALLS = Schema(
    "calls",
    (
        Column("patient_id", "integer"),
        Column("at", "timestamp", *(Fraction(number_date(end)) for end in JULY)),
        Column("booked", "timestamp"),
        Column("day", "date"),
        Column("seconds", "integer", Fraction(0), Fraction(3600)),
        Column("url", "text"),
    ),
    "patient_id",
)
STAFF = Schema("staff", (Column("patient_id", "integer"), Column("region", "text")), "patient_id")
POSTS = Schema(
    "posts",
    (
        Column("author_id", "integer"),
        Column("post_id", "integer"),
        Column("topic", "text", values=("cats", "dogs")),
        Column("score", "integer", Fraction(-5), Fraction(50)),
        Column("tag", "text"),
        Column("weight", "real", Fraction(0), Fraction(1)),
    ),
    "author_id",
)
REPLIES = Schema(
    "replies",
    (
        Column("user_id", "integer"),
        Column("post_id", "integer"),
        Column("likes", "integer", Fraction(0), Fraction(9)),
        Column("day", "date"),
    ),
    "user_id",
)
USERS = Schema(
    "users",
    (Column("id", "integer"), Column("age", "integer", Fraction(0), Fraction(110))),
    "id",
)
SALES = Schema(
    "sales",
    (
        Column("store", "integer", values=(1, 2, 3)),
        Column("customer", "text"),
        Column("price", "integer", Fraction(0), Fraction(90)),
        Column("kind", "text", values=("food", "tools")),
    ),
    "(store, customer)",
)
RETURNS = Schema(
    "returns",
    (
        Column("shop", "integer"),
        Column("customer", "text"),
        Column("days", "integer", Fraction(0), Fraction(30)),
    ),
    "(shop, customer)",
)
VIEWS = Schema("views", (Column("post_id", "integer"), Column("long", "boolean")), "row")
CATALOG = Catalog(
    {
        "visits": TableEntry(VISITS, frozenset({"note"}), max_groups=3, max_rows_per_group=5),
        "answers": TableEntry(ROWS),
        "regions": TableEntry(REGIONS, unique=(("region",),)),
        "patients": TableEntry(PATIENTS),
        "labs": TableEntry(LABS, max_groups=2, max_rows_per_group=7),
        "orders": TableEntry(ORDERS, max_groups=4, max_rows_per_group=2),
        "lines": TableEntry(LINES, max_groups=4, max_rows_per_group=20),
        "drugs": TableEntry(DRUGS),
        "calls": TableEntry(
            CALLS,
            max_groups=4,
            max_rows_per_group=3,
            as_of=date(2026, 8, 1),
            max_pieces={"url": 2},
        ),
        "letters": TableEntry(
            replace(CALLS, table="letters"), as_of=datetime(2026, 11, 30, 12, 30)
        ),
        "staff": TableEntry(STAFF, population="staff"),
        "care": TableEntry(CARE, max_groups=4, max_rows_per_group=6),
        "doctors": TableEntry(DOCTORS, max_groups=2, max_rows_per_group=30, population="doctors"),
        "rota": TableEntry(replace(DOCTORS, table="rota", unit="row"), population="doctors"),
        "shifts": TableEntry(
            replace(DOCTORS, table="shifts"),
            population="doctors",
            undeclared_caps=("max_rows_per_group",),
            auto_bounds=True,
        ),
        "posts": TableEntry(POSTS, max_groups=3, population="users", join_caps=Truncation(8, 2)),
        "replies": TableEntry(REPLIES, population="users", join_caps=Truncation(9, 3)),
        "users": TableEntry(USERS, population="users"),
        "sales": TableEntry(SALES, max_groups=2, max_rows_per_group=4, population="stores"),
        "returns": TableEntry(RETURNS, max_rows_per_group=3, population="stores"),
        "views": TableEntry(VIEWS, population="viewers", join_caps=Truncation(1, 4)),
    }
)


def ask(sql: str) -> Question:
    return parse_question(sql, CATALOG)


def pairs(name: str) -> list[tuple[str, str]]:
    """Return (SQL, expectation) for each block of a file, if it exists."""
    file = HERE / f"{name}.sql"
    return list(_pairs(file.read_text(encoding="utf-8"))) if file.exists() else []


def _pairs(content: str) -> Iterator[tuple[str, str]]:
    for block in content.split("\n\n"):
        lines = block.strip("\n").split("\n")
        expected = [line.removeprefix(MARK) for line in lines if line.startswith(MARK)]
        sql = "\n".join(line for line in lines if not line.startswith(MARK))
        if sql.strip():
            yield sql, "\n".join(expected)


def refusal(sql: str) -> str:
    """Return the first line of the refusal, after checking that it has all its parts."""
    try:
        question = ask(sql)
    except Refused as error:
        what, line, marks, *instead = f"{type(error).__name__}: {error}".split("\n")
        assert line.startswith("    ")
        assert set(marks) == {" ", "^"}
        assert len(instead) == 1
        assert instead[0].strip()
        return what
    raise AssertionError(f"not refused: {describe(question)}")


def check_answered(sql: str, expected: str) -> None:
    assert describe(ask(sql)) == expected


def check_refused(sql: str, expected: str) -> None:
    assert refusal(sql) == expected


if __name__ == "__main__":
    for path in sys.argv[1:]:
        name = Path(path).stem
        say = refusal if name.endswith("__refused") else (lambda sql: describe(ask(sql)))
        blocks = [
            sql + "\n" + "\n".join(MARK + line for line in say(sql).split("\n"))
            for sql, _ in pairs(name)
        ]
        (HERE / f"{name}.sql").write_text("\n\n".join(blocks) + "\n", encoding="utf-8")

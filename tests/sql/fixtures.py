"""The clinic that the fixtures ask, what a question is told as, and the pairs in the .sql files.

A file holds blocks with an empty line between them: the SQL, then lines that begin with ``--> `` and say what becomes of it: the plan and
the outputs, or in ``<rule>__refused.sql`` the first line of the refusal. ``python -m sql.fixtures FILE`` in ``tests`` prints a file anew.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import date
from fractions import Fraction
from pathlib import Path

from hedgerow.errors import Refused
from hedgerow.plan.explain import text
from hedgerow.plan.measures import Measure
from hedgerow.plan.nodes import Filter, Project
from hedgerow.plan.schema import Column, Schema
from hedgerow.sql.catalog import Catalog, TableEntry
from hedgerow.sql.question import Question
from hedgerow.sql.reading import parse

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
        Column("month", "date", values=tuple(date(2026, m, 1) for m in range(1, 13)), grain="month"),
        Column("day", "date"),
        Column("note", "text"),
    ),
    "patient_id",
)
ROWS = Schema("answers", (Column("score", "integer", Fraction(-5), Fraction(5)),), "row")
REGIONS = Schema("regions", (Column("region", "text"),), None)
CATALOG = Catalog(
    {
        "visits": TableEntry(VISITS, frozenset({"note"}), max_groups=3, max_rows_per_group=5),
        "answers": TableEntry(ROWS),
        "regions": TableEntry(REGIONS),
    }
)


def ask(sql: str) -> Question:
    return parse(sql, CATALOG)


def pairs(name: str) -> list[tuple[str, str]]:
    """(SQL, what is told) for each block of a file; none where there is no such file."""
    file = HERE / f"{name}.sql"
    return list(_pairs(file.read_text(encoding="utf-8"))) if file.exists() else []


def _pairs(content: str) -> Iterator[tuple[str, str]]:
    for block in content.split("\n\n"):
        lines = block.strip("\n").split("\n")
        told = [line.removeprefix(MARK) for line in lines if line.startswith(MARK)]
        sql = "\n".join(line for line in lines if not line.startswith(MARK))
        if sql.strip():
            yield sql, "\n".join(told)


def told(question: Question) -> str:
    """What was understood, line by line; what is as usual is not said."""
    return "\n".join(_told(question))


def _told(question: Question) -> Iterator[str]:
    if question.explain:
        yield "explain"
    options = question.options
    if (options.epsilon, options.delta, options.max_groups) != (None, None, None):
        yield f"options: {options.epsilon}, {options.delta}, {options.max_groups}"
    rows = question.plan.bound.source
    columns = dict(rows.outputs) if isinstance(rows, Project) else {}
    inner = rows.source if isinstance(rows, Project) else rows
    if isinstance(inner, Filter):
        yield f"where {text(inner.condition)}"
    for place, key in enumerate(question.keys):
        domain = question.plan.source.domain
        values = "as they occur" if domain is None else f"{len(domain[place])} values"
        yield f"{key.name}: {text(columns[key.name])} ({key.type}, {values})"
    for call in question.aggregates:
        yield f"{call.name}: {_measure(call.measure, columns)} ({call.type})"
    for output in question.outputs:
        yield f"{output.name} = {text(output.expression)} ({output.type})"
    if question.having is not None:
        yield f"having {text(question.having)}"
    for order in question.order:
        yield f"order by {text(order.expression)}{' desc' * order.descending}{' nulls first' * (not order.nulls_last)}"
    if question.limit is not None or question.offset:
        yield f"limit {question.limit} offset {question.offset}"


def _measure(measure: Measure, columns: dict[str, object]) -> str:
    if measure.column is None:
        return measure.kind
    argument = text(columns[measure.column])  # type: ignore[arg-type]
    snap = measure.snap
    return f"{measure.kind} of {argument}" + (f" from {snap.low} to {snap.high} steps of {snap.step}" if snap else "")


def refusal(sql: str) -> str:
    """The first line of the refusal, after checking that it has all its parts."""
    try:
        question = ask(sql)
    except Refused as error:
        what, line, marks, *instead = f"{type(error).__name__}: {error}".split("\n")
        assert line.startswith("    ")
        assert set(marks) == {" ", "^"}
        assert len(instead) == 1
        assert instead[0].strip()
        return what
    raise AssertionError(f"not refused: {told(question)}")


def check_answered(sql: str, expected: str) -> None:
    assert told(ask(sql)) == expected


def check_refused(sql: str, expected: str) -> None:
    assert refusal(sql) == expected


if __name__ == "__main__":
    for path in sys.argv[1:]:
        name = Path(path).stem
        say = refusal if name.endswith("__refused") else (lambda sql: told(ask(sql)))
        blocks = [sql + "\n" + "\n".join(MARK + line for line in say(sql).split("\n")) for sql, _ in pairs(name)]
        (HERE / f"{name}.sql").write_text("\n\n".join(blocks) + "\n", encoding="utf-8")

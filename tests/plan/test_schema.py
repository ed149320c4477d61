"""Columns and tables as they are declared."""

from __future__ import annotations

from datetime import date
from fractions import Fraction
from typing import Any

import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.plan.schema import Column, Link, Partition, Schema
from hedgerow.plan.values import Range

ONE = Fraction(1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"type": "number"}, "must be one of"),
        ({"type": "integer", "low": ONE}, "must have both bounds"),
        ({"type": "integer", "low": ONE, "high": Fraction(0)}, "lower bound first"),
        ({"type": "text", "low": ONE, "high": ONE}, "must have no bounds, since its type is text"),
        ({"type": "integer", "low": Fraction(1, 2), "high": ONE}, "must have whole bounds"),
        ({"type": "date", "low": Fraction(0), "high": ONE}, "years 1 to 9999"),
        ({"type": "real", "low": ONE, "high": Fraction(2**1001)}, r"within 2\^1000"),
        ({"type": "text", "values": ()}, "at least one value"),
        ({"type": "text", "values": ("a", None)}, "without NULL"),
    ],
)
def test_columns_refuse(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        Column("x", **arguments)


def test_ranges_of_columns() -> None:
    assert Column("x", "integer").range == Range("integer", step=ONE)
    assert Column("x", "integer", ONE, Fraction(9)).range == Range("integer", ONE, Fraction(9), ONE)
    assert Column("x", "integer", values=(5, 2)).range == Range(
        "integer", Fraction(2), Fraction(5), ONE, (5, 2)
    )
    day = date(2020, 1, 1)
    assert Column("x", "date", values=(day,)).range == Range(
        "date", Fraction(day.toordinal()), Fraction(day.toordinal()), None, (day,)
    )
    assert Column("x", "text", values=("a",)).range == Range("text", values=("a",))
    assert Column("x", "real").range.step is None
    assert Column("x", "real", ONE, ONE).range.step is None
    assert Column("x", "real", Fraction(0), Fraction(1024)).range.step == Fraction(1, 1024)
    assert Column("x", "real", Fraction(0), ONE, Fraction(1, 10)).range.step == Fraction(1, 10)


def test_names_in_any_case() -> None:
    schema = Schema("t", (Column("Age", "integer"), Column("x", "real")), "id")
    assert schema.column("aGE") is schema.columns[0]
    assert schema.column("y") is None
    with pytest.raises(InvalidArgument, match="differ in more than case"):
        Schema("t", (Column("x", "integer"), Column("X", "real")), "id")


def test_ids_are_read_by_their_type_alone() -> None:
    columns = (
        Column("Who", "integer", ONE, Fraction(9)),
        Column("row", "date", granularity="year"),
    )
    assert Schema("t", columns, "who").id_column == Column("Who", "integer")
    assert [Schema("t", columns, unit).id_column for unit in ("nobody", "row", None)] == [None] * 3


OWNERS = Schema("owners", (Column("Number", "integer"), Column("name", "text")), "who")
PETS = Schema(
    "pets",
    (Column("Owner", "integer"), Column("Chip", "text")),
    "who",
    link=Link("owner", OWNERS, "NUMBER"),
)


def test_links_lead_to_the_ids_of_the_parent() -> None:
    declared = Schema(
        "owners", (Column("Who", "text", values=("a",)), Column("Number", "integer")), "who"
    )
    pets = Schema("pets", PETS.columns, "who", link=Link("owner", declared, "number"))
    visits = Schema("visits", (Column("pet", "text"),), "who", link=Link("pet", pets, "chip"))
    assert pets.id_column == visits.id_column == Column("Who", "text")
    assert PETS.id_column is None


def test_links_refuse() -> None:
    for unit in (None, "row"):
        with pytest.raises(InvalidArgument, match="must have an id column, or a link of its own"):
            Link("owner", Schema("owners", OWNERS.columns, unit), "number")
    with pytest.raises(InvalidArgument, match="must be a column of owners"):
        Link("owner", OWNERS, "chip")
    for columns, unit in [
        ((Column("x", "integer"),), "who"),
        (PETS.columns, "id"),
        (PETS.columns, "row"),
    ]:
        with pytest.raises(
            InvalidArgument, match="must start at a column of the table and lead to its unit"
        ):
            Schema("pets", columns, unit, link=PETS.link)
    with pytest.raises(InvalidArgument, match="must compare columns of the same type"):
        Schema("pets", PETS.columns, "who", link=Link("owner", OWNERS, "name"))


def test_partitions_refuse() -> None:
    assert Schema(
        "owners", OWNERS.columns, "who", partition=Partition("NAME", 2)
    ).partition == Partition("NAME", 2)
    with pytest.raises(InvalidArgument, match="whole number of at least 1"):
        Partition("name", 0)
    for unit, column in [(None, "name"), ("row", "name"), ("who", "size")]:
        with pytest.raises(
            InvalidArgument, match="must be by a column of a table whose units have ids"
        ):
            Schema("owners", OWNERS.columns, unit, partition=Partition(column, 1))

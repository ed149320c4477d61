"""Attributes and their codes: what the policy declares, what bins add, what is refused, and that
rows get the codes they should.
"""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import date
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.errors import InvalidArgument, Refused, Unbounded
from hedgerow.plan.contingency import Contingency
from hedgerow.plan.nodes import Table
from hedgerow.plan.scalar.expressions import evaluate, infer_range
from hedgerow.plan.schema import Column, Schema
from hedgerow.publish.domain import Attribute, Domain, build_contingency_plan, build_domain

DAY = date(2026, 1, 1).toordinal()
SCHEMA = Schema(
    "visits",
    (
        Column("who", "integer"),
        Column("age", "integer", Fraction(0), Fraction(109)),
        Column("cost", "real", Fraction(0), Fraction(1000)),
        Column("region", "text", values=("south", "north", "east")),
        Column("smokes", "boolean"),
        Column("day", "date", Fraction(DAY), Fraction(DAY + 30)),
        Column("month", "date", values=(date(2026, 1, 1), date(2026, 2, 1)), granularity="month"),
        Column("free", "text"),
        Column("far", "integer", Fraction(-(10**6)), Fraction(10**6)),
    ),
    "who",
)


def attribute(name: str, bins: Any = None) -> Attribute:
    return build_domain(SCHEMA, [name], None if bins is None else {name: bins}).attributes[0]


@pytest.mark.parametrize(
    ("name", "bins", "size", "first", "last"),
    [
        ("age", None, 110, "0", "109"),
        ("age", 11, 11, "0 to 9", "100 to 109"),
        ("age", [0, 18, 65, 109], 3, "0 to 17", "65 to 109"),
        ("cost", 4, 4, "0 to below 250", "750 to 1000"),
        ("cost", [0, 1, 1000], 2, "0 to below 1", "1 to 1000"),
        ("region", None, 3, "south", "east"),
        ("smokes", None, 2, "False", "True"),
        ("day", None, 31, "2026-01-01", "2026-01-31"),
        ("day", 2, 2, "2026-01-01 to 2026-01-15", "2026-01-16 to 2026-01-31"),
        (
            "day",
            [date(2026, 1, 1), date(2026, 1, 8), date(2026, 1, 31)],
            2,
            "2026-01-01 to 2026-01-07",
            "2026-01-08 to 2026-01-31",
        ),
        ("month", None, 2, "2026-01-01", "2026-02-01"),
        ("far", 7, 7, "-1000000 to -714287", "714286 to 1000000"),
    ],
)
def test_codes_from_the_policy_and_from_bins(
    name: str, bins: Any, size: int, first: str, last: str
) -> None:
    found = attribute(name, bins)
    assert found.size == size
    assert (found.label(0), found.label(size - 1)) == (first, last)
    assert Attribute.from_dict(found.to_dict()) == found
    columns = found.columns()
    assert all(len(column) == size for column in columns.values())
    assert list(columns) == ([name] if found.values is not None else [f"{name}_from", f"{name}_to"])


VALUES: dict[str, st.SearchStrategy[Any]] = {
    "age": st.integers(0, 109),
    "cost": st.floats(0, 1000),
    "region": st.sampled_from(["south", "north", "east"]),
    "smokes": st.booleans(),
    "day": st.integers(0, 30).map(lambda n: date.fromordinal(DAY + n)),
    "month": st.sampled_from([date(2026, 1, 1), date(2026, 2, 1)]),
    "far": st.integers(-(10**6), 10**6),
}
BINS: dict[str, list[Any]] = {
    "age": [None, 1, 7, 11, 110, [0, 18, 65, 109], [0, 1, 2, 110]],
    "cost": [1, 4, 7, 1000, [0, 0.1, 1000]],
    "day": [None, 1, 4, 31],
    "far": [7, 1000, [-(10**6), 0, 10**6]],
}


@given(st.data())
def test_a_row_gets_the_code_of_the_bin_it_is_in(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(VALUES)))
    found = attribute(name, data.draw(st.sampled_from(BINS.get(name, [None]))))
    code = found.code_expression()
    known = infer_range(code, Table(SCHEMA).columns)
    assert known.type == "integer"
    value = data.draw(VALUES[name])
    got = evaluate(code, {name: value})
    assert isinstance(got, int)
    assert 0 <= got < found.size
    if found.values is not None:
        assert found.values[got] == value == found.values[found.find_code(value) or 0]
    elif name != "cost":  # reals are cut into bins in doubles: at an edge they may be one off
        assert got == found.find_code(value)
    else:
        exact = found.find_code(value)
        assert exact is not None
        assert abs(got - exact) <= 1
        assert got == exact or any(
            math.isclose(value, float(edge), rel_tol=1e-12) for edge in found.edges or ()
        )
    assert evaluate(code, {name: None}) is None


def test_values_outside_the_bounds_have_no_code() -> None:
    assert attribute("region").find_code("west") is None
    # the open end of the last bin of whole numbers
    assert attribute("age", 11).find_code(110) is not None
    assert attribute("cost", 4).find_code(1000.5) is None
    assert attribute("cost", 4).find_code(1000) == 3


def test_middles_are_those_of_the_values_in_a_bin() -> None:
    assert attribute("age", 11).midpoints == tuple(Fraction(10 * n * 2 + 9, 2) for n in range(11))
    assert attribute("cost", 2).midpoints == (250, 750)
    assert (attribute("age").midpoints or ())[:2] == (0, 1)
    assert attribute("region").midpoints is None


def test_only_numbers_and_dates_have_an_order() -> None:
    assert [attribute(name).is_ordered for name in ("age", "region", "smokes", "day", "month")] == [
        True,
        False,
        False,
        True,
        True,
    ]
    assert attribute("cost", 3).is_ordered


@pytest.mark.parametrize(
    ("bins", "words"),
    [
        ([0, 50, 120], "within its bounds"),
        ([-1, 50, 109], "within its bounds"),
        ([10, 50, 109], "begin and end"),
        ([0, 50, 90], "begin and end"),
        ([0, 50, 40, 109], "must have ascending edges"),
        ([0, 50, 50, 109], "must have ascending edges"),
        ([], "within its bounds"),
        ("many", "a number or a list of edges"),
        (3.5, "a number or a list of edges"),
        (0, "at least 1"),
        (111, "at most 110"),
    ],
)
def test_bins_that_are_refused(bins: Any, words: str) -> None:
    with pytest.raises(InvalidArgument, match=words):
        attribute("age", bins)


def test_columns_that_are_refused() -> None:
    with pytest.raises(InvalidArgument, match="columns of visits"):
        attribute("height")
    with pytest.raises(InvalidArgument, match="columns of visits"):
        attribute("who")
    with pytest.raises(
        Unbounded, match=r"free = \{ values = \[...\] \} under \[tables.visits.columns\]"
    ):
        attribute("free")
    with pytest.raises(InvalidArgument, match="too many values"):
        attribute("far")
    with pytest.raises(InvalidArgument, match="too many values"):
        attribute("cost")
    with pytest.raises(InvalidArgument, match="its values are declared"):
        attribute("region", 2)
    with pytest.raises(InvalidArgument, match="for published columns"):
        build_domain(SCHEMA, ["age"], {"cost": 3})
    with pytest.raises(InvalidArgument, match="distinct"):
        build_domain(SCHEMA, ["age", "AGE"])


def test_attributes_that_make_no_sense() -> None:
    for wrong in ({}, {"values": ("a",), "edges": (Fraction(0), Fraction(1))}):
        with pytest.raises(InvalidArgument, match="either values or the edges"):
            Attribute("x", "text", **wrong)  # type: ignore[arg-type]
    for values in ((), ("a", "a"), ("a", None)):
        with pytest.raises(InvalidArgument, match="all distinct"):
            Attribute("x", "text", values)


def test_too_many_codes_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hedgerow.publish.domain._MAX_CODES", 5)
    Attribute("x", "real", edges=tuple(map(Fraction, range(6))))
    with pytest.raises(InvalidArgument, match="at most 5"):
        Attribute("x", "real", edges=tuple(map(Fraction, range(7))))


def test_a_domain_too_large_says_how_large_and_what_to_drop() -> None:
    domain = build_domain(SCHEMA, ["age", "region", "far"], {"far": 1000})
    assert (domain.sizes, domain.cell_count, domain.names) == (
        (110, 3, 1000),
        330_000,
        ("age", "region", "far"),
    )
    domain.refuse_more_cells(330_000)
    with pytest.raises(Refused, match=r"330,000 combinations.*Leave out far \(1,000 codes\)"):
        domain.refuse_more_cells(329_999)
    assert domain.find_position("REGION") == 1
    with pytest.raises(InvalidArgument, match="among age, region, far"):
        domain.find_position("who")


def test_the_plan_counts_combinations_of_codes() -> None:
    domain = build_domain(SCHEMA, ["region", "age"], {"age": 11})
    plan = build_contingency_plan(Table(SCHEMA), domain, 4)
    assert plan.measures == (Contingency((("a0", 3), ("a1", 11))),)
    assert (plan.bound.max_rows, plan.bound.keys) == (4, ())
    assert Domain(domain.attributes) == domain


def test_the_row_scope_names_the_columns() -> None:
    one = Attribute("a", "integer", (1, 2))
    assert Domain((one,)).row_scope == "among rows with a value in a"
    many = tuple(replace(one, name=f"a{n}") for n in range(10))
    assert Domain(many[:2]).row_scope == "among rows with a value in all of a0, a1"
    assert Domain(many).row_scope.endswith("a6, a7 and 2 more")

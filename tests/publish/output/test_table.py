"""Tables of estimates: every cell in its place, told as people know it."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.publish.domain import Attribute, Domain
from hedgerow.publish.output.table import (
    build_count_columns,
    build_dense_table,
    build_label_columns,
    build_sparse_table,
    list_axis_codes,
)

REGION = Attribute("region", "text", ("north", "south"))
AGE = Attribute("age", "integer", edges=(Fraction(0), Fraction(18), Fraction(120)))
DAY = Attribute("day", "date", (date(2024, 1, 1), date(2024, 1, 2), date(2024, 1, 3)))
DOMAIN = Domain((REGION, AGE, DAY))


def test_cells_come_in_the_order_of_their_codes_the_first_attribute_slowest() -> None:
    table = build_dense_table(DOMAIN, np.arange(12).reshape(2, 2, 3), 2, np.arange(12) / 2)
    assert table.column_names == [
        "region",
        "age_from",
        "age_to",
        "day",
        "count",
        "count_low",
        "count_high",
        "count_clean",
    ]
    rows = table.to_pylist()
    assert rows[0] == {
        "region": "north",
        "age_from": 0,
        "age_to": 18,
        "day": date(2024, 1, 1),
        "count": 0,
        "count_low": -2,
        "count_high": 2,
        "count_clean": 0.0,
    }
    for region, name in enumerate(REGION.values or ()):
        for age, start in enumerate((0, 18)):
            for day, when in enumerate(DAY.values or ()):
                row = rows[(region * 2 + age) * 3 + day]
                assert (row["region"], row["age_from"], row["day"], row["count"]) == (
                    name,
                    start,
                    when,
                    (region * 2 + age) * 3 + day,
                )


def test_text_is_kept_once_and_all_else_is_plain() -> None:
    table = build_dense_table(DOMAIN, np.zeros(12, dtype=np.int64), 1, np.zeros(12))
    kinds = [str(field.type) for field in table.schema]
    assert kinds == [
        "dictionary<values=string, indices=int32, ordered=0>",
        "int64",
        "int64",
        "date32[day]",
        *["int64"] * 3,
        "double",
    ]


@pytest.mark.parametrize(
    ("attribute", "wanted"),
    [
        (Attribute("b", "boolean", (False, True)), {"b": [True, None]}),
        (
            Attribute("x", "real", edges=(Fraction(0), Fraction(1, 2), Fraction(1))),
            {"x_from": [0.5, None], "x_to": [1.0, None]},
        ),
        (
            Attribute("n", "integer", edges=(Fraction(0), Fraction(3, 2), Fraction(5))),
            {"n_from": [1.5, None], "n_to": [5.0, None]},
        ),
        (REGION, {"region": ["south", None]}),
    ],
)
def test_a_masked_code_is_null(attribute: Attribute, wanted: dict[str, list[object]]) -> None:
    found = build_label_columns(attribute, np.ma.masked_array([1, -1], [False, True]))
    assert {name: pa.array(column).to_pylist() for name, column in found.items()} == wanted


def test_radii_may_differ_from_cell_to_cell() -> None:
    columns = build_count_columns(np.array([1.5, 2.5]), np.array([1.0, 0.5]), np.array([1.0, 3.0]))
    assert {name: column.tolist() for name, column in columns.items()} == {
        "count": [1.5, 2.5],
        "count_low": [0.5, 2.0],
        "count_high": [2.5, 3.0],
        "count_clean": [1.0, 3.0],
    }


def test_a_few_cells_by_their_codes() -> None:
    table = build_sparse_table(DOMAIN, np.array([[0, 1, 2], [1, 0, 0]]), np.array([7, 9]), 3)
    assert [
        (row["region"], row["age_to"], row["day"].day, row["count_low"], row["count_clean"])
        for row in table.to_pylist()
    ] == [
        ("north", 120, 3, 4, 7),
        ("south", 18, 1, 6, 9),
    ]
    assert (
        build_sparse_table(
            DOMAIN, np.zeros((0, 3), dtype=np.int64), np.zeros(0, dtype=np.int64), 3
        ).num_rows
        == 0
    )


def test_the_grid_against_numpy() -> None:
    sizes = (3, 4, 5)
    for axis in range(3):
        assert (list_axis_codes(sizes, axis) == np.indices(sizes)[axis].ravel()).all()


def test_counts_radii_and_codes_of_other_lengths_are_refused() -> None:
    with pytest.raises(InvalidArgument, match="12 combinations"):
        build_dense_table(DOMAIN, np.zeros(11), 1, np.zeros(11))
    with pytest.raises(InvalidArgument, match="a row for each count"):
        build_sparse_table(DOMAIN, np.zeros((2, 2)), np.zeros(2), 1)
    with pytest.raises(InvalidArgument, match="one radius"):
        build_count_columns(np.zeros(3), np.zeros(2), np.zeros(3))
    with pytest.raises(InvalidArgument, match="as many clean counts"):
        build_count_columns(np.zeros(3), 1, np.zeros(2))

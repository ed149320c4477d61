"""Who of one file is in another, against a plain comparison of all rows."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from depth import many
from hedgerow.errors import InvalidArgument, SourceError
from hedgerow.risk.table.linkage import linkage
from hedgerow.risk.table.sample_students import students

Rows = list[tuple[Any, ...]]
rows = st.lists(
    st.tuples(st.sampled_from([0, 1, 2, 3, None]), st.sampled_from(["f", "m", "x"])),
    min_size=1,
    max_size=25,
)


def frame(given_rows: Rows) -> pa.Table:
    return pa.table(
        {
            "a": pa.array([row[0] for row in given_rows], pa.int64()),
            "b": [row[1] for row in given_rows],
        }
    )


@settings(max_examples=many(4))
@given(rows, rows)
def test_links_are_those_of_a_plain_comparison(first: Rows, second: Rows) -> None:
    found = linkage(frame(first), frame(second))
    here, there = (Counter(row for row in side if None not in row) for side in (first, second))
    pairs = [
        [i, j]
        for i, row in enumerate(first)
        for j, other in enumerate(second)
        if row == other and here[row] == there[row] == 1
    ]
    assert found.pairs.tolist() == pairs
    assert found.certain_count == len(pairs)
    assert found.rows == (len(first), len(second))
    assert found.incomplete == tuple(sum(None in row for row in side) for side in (first, second))
    faced = Counter(there[row] if None not in row else 0 for row in first)
    assert found.linked_count == sum(many for size, many in faced.items() if size)
    for band in found.match_bands:
        inside = [
            many
            for size, many in faced.items()
            if band.first <= size and (band.last is None or size <= band.last)
        ]
        assert band.rows == sum(inside)
    expected = sum(
        Fraction(min(here[row], there[row]), max(here[row], there[row]))
        for row in here
        if there[row]
    )
    assert found.expected_correct == pytest.approx(float(expected))


def test_a_table_with_itself_is_as_certain_as_it_is_unique() -> None:
    found = linkage(students(), students(), ["age", "sex", "first_semester"])
    assert found.certain_count == 15
    assert found.pairs[:, 0].tolist() == found.pairs[:, 1].tolist()
    assert found.expected_correct == pytest.approx(19)  # a guess of each class is right


def test_plain_data_tell_how_many_and_not_who() -> None:
    told = linkage(students(), students().slice(0, 12), ["Age", "SEX"]).to_dict()
    assert json.loads(json.dumps(told)) == told
    assert (told["rows"], told["other_rows"], told["on"]) == (24, 12, ["age", "sex"])
    assert (told["certain"], told["certain_fraction"]) == (2, 2 / 24)
    assert told["possible"][0] == {"from": 0, "to": 0, "rows": 9}
    assert "pairs" not in told


def test_columns_that_are_not_in_both() -> None:
    other = students().drop_columns(["sex"])
    with pytest.raises(
        InvalidArgument, match=r"on must name columns of the data, which have no 'sex'"
    ):
        linkage(students(), other, ["age", "sex"])
    with pytest.raises(InvalidArgument, match="they have none in common"):
        linkage(students(), pa.table({"height": [1]}))
    with pytest.raises(InvalidArgument, match="on must be a list"):
        linkage(students(), students(), "age")
    with pytest.raises(InvalidArgument, match="on must all be different"):
        linkage(students(), students(), ["age", "age"])


def test_a_file_without_rows_has_nobody_to_link() -> None:
    with pytest.raises(SourceError, match="the frame has no rows"):
        linkage(students(), students().slice(0, 0))


def test_rows_that_all_lack_something_are_linked_with_nobody() -> None:
    empty = pa.table({"age": pa.array([None, None], pa.int64())})
    found = linkage(empty, students(), ["age"])
    assert (found.certain_count, found.linked_count, found.incomplete, found.expected_correct) == (
        0,
        0,
        (2, 0),
        0.0,
    )
    assert found.match_bands[0].rows == 2

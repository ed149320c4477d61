"""What is found about a table, against a plain count."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from depth import many
from hedgerow.errors import InvalidArgument, Unsupported
from hedgerow.risk.table.encoded_tables import encode_table
from hedgerow.risk.table.equivalence_classes import compute_classes
from hedgerow.risk.table.sample_students import students
from hedgerow.risk.table.uniqueness import uniqueness

KNOWN = ["age", "sex", "first_semester", "worst_grade", "siblings"]


@settings(max_examples=many(4))
@given(st.lists(st.tuples(*[st.sampled_from([None, 0, 1, 2, 3])] * 3), min_size=1, max_size=30))
def test_from_a_frame_to_every_set(rows: list[tuple[Any, ...]]) -> None:
    """NULL is a value of its own, all the way from the frame."""
    names = ["a", "b", "c"]
    table = pa.table(
        {
            name: pa.array([row[place] for row in rows], pa.int64())
            for place, name in enumerate(names)
        }
    )
    found = uniqueness(table)
    assert found.rows == len(rows)
    for subset in found.subsets:
        counts = Counter(tuple(row[names.index(name)] for name in subset.columns) for row in rows)
        assert (subset.unique, subset.classes) == (
            sum(n == 1 for n in counts.values()),
            len(counts),
        )
    whole = Counter(rows)
    assert found.unique_fraction == Fraction(sum(n == 1 for n in whole.values()), len(rows))
    assert found.classes.mean_risk == sum(Fraction(1, whole[row]) for row in rows) / len(rows)
    assert found.classes.fraction_below(3) == Fraction(
        sum(whole[row] < 3 for row in rows), len(rows)
    )


def test_smallest_sets_that_identify_enough() -> None:
    found = uniqueness(students(), KNOWN, size=3, share=0.75)
    assert [each.columns for each in found.identifying] == [
        ("age", "worst_grade", "siblings"),
        ("first_semester", "worst_grade", "siblings"),
    ]
    assert uniqueness(students(), KNOWN, size=3).identifying == ()
    half = uniqueness(students(), KNOWN, size=3, share=0.5)
    every = {frozenset(each.columns) for each in half.subsets if each.unique >= 12}
    assert all(not any(other < set(each.columns) for other in every) for each in half.identifying)
    assert len(half.identifying) > 1


def test_attackers_who_know_any_columns() -> None:
    found = uniqueness(students(), KNOWN, size=2)
    one, two = found.attackers
    table = encode_table(students())
    pairs = list(itertools.combinations(KNOWN, 2))
    alone = [compute_classes(table.select_columns(pair)) for pair in pairs]
    assert (one.knows, one.sets, two.knows, two.sets) == (1, 5, 2, 10)
    assert two.unique == sum(each.unique_fraction for each in alone) / 10
    assert two.risk == sum(each.mean_risk for each in alone) / 10
    assert two.worst_unique == max(each.unique_fraction for each in alone)
    assert two.worst_risk == max(each.mean_risk for each in alone)
    assert two.worst == ("age", "worst_grade")


def test_greedy_for_very_many_columns() -> None:
    wide = pa.table({f"q{i}": [(row * (i + 3)) % 7 % 4 for row in range(50)] for i in range(100)})
    with pytest.raises(Unsupported, match="100 columns have 166,750 sets"):
        uniqueness(wide)
    found = uniqueness(wide, wide.column_names[:24], search="greedy", size=4)
    assert found.searched == "greedy"
    assert found.attackers == ()
    assert [len(each.columns) for each in found.subsets] == list(range(1, len(found.subsets) + 1))
    assert uniqueness(students(), search="greedy", share=0.9, size=5).identifying[0].unique >= 22
    assert len(uniqueness(wide, wide.column_names[80:96], size=1).subsets) == 16


def test_all_unique_and_one_row() -> None:
    unique = uniqueness(pa.table({"id": range(30), "x": [1] * 30}))
    assert unique.unique_fraction == 1
    assert [each.columns for each in unique.identifying] == [("id",)]
    assert "id has a different value" in unique.notes[0]
    one = uniqueness(pa.table({"x": [1]}))
    assert (one.rows, one.unique_fraction) == (1, Fraction(1))
    assert one.notes[0].startswith("The table has one row")


def test_plain_data() -> None:
    told = uniqueness(students(), ["age", "sex"]).to_dict()
    assert json.loads(json.dumps(told)) == told
    assert (told["rows"], told["unique_fraction"], told["unique"], told["k_anonymity"]) == (
        24,
        7 / 24,
        7,
        1,
    )
    assert told["classes"][:3] == [
        {"from": 1, "to": 1, "rows": 7},
        {"from": 2, "to": 2, "rows": 8},
        {"from": 3, "to": 5, "rows": 9},
    ]
    assert told["risk"] == {
        "mean": 13 / 24,
        "highest": 1.0,
        "below_k": {"2": 7 / 24, "3": 15 / 24, "5": 19 / 24, "11": 1.0},
    }
    assert [(step["adds"], step["unique"]) for step in told["steps"]] == [("age", 4), ("sex", 7)]
    assert [subset["columns"] for subset in told["subsets"]] == [["age"], ["sex"], ["age", "sex"]]
    assert told["searched"] == "all sets of up to 2"
    assert told["attackers"][1]["worst"] == ["age", "sex"]


def test_progress_is_reported() -> None:
    moves: list[tuple[int, int]] = []
    uniqueness(students(), KNOWN, progress=lambda done, total: moves.append((done, total)))
    assert moves[-1] == (25, 25)


@pytest.mark.parametrize("share", [0, -0.1, 1.01])
def test_a_share_is_a_fraction(share: Any) -> None:
    with pytest.raises(InvalidArgument, match="share must be above 0 and at most 1"):
        uniqueness(students(), share=share)


def test_a_search_is_one_of_two() -> None:
    with pytest.raises(InvalidArgument, match='search must be "all" or "greedy"; got \'fast\''):
        uniqueness(students(), search="fast")

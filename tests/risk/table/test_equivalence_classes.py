"""Classes against a count that anybody believes."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from depth import many
from hedgerow.errors import InvalidArgument
from hedgerow.risk.table.encoded_tables import EncodedTable
from hedgerow.risk.table.equivalence_classes import (
    EquivalenceClasses,
    SizeBand,
    compute_classes,
    compute_growing_classes,
    compute_keys,
    count_by_band,
    count_keys,
    refine_classes,
    renumber_keys,
)
from risk.helpers_tables import sizes_of, table_of, tables

keys = st.one_of(*(st.lists(st.integers(0, top), max_size=80) for top in (3, 40, 10**6)))


@settings(max_examples=many(25))
@given(keys)
def test_keys_are_counted_in_an_array_and_by_order_alike(given_keys: list[int]) -> None:
    tally = Counter(given_keys)
    expected = sum(count == 1 for count in tally.values()), len(tally)
    found = np.array(given_keys, dtype=np.int64)
    for space in (max(given_keys, default=0) + 1, 10**12):
        assert count_keys(found, space) == expected


@settings(max_examples=many(25))
@given(keys)
def test_ids_have_no_gaps_and_keep_what_is_equal(given_keys: list[int]) -> None:
    found = np.array(given_keys, dtype=np.int64)
    for space in (max(given_keys, default=0) + 1, 10**12):
        ids, groups = renumber_keys(found, space)
        assert set(ids.tolist()) == set(range(groups))
        assert (
            len(set(zip(ids.tolist(), given_keys, strict=True))) == groups == len(set(given_keys))
        )


@settings(max_examples=many(25))
@given(keys)
def test_lone_rows_may_go_and_nothing_else(given_keys: list[int]) -> None:
    tally, found = Counter(given_keys), np.array(given_keys, dtype=np.int64)
    alone = {key for key, count in tally.items() if count == 1}
    for space in (max(given_keys, default=0) + 1, 10**12):
        made = refine_classes(found, space)
        assert (made.unique_count, made.class_count) == (len(alone), len(tally))
        left = list(range(len(given_keys))) if made.kept_rows is None else made.kept_rows.tolist()
        gone = set(range(len(given_keys))) - set(left)
        assert len(gone) == made.removed_count
        assert {given_keys[row] for row in gone} <= alone
        pairs = {
            (given_keys[row], number) for row, number in zip(left, made.ids.tolist(), strict=True)
        }
        assert len(pairs) == len({number for _, number in pairs}) == len({key for key, _ in pairs})
        assert all(0 <= number < made.id_bound for _, number in pairs)


def test_many_lone_rows_go_and_few_stay() -> None:
    few = refine_classes(np.array([0] * 20 + [1]), 2)
    assert (few.unique_count, few.removed_count, few.kept_rows) == (1, 0, None)
    many = refine_classes(np.array([0, 0, 1, 2]), 3)
    assert (many.unique_count, many.removed_count, many.kept_rows.tolist()) == (2, 2, [0, 1])
    sparse = refine_classes(np.array([0] * 20 + [40] * 20), 100)
    assert (sparse.id_bound, sparse.ids.max()) == (2, 1)  # many gaps are closed


@settings(max_examples=many(10))
@given(tables())
def test_growing_classes_have_the_sizes_of_a_plain_count(table: EncodedTable) -> None:
    steps = compute_growing_classes(table)
    assert compute_classes(table) == steps[-1]
    for step in steps:
        plain = Counter(sizes_of(table, step.columns).values())
        assert dict(zip(step.sizes, step.counts, strict=True)) == plain
        assert list(step.sizes) == sorted(plain)


def test_risk_of_a_table() -> None:
    found = compute_classes(table_of([1, 2, 2, 3, 3, 3, 4, 4, 4, 4]))
    assert (found.rows, found.class_count, found.unique, found.smallest) == (10, 4, 1, 1)
    assert found.unique_fraction == Fraction(1, 10)
    # 1, two halves, three thirds, four quarters
    assert found.mean_risk == Fraction(1 + 1 + 1 + 1, 10)
    assert found.highest_risk == 1
    assert [found.fraction_below(k) for k in (1, 2, 3, 4, 5)] == [
        Fraction(part, 10) for part in (0, 1, 3, 6, 10)
    ]
    assert [(str(band), band.rows) for band in found.count_bands()] == [
        ("1", 1),
        ("2", 2),
        ("3–5", 7),
        ("6–10", 0),
        ("11–100", 0),
        ("over 100", 0),
    ]
    twos = compute_classes(table_of([1, 1, 2, 2]))
    assert (twos.unique, twos.highest_risk) == (0, Fraction(1, 2))


def test_bands_are_plain_data_too() -> None:
    bands = count_by_band(np.array([0, 1, 2, 3, 500]), np.array([1, 2, 4, 8, 16]), (0, 1, 3))
    assert bands == [
        SizeBand(0, 0, 1),
        SizeBand(1, 1, 2),
        SizeBand(2, 3, 12),
        SizeBand(4, None, 16),
    ]
    assert bands[-1].to_dict() == {"from": 4, "to": None, "rows": 16}


def test_keys_do_not_overflow() -> None:
    """Ids and codes below 2^31 each give keys below 2^62, whatever small type the codes have."""
    made = compute_keys(np.array([2**31 - 1]), np.array([2**31 - 1], dtype=np.uint32), 2**31)
    assert made.tolist() == [2**62 - 1]


@pytest.mark.parametrize("k", [0, -1, 1.5, "2"])
def test_k_is_a_whole_number(k: object) -> None:
    with pytest.raises(InvalidArgument, match="k must be a whole number"):
        compute_classes(table_of([1])).fraction_below(k)  # type: ignore[arg-type]


@pytest.mark.parametrize(("sizes", "counts"), [((), ()), ((1,), ()), ((0,), (1,)), ((1,), (0,))])
def test_classes_are_not_empty(sizes: tuple[int, ...], counts: tuple[int, ...]) -> None:
    with pytest.raises(InvalidArgument, match="sizes must be at least 1"):
        EquivalenceClasses(("a",), sizes, counts)

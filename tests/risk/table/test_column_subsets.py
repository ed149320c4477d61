"""Every set of columns against a count that anybody believes; what is pruned changes nothing."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from depth import many
from hedgerow.errors import InvalidArgument, Unsupported
from hedgerow.risk.table import column_subsets as module
from hedgerow.risk.table.column_subsets import (
    ColumnSubset,
    check_subset_count,
    find_minimal_subsets,
    grow_subset,
    measure_subsets,
)
from hedgerow.risk.table.encoded_tables import Codes, Counts, EncodedTable
from hedgerow.risk.table.equivalence_classes import compute_keys
from risk.helpers_tables import sizes_of, table_of, tables


def plain(table: EncodedTable, size: int) -> list[ColumnSubset]:
    found = []
    for each in range(1, size + 1):
        for names in itertools.combinations(table.names, each):
            counts = sizes_of(table, names)
            found.append(
                ColumnSubset(names, sum(count == 1 for count in counts.values()), len(counts))
            )
    return found


@settings(max_examples=many(20))
@given(tables(), st.integers(1, 5))
def test_all_sets_are_counted_as_plainly(table: EncodedTable, size: int) -> None:
    assert measure_subsets(table, size) == plain(table, min(size, len(table.names)))


@settings(max_examples=many(10))
@given(tables(columns=4, rows=12), st.integers(1, 8))
def test_many_rows_alike_change_nothing(table: EncodedTable, times: int) -> None:
    """Copies are what thinning drops: with enough of them it always happens."""
    codes = tuple(np.repeat(column, 7 * times) for column in table.codes)
    several = EncodedTable(table.names, codes, table.sizes, table.null_codes)
    assert measure_subsets(several, 4) == plain(several, len(table.names))
    one_more = EncodedTable(
        table.names, tuple(np.append(c, c[0]) for c in table.codes), table.sizes, table.null_codes
    )
    assert measure_subsets(one_more, 4) == plain(one_more, len(table.names))


def test_complete_sets_are_not_counted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = []

    def counting(ids: Counts, codes: Codes, size: int) -> Counts:
        counted.append(size)
        return compute_keys(ids, codes, size)

    monkeypatch.setattr(module, "compute_keys", counting)
    table = table_of(range(40), [1, 2] * 20, [1, 1, 2, 2] * 10, [1] * 40)
    found = measure_subsets(table, 4)
    assert found == plain(table, 4)
    assert [each.unique for each in found if "a" in each.columns] == [40] * 8
    # its tail and itself come last: after it no superset of it is counted
    assert counted[-2:] == [40, 40]


def test_more_sets_that_identify_than_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MAX_REMEMBERED_SUBSETS", 1)
    table = table_of(range(9), range(9), [1, 2, 3] * 3, [1, 1, 1, 2, 2, 2, 3, 3, 3])
    assert measure_subsets(table, 4) == plain(table, 4)


def test_progress_reaches_the_end() -> None:
    moves: list[tuple[int, int]] = []
    measure_subsets(
        table_of([1, 2, 3], [1, 1, 2], [1, 2, 1]),
        2,
        progress=lambda done, total: moves.append((done, total)),
    )
    assert moves == [(done, 6) for done in range(1, 7)]


@settings(max_examples=many(10))
@given(tables(), st.integers(0, 60))
def test_minimal_sets_suffice_and_can_spare_nothing(table: EncodedTable, needed: int) -> None:
    found = measure_subsets(table, 5)
    enough = [set(each.columns) for each in found if each.unique >= needed]
    expected = [
        each
        for each in found
        if set(each.columns) in enough and not any(other < set(each.columns) for other in enough)
    ]
    assert find_minimal_subsets(found, needed) == expected


def test_five_hundred_columns_are_refused_with_what_can_be_done() -> None:
    with pytest.raises(
        Unsupported,
        match=r"500 columns have 20,833,750 sets of up to 3, and at most 50,000 can be searched",
    ) as refused:
        check_subset_count(500, 3)
    said = str(refused.value)
    assert (
        "name at most 66 columns (--columns), search sets of up to 1 (--size 1), or grow one set"
        in said
    )
    assert check_subset_count(500, 1) == 1
    assert check_subset_count(66, 3) == 3
    with pytest.raises(Unsupported):
        check_subset_count(67, 3)
    with pytest.raises(
        Unsupported, match=r"You can name at most 50000 columns \(--columns\), or grow one set"
    ):
        check_subset_count(60_000, 1)
    assert check_subset_count(3, 9) == 3


@pytest.mark.parametrize("size", [0, -1, 1.5])
def test_a_size_is_a_whole_number(size: object) -> None:
    with pytest.raises(InvalidArgument, match="size must be a whole number"):
        measure_subsets(table_of([1, 2]), size)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument, match="size must be a whole number"):
        grow_subset(table_of([1, 2]), size)  # type: ignore[arg-type]


@settings(max_examples=many(10))
@given(tables(), st.integers(1, 5))
def test_greedy_takes_the_best_next_column(table: EncodedTable, size: int) -> None:
    found, every = (
        grow_subset(table, size),
        {each.columns: each for each in plain(table, len(table.names))},
    )
    taken: tuple[str, ...] = ()
    for each in found:
        rest = [name for name in table.names if name not in taken]
        best = max(
            (
                every[_sorted(table, (*taken, name))].unique,
                every[_sorted(table, (*taken, name))].classes,
            )
            for name in rest
        )
        assert (each.unique, each.classes) == best
        taken = each.columns
        assert (every[_sorted(table, taken)].unique, every[_sorted(table, taken)].classes) == best
    whole = every[table.names]
    assert len(found) == min(size, len(table.names)) or (found[-1].unique, found[-1].classes) == (
        whole.unique,
        whole.classes,
    )


def _sorted(table: EncodedTable, names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(names, key=table.names.index))


def test_greedy_moves_on() -> None:
    moves: list[tuple[int, int]] = []
    grow_subset(
        table_of([1, 2, 3, 3], [1, 1, 2, 3], [1, 2, 1, 1]),
        2,
        progress=lambda done, total: moves.append((done, total)),
    )
    assert moves == [(done, 5) for done in range(1, 6)]

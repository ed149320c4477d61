from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from hedgerow.engines.data_source import Cells
from hedgerow.engines.result_cells import CompiledPlan, collect_cells
from hedgerow.engines.result_columns import ResultColumns
from hedgerow.engines.statement import Statement
from hedgerow.errors import InvalidArgument
from hedgerow.plan.contingency import Contingency
from hedgerow.plan.measures import ClampedGrid, Measure
from hedgerow.plan.nodes import Aggregate, Bound, Group, Table
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.plan.schema import Column, Schema
from hedgerow.plan.values import Value

SCHEMA = Schema(
    "t",
    (Column("a", "text"), Column("b", "integer"), Column("s", "text"), Column("c", "integer")),
    "id",
)
MEDIAN = OrderStatistic(
    "quantiles", "b", ClampedGrid(Fraction(1), 0, 9), quantiles=(Fraction(1, 2),)
)
MODE = OrderStatistic("mode", "s", values=("z", "y", "x"))


def cells(
    keys: tuple[str, ...],
    domain: tuple[tuple[Value, ...], ...] | None,
    measures: tuple[Measure | OrderStatistic | Contingency, ...],
    main: ResultColumns | None,
    others: Mapping[int, ResultColumns] | None = None,
) -> Cells:
    """What becomes of answers: those of the sums, and by the place of their measure those of
    others.
    """
    plan = Aggregate(Group(Bound(Table(SCHEMA), keys, 1, 1), domain), measures)
    answers = {"main": main, **{str(place): answer for place, answer in (others or {}).items()}}
    statements = {place: Statement(str(place), (), ()) for place in others or {}}

    def answer(statement: Statement) -> ResultColumns:
        found = answers[statement.sql]
        assert found is not None
        return found

    return collect_cells(
        plan, CompiledPlan(None if main is None else Statement("main", (), ()), statements), answer
    )


def whole(*numbers: int) -> Any:
    return np.array(numbers, dtype=np.int64)


ROWS = (Measure("rows"),)


def test_cells_come_in_the_order_of_the_domain_with_zeros_where_nothing_was() -> None:
    found = cells(("a", "b"), (("x", "y"), (1, 2, 3)), ROWS, ([["y", "x"], [2, 1]], [whole(5, 7)]))
    assert found.keys == (["x", "x", "x", "y", "y", "y"], [1, 2, 3, 1, 2, 3])
    assert found.numbers[0].tolist() == [7, 0, 0, 0, 5, 0]


def test_a_key_outside_the_domain_never_comes_out() -> None:
    planted = ["x", "planted", None]
    found = cells(
        ("a",),
        (("z", "x"),),
        (
            Measure("total", "b", ClampedGrid(Fraction(1), 0, 9)),
            Measure("distinct", "s"),
            MEDIAN,
            MODE,
        ),
        ([planted], [np.array([1, 2, 4], dtype=object)]),
        {
            1: ([planted], [whole(5, 6, 7)]),
            2: ([planted], [whole(3, 4, 5), whole(1, 1, 1)]),
            3: ([planted, ["x", "y", "z"]], [whole(2, 1, 1)]),
        },
    )
    assert found.keys == (["z", "x"],)
    assert [column.tolist() for column in found.numbers[:2]] == [[0, 1], [0, 5]]
    assert [[sample.tolist() for sample in column] for column in found.numbers[2:]] == [
        [[], [3]],
        [[], [2, 2]],
    ]


def test_without_a_domain_cells_stay_as_they_come() -> None:
    assert cells(("a",), None, ROWS, ([[None, "a"]], [whole(1, 2)])).keys == ([None, "a"],)


def test_without_a_domain_every_measure_follows_the_groups_of_the_sums() -> None:
    found = cells(
        ("a", "b"),
        None,
        (MEDIAN, *ROWS, Measure("distinct", "s")),
        ([[None, "a", "a"], [1, 1, None]], [whole(1, 2, 3)]),
        {
            0: (
                [[None, "a", "a", "b"], [1, None, None, 1]],
                [whole(9, 0, 4, 1), whole(1, 1, 2, 1)],
            ),
            2: ([["a"], [1]], [whole(6)]),
        },
    )
    assert found.keys == ([None, "a", "a"], [1, 1, None])
    assert [sample.tolist() for sample in found.numbers[0]] == [[9], [], [0, 4, 4]]
    assert [column.tolist() for column in found.numbers[1:]] == [[1, 2, 3], [0, 6, 0]]


def test_no_keys_make_one_cell() -> None:
    found = cells((), (), ROWS, ([], [whole(9)]))
    assert (found.keys, found.numbers[0].tolist()) == ((), [9])


def test_no_keys_and_no_sums_make_one_cell_all_the_same() -> None:
    found = cells((), (), (MEDIAN,), None, {0: ([], [whole(1, 7), whole(2, 1)])})
    assert (found.keys, found.numbers[0][0].tolist()) == ((), [1, 1, 7])
    empty = cells((), (), (MEDIAN,), None, {0: ([], [whole(), whole()])})
    assert (len(empty), empty.numbers[0][0].tolist(), empty.numbers[0][0].dtype) == (
        1,
        [],
        np.dtype(np.int64),
    )


def test_no_keys_no_domain_and_no_rows_make_no_cell() -> None:
    found = cells(
        (),
        None,
        (*ROWS, MEDIAN, Measure("distinct", "s")),
        ([], [whole()]),
        {1: ([], [whole(), whole()]), 2: ([], [whole(0)])},
    )
    assert [len(column) for column in found.numbers] == [0, 0, 0]


def test_samples_come_in_the_order_of_the_domain_and_groups_without_values_are_empty() -> None:
    answer: ResultColumns = [["c", "c", "a"]], [whole(2, 5, 8), whole(3, 1, 2)]
    (samples,) = cells(("a",), (("a", "b", "c"),), (MEDIAN,), None, {0: answer}).numbers
    assert samples.dtype == np.dtype(object)
    assert [(sample.dtype, sample.tolist()) for sample in samples] == [
        (np.dtype(np.int64), found) for found in ([8, 8], [], [2, 2, 2, 5])
    ]


def test_a_mode_has_the_places_of_its_values_in_the_list_sorted() -> None:
    answer: ResultColumns = [["a", "a", "b"], ["x", "z", "y"]], [whole(1, 2, 3)]
    (samples,) = cells(("a",), (("a", "b"),), (MODE,), None, {0: answer}).numbers
    assert [sample.tolist() for sample in samples] == [[0, 0, 2], [1, 1, 1]]


def test_combinations_are_one_cell_even_when_there_are_none() -> None:
    cross = Contingency((("b", 2**62), ("c", 3)))
    found = cells((), (), (cross,), None, {0: ([], [whole(0, 5), whole(2, 0), whole(7, 1)])})
    ((table,),) = found.numbers
    assert (found.keys, found.numbers[0].dtype, table.sizes, table.total) == (
        (),
        np.dtype(object),
        (2**62, 3),
        8,
    )
    assert [word.tolist() for word in table.words] == [[0, 5], [2, 0]]
    assert table.marginal((1,)).tolist() == [1, 0, 7]
    ((empty,),) = cells((), (), (cross,), None, {0: ([], [whole(), whole(), whole()])}).numbers
    assert (empty.total, empty.marginal((1,)).tolist()) == (0, [0, 0, 0])


@pytest.mark.parametrize(
    "columns",
    [
        [whole(0), whole(2)],
        [whole(0), whole(2), whole(1), whole(1)],
        [whole(0), whole(3), whole(1)],
        [whole(-1), whole(0), whole(1)],
        [whole(0), whole(0), whole(-1)],
        [whole(0, 1), whole(0), whole(1)],
        [whole(0), whole(0), np.array([2**70], dtype=object)],
        [whole(0, 1), whole(0, 1), whole(2**62 + 1, 1)],
    ],
)
def test_combinations_that_cannot_be_are_not_taken(columns: list[Any]) -> None:
    with pytest.raises(InvalidArgument):
        cells((), (), (Contingency((("b", 2**62), ("c", 3))),), None, {0: ([], columns)})


def test_measures_keep_their_places_whichever_statement_they_come_from() -> None:
    mean = Measure("moments", "b", ClampedGrid(Fraction(1), 0, 9))
    answer: ResultColumns = [], [whole(1), whole(2), whole(3)]
    found = cells((), (), (mean, MEDIAN, *ROWS), answer, {1: ([], [whole(4), whole(1)])})
    assert [
        column.tolist() for column in (*found.numbers[:2], found.numbers[2][0], found.numbers[3])
    ] == [[1], [2], [4], [3]]

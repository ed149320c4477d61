"""Ids of several columns: their names, and one id for each combination of parts."""

from __future__ import annotations

import itertools

import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.plan.composite_ids import encode_id, list_id_columns, name_composite_unit


def test_a_unit_of_several_columns_has_one_name_from_which_they_are_read_back() -> None:
    assert name_composite_unit(["store", "customer"]) == "(store, customer)"
    assert list_id_columns("(store, customer)") == ("store", "customer")
    assert name_composite_unit(["store"]) == "store"


@pytest.mark.parametrize("unit", ["row", "id", "(id)", "(a, b", "a, b", "()"])
def test_any_other_name_is_one_column(unit: str) -> None:
    assert list_id_columns(unit) == (unit,)


@pytest.mark.parametrize(
    "columns",
    [[], ["a", "A"], ["a", "b, c"], ["a", "(b"], ["a", "b)"], ["row", "b"], ["a", " "], ["a", ""]],
)
def test_columns_that_could_be_read_back_as_others_are_refused(columns: list[str]) -> None:
    with pytest.raises(InvalidArgument, match="unit must"):
        name_composite_unit(columns)


def test_no_two_lists_of_parts_have_one_id() -> None:
    """All pairs of short texts of the characters that the encoding itself writes."""
    texts = ["".join(word) for size in range(4) for word in itertools.product("1:3", repeat=size)]
    lists = list(itertools.product(texts, repeat=2))
    assert len({encode_id(parts) for parts in lists}) == len(lists)
    assert encode_id((11, "ä😀")) == "2:112:ä😀"

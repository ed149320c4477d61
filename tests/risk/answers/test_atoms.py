"""Atoms are exactly the groups that conditions tell apart: compared with every point of small
domains, three-valued logic included.
"""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from depth import many
from hedgerow.errors import InvalidArgument, Unsupported
from hedgerow.risk.answers import atoms as module
from hedgerow.risk.answers.atoms import compute_atoms
from hedgerow.risk.answers.conditions import And, Comparison, Condition, Not, Or, parse_condition

NUMBERS = [None, *(Fraction(half, 2) for half in range(-1, 8))]


def truth(condition: Condition, row: dict[str, Any]) -> bool | None:
    """SQL's three-valued logic, written out."""
    match condition:
        case Not(part):
            inner = truth(part, row)
            return None if inner is None else not inner
        case And(parts):
            each = [truth(part, row) for part in parts]
            return False if False in each else None if None in each else True
        case Or(parts):
            each = [truth(part, row) for part in parts]
            return True if True in each else None if None in each else False
        case Comparison(column, operator, values):
            value = row[column]
            if operator == "null":
                return value is None
            if operator == "is":
                return value == values[0] if values else value is None
            if value is None:
                return None
            bound: Any = values[0]
            if operator in ("=", "in"):
                return value in values
            return bool(
                {
                    "<": value < bound,
                    "<=": value <= bound,
                    ">": value > bound,
                    ">=": value >= bound,
                }[operator]
            )


def signatures(conditions: list[Condition]) -> set[tuple[int, ...]]:
    rows = (dict(zip("ab", pair, strict=True)) for pair in itertools.product(NUMBERS, repeat=2))
    return {
        tuple(i for i, each in enumerate(conditions) if truth(each, row) is True) for row in rows
    }


CONSTANT = st.sampled_from([Fraction(n) for n in range(4)])
TEST = st.one_of(
    st.builds(
        lambda c, o, v: Comparison(c, o, (v,)),
        st.sampled_from("ab"),
        st.sampled_from(["=", "<", "<=", ">", ">=", "is"]),
        CONSTANT,
    ),
    st.builds(
        lambda c, v: Comparison(c, "in", tuple(v)),
        st.sampled_from("ab"),
        st.lists(CONSTANT, min_size=1, max_size=3, unique=True),
    ),
    st.builds(Comparison, st.sampled_from("ab"), st.sampled_from(["null", "is"])),
)
CONDITION: st.SearchStrategy[Condition] = st.recursive(
    TEST,
    lambda inner: st.one_of(
        st.builds(Not, inner),
        st.builds(lambda parts: And(tuple(parts)), st.lists(inner, max_size=3)),
        st.builds(lambda parts: Or(tuple(parts)), st.lists(inner, min_size=1, max_size=3)),
    ),
    max_leaves=6,
)


@settings(max_examples=many(20))
@given(st.lists(CONDITION, min_size=1, max_size=4))
def test_atoms_are_the_different_fates_of_all_points(conditions: list[Condition]) -> None:
    found = compute_atoms(conditions)
    got = {
        tuple(i for i, bits in enumerate(found.members) if bits >> place & 1)
        for place in range(found.count)
    }
    assert got == signatures(conditions)
    assert found.count == len(got)


def test_whole_numbers_have_nothing_between_neighbours() -> None:
    twenty = [parse_condition("age < 21"), parse_condition("age <= 20")]
    assert compute_atoms(twenty).members[0] != compute_atoms(twenty).members[1]
    assert len(set(compute_atoms(twenty, {"age": "integer"}).members)) == 1


def test_a_list_of_values_leaves_no_other() -> None:
    three = [
        parse_condition("sex IN ('f', 'm')"),
        parse_condition("sex IS NOT NULL"),
        parse_condition(""),
    ]
    assert len(set(compute_atoms(three, {"sex": ("f", "m")}).members)) == 1
    assert len(set(compute_atoms(three).members)) == 3
    assert compute_atoms([parse_condition("b")], {"b": (True,)}).count == 1


def test_truth_values_have_no_other_value() -> None:
    assert (
        len(
            set(
                compute_atoms(
                    [parse_condition("drugs OR NOT drugs"), parse_condition("drugs IS NOT NULL")]
                ).members
            )
        )
        == 1
    )


def test_one_kind_of_values_in_a_column() -> None:
    with pytest.raises(
        InvalidArgument,
        match=(
            r"column 'age' must be compared with values of one kind, not with numbers and texts"
        ),
    ):
        compute_atoms([parse_condition("age = 21"), parse_condition("age = 'old'")])


def test_too_many_groups_are_refused_at_once() -> None:
    with pytest.raises(Unsupported, match="more than 20,000 groups"):
        compute_atoms([parse_condition(f"c{place} = 1") for place in range(20)])


def test_a_condition_of_too_many_cases_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_BOXES", 3)
    with pytest.raises(Unsupported, match="more than 3 cases"):
        compute_atoms([parse_condition("(a = 1 OR b = 1) AND (c = 1 OR d = 1)")])

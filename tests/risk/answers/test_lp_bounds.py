"""Bounds on groups are those of all tables that there are, counted one by one; and every one of
them has an exact proof.
"""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from depth import many
from hedgerow.errors import InvalidArgument
from hedgerow.risk.answers import lp_bounds as module
from hedgerow.risk.answers.linear_combinations import Combination, unpack_bits
from hedgerow.risk.answers.lp_bounds import AnswerSystem


def tables(system: AnswerSystem, most: int) -> list[tuple[int, ...]]:
    """Every table of whole numbers that has the answers."""
    found = []
    for sizes in itertools.product(range(most + 1), repeat=system.atom_count):
        sums = [
            sum(size for place, size in enumerate(sizes) if bits >> place & 1)
            for bits in system.members
        ]
        if all(
            (low is None or low <= s) and (high is None or s <= high)
            for s, low, high in zip(sums, system.low, system.high, strict=True)
        ):
            found.append(sizes)
    return found


@st.composite
def systems(draw: st.DrawFn) -> AnswerSystem:
    atoms = draw(st.integers(2, 4))
    truth = draw(st.lists(st.integers(0, 2), min_size=atoms, max_size=atoms))
    members = [*draw(st.lists(st.integers(1, 2**atoms - 1), max_size=4)), 2**atoms - 1]
    sums = [
        Fraction(sum(size for place, size in enumerate(truth) if bits >> place & 1))
        for bits in members
    ]
    slack = draw(st.lists(st.integers(0, 1), min_size=len(members), max_size=len(members)))
    return AnswerSystem(
        atoms,
        tuple(members),
        tuple(s - e for s, e in zip(sums, slack, strict=True)),
        tuple(s + e for s, e in zip(sums, slack, strict=True)),
    )


@settings(max_examples=many(5))
@given(systems(), st.data())
def test_the_ends_are_those_of_all_tables(system: AnswerSystem, data: st.DataObject) -> None:
    group = data.draw(st.integers(1, 2**system.atom_count - 1))
    sizes = [
        sum(size for place, size in enumerate(table) if group >> place & 1)
        for table in tables(system, 9)
    ]
    assert system.find_contradiction() is None
    assert not system.is_impossible()
    assert system.bound_integers(group) == (min(sizes), max(sizes))
    shown = system.bound_above(group)
    assert shown is not None
    assert system.is_proof(shown[1], unpack_bits(group, system.atom_count))
    assert shown[0] >= max(sizes)


@settings(max_examples=many(5))
@given(systems())
def test_empty_atoms_are_those_that_no_table_fills(system: AnswerSystem) -> None:
    met = tables(system, 9)
    never = sum(
        1 << place for place in range(system.atom_count) if not any(table[place] for table in met)
    )
    found, proof = system.find_empty_atoms()
    assert found & ~never == 0
    if proof is not None:
        assert system.is_proof(proof, unpack_bits(found, system.atom_count))


def three(a: int, b: int, c: int) -> AnswerSystem:
    """Three atoms, of which every two are counted together."""
    return AnswerSystem.from_exact_answers(
        3, [(0b011, Fraction(a)), (0b110, Fraction(b)), (0b101, Fraction(c))]
    )


def test_half_coefficients_are_found_and_exact() -> None:
    found = three(3, 4, 5).bound_above(0b001)
    assert found is not None
    assert found[0] == 2
    assert found[1] == Combination(
        ((0, Fraction(1, 2)), (1, Fraction(-1, 2)), (2, Fraction(1, 2))), Fraction(2)
    )
    assert dict(
        three(3, 4, 5).find_equal_combination(unpack_bits(0b001, 3), 0b111, (0, 1, 2)) or ()
    ) == {
        0: Fraction(1, 2),
        1: Fraction(-1, 2),
        2: Fraction(1, 2),
    }


def test_whole_people_can_be_impossible_where_fractions_fit() -> None:
    system = three(1, 1, 1)
    assert system.find_contradiction() is None
    assert system.is_impossible()
    assert not three(1, 1, 2).is_impossible()


def test_a_contradiction_is_a_sum_below_nothing() -> None:
    system = AnswerSystem.from_exact_answers(2, [(0b01, Fraction(3)), (0b11, Fraction(2))])
    found = system.find_contradiction()
    assert found == Combination(((0, Fraction(-1)), (1, Fraction(1))), Fraction(-1))
    assert system.interior_sizes is None


def test_useless_proofs_are_reported() -> None:
    system = AnswerSystem.from_exact_answers(2, [(0b01, Fraction(3)), (0b11, Fraction(2))])
    assert not system.is_proof(Combination(((0, Fraction(1)),), Fraction(3)), unpack_bits(0b10, 2))
    assert not system.is_proof(Combination(((0, Fraction(1)),), Fraction(2)), unpack_bits(0b01, 2))
    assert not AnswerSystem(1, (1,), (None,), (None,)).is_proof(
        Combination(((0, Fraction(1)),), Fraction(2)), unpack_bits(1, 1)
    )


def test_nothing_is_known_without_answers() -> None:
    assert AnswerSystem(2, (), (), ()).bound_above(0b01) is None
    assert AnswerSystem(2, (0b01,), (None,), (None,)).bound_integers(0b01) == (0, None)
    assert AnswerSystem(2, (0b01,), (None,), (None,)).interior_sizes is None
    assert AnswerSystem(2, (0b01,), (Fraction(1),), (Fraction(1),)).bound_integers(0b10) == (
        0,
        None,
    )
    assert AnswerSystem(2, (), (), ()).find_equal_combination(unpack_bits(1, 2), 0b11, ()) is None


def test_the_upper_end_is_not_looked_for_below_a_least_size() -> None:
    system = AnswerSystem.from_exact_answers(2, [(0b11, Fraction(2))])
    met: list[object] = []
    assert system.bound_integers(0b01, least=1, met=met) == (0, None)
    assert len(met) == 1
    assert system.bound_integers(0b01, met=met) == (0, 2)


def test_groups_that_no_change_moves() -> None:
    system = AnswerSystem.from_exact_answers(
        4, [(0b0011, Fraction(5)), (0b0110, Fraction(4)), (0b0111, Fraction(7))]
    )
    lines = np.stack([unpack_bits(bits, 4) for bits in (0b0001, 0b0010, 0b0101, 0b1000)])
    assert system.find_fixed_groups(lines, 0).tolist() == [True, True, True, False]


def test_every_answer_has_two_ends() -> None:
    with pytest.raises(InvalidArgument, match="both bounds each"):
        AnswerSystem(1, (1,), (), (None,))


def test_searches_that_are_cut_off_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """What fractions leave open is searched for; more atoms, cases or passes than the search has
    are told.
    """
    complete = three(1, 1, 1)
    assert complete.is_impossible()
    assert complete.search_notes == set()
    for name, why in (
        ("_MAX_SEARCHED_ATOMS", module._TOO_MANY),
        ("_MAX_SEARCH_NODES", module._TOO_LONG),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(module, name, 0)
            system = three(1, 1, 1)
            assert not system.is_impossible()
            assert system.search_notes == {why}
    monkeypatch.setattr(module, "_MAX_PASSES", 0)
    system = three(1, 1, 1)
    system.bound_integers(0b001)
    assert system.search_notes == {module._TOO_LONG}

"""Small groups are all that brute force finds over every table with the same answers, and no
other.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from depth import many
from hedgerow.errors import Unsupported
from hedgerow.risk.answers import small_groups as module
from hedgerow.risk.answers.atoms import compute_atoms
from hedgerow.risk.answers.conditions import parse_condition
from hedgerow.risk.answers.published_answer import PublishedAnswer, PublishedAnswers
from hedgerow.risk.answers.small_groups import (
    AnswerTable,
    build_answer_table,
    drop_redundant_groups,
    find_combination,
    find_describing_answers,
    find_small_groups,
    list_derived_groups,
)

QUESTIONS = (
    "a = 1",
    "b = 1",
    "c = 1",
    "a = 1 AND b = 1",
    "a = 1 OR b = 1",
    "NOT a = 1",
    "a = 1 AND NOT c = 1",
    "a IN (1, 2)",
    "b = 1 OR c = 1",
)


def made(questions: list[str], sizes: list[int], k: int = 3) -> AnswerTable:
    """The answers of a table with so many people in its atoms."""
    empty = build_answer_table(
        [PublishedAnswer(f"Q{i}", parse_condition(text)) for i, text in enumerate(questions)],
        PublishedAnswers((PublishedAnswer("Q", parse_condition("")),)),
        k,
    )
    whole = list(itertools.islice(itertools.cycle(sizes), empty.atom_count))
    counts = [
        sum(size for place, size in enumerate(whole) if bits >> place & 1) for bits in empty.members
    ]
    given_ = [
        PublishedAnswer(f"Q{i}", parse_condition(text), Fraction(n), Fraction(n))
        for i, (text, n) in enumerate(zip(questions, counts, strict=True))
    ]
    table = build_answer_table(given_, PublishedAnswers(tuple(given_)), k)
    table.empty_atoms = table.system.find_empty_atoms()[0]
    return table


def tables(table: AnswerTable) -> Iterator[tuple[int, ...]]:
    """Every table with the same answers; the last question is about everybody."""
    total = int(table.system.high[-1] or 0)
    for sizes in itertools.product(range(total + 1), repeat=table.atom_count):
        if sum(sizes) == total and all(
            size(sizes, bits) == value
            for bits, value in zip(table.members, table.system.low, strict=True)
        ):
            yield sizes


def size(sizes: tuple[int, ...], bits: int) -> int:
    return sum(each for place, each in enumerate(sizes) if bits >> place & 1)


# Every table with the same answers is made: few people in few groups.
FEW_ATOMS = [
    questions
    for many in (1, 2, 3)
    for questions in itertools.combinations(QUESTIONS, many)
    if compute_atoms([parse_condition(text) for text in (*questions, "*")]).count <= 6
]


@settings(max_examples=many(8))
@given(
    st.sampled_from(FEW_ATOMS),
    st.lists(st.integers(0, 2), min_size=6, max_size=6).filter(lambda sizes: 0 < sum(sizes) <= 4),
)
def test_all_that_brute_force_finds_and_no_other(
    questions: tuple[str, ...], sizes: list[int]
) -> None:
    table = made([*questions, "*"], sizes)
    met = list(tables(table))
    assert met
    found = {
        group.atom_bits: group for group in drop_redundant_groups(table, find_small_groups(table))
    }
    for bits, group in found.items():
        each = [size(sizes_, bits) for sizes_ in met]
        assert (min(each), max(each)) == (group.low, group.high)
        assert 1 <= group.low <= group.high < 3
    for bits, _ in list_derived_groups(table):
        each = [size(sizes_, bits) for sizes_ in met]
        if min(each) >= 1 and max(each) < 3:
            assert any(not part & ~bits and group.low >= min(each) for part, group in found.items())


def test_screening_finds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Above some number of groups sums are proposed by linear algebra, and tables that were met
    rule groups out.
    """
    found = []
    for screened in (0, 10**6):
        monkeypatch.setattr(module, "_SCREENING_GROUPS", screened)
        table = made(
            ["a = 1", "b = 1", "a = 1 OR b = 1", "c = 1 AND a = 1", "*"], [4, 1, 7, 1, 5, 2, 9]
        )
        found.append(
            {
                (group.atom_bits, group.low, group.high)
                for group in drop_redundant_groups(table, find_small_groups(table))
            }
        )
        for bits, low, high in found[-1]:
            shown = find_combination(table, bits)
            assert low == high
            assert shown is not None
            assert (
                sum(coefficient * (table.system.low[place] or 0) for place, coefficient in shown[0])
                == low
            )
    assert found[0] == found[1] != set()


def test_groups_that_were_not_bounded_are_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MAX_BOUNDED_GROUPS", 0)
    table = made(["a = 1", "b = 1"], [4, 5, 6, 7])
    find_small_groups(table)
    assert "0 were bounded" in table.notes[0]


def test_too_many_answers_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MAX_CELLS", 7)
    with pytest.raises(Unsupported, match="2 answers about 4 groups are too many"):
        made(["a = 1", "b = 1"], [1])


def test_a_group_is_described_by_few_answers() -> None:
    table = made(["a = 1", "b = 1", "a = 1 AND b = 1", "c = 1"], [1])
    for bits, _ in list_derived_groups(table):
        inside, outside = find_describing_answers(table, bits)
        now = (1 << table.atom_count) - 1
        for place in inside:
            now &= table.members[place]
        for place in outside:
            now &= ~table.members[place]
        if bits.bit_count() == 1:
            assert now == bits

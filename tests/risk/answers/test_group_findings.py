"""Findings about single groups: their people, their size, and the answers that prove it."""

from __future__ import annotations

from hedgerow.risk.answers.answer_files import read_csv
from hedgerow.risk.answers.group_findings import (
    build_attribute_finding,
    build_isolation_finding,
    describe_people_group,
    explain_size,
    format_equation,
)
from hedgerow.risk.answers.small_groups import (
    AnswerTable,
    PeopleGroup,
    build_answer_table,
    find_small_groups,
)


def build_table(text: str) -> AnswerTable:
    answers = read_csv("question,answer\n" + text)
    table = build_answer_table(list(answers.answers), answers, 3)
    table.empty_atoms = table.system.find_empty_atoms()[0]
    return table


def test_a_difference_is_explained_by_both_answers() -> None:
    table = build_table("age = 21,6\nage = 21 AND sex = 'f',5\n")
    (group,) = find_small_groups(table)
    assert describe_people_group(table, group) == "age = 21, but not sex = 'f'"
    assert explain_size(table, group.atom_bits, 1, 1) == (("Q1", "Q2"), "Q1 − Q2")
    finding = build_isolation_finding(table, group)
    assert (finding.kind, finding.low, finding.high) == ("isolated", 1, 1)
    assert finding.sentence == "Q1 − Q2 = 1: exactly one person has age = 21, but not sex = 'f'."


def test_bounds_are_explained_without_an_equation() -> None:
    table = build_table("a = 1,5\nb = 1,4\na = 1 OR b = 1,<9\n")
    names, shown = explain_size(table, table.members[0] & table.members[1], 1, 4)
    assert shown.startswith("bounds from ")
    assert set(names) <= {"Q1", "Q2", "Q3"}
    assert format_equation(shown, 1) == shown
    assert format_equation("Q1 − Q2", 1_000) == "Q1 − Q2 = 1,000"


def test_findings_about_all_or_no_members_are_worded() -> None:
    shared = build_table("a = 1,2\na = 1 AND b = 1,2\n")
    everybody = PeopleGroup(shared.members[0], 2, 2, (0,))
    assert (
        build_attribute_finding(shared, everybody, 1).sentence
        == "Q1 − Q2 = 0: all of the 2 people with a = 1 also have b = 1."
    )
    single = build_table("a = 1,1\na = 1 AND b = 1,0\n")
    nobody = PeopleGroup(single.members[0], 1, 1, (0,))
    assert (
        build_attribute_finding(single, nobody, 1, nobody=True).sentence
        == "Q2 = 0: the one person with a = 1 does not have b = 1."
    )

"""Differencing finds by itself what a mission states by hand, in sentences."""

from __future__ import annotations

import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.risk.answers import differencing as module
from hedgerow.risk.answers import lp_bounds as bounds
from hedgerow.risk.answers import small_groups as groups
from hedgerow.risk.answers.answer_files import read_csv, read_json, read_log
from hedgerow.risk.answers.differencing import DifferencingReport, differencing


def of(text: str, k: int = 3) -> DifferencingReport:
    return differencing(read_csv("question,answer\n" + text), k=k)


def said(text: str, k: int = 3) -> list[str]:
    return [each.sentence for each in of(text, k).findings]


def test_golden_the_student_of_21_who_takes_drugs() -> None:
    assert said("age = 21 AND sex = 'm',1\nage = 21 AND sex = 'm' AND drugs = 'yes',1\n") == [
        "Q1 − Q2 = 0: the one person with age = 21 and sex = 'm' has drugs = 'yes'.",
        "Q1 = 1 was published: exactly one person has age = 21 and sex = 'm'.",
        "Q2 = 1 was published: exactly one person has age = 21 and sex = 'm' and drugs = 'yes'.",
    ]


def test_the_one_who_does_not() -> None:
    found = of("age = 21 AND sex = 'm',1\nage = 21 AND sex = 'm' AND drugs = 'yes',0\n").findings
    assert found[0].kind == "attribute"
    assert (
        found[0].sentence
        == "Q2 = 0: the one person with age = 21 and sex = 'm' does not have drugs = 'yes'."
    )


def test_a_difference_isolates_somebody() -> None:
    assert said("age = 21,6\nage = 21 AND sex = 'f',5\n") == [
        "Q1 − Q2 = 1: exactly one person has age = 21, but not sex = 'f'."
    ]
    assert said("age = 21,9\nage = 21 AND sex = 'f',5\n") == []
    assert len(said("age = 21,9\nage = 21 AND sex = 'f',5\n", k=5)) == 1


def test_one_person_in_eighty_million() -> None:
    text = (
        "*,80000001\nsex = 'f',40000000\nsex = 'm',39999999\nsex IS NULL,1\nsex = 'm' AND a ="
        " 1,39999998\n"
    )
    assert said(text)[:2] == [
        "Q3 − Q5 = 1: exactly one person has sex = 'm', but not a = 1.",
        (
            "Q1 − Q2 − Q3 − Q4 = 1: exactly one person has neither sex = 'm' nor sex = 'f' nor sex"
            " is missing."
        ),
    ]


def test_three_answers_isolate_somebody() -> None:
    assert said("a = 1,5\nb = 1,6\na = 1 OR b = 1,10\n") == [
        "Q1 + Q2 − Q3 = 1: exactly one person has a = 1 and b = 1."
    ]


def test_everybody_in_a_larger_group() -> None:
    found = of("age = 21,5\nage = 21 AND drugs,5\n").findings
    assert [each.kind for each in found] == ["shared"]
    assert (
        found[0].sentence
        == "Q1 − Q2 = 0: all of the 5 people with age = 21 also have drugs = true."
    )


def test_bounds_that_are_narrow() -> None:
    text = "question,answer,within\na = 1,20,0.5\na = 1 AND b = 1,18,0\n"
    # 19.5 to 20.5 is 20
    assert [each.kind for each in differencing(read_csv(text)).findings] == ["isolated"]
    loose = differencing(
        read_csv("question,answer,within\na = 1,20,1\na = 1 AND b = 1,18,0\n"), k=4
    ).findings
    assert [(each.kind, each.low, each.high) for each in loose] == [("bounded", 1, 3)]


def test_halves_of_answers_bound_a_suppressed_one() -> None:
    """Of three parts every two have at most one person: all three have at most 3/2, so one."""
    text = '"x IN (1, 2)",1\n"x IN (2, 3)",<2\n"x IN (1, 3)",<2\n"x IN (1, 2, 3)",*\n'
    found = next(
        each for each in of(text).findings if each.kind == "recoverable" and "Q4" in each.sentence
    )
    assert (found.low, found.high) == (1, 1)
    assert found.sentence.startswith(
        "bounds from (1/2)·Q1 + (1/2)·Q2 + (1/2)·Q3 and −Q1: Q4 was suppressed, but exactly one"
        " person has"
    )


def test_the_value_of_one_person() -> None:
    found = differencing(
        read_csv(
            "question,answer,measure,contributors\nage = 21,600,sum(income),6\nage = 21 AND sex ="
            " 'f',450.5,sum(income),5\nage = 22,99,mean(income),\n"
        )
    ).findings
    assert found[0].kind == "value"
    assert (
        found[0].sentence
        == "Q1 − Q2 = 149.5: the one person with age = 21, but not sex = 'f' has income 149.5."
    )
    two = differencing(
        read_csv("question,answer,measure,contributors\nage = 21,600,sum(income),2\n")
    ).findings
    assert two[0].sentence == "Q1 = 600: the 2 people with age = 21 have together income 600."


def test_a_suppressed_cell_of_a_table_with_totals() -> None:
    found = differencing(
        read_log(
            "SELECT sex, region, COUNT(*) FROM t GROUP BY sex, region;\nm | north | 12\nm | south |"
            " *\nf | north | 20\nf | south | 9\nSELECT sex, COUNT(*) FROM t GROUP BY sex;\nm |"
            " 16\nf | 29\n"
        )
    ).findings
    assert [each.kind for each in found] == ["recoverable"]
    assert (
        "Q1.2 was suppressed, but exactly 4 people have sex = 'm' and region = 'south'"
        in found[0].sentence
    )


def test_a_log_without_answers_says_what_could_be() -> None:
    found = differencing(
        read_log(
            "SELECT COUNT(*) FROM t WHERE a = 1;\nSELECT COUNT(*) FROM t WHERE a = 1 AND b = 2;"
        )
    ).findings
    assert [each.sentence for each in found] == [
        "Q1 − Q2 is the number of people with a = 1, but not b = 2: Q1 and Q2 together could"
        " isolate somebody."
    ]
    assert differencing(read_log("SELECT COUNT(*) FROM t WHERE a = 1;")).findings == ()


def test_many_questions_without_answers_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MAX_POSSIBLE_GROUPS", 1)
    found = of("a = 1,\na = 1 AND b = 2,\na = 1 AND c = 2,\n")
    assert len(found.findings) == 1
    assert "1 are listed" in found.notes[0]


def test_inconsistent_answers_are_named_and_nothing_else() -> None:
    found = of("a = 1,1\na = 1 AND b = 1,2\n").findings
    assert [(each.kind, each.answers) for each in found] == [("inconsistent", ("Q1", "Q2"))]
    assert of("a = 1,1.5\n").findings[0].kind == "inconsistent"


def test_answers_that_differ_are_left_out() -> None:
    found = of("a = 1,1\na in (1),3\nb = 1,2\n")
    assert "The same question has different answers in Q1, Q2" in found.notes[0]
    assert [each.answers for each in found.findings] == [("Q3",)]


def test_a_bounded_count_may_follow_from_others() -> None:
    found = of("a = 1,<9\na = 1 OR b = 1,20\nb = 1 AND (a <> 1 OR a IS NULL),15\n").findings
    assert [each.kind for each in found] == ["recoverable"]
    assert (
        found[0].sentence
        == "Q2 − Q3 = 5: Q1 was published only as bounds, but exactly 5 people have a = 1."
    )


def test_tables_are_not_mixed() -> None:
    text = "question,answer,table\na = 1,9,x\na = 1 AND b = 1,8,y\n"
    assert differencing(read_csv(text)).findings == ()
    assert differencing(read_csv("question,answer,measure\na = 1,9,mean(x)\n")).question_count == 0


def test_public_knowledge_of_a_column_is_used() -> None:
    answers = (
        '"answers": [{"question": "age < 21", "answer": 9}, {"question": "age <= 20", "answer": 8}]'
    )
    assert [each.kind for each in differencing(read_json("{" + answers + "}")).findings] == [
        "isolated"
    ]
    # Of whole numbers the two are the same question, and the answers differ.
    assert (
        "different answers"
        in differencing(read_json('{"columns": {"age": "integer"}, ' + answers + "}")).notes[0]
    )


@pytest.mark.parametrize("k", [1, True, 2.5])
def test_a_small_group_has_a_size(k: object) -> None:
    with pytest.raises(InvalidArgument, match="k must be a whole number of at least 2"):
        of("a = 1,1\n", k=k)  # type: ignore[arg-type]


def test_the_only_one_has_what_a_count_beside_it_tells() -> None:
    """Nobody asked about those of 80 and more: one difference finds her, another one her
    illness.
    """
    log = """SELECT COUNT(*) FROM v WHERE ward = 'B4'; 31
SELECT COUNT(*) FROM v WHERE ward = 'B4' AND age < 80; 30
SELECT COUNT(*) FROM v WHERE ward = 'B4' AND age < 80 AND hiv = 'no'; 26
SELECT COUNT(*) FROM v WHERE ward = 'B4' AND hiv = 'yes'; 5
"""
    found = [each.sentence for each in differencing(read_log(log)).findings]
    assert (
        found[0]
        == "Q1 − Q3 − Q4 = 0: the one person with ward = 'B4', but not age < 80 has hiv = 'yes'."
    )


def test_assumptions_and_limits_are_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    log = "SELECT a, COUNT(*), AVG(x), SUM(x) FROM t GROUP BY a;\n1 | 9 | 2 | 18\n2 | 8 | 3 | *\n"
    notes = " ".join(differencing(read_log(log)).notes)
    assert "The result of a GROUP BY is taken as complete" in notes
    assert "Means are not combined (2 of them)" in notes
    assert "Sums that were rounded or suppressed are not combined (1 of them)" in notes
    assert of("a = 1,30\n").notes == ()
    monkeypatch.setattr(module, "_MAX_HIDDEN_ANSWERS", 1)
    monkeypatch.setattr(groups, "_MAX_PAIRED_ANSWERS", 2)
    monkeypatch.setattr(bounds, "_MAX_SEARCHED_ATOMS", 1)
    notes = " ".join(of("a = 1,30\na = 1 AND b = 1,*\na = 1 AND c = 1,*\n").notes)
    assert "Of 3 counts the first 2 were compared in pairs; all were combined." in notes
    assert "Of 2 suppressed or rounded counts only the first 1 were examined." in notes
    assert "conclusions that need whole people were not searched for" in notes

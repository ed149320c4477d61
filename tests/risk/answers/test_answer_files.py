"""The file of published answers: CSV and JSON, with errors that name the line."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from hedgerow.errors import InvalidArgument, SourceError
from hedgerow.risk.answers import answer_files as reading
from hedgerow.risk.answers.answer_files import read_answers, read_csv, read_json


def test_csv_with_all_columns() -> None:
    found = read_csv(
        "where,answer,measure,contributors,within,largest,second,table,name\n"
        "age = 21,1,,,,,,,\n"
        "\n"
        "\"age = 21\nAND sex = 'm'\",<5,count,,,,,people,mine\n"
        "a = 1,12.5,sum(Income),2,0.5,10,2.5,,\n"
        "a = 1,3,mean income,,,,,,\n"
        "a = 2,7,sum,*,,,,,\n"
    ).answers
    assert [
        (each.name, each.line, each.low, each.high, each.measure, each.column, each.table)
        for each in found
    ] == [
        ("Q1", 2, 1, 1, "count", "", "data"),
        ("mine", 4, 0, 4, "count", "", "people"),
        ("Q4", 6, 12, 13, "sum", "income", "data"),
        ("Q4 (contributors)", 6, 2, 2, "count", "", "data"),
        ("Q5", 7, 3, 3, "mean", "income", "data"),
        ("Q6", 8, 7, 7, "sum", "value", "data"),
        ("Q6 (contributors)", 8, None, None, "count", "", "data"),
    ]
    assert found[2].contributions == (10, Fraction(5, 2))


def test_json_with_columns_groups_and_contributions() -> None:
    found = read_json("""{"columns": {"Age": "integer", "sex": ["f", "m"], "half": [0.5, 1, true]},
        "answers": [{"Question": "age = 21", "answer": 0.1, "measure": "sum(x)",
                     "contributions": [0.1, 0]},
                    {"question": "SELECT code, COUNT(*) FROM t GROUP BY code",
                     "answer": [["01", 3], [2.5, null]]},
                    {"question": "SELECT COUNT(*) FROM t;", "answer": "<3"}]}""")
    assert found.known_columns == {
        "age": "integer",
        "sex": ("f", "m"),
        "half": (Fraction(1, 2), Fraction(1), True),
    }
    assert [each.description for each in found.answers][:3] == [
        "sum of x with age = 21",
        "people with code = '01'",
        "people with code = 2.5",
    ]
    assert found.answers[0].low == Fraction(1, 10)
    assert found.answers[0].contributions == (Fraction(1, 10), 0)
    assert (found.answers[-1].low, found.answers[-1].high) == (0, 2)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "line 1 must have either 'question' or 'where'"),
        ("question,where,answer\n", "line 1 must have either 'question' or 'where'"),
        ("question,answer,answer\n", "line 1 must name each column once"),
        ("question,reply\n", "line 1 must use the names question, .*; got 'reply'"),
        ("question,answer\n", "answers must include at least one"),
        ("question,answer\na = 1\n", "line 2 must have 2 cells"),
        (
            "question,answer\na = 1,2\na = b,1\n",
            "line 3 must be a condition, .*'b' does not compare a column with a constant",
        ),
        ("question,answer\na = 1,many\n", "line 2 is wrong: answer must be a number"),
        ('question,answer\n"a = 1,2\n', "line 2 must be CSV"),
        (
            "question,answer,measure\na = 1,2,median\n",
            "line 2 is wrong: measure must be count, sum, sum",
        ),
        (
            "question,answer,contributors\na = 1,2,2\n",
            "line 2 is wrong: contributors belong to a sum",
        ),
        ("question,answer,within\na = 1,2,-1\n", "line 2 is wrong: within must not be negative"),
        (
            "question,answer,measure,largest,second\na = 1,2,sum,3,\n",
            "line 2 is wrong: answer must be a number",
        ),
        (
            "question,answer,measure\nSELECT COUNT(*) FROM t,2,count\n",
            "measure belongs to a condition",
        ),
        ('question,answer\n"SELECT a, COUNT(*) FROM t GROUP BY a",2\n', "must be a list of rows"),
        ("question,answer,contributions\na = 1,2,3\n", "contributions must be a list"),
    ],
)
def test_csv_that_is_wrong(text: str, why: str) -> None:
    with pytest.raises(InvalidArgument, match=why):
        read_csv(text)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[\n{]", "line 2 must be JSON"),
        ("[" * 100_000, "must be valid JSON"),
        ("3", "answers must be a list"),
        ("{}", "a list of answers, or an object"),
        ("[3]", "answer 1 must be an object"),
        ('[{"question": 3, "answer": 1}]', "answer 1 is wrong: question must be text; got 3"),
        ('[{"question": "a = 1", "answer": NaN}]', "answer 1 is wrong: answer must be a number"),
        (
            '[{"question": "a = 1", "answer": 1e999999999}]',
            "answer 1 is wrong: answer must be a number",
        ),
        ('[{"question": "a = 1", "answer": true}]', "answer 1 is wrong: answer must be a number"),
        (
            '[{"question": "SELECT a, COUNT(*) FROM t GROUP BY a", "answer": [[1]]}]',
            "must have 2 cells in each row",
        ),
        ('{"columns": 3, "answers": []}', "columns must be an object"),
        ('{"columns": {"a": "real"}, "answers": []}', "column 'a' must be"),
        ('{"columns": {"a": []}, "answers": []}', "column 'a' must be"),
    ],
)
def test_json_that_is_wrong(text: str, why: str) -> None:
    with pytest.raises(InvalidArgument, match=why):
        read_json(text)


def test_a_file_is_read_by_how_its_name_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in (
        ("a.csv", "\ufeffquestion,answer\na = 1,2\n"),
        ("a.JSON", '[{"question": "a = 1", "answer": 2}]'),
        ("a.sql", "SELECT COUNT(*) FROM t WHERE a = 1; 2"),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert [each.value for each in read_answers(tmp_path / name).answers] == [2]
    with pytest.raises(InvalidArgument, match=r"FILE must end in \.csv"):
        read_answers(tmp_path / "a.xlsx")
    with pytest.raises(SourceError, match=r"The file .*none\.csv does not exist"):
        read_answers(tmp_path / "none.csv")
    (tmp_path / "c.csv").write_text("\n")
    with pytest.raises(SourceError, match=r"c\.csv is empty"):
        read_answers(tmp_path / "c.csv")
    (tmp_path / "b.csv").write_bytes(b"question\xff,answer\n")
    with pytest.raises(InvalidArgument, match="must be a text file in UTF-8 that can be read"):
        read_answers(tmp_path / "b.csv")
    monkeypatch.setattr(reading, "MAX_BYTES", 3)
    with pytest.raises(InvalidArgument, match="FILE must have at most 0 MB"):
        read_answers(tmp_path / "a.csv")


def test_answers_are_not_endless(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_ANSWERS", 1)
    with pytest.raises(InvalidArgument, match="at most 1 answers; got 2"):
        read_csv("question,answer\na = 1,2\na = 2,2\n")

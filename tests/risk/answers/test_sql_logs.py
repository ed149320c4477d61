"""A log of SQL with its results, as people paste them; what is wrong is told with its line."""

from __future__ import annotations

import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.risk.answers import sql_logs as logs
from hedgerow.risk.answers.sql_logs import read_log


def test_a_log_as_people_paste_it() -> None:
    found = read_log("""-- what was asked in May

SELECT COUNT(*) FROM t WHERE age = 21 AND sex = 'm'; answer 1
select count(*) from t -- all; of them
  where name = 'a;b';
-- the second one
-- answer: 1
SELECT sex, COUNT(*) AS n, SUM(income) FROM t GROUP BY sex;
 sex | n  | sum
-----+----+------
 m   | 12 | 100.5
 f   | *  | 50
(2 rows)
SELECT a.x FROM a JOIN b ON a.x = b.y;
SELECT x, COUNT(*) FROM t GROUP BY x;
SELECT COUNT(*) FROM t;
-> 24
SELECT COUNT(*) FROM t WHERE b = 1;
""")
    assert [(each.name, each.line, each.description, each.value) for each in found.answers] == [
        ("Q1", 3, "people with age = 21 and sex = 'm'", 1),
        ("Q2", 4, "people with name = 'a;b'", 1),
        ("Q3.1a", 8, "people with sex = 'm'", 12),
        ("Q3.1b", 8, "sum of income with sex = 'm'", 100.5),
        ("Q3.2a", 8, "people with sex = 'f'", None),
        ("Q3.2b", 8, "sum of income with sex = 'f'", 50),
        ("Q3 (no other group)", 8, "people in no group of that table", 0),
        ("Q6", 16, "people with any values", 24),
        ("Q7", 18, "people with b = 1", None),
    ]
    assert [line for line, _ in found.skipped_lines] == [14, 15]
    assert found.skipped_lines[1][1] == "its result is not in the log, so its groups are unknown"


def test_tabs_and_commas_part_cells() -> None:
    text = "SELECT a, COUNT(*) FROM t GROUP BY a LIMIT 2;\n1\t2\n3, 4\n"
    assert [each.value for each in read_log(text).answers] == [2, 4]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("hello", "line 1 must begin with SELECT"),
        ("SELECT COUNT(*) FROM t", "line 1 must end its statement with a semicolon"),
        ("SELECT COUNT(*) FROM t WHERE a = 'x;", "line 1 must end its statement with a semicolon"),
        (
            "\nSELECT COUNT(*) FROM t;\nmany",
            "line 3 must hold the result of the statement on line 2: a number",
        ),
        (
            "SELECT a, COUNT(*) FROM t GROUP BY a;\n1 | 2 | 3",
            "line 2 must hold .* 2 cells separated by",
        ),
        ("SELECT COUNT(*) FROM t;\n1\n2", "line 1 must have one row of results"),
        ("SELECT COUNT(*) FORM t;", "at least one readable answer; line 1"),
        ("", "at least one readable answer"),
    ],
)
def test_an_error_names_its_line(text: str, why: str) -> None:
    with pytest.raises(InvalidArgument, match=why):
        read_log(text)


def test_a_log_is_not_endless(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "MAX_STATEMENTS", 1)
    with pytest.raises(InvalidArgument, match="at most 1 statements"):
        read_log("SELECT COUNT(*) FROM t;\nSELECT COUNT(*) FROM t;")

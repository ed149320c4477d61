"""``hedgerow risk table``: what it shows, what it writes, and how it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import csv, parquet

from hedgerow.cli import main
from hedgerow.risk.report_page import SENSITIVE_WARNING
from hedgerow.risk.table.sample_students import students

KNOWN = "age,sex,first_semester,worst_grade,siblings"


@pytest.fixture(autouse=True)
def command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")


@pytest.fixture
def survey(tmp_path: Path) -> str:
    csv.write_csv(students(), tmp_path / "students.csv")
    return str(tmp_path / "students.csv")


def asked(*words: str) -> int:
    return main(["risk", "table", *words])


def test_the_result_is_shown_in_sentences_and_tables(
    survey: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert asked(survey, "--columns", KNOWN) == 0
    said = capsys.readouterr()
    assert said.out.startswith("SENSITIVE: this output was computed from the unprotected data")
    assert (
        "18 of 24 rows of students.csv are unique on age, sex, first_semester, worst_grade,"
        " siblings: 75 %.\n" in said.out
    )
    lines = [" ".join(line.split()) for line in said.out.splitlines()]
    assert "1 18 75 % ██████████████████████" in lines
    assert "first_semester 15 +8 62.5 % ███████████████████" in lines
    assert (
        "No set makes every row unique (all sets of up to 3); the most identifying set of each size"
        in lines
    )
    assert "age, worst_grade, siblings 18 75 % ██████████████████████" in lines
    assert "any 2 39.2 % 62.5 % 61.7 % 79.2 % age, worst_grade" in lines
    assert said.err == ""


@pytest.mark.parametrize(("columns", "unique"), [("sex,age", 7), (KNOWN, 18)])
def test_as_json(
    survey: str, capsys: pytest.CaptureFixture[str], columns: str, unique: int
) -> None:
    assert asked(survey, "--columns", columns, "--json") == 0
    said = capsys.readouterr()
    told: dict[str, Any] = json.loads(said.out)
    assert (told["rows"], told["unique_fraction"]) == (24, unique / 24)
    assert told["columns"] == columns.split(",")
    assert told["linkage"] is None
    assert told["warning"] == SENSITIVE_WARNING


def test_all_columns_unless_named(survey: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert asked(survey, "--json", "--size", "2", "--share", "0.5") == 0
    told = json.loads(capsys.readouterr().out)
    assert len(told["columns"]) == 8
    assert len(told["subsets"]) == 8 + 28
    assert ["age", "worst_grade"] in told["identifying"]


def test_two_files_and_a_report(
    survey: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parquet.write_table(students().slice(3, 15), tmp_path / "club.parquet")
    page = tmp_path / "report.html"
    words = (
        survey,
        "--columns",
        KNOWN,
        "--against",
        str(tmp_path / "club.parquet"),
        "--on",
        "age,sex,best_grade",
        "--report",
        str(page),
    )
    assert asked(*words) == 0
    said = capsys.readouterr().out
    assert "13 of 24 rows match a row of club.parquet for certain, on age, sex, best_grade." in said
    assert "15 rows have a possible match there. Of one-to-one guesses about 14.0 are right" in said
    assert said.endswith(f"Report written to {page}.\n")
    assert "13 of 24 rows match club.parquet for certain" in page.read_text(encoding="utf-8")
    assert asked(*words, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["linkage"]["certain"], told["linkage"]["on"]) == (13, ["age", "sex", "best_grade"])
    assert told["report"] == str(page)


def test_rows_with_missing_values_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "people.csv"
    path.write_text("age,sex\n1,f\n,m\n")
    assert asked(str(path), "--against", str(path)) == 0
    assert "Rows with a missing value are not linked: 1 here, 1 there." in capsys.readouterr().out


def test_very_many_columns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "wide.parquet"
    parquet.write_table(
        pa.table({f"q{i}": [row * (i + 3) % 7 % 4 for row in range(9)] for i in range(500)}), path
    )
    assert asked(str(path)) == 3
    said = capsys.readouterr().err
    assert "500 columns have 20,833,750 sets of up to 3" in said
    assert (
        "name at most 66 columns (--columns), search sets of up to 1 (--size 1), or grow one set, a"
        " column at a time (--greedy)." in said
    )
    columns = ",".join(f"q{i}" for i in range(14))
    assert asked(str(path), "--columns", columns, "--greedy", "--size", "2") == 0
    shown = capsys.readouterr().out
    assert "q8, q9 and 4 more" in shown
    assert "(the first 10 of 14)" in shown
    assert "(a growing set)" in shown
    assert "knows some of the columns" not in shown


def test_more_sets_than_fit_a_screen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "keys.parquet"
    parquet.write_table(pa.table({f"id{i:02}": range(5) for i in range(12)}), path)
    assert asked(str(path), "--size", "1") == 0
    assert (
        "Smallest sets that make every row unique, 10 of 12 (all sets of up to 1)"
        in capsys.readouterr().out
    )


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--columns", "age,sx"], 2, "have no 'sx': did you mean sex."),
        (["--columns", "age", "--share", "2"], 2, "share must be above 0 and at most 1; got 2.0"),
        (
            ["--columns", "age", "--share", "half"],
            2,
            "share must be a number, such as 0.5; got 'half'",
        ),
        (["--columns", "age", "--on", "age"], 2, "name it with --against"),
        (["--columns", "age", "--against", "gone.csv"], 1, "The file gone.csv does not exist."),
        (
            ["--columns", "age", "--report", "no/such/folder.html"],
            1,
            "The folder 'no/such' for the report does not exist",
        ),
    ],
)
def test_mistakes_have_their_exit_code_and_fix(
    survey: str, capsys: pytest.CaptureFixture[str], words: list[str], code: int, message: str
) -> None:
    assert asked(survey, *words) == code
    said = capsys.readouterr()
    assert message in said.err
    assert not said.out


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("", 1, "people.csv is empty"),
        ("age\n", 1, "people.csv has no rows"),
        ("age\n7\n", 0, "The table has one row"),
    ],
)
def test_hardly_any_rows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, code: int, message: str
) -> None:
    path = tmp_path / "people.csv"
    path.write_text(text)
    assert asked(str(path)) == code
    said = capsys.readouterr()
    assert message in said.out + said.err

"""The folder of the clinic: made, used again, made anew, and careful with other people's files."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest

import hedgerow
from hedgerow import Refused, SourceError
from hedgerow.answers.answer import Answer
from hedgerow.demo import clinic
from hedgerow.demo.clinic import POLICY_FILE
from hedgerow.policy import read_policy

FILES = {"clinic.toml", "patients.parquet", "visits.parquet", "regions.csv"}


def names(folder: Path) -> set[str]:
    return {entry.name for entry in folder.iterdir()}


@pytest.mark.long
def test_it_is_made_once(tmp_path: Path) -> None:
    policy, made = clinic.prepare_clinic(tmp_path / "demo")
    assert made
    assert names(tmp_path / "demo") == FILES
    assert pq.read_metadata(tmp_path / "demo" / "patients.parquet").num_rows == 100_000
    before = (tmp_path / "demo" / "visits.parquet").stat()
    assert clinic.prepare_clinic(tmp_path / "demo") == (policy, False)
    assert (tmp_path / "demo" / "visits.parquet").stat() == before


def test_its_policy_is_sound(tmp_path: Path) -> None:
    (tmp_path / POLICY_FILE).write_text(clinic._POLICY_TEXT, encoding="utf-8")
    policy = read_policy(tmp_path / POLICY_FILE)
    assert policy.warnings == ()
    assert [table.name for table in policy.tables] == ["patients", "visits", "regions"]
    assert {table.source for table in policy.tables} | {POLICY_FILE} == FILES


@pytest.mark.long
def test_its_days_are_days(tmp_path: Path) -> None:
    """A range of days means these days: the policy declares what the data have."""
    policy, _ = clinic.prepare_clinic(tmp_path)
    table = read_policy(policy).table("visits")
    assert table is not None
    day = table.column("day")
    assert day is not None
    assert (day.grain, len(day.values or ())) == ("day", 365)
    sql = (
        "SELECT COUNT(*) AS n FROM visits WHERE day BETWEEN '2026-06-10' AND '2026-06-20' AND"
        " DAYOFWEEK(day) = 1"
    )
    with duckdb.connect(":memory:") as files:
        files.read_parquet(str(tmp_path / "visits.parquet")).create_view("visits")
        counted = sql.replace("COUNT(*) AS n", "LEAST(COUNT(*), 5) AS n") + " GROUP BY patient_id"
        ((exact,),) = files.execute(f"SELECT SUM(n) FROM ({counted})").fetchall()
    with hedgerow.open(policy) as db:
        answer = db.query(sql, epsilon=1)
        assert isinstance(answer, Answer)
        ((low, high),) = answer.interval("n", 1 - 1e-10)
    assert low <= exact <= high < 2 * exact


@pytest.mark.long
def test_an_edited_policy_stays_and_missing_data_are_made_again(tmp_path: Path) -> None:
    clinic.prepare_clinic(tmp_path)
    page = (
        (tmp_path / POLICY_FILE)
        .read_text(encoding="utf-8")
        .replace("epsilon = 3.0", "epsilon = 4.0")
    )
    (tmp_path / POLICY_FILE).write_text(page, encoding="utf-8")
    (tmp_path / "clinic.ledger").write_text("spent", encoding="utf-8")
    (tmp_path / "regions.csv").unlink()
    assert clinic.prepare_clinic(tmp_path)[1] is True
    assert (tmp_path / POLICY_FILE).read_text(encoding="utf-8") == page
    # never reset without a word
    assert (tmp_path / "clinic.ledger").read_text(encoding="utf-8") == "spent"

    clinic.prepare_clinic(tmp_path, reset=True)
    assert names(tmp_path) == FILES
    assert (tmp_path / POLICY_FILE).read_text(encoding="utf-8") == clinic._POLICY_TEXT


@pytest.mark.parametrize(
    "name", ["notes.txt", POLICY_FILE, "visits.parquet", "clinic.ledger", "visits.csv"]
)
@pytest.mark.parametrize("reset", [True, False])
def test_files_of_others_are_left_alone(name: str, reset: bool, tmp_path: Path) -> None:
    (tmp_path / name).write_text("mine\n", encoding="utf-8")
    with pytest.raises(Refused, match=f"holds {name}, which this demo did not create"):
        clinic.prepare_clinic(tmp_path, reset=reset)
    assert (tmp_path / name).read_text(encoding="utf-8") == "mine\n"
    assert names(tmp_path) == {name}


@pytest.mark.long
def test_other_files_are_counted_and_do_not_hinder_using_it(tmp_path: Path) -> None:
    clinic.prepare_clinic(tmp_path)
    for name in ("a", "b", "c"):
        (tmp_path / name).mkdir()
    assert clinic.prepare_clinic(tmp_path)[1] is False
    with pytest.raises(Refused, match="holds a and 2 more"):
        clinic.prepare_clinic(tmp_path, reset=True)


@pytest.mark.long
def test_files_of_an_older_demo_do_not_hinder(tmp_path: Path) -> None:
    (tmp_path / "visits.csv").write_text(
        "patient_id,age,region,month,diagnosis,cost\nP0001,3,north,2026-01,flu,20\n",
        encoding="utf-8",
    )
    assert clinic.prepare_clinic(tmp_path)[1] is True
    assert names(tmp_path) == FILES | {"visits.csv"}


@pytest.mark.long
def test_a_link_is_not_followed(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    clinic.prepare_clinic(elsewhere)
    (tmp_path / "demo").symlink_to(elsewhere)
    with pytest.raises(Refused, match="was not created by this demo"):
        clinic.prepare_clinic(tmp_path / "demo", reset=True)
    (elsewhere / "regions.csv").rename(tmp_path / "mine.csv")
    (elsewhere / "regions.csv").symlink_to(tmp_path / "mine.csv")
    with pytest.raises(Refused, match=r"holds regions\.csv"):
        clinic.prepare_clinic(elsewhere, reset=True)
    (elsewhere / POLICY_FILE).rename(tmp_path / "mine.toml")
    (elsewhere / POLICY_FILE).symlink_to(tmp_path / "mine.toml")
    with pytest.raises(Refused, match=r"holds clinic\.toml"):
        clinic.prepare_clinic(elsewhere)


def test_a_file_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "demo").write_text("", encoding="utf-8")
    with pytest.raises(Refused, match="was not created by this demo"):
        clinic.prepare_clinic(tmp_path / "demo")


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be created in"):
        clinic.prepare_clinic(tmp_path / "no" / "such" / "folder")


def test_a_file_that_cannot_be_written_leaves_nothing_half(tmp_path: Path) -> None:
    def fail(path: Path) -> None:
        path.write_text("half", encoding="utf-8")
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        clinic._write_atomically(tmp_path / "x", fail)
    assert names(tmp_path) == set()

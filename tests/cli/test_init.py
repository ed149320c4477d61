"""``hedgerow init`` from outside: with answers, in a terminal, and where it must not write."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cli.helpers_clinic import ANSWERS, write_visits
from hedgerow.cli.app import main
from hedgerow.policy import read_policy

HEDGEROW = "import sys; from hedgerow.cli import main; sys.exit(main())"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_visits(tmp_path / "visits.csv")
    (tmp_path / "answers.toml").write_text(ANSWERS, encoding="utf-8")
    return tmp_path


def test_it_writes_a_policy_that_reads(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", "visits.csv", "--answers", "answers.toml"]) == 0
    out, err = capsys.readouterr()
    assert "Wrote visits.toml." in out
    assert "hedgerow check visits.toml" in out
    assert "no bounds or values are declared for note" in out
    assert err == ""
    assert read_policy(folder / "visits.toml").name == "visits"


def test_it_never_overwrites(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "visits.toml").write_text("mine", encoding="utf-8")
    assert main(["init", "visits.csv", "--answers", "answers.toml"]) == 2
    assert "never overwritten" in capsys.readouterr().err
    (folder / "link.toml").symlink_to(folder / "nowhere")
    assert main(["init", "visits.csv", "--answers", "answers.toml", "--output", "link.toml"]) == 2
    assert (folder / "visits.toml").read_text(encoding="utf-8") == "mine"


def test_json_and_another_place(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "policies").mkdir()
    assert (
        main(
            [
                "init",
                "visits.csv",
                "--answers",
                "answers.toml",
                "--output",
                "policies/clinic.toml",
                "--json",
            ]
        )
        == 0
    )
    found = json.loads(capsys.readouterr().out)
    assert found == {
        "policy": "policies/clinic.toml",
        "tables": ["visits"],
        "undeclared": {"visits": ["note"]},
        "notes": [],
        "warnings": [],
    }
    policy = read_policy(folder / "policies" / "clinic.toml")
    assert (policy.name, policy.tables[0].source) == ("clinic", "../visits.csv")


def test_times_of_day_need_no_note(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pq.write_table(
        pa.table({"patient_id": [1], "at": [datetime(2026, 1, 1, 12)]}), folder / "visits.parquet"
    )
    (folder / "answers.toml").write_text(
        ANSWERS.split("[tables.visits.columns]")[0], encoding="utf-8"
    )
    assert main(["init", "visits.parquet", "--answers", "answers.toml"]) == 0
    assert "visits.at" not in capsys.readouterr().out


def test_unreadable_columns_are_reported(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pq.write_table(
        pa.table(
            {"patient_id": [1], "age": [1], "cost": [1.0], "region": ["north"], "tags": [["a"]]}
        ),
        folder / "visits.parquet",
    )
    assert main(["init", "visits.parquet", "--answers", "answers.toml", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["undeclared"] == {}
    assert found["notes"] == [
        "visits.tags cannot be queried: its type is none of integer, real, text, date,"
        " timestamp and boolean."
    ]


def test_warnings_are_shown(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "answers.toml").write_text(ANSWERS.replace("1e-9", "9e-6"), encoding="utf-8")
    assert main(["init", "visits.csv", "--answers", "answers.toml"]) == 0
    assert "Warning: The delta" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["visits.csv"], 2, "epsilon = …"),
        (["gone.csv"], 1, "There is no file gone.csv"),
        (["visits.csv", "./visits.csv"], 2, "two files would become the table visits"),
        (["visits.csv", "--answers", "gone.toml"], 2, "No such file"),
        (
            ["visits.csv", "--answers", "answers.toml", "--output", "no/such/place.toml"],
            1,
            "cannot be written",
        ),
        ([], 2, "Missing argument"),
    ],
)
def test_a_mistake_is_one_sentence(
    arguments: list[str], code: int, told: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", *arguments]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert told in err
    assert not list(folder.glob("*.ledger*"))
    assert not (folder / "visits.toml").exists()


def test_names_of_files_become_names_of_tables(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "visits.csv").rename(folder / "2026 visits.csv")
    (folder / "answers.toml").write_text(
        ANSWERS.replace("tables.visits", "tables.t_2026_visits"), encoding="utf-8"
    )
    assert main(["init", "2026 visits.csv", "--answers", "answers.toml"]) == 0
    assert [table.name for table in read_policy(folder / "2026_visits.toml").tables] == [
        "t_2026_visits"
    ]


@pytest.mark.long
def test_in_a_terminal_it_asks(folder: Path) -> None:
    typed = [
        # a mistake first: it is asked again
        "patientid", "patient_id", "add-remove", "1000", "2", "1",
        # types: one step back corrects age, cost is left out, and all others are confirmed
        "text", "<", "", "-", "a",
        "0", "110", "north, south", "", "1.0", "",
    ]  # fmt: skip
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", HEDGEROW, "init", "visits.csv"],
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=theirs,
        close_fds=True,
    )
    os.close(theirs)
    try:
        os.write(ours, "".join(f"{line}\n" for line in typed).encode())
        shown = b""
        while part := os.read(ours, 10_000):
            shown += part
    except OSError:  # the terminal ends with the program
        pass
    finally:
        out, _ = process.communicate(timeout=120)
        os.close(ours)
    assert process.returncode == 0, shown
    assert b"Wrote visits.toml." in out
    assert b"did you mean patient_id?" in shown
    table = read_policy(folder / "visits.toml").tables[0]
    assert b"guessed from the first rows: integer" in shown
    types = {column.name: column.type for column in table.columns}
    assert types == {"age": "integer", "region": "text", "note": "text"}
    assert (table.max_units, table.unit) == (1000, "patient_id")

"""``hedgerow demo`` from outside: the tour in text, again for free, as JSON, the service without a
terminal, and where it must not write.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hedgerow.cli.app import main

HEDGEROW = "import sys; from hedgerow.cli import main; sys.exit(main())"


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path / "demo"


@pytest.mark.long
def test_the_tour_in_text_then_for_free_then_anew(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["demo", "--tour"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "made just now" in out
    assert "0.75 of 3 left" in out
    assert "The budget does not cover this question" in out
    assert max(map(len, out.splitlines())) <= 80
    assert "\x1b" not in out

    held = (folder / "clinic.ledger.anchor").read_bytes()
    assert main(["demo", "--tour", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["policy"], document["made"]) == ("demo/clinic.toml", False)
    assert all(
        chapter["receipt"]["reused"] for chapter in document["chapters"] if "receipt" in chapter
    )
    assert (folder / "clinic.ledger.anchor").read_bytes() == held  # nothing was charged

    assert main(["demo", "--tour", "--reset", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["made"]
    assert [chapter["chapter"] for chapter in document["chapters"]] == [
        "protected", "explained", "grouped", "again", "discovered", "filtered",
        "refused", "attacked", "spent", "kept", "audited",
    ]  # fmt: skip
    assert not document["chapters"][2]["receipt"]["reused"]


@pytest.mark.long
def test_two_questions_are_asked_without_a_terminal(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["demo"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "Over HTTP, http://127.0.0.1:" in out
    assert "Over the PostgreSQL protocol, 127.0.0.1:" in out
    assert "\x1b" not in out
    assert main(["demo", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["policy"], document["made"]) == ("demo/clinic.toml", False)
    over_http, over_wire = document["answers"]
    assert over_http["receipt"]["reused"]  # the clinic is kept
    assert [row["region"] for row in over_http["rows"]] == ["east", "north", "south", "west"]
    assert over_wire["columns"] == ["smoker", "patients"]
    assert [row[0] for row in over_wire["rows"]] == ["f", "t"]
    assert f"f       {over_wire['rows'][0][1]}" in out


def test_the_service_needs_its_packages(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hedgerow.cli.serve.importlib.util.find_spec", lambda name: None)
    assert main(["demo"]) == 2
    assert "pip install 'hedgerow[serve]'" in capsys.readouterr().err
    assert not folder.exists()


def test_reset_refuses_a_folder_with_other_files(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder.mkdir()
    (folder / "thesis.txt").write_text("mine", encoding="utf-8")
    assert main(["demo", "--reset"]) == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert "demo holds thesis.txt, which this demo did not create" in err
    assert [file.name for file in folder.iterdir()] == ["thesis.txt"]


@pytest.mark.long
def test_a_terminal_that_knows_ascii_only(folder: Path) -> None:
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "COLUMNS": "80"}
    run = subprocess.run(
        [sys.executable, "-c", HEDGEROW, "demo", "--tour"],
        env=environment,
        capture_output=True,
        check=False,
        timeout=300,
    )
    assert run.returncode == 0, run.stderr
    assert b"budget  ###" in run.stdout
    assert run.stdout.isascii()

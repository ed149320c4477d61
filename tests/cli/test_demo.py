"""``hedgerow demo`` from outside: once in text, again for free, as JSON, and where it must not
write.
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
    assert main(["demo"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "made just now" in out
    assert "0.75 of 3 left" in out
    assert "The budget does not cover this question" in out
    assert max(map(len, out.splitlines())) <= 80
    assert "\x1b" not in out

    held = (folder / "clinic.ledger.anchor").read_bytes()
    assert main(["demo", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["policy"], document["made"]) == ("demo/clinic.toml", False)
    assert all(
        chapter["receipt"]["reused"] for chapter in document["chapters"] if "receipt" in chapter
    )
    assert (folder / "clinic.ledger.anchor").read_bytes() == held  # nothing was charged

    assert main(["demo", "--reset", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["made"]
    assert [chapter["chapter"] for chapter in document["chapters"]] == [
        "protected", "explained", "grouped", "again", "discovered", "filtered",
        "refused", "attacked", "spent", "kept", "audited",
    ]  # fmt: skip
    assert not document["chapters"][2]["receipt"]["reused"]


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
        [sys.executable, "-c", HEDGEROW, "demo"],
        env=environment,
        capture_output=True,
        check=False,
        timeout=300,
    )
    assert run.returncode == 0, run.stderr
    assert b"budget  ###" in run.stdout
    assert run.stdout.isascii()

"""``hedgerow demo`` from outside."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hedgerow.cli.app import main
from hedgerow.demo.clinic import FILE

HEDGEROW = "import sys; from hedgerow.cli import main; sys.exit(main())"


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path / "demo"


def test_the_tour_in_text_and_then_again(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["demo"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "made just now" in out
    assert "0 of 1 left" in out
    assert "The budget does not cover this question" in out
    assert max(map(len, out.splitlines())) <= 80
    assert "\x1b" not in out

    made = (folder / FILE).read_bytes()
    assert main(["demo"]) == 0
    assert "kept from before" in capsys.readouterr().out
    assert (folder / FILE).read_bytes() == made


def test_json_is_one_document(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--json"]) == 0
    out, err = capsys.readouterr()
    document = json.loads(out)
    assert err == ""
    assert (document["file"], document["made"]) == ("demo/visits.csv", True)
    assert [chapter["chapter"] for chapter in document["chapters"]] == [
        "protected", "counted", "averaged", "histogram", "chosen", "led", "survey", "refusal", "audited"
    ]  # fmt: skip


def test_reset_refuses_a_folder_with_other_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder.mkdir()
    (folder / "thesis.txt").write_text("mine", encoding="utf-8")
    assert main(["demo", "--reset"]) == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert "demo holds thesis.txt, which this demo did not make" in err
    assert [file.name for file in folder.iterdir()] == ["thesis.txt"]


@pytest.mark.long
def test_a_terminal_that_knows_ascii_only(folder: Path) -> None:
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "COLUMNS": "80"}
    run = subprocess.run([sys.executable, "-c", HEDGEROW, "demo"], env=environment, capture_output=True, check=False, timeout=120)
    assert run.returncode == 0, run.stderr
    assert b"budget  ###" in run.stdout
    assert run.stdout.isascii()

"""Exact numbers go to a terminal, or elsewhere when the custodian insists."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.helpers_clinic import write_clinic
from hedgerow.cli import exact_tools
from hedgerow.cli.app import main
from hedgerow.errors import InvalidArgument
from hedgerow.ledger import Ledger

COUNT = "SELECT region, COUNT(*) AS n FROM visits GROUP BY region"


def kinds(policy: Path) -> list[str]:
    with Ledger.open(policy.with_suffix(".ledger"), create=False) as ledger:
        return [entry.kind for entry in ledger.entries()]


@pytest.mark.parametrize("words", [["caps"], ["compare", COUNT], ["caps", "--json"]])
def test_a_pipe_needs_a_word_before_anything_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    policy = write_clinic(tmp_path)
    assert main([words[0], str(policy), *words[1:]]) == 2
    out, error = capsys.readouterr()
    assert "--yes-sensitive" in error
    assert "SENSITIVE" not in out
    assert not policy.with_suffix(".ledger").exists()


def test_caps_shows_each_candidate_and_marks_the_declared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    policy = write_clinic(tmp_path)
    assert main(["caps", str(policy), "--yes-sensitive"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == exact_tools.SENSITIVE
    assert "outside the guarantee" in lines[1]
    assert "visits, max_rows_per_group, no GROUP BY: 400 rows of 400 people" in lines
    assert any("max_groups, GROUP BY region: 400 groups of 400 people" in line for line in lines)
    declared = [line.split() for line in lines if "<- declared" in line]
    assert declared[0] == ["1", "400", "(100.0", "%)", "0", "0", "<-", "declared"]
    assert kinds(policy) == ["open", "policy", "exact"]
    assert main(["caps", str(policy), "--yes-sensitive", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["sensitive"] == exact_tools.SENSITIVE
    assert {"table", "cap", "kept", "cut", "units"} <= set(document["caps"][0])


def test_compare_shows_both_parts_of_the_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    policy = write_clinic(tmp_path)
    assert main(["compare", str(policy), COUNT, "--epsilon", "0.5", "--yes-sensitive"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == exact_tools.SENSITIVE
    assert lines[1].split() == ["exact", "noisy", "error", "noise", "clipping", "column"]
    assert lines[2].split()[0] == "200"
    assert lines[2].endswith("n where region = north")
    assert kinds(policy) == ["open", "policy", "exact"]
    assert main(["compare", str(policy), COUNT, "--json", "--yes-sensitive"]) == 0
    (first, _) = json.loads(capsys.readouterr().out)["values"]
    assert first["exact"] == 200
    assert first["noisy"] == 200 + first["noise_error"]


def test_a_terminal_needs_no_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: False, raising=False)
    with pytest.raises(InvalidArgument):
        exact_tools._check_output(yes_sensitive=False)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    exact_tools._check_output(yes_sensitive=False)


def test_numbers_are_short_and_missing_ones_are_null() -> None:
    assert [exact_tools._format_number(value) for value in (None, 1_234, -0.51234, 29.4872)] == [
        "NULL",
        "1,234",
        "-0.5123",
        "29.49",
    ]

"""The custodian's commands: check, budget, raise, accept, verify, adopt."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cli.small import write_clinic
from hedgerow.cli.app import main


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    return write_clinic(tmp_path)


def told(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> Any:
    assert main([*arguments, "--json"]) == code
    return json.loads(capsys.readouterr().out)


def edit(policy: Path, old: str, new: str) -> None:
    text = policy.read_text(encoding="utf-8")
    assert old in text
    policy.write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.long
def test_check(policy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = told(capsys, "check", str(policy))
    assert found["tables"]["visits"]["unit"] == "patient_id"
    assert "note" in found["tables"]["visits"]["columns"]
    assert main(["check", str(policy)]) == 0
    out = capsys.readouterr().out
    assert "all well" in out
    assert "4 questions of epsilon 0.25 with Laplace noise" in out
    edit(policy, "delta = 1e-9", "delta = 9e-6")
    edit(policy, '"clinic"', '"other"')  # another ledger: nothing was accepted there
    assert main(["check", str(policy)]) == 3
    assert 'Write ledger = "clinic.ledger"' in capsys.readouterr().err
    assert main(["policy", "accept", str(policy)]) == 0
    assert main(["check", str(policy)]) == 0
    assert "Warning: The delta" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("old", "new", "code", "words"),
    [
        ("max = 110", "max = -1", 2, "line 18: max must be above min (0); got -1."),
        ("epsilon = 1.0", "epsilon = ", 2, "line 5: the value cannot be read"),
        ("neighbours", "neigbours", 2, "did you mean 'neighbours'?"),
        ("visits.csv", "gone.csv", 1, "There is no file"),
        ("age =", "aeg =", 1, "has no column 'aeg'"),
    ],
)
def test_a_bad_policy_is_told_in_words(old: str, new: str, code: int, words: str, policy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edit(policy, old, new)
    assert main(["check", str(policy)]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert words in err
    assert "Traceback" not in err
    assert not list(policy.parent.glob("*.ledger*"))


def test_data_of_another_type(policy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"patient_id": [1], "age": ["ancient"], "cost": [1.0], "region": ["north"]}), policy.parent / "visits.parquet")
    edit(policy, "visits.csv", "visits.parquet")
    assert main(["check", str(policy)]) == 1
    err = capsys.readouterr().err
    assert "The column age of visits holds text, and the policy declares whole numbers." in err
    assert "ancient" not in err


@pytest.mark.long
def test_budget_raise_and_accept(policy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, "budget", str(policy))["epsilon"]["total"] == "1.000000000000"
    assert told(capsys, "budget", "raise", str(policy)) == {"entry": None, "changes": []}
    edit(policy, "epsilon = 1.0", "epsilon = 2.0")
    assert main(["budget", str(policy)]) == 3
    assert "hedgerow budget raise" in capsys.readouterr().err
    raised = told(capsys, "budget", "raise", str(policy), "--note", "more questions")
    assert raised["changes"] == ["budget of population 'people': epsilon is raised from 1 to 2."]
    assert main(["budget", str(policy)]) == 0
    assert "total 2.000000000000" in capsys.readouterr().out
    edit(policy, "max_groups = 2", "max_groups = 9")
    assert main(["budget", "raise", str(policy)]) == 3
    assert "hedgerow policy accept" in capsys.readouterr().err
    assert main(["policy", "accept", str(policy)]) == 0
    assert "max_groups is raised from 2 to 9" in capsys.readouterr().out
    assert main(["policy", "accept", str(policy)]) == 0
    assert capsys.readouterr().out == "Nothing has changed.\n"
    assert main(["policy", "accept", str(policy), "--anew", "--note", "looked into the failures"]) == 0
    assert capsys.readouterr().out.startswith("Accepted as ledger entry ")


@pytest.mark.long
def test_several_populations_have_a_budget_each(policy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (policy.parent / "staff.csv").write_text("staff_id\n1\n", encoding="utf-8")
    text = """
[budgets.staff]
epsilon = 2
[tables.staff]
source = "staff.csv"
unit = "row"
neighbours = "add-remove"
population = "staff"
[tables.regions]
source = "regions.csv"
public = true
"""
    (policy.parent / "regions.csv").write_text("region\nnorth\n", encoding="utf-8")
    policy.write_text(policy.read_text(encoding="utf-8") + text, encoding="utf-8")
    assert set(told(capsys, "budget", str(policy))) == {"people", "staff"}
    assert main(["check", str(policy)]) == 0
    out = capsys.readouterr().out
    assert "table staff (each row is protected" in out
    assert "table regions (public" in out


@pytest.mark.long
def test_verify_and_adopt(policy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["query", str(policy), "SELECT COUNT(*) FROM visits"]) == 0
    capsys.readouterr()
    assert main(["ledger", "verify", str(policy)]) == 0
    assert "nothing is wrong" in capsys.readouterr().out
    ledger = policy.parent / "clinic.ledger"
    moved = ledger.read_bytes()
    ledger.unlink()
    (policy.parent / "copy").write_bytes(moved)  # keeps the old place from being taken again
    ledger.write_bytes(moved)
    found = told(capsys, "ledger", "verify", str(policy), code=1)
    assert (found["sound"], found["problem"]) == (False, "The file is a copy: the anchor knows another one.")
    assert told(capsys, "ledger", "adopt", str(policy), "--note", "restored")["kind"] == "adopt"
    assert main(["ledger", "verify", str(policy)]) == 0
    capsys.readouterr()
    ledger.unlink()
    assert main(["ledger", "adopt", str(policy), "--lost"]) == 0
    assert "Every budget is closed" in capsys.readouterr().out
    assert main(["query", str(policy), "SELECT COUNT(*) FROM visits"]) == 4

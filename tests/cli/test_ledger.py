"""The custodian's ledger commands, as a user runs them: verify, adopt, backup, restore, begin."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cli.helpers_clinic import write_clinic
from hedgerow.cli.app import main

SUM, COUNT = "SELECT SUM(age) FROM visits", "SELECT COUNT(*) FROM visits"


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    return write_clinic(tmp_path)


def told(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> Any:
    assert main([*arguments, "--json"]) == code
    return json.loads(capsys.readouterr().out)


def said(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    """What stands in the terminal: on standard output when it went well, else in the errors
    alone.
    """
    assert main([*arguments]) == code
    out, err = capsys.readouterr()
    assert (out == "") == (code != 0)
    assert "Traceback" not in err
    return out if code == 0 else err


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
    assert (found["sound"], found["problem"]) == (
        False,
        "The ledger is a copy: the anchor knows another one. If no other copy is in use, the"
        " custodian runs 'hedgerow ledger adopt'.",
    )
    assert told(capsys, "ledger", "adopt", str(policy), "--note", "restored")["kind"] == "adopt"
    assert main(["ledger", "verify", str(policy)]) == 0
    capsys.readouterr()
    ledger.unlink()
    assert main(["ledger", "adopt", str(policy), "--lost"]) == 0
    assert "Every budget is closed" in capsys.readouterr().out
    assert main(["query", str(policy), "SELECT COUNT(*) FROM visits"]) == 4


def begun(policy: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A ledger with one charge of 0.25, and a copy of it."""
    said(capsys, "query", str(policy), COUNT)
    copy = policy.parent / "copy.ledger"
    assert said(capsys, "ledger", "backup", str(policy), str(copy)).startswith(
        "Copied up to entry 4, "
    )
    return copy


@pytest.mark.long
def test_a_copy_takes_the_place_of_a_ledger_that_is_gone(
    policy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = begun(policy, capsys)
    assert "a copy never replaces a file" in said(
        capsys, "ledger", "backup", str(policy), str(copy), code=1
    )
    found = told(capsys, "ledger", "backup", str(policy), str(policy.parent / "second.ledger"))
    assert (found["entry"], len(found["hash"])) == (4, 64)
    (policy.parent / "clinic.ledger").unlink()
    assert "is missing" in said(capsys, "query", str(policy), COUNT, code=1)
    assert (
        said(capsys, "ledger", "restore", str(policy), str(copy), "--note", "disk")
        == "Restored as ledger entry 5.\n"
    )
    assert told(capsys, "budget", str(policy))["epsilon"]["spent"] == "0.250000000000"
    assert "Answered before, free now" in said(capsys, "query", str(policy), COUNT)
    assert "nothing is wrong" in said(capsys, "ledger", "verify", str(policy))


@pytest.mark.long
def test_a_copy_that_is_too_old_takes_a_word_about_the_loss(
    policy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = begun(policy, capsys)
    restore = ["ledger", "restore", str(policy), str(copy)]
    said(capsys, "query", str(policy), SUM)
    (policy.parent / "clinic.ledger").unlink()
    assert "ends with entry 4, and the anchor knows entry 6" in said(capsys, *restore, code=1)
    assert "spent more than is declared" in said(
        capsys, *restore, "--lost", "--spent", "people=0.1", code=3
    )
    assert (
        said(capsys, *restore, "--lost", "--spent", "people=0.5,1e-11")
        == "Restored as ledger entry 5.\n"
    )
    view = told(capsys, "budget", str(policy))
    assert (view["epsilon"]["spent"], view["delta"]["spent"]) == ("0.500000000000", "1e-11")


@pytest.mark.long
def test_a_loss_closes_every_budget(policy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    copy = begun(policy, capsys)
    said(capsys, "query", str(policy), SUM)
    (policy.parent / "clinic.ledger").unlink()
    shown = said(capsys, "ledger", "restore", str(policy), str(copy), "--lost")
    assert shown == "Restored as ledger entry 5. Every budget is closed until it is raised.\n"
    said(capsys, "query", str(policy), SUM, code=4)


@pytest.mark.parametrize(
    ("spent", "words"),
    [
        (
            ["people"],
            "must be NAME=EPSILON or NAME=EPSILON,DELTA, such as patients=1.5; got 'people'.",
        ),
        (["people=x"], "got 'people=x'."),
        (["people="], "got 'people='."),
        (["people=1/0"], "got 'people=1/0'."),
        (["people=-1"], "got 'people=-1'."),
        (["people=1,2"], "got 'people=1,2'."),
        (["people=1,1e-12,3"], "got 'people=1,1e-12,3'."),
        (["people=1", "people=0.5"], "must name each population once; got 'people=0.5'."),
    ],
)
@pytest.mark.parametrize("command", [["adopt"], ["restore", "copy"], ["begin"]])
def test_spent_must_be_a_name_and_numbers(
    command: list[str],
    spent: list[str],
    words: str,
    policy: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    options = [word for text in spent for word in ("--spent", text)]
    asked = ["ledger", command[0], str(policy), *command[1:], "--lost", *options]
    assert said(capsys, *asked, code=2).endswith(f"{words}\n")
    assert not list(policy.parent.glob("*.ledger*"))


@pytest.mark.parametrize("command", [["adopt"], ["restore", "copy"]])
def test_spent_needs_lost(
    command: list[str], policy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["ledger", command[0], str(policy), *command[1:], "--spent", "people=1"]
    assert said(capsys, *asked, code=2) == "Error: --spent needs --lost as well; got 'people=1'.\n"


@pytest.mark.long
def test_a_ledger_is_begun_after_a_loss_and_only_then(
    policy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    begin = ["ledger", "begin", str(policy)]
    assert "--lost must be given" in said(capsys, *begin, code=2)
    assert not list(policy.parent.glob("*.ledger*"))
    assert (
        said(capsys, *begin, "--lost")
        == "Begun as ledger entry 2. Every budget is closed until it is raised.\n"
    )
    assert told(capsys, "budget", str(policy))["epsilon"]["left"] == "0.000000000000"
    assert "asks for epsilon" in said(capsys, "query", str(policy), COUNT, code=4)
    assert "never overwritten" in told(capsys, *begin, "--lost", code=1)["error"]["message"]


@pytest.mark.long
def test_budgets_that_nobody_speaks_for_are_named(
    policy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    staff = 'source = "staff.csv"\nunit = "row"\nneighbours = "add-remove"\npopulation = "staff"\n'
    more = f"[budgets.staff]\nepsilon = 2\n[tables.staff]\n{staff}"
    policy.write_text(policy.read_text(encoding="utf-8") + more, encoding="utf-8")
    shown = said(capsys, "ledger", "begin", str(policy), "--lost", "--spent", "people=0.75")
    assert shown == "Begun as ledger entry 2. Closed until raised: staff.\n"
    views = told(capsys, "budget", str(policy))
    assert views["people"]["epsilon"]["left"] == "0.250000000000"
    assert views["staff"]["left"] == "0.000000000000"


def test_a_missing_policy_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "cannot be read (No such file" in said(
        capsys, "ledger", "verify", str(tmp_path / "nowhere.toml"), code=2
    )

"""A policy whose ledger is in a server, and one whose ledger was moved there."""

from __future__ import annotations

import os
from fractions import Fraction
from pathlib import Path

import pytest

from cli.helpers_clinic import write_clinic
from hedgerow.cli.app import main
from hedgerow.database import open as open_policy
from hedgerow.database.open_database import open_dry_run
from hedgerow.database.open_ledger import name_ledger
from hedgerow.errors import LedgerError, Refused
from hedgerow.ledger.anchor import Anchor
from hedgerow.ledger.postgresql.connection import DURABLE_SETTINGS
from hedgerow.ledger.postgresql.store import PostgresLedger
from hedgerow.policy import read_policy
from ledger.helpers_stores import TableStore, allow_lossy_server

COUNT, SUM = "SELECT COUNT(*) AS n FROM visits", "SELECT SUM(age) AS n FROM visits"


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    return write_clinic(tmp_path)


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of an empty ledger, as a policy has it."""
    allow_lossy_server(monkeypatch)
    store = TableStore(tmp_path)
    return f"{store.place.address}?schema={store.schema}"


def name(policy: Path, ledger: str) -> None:
    lines = [line for line in policy.read_text().splitlines() if not line.startswith("ledger")]
    policy.write_text("\n".join(lines).replace("[database]", f'[database]\nledger = "{ledger}"', 1))


def ask(policy: Path, sql: str) -> tuple[object, Fraction]:
    """The answer, and what has been spent after it."""
    with open_policy(policy, in_process=True) as db:
        rows = db.query(sql, epsilon=Fraction(1, 10)).rows  # type: ignore[union-attr]
        (population,) = [rule.population for rule in db.policy.budgets]
        spent = db.ledger.state.budget(population).charged.epsilon
        assert isinstance(spent, Fraction)
        return rows, spent


def test_questions_are_charged_in_a_server(policy: Path, server: str) -> None:
    name(policy, server)
    first = ask(policy, COUNT)
    assert first[1] == Fraction(1, 10)
    assert ask(policy, COUNT) == first
    assert ask(policy, SUM)[1] == Fraction(2, 10)
    files = sorted(os.listdir(policy.parent))
    assert len([file for file in files if file.endswith(".anchor")]) == 1
    assert not any(file.endswith(".ledger") for file in files)
    with open_dry_run(policy) as db:
        assert db.ledger.state.seq > 4
    assert "postgresql://" in name_ledger(read_policy(policy))


def test_a_check_looks_at_the_server_and_creates_nothing(
    policy: Path, server: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    name(policy, server)
    assert main(["check", str(policy)]) == 0
    assert "ledger postgresql://127.0.0.1:" in capsys.readouterr().out
    assert list(policy.parent.glob("*.anchor")) == []
    ask(policy, COUNT)
    (anchor,) = policy.parent.glob("*.anchor")
    anchor.rename(policy.parent / "elsewhere")
    assert main(["check", str(policy)]) == 1
    assert "Copy it from the host that made the ledger" in capsys.readouterr().err
    with pytest.raises(LedgerError, match=r"is missing\. A further host gets it from the first"):
        ask(policy, COUNT)
    monkeypatch.setattr(PostgresLedger, "_required", DURABLE_SETTINGS)
    assert main(["check", str(policy)]) == 1
    assert "may lose charges" in capsys.readouterr().err


def test_a_second_ledger_for_the_same_data_is_refused(policy: Path, server: str) -> None:
    name(policy, server)
    ask(policy, COUNT)
    name(policy, "fresh.ledger")
    with pytest.raises(
        Refused, match=r"Write the address of postgresql://127\.0\.0\.1.* as ledger"
    ):
        ask(policy, COUNT)
    (anchor,) = policy.parent.glob("*.anchor")
    held = Anchor.read(anchor.with_suffix(""))
    assert held is not None
    assert "reader" not in anchor.read_text()  # nor any password: the address is not there


def test_an_adoption_warns_of_the_anchors_of_other_hosts(
    policy: Path, server: str, capsys: pytest.CaptureFixture[str]
) -> None:
    name(policy, server)
    ask(policy, COUNT)
    assert main(["ledger", "adopt", str(policy), "--note", "failed over"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "Copy the anchor of this host to all others" in told
    assert "names a later entry than" in told


def test_a_ledger_moves_to_a_server_and_back(
    policy: Path, server: str, capsys: pytest.CaptureFixture[str]
) -> None:
    first = ask(policy, COUNT)
    assert main(["ledger", "move", str(policy), server, "--note", "two hosts"]) == 0
    assert f'ledger = "{server}"' in capsys.readouterr().out
    with pytest.raises(LedgerError, match=r"is closed: it was moved to postgresql://127"):
        ask(policy, SUM)
    name(policy, server)
    assert ask(policy, COUNT) == first  # the stored answer, for free
    assert ask(policy, SUM)[1] == Fraction(2, 10)
    assert main(["ledger", "verify", str(policy)]) == 0
    assert main(["ledger", "move", str(policy), "back.ledger"]) == 0
    assert main(["ledger", "move", str(policy), "back.ledger", "--json"]) == 0
    name(policy, "back.ledger")
    assert ask(policy, COUNT) == (first[0], Fraction(2, 10))
    assert main(["ledger", "move", str(policy), "postgresql://a:b@localhost/x"]) == 2
    captured = capsys.readouterr()
    assert "must not hold a password" in captured.err
    assert "a:b" not in captured.err + captured.out

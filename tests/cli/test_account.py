"""Accounts and tokens from the command line."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from hedgerow.cli.app import main
from service.helpers_service import PASSWORD, write_clinic


@pytest.fixture
def policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr("hedgerow.service.accounts.passwords._COST", 2)
    return str(write_clinic(tmp_path))


def give(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))


def test_an_account_is_added_listed_and_gets_a_token(
    policy: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["account", "list", policy]) == 0
    assert "no accounts yet" in capsys.readouterr().out
    give(monkeypatch, PASSWORD + "\n")
    assert main(["account", "add", policy, "ana", "--password-stdin"]) == 0
    assert "Added ana as analyst." in capsys.readouterr().out
    assert main(["account", "token", policy, "ana", "--expires", "3", "--json"]) == 0
    token = json.loads(capsys.readouterr().out)
    assert token["token"].startswith("hr_")
    assert main(["account", "list", policy]) == 0
    shown = capsys.readouterr().out
    assert "ana  analyst" in shown
    assert "token 1  command line, expires" in shown
    assert token["token"] not in shown
    assert main(["account", "list", policy, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["accounts"][0]["name"] == "ana"


def test_mistakes_have_their_exit_codes(
    policy: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    give(monkeypatch, "")
    assert main(["account", "add", policy, "ana", "--role", "king"]) == 2
    assert "custodian, analyst, auditor" in capsys.readouterr().err
    assert main(["account", "add", policy, "ana"]) == 0
    assert main(["account", "add", policy, "ana"]) == 3
    assert "an account ana already" in capsys.readouterr().err
    give(monkeypatch, "short\n")
    assert main(["account", "password", policy, "ana", "--password-stdin"]) == 2
    assert "12 to 1024" in capsys.readouterr().err
    give(monkeypatch, "")
    assert main(["account", "password", policy, "ana"]) == 2
    assert main(["account", "token", policy, "nobody"]) == 3


def test_an_account_is_disabled_and_enabled(
    policy: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    give(monkeypatch, "")
    assert main(["account", "add", policy, "ana"]) == 0
    assert main(["account", "disable", policy, "ana"]) == 0
    capsys.readouterr()
    assert main(["account", "list", policy]) == 0
    assert "ana  analyst, disabled" in capsys.readouterr().out
    assert main(["account", "disable", policy, "ana", "--enable"]) == 0
    assert "Enabled ana." in capsys.readouterr().out

"""``hedgerow risk attack``: before and after, marked as sensitive, and never a touch of the real
ledger.
"""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from cli.helpers_clinic import write_clinic
from hedgerow.cli import app
from hedgerow.cli.risk import attack as module
from hedgerow.risk.report_page import SENSITIVE_WARNING


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    return write_clinic(tmp_path)


def kept(folder: Path) -> dict[str, bytes]:
    """Every file there, byte by byte."""
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir())}


def attacked(policy: Path, *more: str) -> list[str]:
    return ["risk", "attack", str(policy), "--runs", "1", "--people", "30", *more]


@pytest.mark.long
def test_before_and_after_without_a_ledger(
    policy: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No ledger is begun. Tried are the usual totals, and that of the policy."""
    assert (Fraction(1, 10), 1, 10) == module._DEFAULT_EPSILONS
    # two totals are half the work
    monkeypatch.setattr(module, "_DEFAULT_EPSILONS", (Fraction(1, 10),))
    policy.write_text(policy.read_text().replace("epsilon = 1.0", "epsilon = 200.0"))
    before = kept(policy.parent)
    assert app.main(attacked(policy, "--json")) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert kept(policy.parent) == before
    assert (found["warning"], found["table"], found["people"], found["runs"], found["charged"]) == (
        SENSITIVE_WARNING,
        "visits",
        30,
        1,
        0,
    )
    assert found["secret"] == "which of its two values region has"
    assert [line["success"] for line in found["before"] if line["publisher"] == "exact"] == [1, 1]
    assert [line["epsilon"] for line in found["after"][::2]] == ["1/10", "200"]
    assert [line["success"] >= 0.95 for line in found["after"][2:]] == [True, True]
    assert found["after"][0]["ceiling"] == pytest.approx(0.5476, abs=1e-4)
    assert found["above_ceiling"] == []
    assert found["notes"] == []
    assert [round(line["belief_after_50_percent"], 2) for line in found["beliefs"]] == [0.55, 1]


@pytest.mark.long
def test_the_real_ledger_is_never_touched(policy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With a ledger that has something in it, half of its budget spent: not a byte of it
    changes, and nothing appears beside it.
    """
    sql = "SELECT region, COUNT(*) AS n FROM visits GROUP BY region"
    assert app.main(["query", str(policy), sql, "--epsilon", "0.5", "--custodian"]) == 0
    before = kept(policy.parent)
    assert any("ledger" in name for name in before)
    page = policy.parent.parent / "report.html"
    capsys.readouterr()
    assert (
        app.main(
            attacked(
                policy,
                "--secret",
                "age",
                "--above",
                "50",
                "--epsilons",
                "1,1.0",
                "--report",
                str(page),
            )
        )
        == 0
    )
    out = capsys.readouterr().out
    assert kept(policy.parent) == before
    assert out.startswith(SENSITIVE_WARNING.replace("report", "output"))
    assert "whether age is above 50: 1 run of each attack." in " ".join(out.split())
    assert "No attack exceeds 81.61 % on average" in out
    assert "Nothing was charged" in out
    text = page.read_text(encoding="utf-8")
    assert text.count(SENSITIVE_WARNING) == 2
    assert "Choosing epsilon" in text
    assert "How many secrets an attacker guesses right" in text
    assert page.stat().st_mode & 0o077 == 0
    page.unlink()


@pytest.mark.parametrize(
    ("more", "code", "words"),
    [
        (("--secret", "regio"), 2, "have no 'regio': did you mean region."),
        (("--secret", "age"), 3, "age has more than two values"),
        (("--epsilons", "1,x"), 2, "epsilons must be a number"),
        (("--epsilons", ""), 2, "epsilons must be comma-separated numbers above 0"),
        (("--epsilons", "1,2,3,4,5,6,7,8,9"), 2, "epsilons must be at most 8"),
        (("--epsilons", "1000000"), 2, "epsilon must lie between"),
        (("--runs", "0"), 2, "runs must lie between"),
        (("--above", "high"), 2, "above must be a number"),
        (("--report", "no/such/folder/report.html"), 1, "does not exist. Create it first"),
    ],
)
def test_mistakes_have_their_exit_code_and_fix(
    policy: Path, capsys: pytest.CaptureFixture[str], more: tuple[str, ...], code: int, words: str
) -> None:
    before = kept(policy.parent)
    assert app.main([*attacked(policy), *more]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert words in " ".join(err.split())
    assert "Traceback" not in err
    assert kept(policy.parent) == before

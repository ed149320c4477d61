"""``hedgerow audit`` from outside: verdicts, exit codes, JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hedgerow.cli.app import main

FILE = """
import sys
import numpy as np
from hedgerow.mechanisms import Laplace

NEIGHBOURS = (0, 1)
MECHANISM = Laplace.calibrate(sensitivity=1, epsilon=1)

def release(data, runs):
    return MECHANISM.sample(np.full(runs, data))
release.batch = True

def naked(data):
    return data

def loud(data):
    print("a word on standard output")
    return 0

def broken(data):
    return 1 / 0

def ends(data):
    sys.exit(0)

def histogram(included):
    return MECHANISM.sample(included)
histogram.cells = 1000
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    (tmp_path / "audited.py").write_text(FILE, encoding="utf-8")
    return str(tmp_path / "audited.py")


def read(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


def test_a_true_claim_stands(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    # At this confidence the bound exceeds the true epsilon once in 10^9 runs.
    assert (
        main(
            [
                "audit",
                f"{file}:release",
                "--claim",
                "1",
                "--confidence",
                "0.999999999",
                "--samples",
                "4000",
            ]
        )
        == 0
    )
    out, err = capsys.readouterr()
    assert "epsilon >= 0." in out
    assert "The claim of epsilon 1 stands" in out
    assert "ln(F_one" not in out
    assert err == ""


def test_a_false_claim_is_refuted_with_1(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", f"{file}:naked", "--claim", "2", "--samples", "2000", "--plot"]) == 1
    out = capsys.readouterr().out
    assert "The claim of epsilon 2 is refuted." in out
    assert "ln(F_one" in out or "no curve" in out


def test_json_says_the_same(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(
            [
                "audit",
                f"{file}:naked",
                "--claim",
                "2",
                "--samples",
                "2000",
                "--delta",
                "1e-6",
                "--json",
            ]
        )
        == 1
    )
    document = read(capsys)
    assert document["target"] == f"{file}:naked"
    assert document["epsilon"] > 2
    assert document["delta"] == 1e-6
    assert document["samples"] == 2000
    assert (document["claim"], document["refuted"]) == (2.0, True)
    assert set(document["counts"]) == {"one", "other"}


def test_without_a_claim_nothing_is_refuted(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", f"{file}:naked", "--samples", "200", "--json"]) == 0
    document = read(capsys)
    assert document["epsilon"] > 0
    assert (document["claim"], document["refuted"]) == (None, None)


def test_one_run_audit(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", f"{file}:histogram", "--claim", "5", "--plot"]) == 0
    assert "canaries" in capsys.readouterr().out
    assert main(["audit", f"{file}:histogram", "--json"]) == 0
    assert read(capsys)["cells"] == 1000


def test_output_of_audited_code_stays_off_standard_output(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["audit", f"{file}:loud", "--samples", "100", "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["epsilon"] == 0
    assert "a word on standard output" in err


@pytest.mark.parametrize(
    ("function", "options", "code", "told"),
    [
        (
            "broken",
            [],
            1,
            "ZeroDivisionError: division by zero. Run again with --debug to see where.",
        ),
        ("ends", [], 1, "ended the program instead of returning an output"),
        ("missing", [], 2, "there is no missing in audited.py"),
        ("naked", ["--claim", "nan"], 2, "claim must be finite; got nan."),
        ("naked", ["--claim", "0"], 2, "claim must be above 0; got 0.0."),
        ("naked", ["--confidence", "1"], 2, "confidence must"),
        ("naked", ["--delta", "-1"], 2, "delta must"),
        ("naked", ["--samples", "3"], 2, "samples must"),
    ],
)
def test_a_mistake_is_one_sentence(
    file: str,
    function: str,
    options: list[str],
    code: int,
    told: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["audit", f"{file}:{function}", *options]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert told in err
    assert "Traceback" not in err


def test_a_missing_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", "gone.py:release"]) == 2
    assert "there is no gone.py" in capsys.readouterr().err

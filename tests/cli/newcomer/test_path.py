"""The newcomer's path, with real programs: a file, answers, a policy, questions, until the
budget is gone.
"""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

from cli.helpers_clinic import ANSWERS, write_visits

HEDGEROW = "import sys; from hedgerow.cli import main; sys.exit(main())"
SQL = "SELECT region, COUNT(*) AS n, AVG(age) AS mean_age FROM visits GROUP BY region"


@pytest.mark.long
def test_from_a_file_to_an_empty_budget(tmp_path: Path) -> None:
    def run(*arguments: str, code: int = 0, typed: str = "") -> subprocess.CompletedProcess[bytes]:
        done = subprocess.run(
            [sys.executable, "-c", HEDGEROW, *arguments],
            cwd=tmp_path,
            input=typed.encode(),
            capture_output=True,
            check=False,
            timeout=300,
        )
        assert done.returncode == code, done.stderr.decode()
        assert b"Traceback" not in done.stderr
        assert b"Traceback" not in done.stdout
        return done

    write_visits(tmp_path / "visits.csv")
    (tmp_path / "answers.toml").write_text(ANSWERS, encoding="utf-8")
    missing = run("init", "visits.csv", code=2).stderr.decode()
    assert "max_groups = …" in missing
    run("init", "visits.csv", "--answers", "answers.toml", "--output", "clinic.toml")
    assert b"no problems found" in run("check", "clinic.toml").stdout

    explained = json.loads(run("explain", "clinic.toml", SQL, "--json").stdout)
    assert (explained["covered"], explained["questions_left"]) == (True, 4)
    table = run("query", "clinic.toml", SQL).stdout.decode()
    assert "95 % interval" in table
    answer = json.loads(run("query", "clinic.toml", SQL, "--json").stdout)
    assert answer["receipt"]["reused"]
    rows = list(
        csv.reader(
            io.StringIO(
                run("query", "clinic.toml", "-", "--format", "csv", typed=SQL).stdout.decode()
            )
        )
    )
    assert rows[0] == ["region", "n", "mean_age"]
    arrow = pa.ipc.open_stream(
        run("query", "clinic.toml", SQL, "--format", "arrow").stdout
    ).read_all()
    assert arrow.to_pylist() == answer["rows"]
    assert (
        json.loads(run("budget", "clinic.toml", "--json").stdout)["epsilon"]["left"]
        == "0.750000000000"
    )

    run("query", "clinic.toml", "SELECT COUNT(*) FROM visits WHERE age >= 40", "--epsilon", "0.75")
    refused = run("query", "clinic.toml", "SELECT COUNT(*) FROM visits WHERE age >= 60", code=4)
    assert refused.stdout == b""
    message = refused.stderr.decode()
    assert message.startswith(
        "Error: The budget does not cover this question: it asks for epsilon 0.25 with 0 left"
    )
    assert message.count("\n") == 1
    told = json.loads(
        run(
            "query", "clinic.toml", "SELECT COUNT(*) FROM visits WHERE age >= 60", "--json", code=4
        ).stdout
    )
    assert told["error"]["type"] == "BudgetExceeded"
    # what was paid for stays
    assert (
        run("query", "clinic.toml", SQL).stdout.decode().splitlines()[:4] == table.splitlines()[:4]
    )
    assert b"nothing is wrong" in run("ledger", "verify", "clinic.toml").stdout

"""psql as people use it."""

from __future__ import annotations

import csv
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from service.clients.helpers_clients import BY_REGION, REFUSED, get_address, shows
from service.helpers_service import RunningService

pytestmark = pytest.mark.skipif(
    shutil.which("psql") is None,
    reason="psql is missing: run tests/debian_packages.sh as root",
)


def start(running: RunningService, *commands: str, **options: Any) -> subprocess.Popen[str]:
    address = get_address(running)
    words = ["psql", "-X", "-v", "ON_ERROR_STOP=1", "-h", address["host"], "-U", address["user"]]
    words += ["-p", str(address["port"]), address["dbname"]]
    for command in commands:
        words += ["-c", command]
    return subprocess.Popen(
        words,
        env={"PGPASSWORD": address["password"], "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def run(running: RunningService, *commands: str) -> tuple[str, str]:
    """Return what psql writes to its two outputs."""
    with start(running, *commands) as process:
        return process.communicate(timeout=60)


@shows("psql", "asks", "notes")
def test_an_answer_and_its_caveats_are_shown(
    running: RunningService, by_region: list[tuple[Any, ...]]
) -> None:
    out, err = run(running, "\\pset format csv", BY_REGION)
    rows = list(csv.reader(out.splitlines()[1:]))
    assert [(name, int(n), float(mean)) for name, n, mean in rows[1:]] == by_region
    assert "NOTICE:  Each patient contributes at most 2 rows" in err


@shows("psql", "lists tables")
def test_backslash_commands_show_what_the_policy_declares(running: RunningService) -> None:
    commands = (
        r"\d",
        r"\d visits",
        r"\d+ visits",
        r"\dt+",
        r"\dn",
        r"\df",
        r"\l",
        r"\du",
        r"\dv *.*",
    )
    out, err = run(running, *commands)
    assert err == ""
    for line in (
        " public | visits | table | hedgerow",
        " age     | bigint |           |          | ",
        "one of 'north', 'south'",
        "Protected by patient: answers are noisy, and rows are never shown.",
        " hedgerow | hedgerow",
        "List of functions",
        " clinic | hedgerow | UTF8",
        " ana       |              | {}",
        "| column_values ",
    ):
        assert line in out


@shows("psql", "in parts")
def test_a_cursor_behind_the_output_gets_the_rows_one_by_one(
    running: RunningService, by_region: list[tuple[Any, ...]]
) -> None:
    out, _ = run(running, "\\set FETCH_COUNT 1", "\\pset format unaligned", BY_REGION)
    assert [line.split("|")[0] for line in out.splitlines()[2:-1]] == [row[0] for row in by_region]


@shows("psql", "copies")
def test_copy_writes_a_file(
    running: RunningService, by_region: list[tuple[Any, ...]], tmp_path: Path
) -> None:
    path = tmp_path / "answer.csv"
    run(running, f"\\copy ({BY_REGION}) to '{path}' csv header delimiter ';'")
    rows = list(csv.reader(path.read_text(encoding="utf-8").splitlines(), delimiter=";"))
    assert rows[0] == ["region", "n", "mean_age"]
    assert [(name, int(n), float(mean)) for name, n, mean in rows[1:]] == by_region


@shows("psql", "errors")
def test_a_refusal_shows_the_place_and_the_fix(running: RunningService) -> None:
    out, err = run(running, "\\set VERBOSITY verbose", REFUSED)
    assert out == ""
    assert "ERROR:  42501: SELECT * returns individual rows" in err
    assert "           ^\n" in err
    assert "HINT:  Use aggregates, such as COUNT(*) or AVG(x)." in err


def test_an_answer_that_is_watched_stays_the_same(running: RunningService) -> None:
    with start(running) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{BY_REGION} \\watch 0.1\n")
        process.stdin.close()
        shown: list[str] = []
        while shown.count("(2 rows)\n") < 3:
            line = process.stdout.readline()
            assert line
            shown.append(line)
        process.terminate()
    assert len({line for line in shown if line.startswith(" north")}) == 1


def test_columns_are_described_without_asking(running: RunningService) -> None:
    with start(running) as process:
        out, _ = process.communicate(f"SET hedgerow.intervals = on;\n{BY_REGION} \\gdesc\n", 60)
    names = [line.split("|")[0].strip() for line in out.splitlines()[3:-2]]
    assert names == ["region", "n", "n_low", "n_high", "mean_age", "mean_age_low", "mean_age_high"]

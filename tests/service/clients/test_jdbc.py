"""JDBC: the driver of Debian in a JVM of its own, once for all tests of a process."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from service.clients import helpers_jdbc
from service.clients.helpers_clients import BY_REGION, OLDER_THAN, REFUSED, get_address, shows
from service.helpers_service import RunningService

DRIVER = Path("/usr/share/java/postgresql.jar")
Rows = list[tuple[Any, ...]]


@pytest.fixture(scope="session")
def seen(running: RunningService, answers: dict[str, Rows]) -> dict[str, Any]:
    """What the driver saw; the answers are stored before."""
    for part, is_there in (("java", shutil.which("java")), (str(DRIVER), DRIVER.exists())):
        if not is_there:
            pytest.skip(f"{part} is missing: run tests/debian_packages.sh as root")
    address = get_address(running)
    words = [str(address["port"]), address["password"], str(DRIVER)]
    words += [BY_REGION, OLDER_THAN.format("?", "?"), REFUSED]
    program = helpers_jdbc.__file__
    done = subprocess.run(
        [sys.executable, program, *words], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def as_text(rows: Rows) -> list[list[str]]:
    return [[name, str(n), repr(mean)] for name, n, mean in rows]


@shows("JDBC", "asks", "binds", "in parts", "notes")
def test_answers_come_in_every_mode(seen: dict[str, Any], by_region: Rows, older: int) -> None:
    assert seen["asks"] == seen["parts"] == seen["simple"] == as_text(by_region)
    assert seen["binds"] == [[str(older)]] * 7
    assert any("Each patient contributes at most 2 rows" in note for note in seen["notes"])


@shows("JDBC", "lists tables")
def test_metadata_are_those_of_the_policy(seen: dict[str, Any]) -> None:
    assert [name for name, _ in seen["tables"]] == ["shifts", "visits"]
    assert all("Protected by patient" in remarks for _, remarks in seen["tables"])
    assert seen["columns"] == [
        ["patient", "int8", "privacy id"],
        ["age", "int8", "from 0 to 110"],
        ["region", "text", "one of 'north', 'south'"],
    ]
    assert {"public", "hedgerow", "pg_catalog", "information_schema"} == set(seen["schemas"])
    assert seen["catalogues"] == ["clinic"]
    assert seen["privileges"] == 1
    assert seen["types"] > 50
    assert seen["empty"] == [[]] * 8


def test_parameters_and_outputs_are_described_before_they_are_bound(seen: dict[str, Any]) -> None:
    assert seen["parameters"] == ["numeric", "text"]
    assert seen["outputs"] == ["int8"]
    assert seen["date"] == [["2026-01-31"]]


@shows("JDBC", "copies", "errors")
def test_copies_and_refusals_reach_java(seen: dict[str, Any], by_region: Rows) -> None:
    lines = [",".join(row) for row in as_text(by_region)]
    assert seen["copies"].splitlines() == lines
    sqlstate, message = seen["errors"]
    assert sqlstate == "42501"
    assert "Hint: Use aggregates" in message

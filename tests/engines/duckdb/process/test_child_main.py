from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engines.helpers_visits import VISITS, question, visits
from hedgerow.engines.duckdb.process.engine_process import IsolatedDuckDB
from hedgerow.engines.duckdb.process.message_encoding import FETCH_ROWS
from hedgerow.engines.duckdb.tables.registry import RegisteredTable
from hedgerow.engines.statement import Statement

NETWORK = (
    "import ctypes, sys; c = ctypes.CDLL(None); sys.exit(c.unshare(0x40000000) != 0 and"
    " c.unshare(0x50000000) != 0)"
)


@pytest.fixture(scope="module")
def child() -> Iterator[Path]:
    """The folder in /proc of the child of a worker whose engine may use a tenth of a gigabyte."""
    worker = IsolatedDuckDB(visits(), memory=10**8)
    yield Path(f"/proc/{worker._engine._process.pid}")
    worker.close()


def limit(child: Path, name: str) -> str:
    line = next(
        line for line in (child / "limits").read_text().splitlines() if line.startswith(name)
    )
    return line.removeprefix(name).split()[0]


def test_the_child_has_limits_on_files_cores_and_memory(child: Path) -> None:
    assert limit(child, "Max file size") == "0"
    assert limit(child, "Max core file size") == "0"
    assert limit(child, "Max address space") == str(10**8 + 4 * 2**30)


def test_the_child_has_no_environment(child: Path) -> None:
    assert (child / "environ").read_bytes() == b"OPENBLAS_NUM_THREADS=1\x00"


def test_the_child_inherits_no_open_files(child: Path, tmp_path: Path) -> None:
    with (tmp_path / "ours").open("w"):
        held = [os.readlink(entry) for entry in (child / "fd").iterdir()]
    assert not [name for name in held if name.startswith(str(tmp_path))]
    assert (child / "cwd").resolve() == Path("/")


def test_the_child_has_no_network_where_the_system_allows_it(child: Path) -> None:
    allowed = subprocess.run([sys.executable, "-c", NETWORK], check=False).returncode == 0
    assert (os.readlink(child / "ns/net") != os.readlink("/proc/self/ns/net")) == allowed


def test_the_child_ends_when_its_pipe_does() -> None:
    worker = IsolatedDuckDB(visits())
    process = worker._engine._process
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(60) == 0
    worker.close()


def test_the_child_loads_numpy_only_for_many_rows_and_arrow_only_for_frames(
    tmp_path: Path, child: Path
) -> None:
    (tmp_path / "visits.csv").write_text("id,age,city,pay\n1,2,a,3\n")
    worker = IsolatedDuckDB({"visits": RegisteredTable(tmp_path / "visits.csv", VISITS)}, threads=1)
    worker.run(question("city"))
    loaded = Path(f"/proc/{worker._engine._process.pid}/maps")
    few = loaded.read_text()
    found = worker._engine.run_statement(
        Statement(f"SELECT i AS n FROM range({FETCH_ROWS}) t(i) ORDER BY i", (), (False,))
    )
    many = loaded.read_text()
    worker.close()
    assert found[1][0].tolist() == list(range(FETCH_ROWS))
    assert "duckdb" in few
    assert not [name for name in ("numpy", "pyarrow", "scipy", "pandas") if name in few]
    assert "numpy" in many
    assert "pandas" not in many + (child / "maps").read_text()


def test_the_child_imports_only_listed_modules() -> None:
    """What its start loads, by name: a module of ours that is not here would be read by every
    process of every engine.
    """
    code = (
        "import json, sys; before = set(sys.modules);"
        " import hedgerow.engines.duckdb.process.child_main;"
        " print(json.dumps(sorted(set(sys.modules) - before)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "dataclasses" not in json.loads(run.stdout)
    ours = {
        name
        for name in json.loads(run.stdout)
        if name.partition(".")[0] not in sys.stdlib_module_names
    }
    names = (
        "compile",
        "compile.quoting",
        "duckdb",
        "duckdb.parquet_statistics",
        "duckdb.process",
        "duckdb.process.child_main",
        "duckdb.process.message_encoding",
        "duckdb.session",
        "duckdb.session_protocol",
        "duckdb.tables",
        "duckdb.tables.csv_header",
        "framing",
        "statement",
    )
    rooms = {f"hedgerow.engines.{name}" for name in names}
    # The sandbox calls the system through ctypes, of the standard library, which was loaded before
    # it for the network alone.
    rooms |= {
        f"hedgerow.engines.sandbox{name}"
        for name in ("", ".capabilities", ".landlock", ".layers", ".seccomp", ".system_calls")
    }
    assert ours == {
        "_duckdb",
        "_duckdb._func",
        "_duckdb._sqltypes",
        "hedgerow",
        "hedgerow.errors",
        "hedgerow.engines",
        *rooms,
    }

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from engines.small import VISITS, question, visits
from hedgerow.engines.catalogue import Registered
from hedgerow.engines.worker import Worker

NETWORK = "import ctypes, sys; c = ctypes.CDLL(None); sys.exit(c.unshare(0x40000000) != 0 and c.unshare(0x50000000) != 0)"


@pytest.fixture(scope="module")
def child() -> Iterator[Path]:
    """The folder in /proc of the child of a worker whose engine may use a tenth of a gigabyte."""
    worker = Worker(visits(), memory=10**8)
    yield Path(f"/proc/{worker._child._process.pid}")
    worker.close()


def limit(child: Path, name: str) -> str:
    line = next(line for line in (child / "limits").read_text().splitlines() if line.startswith(name))
    return line.removeprefix(name).split()[0]


def test_it_writes_no_files_leaves_no_core_and_has_its_memory_capped(child: Path) -> None:
    assert limit(child, "Max file size") == "0"
    assert limit(child, "Max core file size") == "0"
    assert limit(child, "Max address space") == str(10**8 + 4 * 2**30)


def test_it_has_no_environment_to_tell_of(child: Path) -> None:
    assert (child / "environ").read_bytes() == b"OPENBLAS_NUM_THREADS=1\x00"


def test_it_holds_no_files_of_ours(child: Path, tmp_path: Path) -> None:
    with (tmp_path / "ours").open("w"):
        held = [os.readlink(entry) for entry in (child / "fd").iterdir()]
    assert not [name for name in held if name.startswith(str(tmp_path))]
    assert (child / "cwd").resolve() == Path("/")


def test_it_has_no_network_where_the_system_allows_it(child: Path) -> None:
    allowed = subprocess.run([sys.executable, "-c", NETWORK], check=False).returncode == 0
    assert (os.readlink(child / "ns/net") != os.readlink("/proc/self/ns/net")) == allowed


def test_it_ends_when_its_pipe_does() -> None:
    worker = Worker(visits())
    process = worker._child._process
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(60) == 0
    worker.close()


def test_it_loads_arrow_only_for_frames_and_never_pandas(tmp_path: Path, child: Path) -> None:
    (tmp_path / "visits.csv").write_text("id,age,city,pay\n1,2,a,3\n")
    worker = Worker({"visits": Registered(tmp_path / "visits.csv", VISITS)})
    worker.run(question("city"))
    loaded = Path(f"/proc/{worker._child._process.pid}/maps").read_text()
    worker.close()
    assert "duckdb" in loaded
    assert "pyarrow" not in loaded
    assert "pandas" not in loaded + (child / "maps").read_text()

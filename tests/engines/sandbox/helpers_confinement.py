"""The real engine process, but a statement is Python code: tests try in it what it must not do."""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from hedgerow.engines.duckdb.process import engine_process as worker
from hedgerow.engines.duckdb.process.engine_process import EngineProcess
from hedgerow.engines.duckdb.session_protocol import EngineLimits
from hedgerow.engines.statement import Statement
from hedgerow.errors import SourceError

NAMES = ("network", "landlock", "capabilities", "seccomp")

# Calls that the system does not have (number: error) are hidden by a filter of seccomp that is
# there first, as in a container.
_START = """
import json, sys; sys.path[:] = json.loads(sys.argv[1])
import ctypes, errno, os
import hedgerow.engines.duckdb.process.child_main as child
from hedgerow.engines.sandbox import layers, seccomp
from hedgerow.errors import SourceError

library = ctypes.CDLL(None, use_errno=True)

def call(number, *arguments):
    if library.syscall(ctypes.c_long(number), *map(ctypes.c_long, arguments)) < 0:
        raise OSError(ctypes.get_errno(), "")

def run_encoded(session, statement):
    told = "done"
    try:
        exec(statement.sql, globals())
    except OSError as error:
        told = errno.errorcode[error.errno]
    raise SourceError(told)

def apply(name, step, known=layers._apply_layer):
    return known(name, step) if name in {kept!r} else layers.SandboxLayer(name, False, "left out")

if {hidden!r}:
    lines = [(0x20, 0, 0, 0)]
    for number, code in {hidden!r}:
        lines += [(0x15, 0, 1, number), (0x06, 0, 0, 0x50000 | code)]
    usual = seccomp.assemble_filter
    seccomp.assemble_filter = lambda _: [*lines, (0x06, 0, 0, 0x7FFF0000)]
    library.prctl(38, 1, 0, 0, 0)
    seccomp.filter_system_calls(library)
    seccomp.assemble_filter = usual
child.DuckDBSession.run_encoded, layers._apply_layer = run_encoded, apply
child.main()
"""


@contextmanager
def confined(
    paths: Sequence[Path], kept: Sequence[str] = NAMES, hidden: Mapping[int, int] | None = None
) -> Iterator[EngineProcess]:
    """A child with these layers, on a kernel that hides these calls."""
    with patch.object(
        worker, "_START_CODE", _START.format(kept=tuple(kept), hidden=tuple((hidden or {}).items()))
    ):
        child = EngineProcess(list(paths), EngineLimits(threads=2), 60.0)
    try:
        yield child
    finally:
        child.kill()


def attempt(child: EngineProcess, code: str) -> str:
    """What became of some code in the child: done, or the name of the error."""
    try:
        child.run_statement(Statement(code, (), ()))
    except SourceError as error:
        return str(error)
    raise AssertionError("it must tell")


def layers_of(child: EngineProcess) -> dict[str, bool]:
    return {layer.name: layer.active for layer in child.layers}


def run_alone(code: str, *arguments: str) -> Any:
    """What some code prints as JSON, in a process of its own that may confine itself for good."""
    run = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def landlock_version() -> int:
    """Which one this kernel has, 0 for none; asked without the code that is tested."""
    library = ctypes.CDLL(None, use_errno=True)
    return max(
        0, int(library.syscall(ctypes.c_long(444), None, ctypes.c_size_t(0), ctypes.c_uint32(1)))
    )


def has_seccomp() -> bool:
    return "Seccomp:" in Path("/proc/self/status").read_text() and os.uname().machine in (
        "x86_64",
        "aarch64",
    )

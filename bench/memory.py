"""How much memory work needs: done in a fresh interpreter, which reports the largest resident
sets of itself and all its children.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

__all__ = ["peak_of_database", "peak_of_sql"]

# Children are asked while they live: the kernel's own figure for them is the largest of one, and
# only once it has ended.
_PEAK = """
import os, pathlib

def parent_and_peak(folder):
    lines = (folder / "status").read_text().splitlines()
    told = dict(line.split(":", 1) for line in lines if ":" in line)
    return int(told["PPid"]), int(told.get("VmHWM", "0 kB").split()[0]) / 1024

def peak():
    found = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            found[int(folder.name)] = parent_and_peak(folder)
        except OSError:  # it has ended meanwhile
            pass
    family = {os.getpid()}
    while more := {pid for pid, (parent, _) in found.items() if parent in family} - family:
        family |= more
    return sum(found[pid][1] for pid in family)
"""
_SQL = """
import json, sys, duckdb
with duckdb.connect() as connection:
    connection.execute("SET enable_progress_bar = false")  # it goes to standard output
    connection.execute(json.loads(sys.argv[1])).fetchall()
    print(peak())
"""
_DATABASE = """
import json, sys, hedgerow
page, question, epsilon = json.loads(sys.argv[1])
opened = hedgerow.open(page)
opened.query(question, epsilon=epsilon)
print(peak())
opened.close()
"""


def peak_of_sql(sql: str) -> float:
    """Megabytes for DuckDB, called from Python."""
    return _run(_SQL, sql)


def peak_of_database(page: Path, question: str, epsilon: float) -> float:
    """Megabytes for Hedgerow, its engine's process included."""
    return _run(_DATABASE, [str(page), question, epsilon])


def _run(code: str, argument: object) -> float:
    command = [sys.executable, "-c", _PEAK + code, json.dumps(argument)]
    return float(
        subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[-1]
    )

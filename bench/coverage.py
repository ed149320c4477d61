"""Statements in the style of public workloads: how many are answered, and the rest refused for a
reason that the workload names."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path

import hedgerow
from bench.peers import Peers
from bench.report import Row, Section, Target
from bench.workloads import STYLES, read_statements, write_workload
from hedgerow.errors import Refused

__all__ = ["coverage"]

_OUTCOMES = (
    *("answered", "rightly refused", "not supported"),
    *("refused", "failed", "answered in error"),
)


def coverage(_: Peers, *, quick: bool) -> Section:
    """Return one row for each workload."""
    rows: list[Row] = [_run_workload(workload, quick) for workload in STYLES]
    totals: Row = {
        "style": "all",
        **{name: sum(float(row[name] or 0) for row in rows) for name in ("statements", *_OUTCOMES)},
    }
    return Section(
        "Statements in the style of public workloads",
        [*rows, totals],
        targets=[
            Target("statements", 300, totals["statements"], "all", at_least=True),
            *(Target(name, 0, totals[name], "all") for name in _OUTCOMES[3:]),
        ],
        notes=[
            "Rightly refused: individual rows, privacy ids, invalid SQL, or a bound that only the"
            " custodian can declare; the reason stands beside each statement.",
            "Not supported: could be answered, and is not yet.",
        ],
    )


def _run_workload(workload: str, quick: bool) -> Row:
    """Ask the statements of a workload (two of them if ``quick``) and count the outcomes."""
    statements = read_statements(workload)[: 2 if quick else None]
    outcomes: Counter[str] = Counter()
    with (
        tempfile.TemporaryDirectory() as folder,
        hedgerow.open(write_workload(workload, Path(folder)), in_process=True) as db,
    ):
        for statement in statements:
            try:
                db.query(statement.sql)
            except Refused:
                outcomes[_name_refusal(statement.refused)] += 1
            except Exception:
                outcomes["failed"] += 1
            else:
                outcomes["answered" if statement.refused is None else "answered in error"] += 1
    return {
        "style": STYLES[workload],
        "statements": float(len(statements)),
        **{name: float(outcomes[name]) for name in _OUTCOMES},
    }


def _name_refusal(reason: str | None) -> str:
    """Return the outcome of a statement refused for the reason that its workload names."""
    if reason is None:
        return "refused"
    return reason if reason == "not supported" else "rightly refused"

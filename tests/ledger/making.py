"""Small ledgers for the tests of this room."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

from hedgerow.ledger.entry import Entry
from hedgerow.ledger.interface import LedgerBase
from hedgerow.ledger.rules import FORMAT, LedgerState
from hedgerow.privacy.loss import Loss

TIME = "2026-11-15T12:00:00.000000Z"
TENTH = Loss(Fraction(1, 10))


def terms(epsilon: object = 1, delta: object = None, **more: object) -> dict[str, object]:
    return {
        "epsilon": epsilon,
        "delta": delta,
        "unit": "patient",
        "neighbours": "add-remove",
        **more,
    }


def policy(epsilon: object = 1, delta: object = None, **more: Any) -> dict[str, Any]:
    """The fields of ``accept``, for one population named "patients"."""
    return {
        "digest": "d1",
        "text": "{}",
        "budgets": {"patients": terms(epsilon, delta)},
        "sources": {"visits.csv": "patients"},
        **more,
    }


def pay(
    ledger: LedgerBase,
    loss: Loss = TENTH,
    *,
    question: str = "q",
    request: str | None = None,
    analyst: str = "ana",
    **more: Any,
) -> Entry:
    asked = loss.epsilon if isinstance(loss.epsilon, Fraction) else Fraction(1, 10)
    charge = {"patients": loss} | more.pop("also", {})
    return ledger.charge(
        charge,
        analyst=analyst,
        epsilon=asked,
        question=question,
        version="1",
        request=request,
        about={},
        **more,
    )


def rule(epsilon: str = "1/1", delta: str | None = None, **more: object) -> dict[str, object]:
    """The body of a policy entry."""
    budget = {
        "epsilon": epsilon,
        "delta": delta,
        "conversion": "1/2",
        "unit": "patient",
        "neighbours": "add-remove",
    }
    whole = {
        "digest": "d1",
        "text": "{}",
        "note": "",
        "quotas": {},
        "sources": {},
        "max_failures": 20,
        "budgets": {"patients": budget},
    }
    return whole | more


def cost(loss: Loss = TENTH, **more: object) -> dict[str, object]:
    """The body of a charge entry."""
    about = {
        "analyst": "ana",
        "epsilon": "1/10",
        "question": "q",
        "version": "1",
        "request": None,
        "about": {},
    }
    return {"charges": {"patients": loss.to_dict()}} | about | more


def opened(*bodies: tuple[str, dict[str, object]]) -> LedgerState:
    """A book with these entries after the opening one."""
    book = LedgerState()
    for kind, body in (("open", {"ledger": "a" * 32, "format": FORMAT}), *bodies):
        book.apply(book.build_entry(kind, body, TIME))
    return book


@contextmanager
def quick_folder(fallback: Path) -> Iterator[Path]:
    """A folder in memory where the system has one: thousands of syncs are quick there, and mean
    the same to the program.
    """
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else fallback) as folder:
        yield Path(folder)

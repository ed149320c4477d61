"""A frame whose policy leaves bounds and caps to be found, for the tests of what finds them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pyarrow as pa

from hedgerow.answers.answer import Answer
from hedgerow.database import Database, open_frame
from hedgerow.policy import Policy

# an epsilon at which the largest magnitude is chosen, and the right sign, but for one run in 10^13
SURE = 2000


def people(count: int = 600, each: int = 2) -> pa.Table:
    """Incomes of 1 to 1000 (all about as frequent), changes of -50 to 49, and a town."""
    ids = [n for n in range(count) for _ in range(each)]
    return pa.table(
        {
            "id": ids,
            "income": [float(1 + n * 7 % 1000) for n in ids],
            "change": [n * 7 % 100 - 50 for n in ids],
            "age": [20 + n % 60 for n in ids],
            "town": [("a", "b")[n % 2] for n in ids],
        }
    )


def policy_of(
    table: pa.Table, *, finds: bool = True, analysts: bool = False, **changes: Any
) -> Policy:
    arguments: dict[str, Any] = {
        "unit": "id",
        "neighbours": "add-remove",
        "columns": {"age": (0, 110), "town": ["a", "b"]},
        "epsilon": 10_000,
        "max_groups": 1,
        "max_rows_per_group": 2,
    }
    policy = Policy.for_frame(table, **{**arguments, **changes})
    return replace(policy, tables=(replace(policy.tables[0], auto_bounds=finds),))


@contextmanager
def finding(table: pa.Table | None = None, **changes: Any) -> Iterator[Database]:
    found = people() if table is None else table
    with open_frame(found, policy_of(found, **changes)) as db:
        yield db


def ask(db: Database, sql: str, epsilon: Any = SURE, **more: Any) -> Answer:
    answer = db.query(sql, epsilon=epsilon, **more)
    assert isinstance(answer, Answer)
    return answer


def charges(db: Database) -> list[tuple[str, Fraction]]:
    """What each charge was about, and its epsilon."""
    bodies = [entry.body for entry in db.ledger.entries() if entry.kind == "charge"]
    return [(", ".join(body["about"]["aggregates"]), Fraction(body["epsilon"])) for body in bodies]


SUM = "SELECT SUM(income) AS s FROM data"


def only_opened(db: Database) -> bool:
    return [entry.kind for entry in db.ledger.entries()] == ["open", "policy"]

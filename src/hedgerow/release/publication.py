"""The release of a publication: a program spends a paid loss on a contingency table."""

from __future__ import annotations

from collections.abc import Callable

from hedgerow.errors import InvalidArgument
from hedgerow.ledger.entry import Entry
from hedgerow.plan.contingency import Contingency
from hedgerow.plan.nodes import Aggregate
from hedgerow.privacy.loss import Loss
from hedgerow.release.private_table import PrivateTable
from hedgerow.release.release import (
    Charge,
    ReleaseLedger,
    ReleaseSource,
    answer_once,
    charge_ledger,
)

__all__ = ["release_publication"]


def release_publication(
    plan: Aggregate,
    source: ReleaseSource,
    ledger: ReleaseLedger,
    total: Loss,
    program: Callable[[PrivateTable, Entry], str],
    charge: Charge,
) -> tuple[str, Entry]:
    """Charge ``total``, run the plan, let the program spend it, and return what is stored.

    The program sees the data through a private table only, which costs at most the total. It writes
    what it makes where nobody reads it yet, and returns a description of it. It is given its charge
    so that it can use what an earlier, killed run of the same charge left behind.
    """
    plan.sensitivity(charge.unit)
    if len(plan.measures) != 1 or not isinstance(table := plan.measures[0], Contingency):
        raise InvalidArgument(
            "plan", "must have one contingency table as its only measure; use release for others"
        )
    source.prepare(plan)
    entry = charge_ledger(ledger, {charge.population: total}, charge)

    def run() -> str:
        private = PrivateTable(
            source.run(plan).numbers[0][0],
            total,
            rows=plan.bound.max_rows,
            relation=charge.unit.relation,
            group=charge.unit.group,
            parts_per_row=table.resolution,
        )
        return program(private, entry)

    return answer_once(ledger, entry, run), entry

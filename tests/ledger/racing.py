"""Eight processes spend one budget. Run as a program: racing.py LEDGER MODE.

MODE is "own" (each process opens the ledger), "inherited" (all use the object their parent had
before it forked) or "careless" (the planted mistake: look first, write later, no transaction around
the two), or "both" (every charge is to two populations, one of which has less). Prints how many
charges were granted.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction

from hedgerow.errors import BudgetExceeded, LedgerError
from hedgerow.ledger.entry import Entry
from hedgerow.ledger.sqlite import Ledger
from hedgerow.privacy.loss import Loss
from ledger.making import pay, policy, terms

PROCESSES, UNITS = 8, 60
SHARE = Loss(Fraction(1, UNITS))


class Careless(Ledger):
    """Checks, then writes at the end of whatever is there by then."""

    @contextmanager
    def _transaction(self, *, trusting: bool = False) -> Iterator[None]:
        self._state.seq or self._read_new_entries(trusting=True)
        yield

    def _store_entry(self, entry: Entry) -> None:
        # Long enough, at the last unit, for the others to look as well.
        time.sleep(0.002 if self._state.budget("patients").balance.left else 0.3)
        db = self._get_connection()
        db.execute("BEGIN IMMEDIATE")
        seq, previous = db.execute("SELECT seq, hash FROM entries ORDER BY seq DESC LIMIT 1").get
        super()._store_entry(
            Entry.build(self._state.ledger, seq + 1, entry.kind, entry.body, previous, entry.time)
        )
        db.execute("COMMIT")
        self._reset()


def spend(ledger: Ledger, also: dict[str, Loss]) -> int:
    """Charge until the budget is empty. (The careless one may find first that it is overdrawn.)"""
    over = (BudgetExceeded, LedgerError) if isinstance(ledger, Careless) else BudgetExceeded
    count = 0
    while True:
        try:
            pay(ledger, SHARE, also=also)
        except over:
            return count
        count += 1


def main(path: str, mode: str) -> None:
    with Ledger.open(path, create=True) as made:
        made.accept_policy(
            **policy(1, max_failures=10**6)
            | {"budgets": {"patients": terms(1), "staff": terms(Fraction(2, 3))}}
        )
    also = {"staff": SHARE} if mode == "both" else {}
    kind = Careless if mode == "careless" else Ledger
    shared = kind.open(path, create=False) if mode == "inherited" else None
    gate, told = os.pipe(), os.pipe()
    for _ in range(PROCESSES):
        if os.fork() == 0:
            os.close(gate[1])
            os.read(gate[0], 1)  # all start together, when the parent lets go of its end
            ledger = shared or kind.open(path, create=False)
            os.write(told[1], bytes([spend(ledger, also)]))
            os._exit(0)
    os.close(gate[1])
    os.close(told[1])
    codes = [os.waitstatus_to_exitcode(os.wait()[1]) for _ in range(PROCESSES)]
    released = b"".join(iter(lambda: os.read(told[0], 64), b""))
    assert codes == [0] * PROCESSES == [0] * len(released), codes
    print(sum(released))


if __name__ == "__main__":
    main(*sys.argv[1:])

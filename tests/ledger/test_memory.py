"""The ledger in memory."""

from __future__ import annotations

import subprocess
import sys
import threading
from fractions import Fraction

import pytest

from hedgerow.errors import BudgetExceeded, LedgerError
from hedgerow.ledger.memory import LedgerCopy, MemoryLedger
from hedgerow.privacy.loss import Loss
from ledger.making import pay, policy


def test_two_ledgers_are_two() -> None:
    assert MemoryLedger().state.ledger != MemoryLedger().state.ledger
    assert len(MemoryLedger().state.ledger) == 32


def test_threads_together_spend_no_more_than_there_is() -> None:
    ledger, spent = MemoryLedger(), []
    ledger.accept_policy(**policy(1))

    def spend() -> None:
        while True:
            try:
                spent.append(pay(ledger, Loss(Fraction(1, 64))))
            except BudgetExceeded:
                return

    threads = [threading.Thread(target=spend) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(spent) == 64
    assert ledger.state.budget("patients").balance.left == 0


def test_a_copy_previews_a_policy_and_refuses_charges() -> None:
    ledger = MemoryLedger()
    ledger.accept_policy(**policy(1))
    pay(ledger, Loss(Fraction(1, 4)))
    copied = LedgerCopy(ledger.entries())
    copied.accept_policy(**policy(2))
    assert copied.state.budget("patients").balance.left == Fraction(7, 4)
    assert ledger.state.budget("patients").balance.left == Fraction(3, 4)
    with pytest.raises(LedgerError, match="nothing can be charged to it"):
        pay(copied, Loss(Fraction(1, 4)))


def test_a_fork_does_not_double_the_budget() -> None:
    code = """
import os
from hedgerow.errors import LedgerError
from hedgerow.ledger import MemoryLedger
ledger = MemoryLedger()
child = os.fork()
if child == 0:
    try:
        ledger.accept_policy(digest="d", text="t", budgets={})
    except LedgerError as problem:
        print(problem, flush=True)
        os._exit(7)
    os._exit(0)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), len(ledger.entries()))
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "two copies would be two budgets" in run.stdout
    assert run.stdout.endswith("7 1\n")


def test_in_another_process_it_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = MemoryLedger()
    monkeypatch.setattr(ledger, "_pid", -1)
    with pytest.raises(Exception, match="cannot be used after a fork"):
        ledger.accept_policy(**policy())

"""The ledger: a durable budget for each population, with every charge and its answer."""

from hedgerow.ledger.chain_verification import VerificationReport, verify
from hedgerow.ledger.entry import Entry
from hedgerow.ledger.memory import MemoryLedger
from hedgerow.ledger.recovery import backup, begin_after_loss, list_sources, restore
from hedgerow.ledger.rules import LedgerState
from hedgerow.ledger.sqlite import Ledger

__all__ = [
    "Entry",
    "Ledger",
    "LedgerState",
    "MemoryLedger",
    "VerificationReport",
    "backup",
    "begin_after_loss",
    "list_sources",
    "restore",
    "verify",
]

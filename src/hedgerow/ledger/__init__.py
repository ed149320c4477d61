"""A durable budget for each population: who charged what, before any data were looked at, and what was answered."""

from hedgerow.ledger.book import Book
from hedgerow.ledger.entry import Entry
from hedgerow.ledger.memory import MemoryLedger
from hedgerow.ledger.recount import Report, verify
from hedgerow.ledger.rescue import backup, begin_after_loss, restore, sources_of
from hedgerow.ledger.sqlite import Ledger

__all__ = ["Book", "Entry", "Ledger", "MemoryLedger", "Report", "backup", "begin_after_loss", "restore", "sources_of", "verify"]

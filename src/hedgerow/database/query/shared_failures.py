"""Failures that are shared: whoever waited for somebody else's run of a question gets its failure,
and no fresh run, which would charge the population again."""

from __future__ import annotations

from collections.abc import Iterable

from hedgerow.errors import SourceError
from hedgerow.ledger.interface import LedgerBase
from hedgerow.release.release import SOURCE_FAILED

__all__ = ["share_failure"]


def share_failure(ledger: LedgerBase, questions: Iterable[tuple[str, str]], seen: int) -> None:
    """Raise the failure of a question (its key and data version) after entry ``seen``."""
    records = ledger.state.questions
    failures = [records.find_failure(key, version) for key, version in questions]
    if any(failed is not None and failed > seen for failed in failures):
        raise SourceError(SOURCE_FAILED)

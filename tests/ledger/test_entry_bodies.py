from __future__ import annotations

from fractions import Fraction

import pytest

from hedgerow.errors import InvalidArgument, LedgerError
from hedgerow.ledger import MemoryLedger
from hedgerow.ledger.entry_bodies import build_act_body, parse_text, read_fraction, read_loss
from hedgerow.privacy.loss import Loss


def test_an_act_names_who_did_it() -> None:
    body = build_act_body("add account", "carl", {"account": "ana"}, "id")
    assert body == {
        "act": "id",
        "words": "add account",
        "by": "carl",
        "about": {"account": "ana"},
    }
    for arguments in (("", "carl", {}, "id"), ("add", "", {}, "id"), ("add", "carl", {}, "")):
        with pytest.raises(InvalidArgument, match="must be text"):
            build_act_body(*arguments)


def test_stored_numbers_are_read_exactly() -> None:
    assert read_fraction("1/3") == Fraction(1, 3)
    loss = Loss(Fraction(1, 3))
    assert read_loss(**loss.to_dict()) == loss
    assert parse_text("x", "name") == "x"


def test_acts_are_entries_with_an_id_of_their_own() -> None:
    ledger = MemoryLedger()
    entry = ledger.record_act("add account", "carl", {}, "one")
    assert entry.kind == "act"
    assert ledger.state.has_act("one")
    assert not ledger.state.has_act("two")
    with pytest.raises(LedgerError, match="cannot be read as a 'act' entry"):
        ledger.record_act("add account", "carl", {}, "one")

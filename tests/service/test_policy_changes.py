from __future__ import annotations

from pathlib import Path

import pytest

import hedgerow
from hedgerow.errors import Refused
from hedgerow.service.policy_changes import accept_policy_file, compare_policy_file
from service.helpers_service import write_clinic


def test_a_changed_file_is_compared_and_accepted_as_it_was_shown(tmp_path: Path) -> None:
    file = write_clinic(tmp_path)
    with hedgerow.open(file, in_process=True) as db:
        same = compare_policy_file(file, db.ledger)
        assert not same.is_changed
        file.write_text(file.read_text().replace("epsilon = 100", "epsilon = 120", 1))
        change = compare_policy_file(file, db.ledger)
        assert change.is_changed
        assert "budget" in change.loosenings[0]
        file.write_text(file.read_text() + "[analysts.zoe]\n")
        with pytest.raises(Refused, match="has changed since"):
            accept_policy_file(file, change.digest, "carl", "")
        change = compare_policy_file(file, db.ledger)
        assert change.other_changes
        accept_policy_file(file, change.digest, "carl", "more people")
        assert not compare_policy_file(file, db.ledger).is_changed
        note = db.ledger.entries()[-1].body["note"]
        assert note == "accepted by carl: more people"


def test_mistakes_are_shown_instead(tmp_path: Path) -> None:
    file = write_clinic(tmp_path)
    with hedgerow.open(file, in_process=True) as db:
        file.write_text(file.read_text().replace("neighbours", "neigbours"))
        change = compare_policy_file(file, db.ledger)
    assert "neigbours" in change.mistakes
    assert change.is_changed

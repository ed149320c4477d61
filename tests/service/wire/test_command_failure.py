from __future__ import annotations

from hedgerow.service.wire.command_failure import CommandFailed


def test_a_failure_has_a_sqlstate_and_words() -> None:
    failure = CommandFailed("42P01", "There is no such relation.")
    assert (failure.sqlstate, str(failure)) == ("42P01", "There is no such relation.")
    assert failure.routine == ""
    assert CommandFailed("0A000", "It changed.", "Revalidate").routine == "Revalidate"

from __future__ import annotations

from hedgerow.verify.judgement.undecided import Undecided
from hedgerow.verify.language.program import Place


def test_undecided_is_neither_yes_nor_no_and_has_a_reason() -> None:
    undecided = Undecided("too many values", Place(3))
    assert not undecided
    assert undecided.verdict == "UNKNOWN"
    assert (str(undecided), undecided.place.line) == ("too many values", 3)

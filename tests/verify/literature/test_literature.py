"""The programs of the literature, with the verdicts that their authors and critics proved.

A name that begins with ``wrong_`` is of a false claim, one with ``unknown_`` of one that is not
decided: the gap of noisy max is private, by a shift that depends on noise drawn later; EasyCrypt's
noisy max is not, but the independent evaluator's bounds are too coarse for its counterexample.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from hedgerow.verify.language.program import Program
from hedgerow.verify.language.python import read_programs
from hedgerow.verify.verdict import Verdict
from hedgerow.verify.verifier import verify_program

FOLDER = Path(__file__).parent
_MAX_SECONDS = 30  # of processor time
# One program of each kind; all others are in tests/slow.
SAMPLE = (
    "above_threshold_index",
    "dipa_range",
    "lyu_2",
    "noisy_max_of_easycrypt",
    "smart_sum",
    "wrong_dipa_disclosing_cycle",
    "wrong_lyu_4",
)


@cache
def literature() -> dict[str, Program]:
    """Return the programs by name."""
    found: dict[str, Program] = {}
    for file in sorted(FOLDER.glob("*.py")):
        for one in read_programs(file.read_text(encoding="utf-8"), file.name):
            assert isinstance(one, Program), one
            found[one.name] = one
    return found


def expected_verdict(name: str) -> str:
    if name.startswith("unknown_"):
        return "UNKNOWN"
    return "REFUTED" if name.startswith("wrong_") else "PROVED"


def decide(name: str) -> Verdict:
    """Return the verdict, which the work limits end long before the time does."""
    return verify_program(literature()[name], seconds=_MAX_SECONDS)


@pytest.mark.long
@pytest.mark.parametrize("name", SAMPLE)
def test_the_verdict_is_that_of_the_literature(name: str) -> None:
    assert decide(name).verdict.value == expected_verdict(name)


def test_at_most_two_programs_are_undecided() -> None:
    names = list(literature())
    assert sum(expected_verdict(name) == "UNKNOWN" for name in names) <= 2
    assert len(names) >= 40

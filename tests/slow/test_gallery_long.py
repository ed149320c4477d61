"""Every program of the gallery gets the verdict that its name announces: right ones proved,
wrong ones refuted, unclear ones neither.
"""

from __future__ import annotations

import pytest

from hedgerow.verify.verdict import VerdictKind
from hedgerow.verify.verifier import verify_program
from verify.language.reading import gallery

pytestmark = pytest.mark.slow


# The programs of judgements.hr claim nothing: judgements speak about them.
JUDGED = {"Pad", "Fair", "Leak", "Respond"}


@pytest.mark.parametrize("name", sorted(gallery().keys() - JUDGED))
def test_the_verdict_is_the_right_one(name: str) -> None:
    verdict = verify_program(gallery()[name], seconds=120)
    if name.lower().startswith("bad"):
        assert verdict.verdict is VerdictKind.REFUTED
        assert verdict.line > 0
        assert verdict.reason
        assert verdict.witness.replay().loss <= verdict.epsilon_lower
    elif name.startswith("unclear"):
        assert verdict.verdict is VerdictKind.UNKNOWN
    else:
        assert verdict.verdict is VerdictKind.PROVED
        assert name != "above_threshold_decreasing" or verdict.epsilon_upper == 0.5

"""The prover returns a certificate that checks, or a reason."""

from __future__ import annotations

import pytest

from hedgerow.verify.prove.certificate import Certificate, Failure
from hedgerow.verify.prove.checker import check
from hedgerow.verify.prove.prover import prove
from hedgerow.verify.prove.search import finder
from verify.prove.proving import shipped


def test_a_proof_checks() -> None:
    about = shipped()["laplace_mechanism"]
    found = prove(about)
    assert isinstance(found, Certificate)
    assert check(about, found) is None


def test_no_time_no_proof() -> None:
    found = prove(shipped()["above_threshold"], seconds=0)
    assert isinstance(found, Failure)
    assert found.reason == "no proof was found in the time given"


def test_under_row_the_length_is_private() -> None:
    failure = prove(shipped()["unclear_dummy_sum"])
    assert isinstance(failure, Failure)
    assert (
        failure.reason
        == 'the length of q is private under "row", but the loop has another bound; write len(q)'
    )
    assert isinstance(prove(shipped()["bad_dummy_sum_by_length"]), Failure)


def test_effort_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finder, "_DEFAULT_STEPS", 100)  # a candidate is tried on 400 traces
    found = prove(shipped()["above_threshold"])
    assert isinstance(found, Failure)
    assert found.reason == "no proof was found in the time given"

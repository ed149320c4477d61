from __future__ import annotations

from hedgerow.ledger.question_records import QuestionRecords


def test_requests_belong_to_their_analyst() -> None:
    records = QuestionRecords()
    records.add_request("ana", "k", 3)
    records.add_request("ana", None, 4)
    assert records.find_request("ana", "k") == 3
    assert records.find_request("ben", "k") is None
    assert records.find_request("ana", None) is None


def test_answers_and_failures_belong_to_a_question_on_a_version() -> None:
    records = QuestionRecords()
    records.add_outcome("q", "1", 2, 3, failed=False)
    records.add_outcome("q", "1", 4, 5, failed=True)
    records.add_outcome("q", "1", 6, 7, failed=True)
    assert records.list_answers("q", "1") == [(2, 3)]
    assert records.list_answers("q", "2") == []
    assert [records.find_outcome(charge) for charge in (2, 4, 9)] == [3, 5, None]
    assert records.find_failure("q", "1") == 7
    assert records.find_failure("q", "2") is None

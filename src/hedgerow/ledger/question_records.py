"""The records of questions: requests by key, outcomes of charges, and answers and failures of each
question."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["QuestionRecords"]


@dataclass(slots=True)
class QuestionRecords:
    """Numbers of entries by what they are about."""

    _requests: dict[tuple[str, str], int] = field(default_factory=dict)
    _outcomes: dict[int, int] = field(default_factory=dict)
    _answers: dict[tuple[str, str], list[tuple[int, int]]] = field(default_factory=dict)
    _failures: dict[tuple[str, str], int] = field(default_factory=dict)

    def find_request(self, analyst: str, request: str | None) -> int | None:
        """Return the charge of an analyst's request; the keys of two analysts are independent."""
        return None if request is None else self._requests.get((analyst, request))

    def add_request(self, analyst: str, request: str | None, charge: int) -> None:
        """Record the request of a charge, if it has one."""
        if request is not None:
            self._requests[analyst, request] = charge

    def find_outcome(self, charge: int) -> int | None:
        """Return the answer or failure of a charge."""
        return self._outcomes.get(charge)

    def add_outcome(
        self, question: str, version: str, charge: int, outcome: int, *, failed: bool
    ) -> None:
        """Record the answer or the failure of a charge for a question on a data version."""
        self._outcomes[charge] = outcome
        if failed:
            self._failures[question, version] = outcome
        else:
            self._answers.setdefault((question, version), []).append((charge, outcome))

    def list_answers(self, question: str, version: str) -> list[tuple[int, int]]:
        """Return (charge, answer) for every answer to a question on a data version."""
        return list(self._answers.get((question, version), ()))

    def find_failure(self, question: str, version: str) -> int | None:
        """Return the last failure of a question on a data version."""
        return self._failures.get((question, version))

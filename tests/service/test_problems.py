from __future__ import annotations

import pytest

from hedgerow.errors import (
    BudgetExceeded,
    InvalidArgument,
    LedgerError,
    SourceError,
    Unbounded,
    Unsupported,
)
from hedgerow.service.problems import (
    NotAllowed,
    NotAuthenticated,
    Overloaded,
    RequestConflict,
    describe_problem,
    find_problem_kind,
)


@pytest.mark.parametrize(
    ("error", "status", "sqlstate"),
    [
        (NotAuthenticated("x"), 401, "28P01"),
        (BudgetExceeded("x"), 402, "53400"),
        (NotAllowed("x"), 403, "42501"),
        (Unsupported("x"), 400, "42501"),
        (Unbounded("x"), 400, "42501"),
        (RequestConflict("x"), 409, "42501"),
        (InvalidArgument("x", "must be y"), 422, "22023"),
        (Overloaded("x", 1), 429, "53300"),
        (SourceError("x"), 503, "58000"),
        (LedgerError("x"), 503, "58030"),
    ],
)
def test_an_error_has_one_status_and_one_sqlstate(
    error: Exception, status: int, sqlstate: str
) -> None:
    kind = find_problem_kind(error)
    assert (kind.status, kind.sqlstate) == (status, sqlstate)
    assert describe_problem(error) == str(error)


def test_an_unexpected_error_keeps_its_words_to_itself() -> None:
    error = ValueError("a cell")
    assert find_problem_kind(error).status == 500
    assert "cell" not in describe_problem(error)

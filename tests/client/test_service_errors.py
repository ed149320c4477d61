from __future__ import annotations

import pytest

from hedgerow.client.service_errors import (
    NotAllowed,
    NotAuthenticated,
    Overloaded,
    RequestConflict,
    describe_error_class,
    rebuild_error,
)
from hedgerow.errors import (
    BudgetExceeded,
    HedgerowError,
    InvalidArgument,
    LedgerError,
    Refused,
    SourceError,
    Unbounded,
    Unsupported,
)


@pytest.mark.parametrize(
    "error",
    [
        *(Refused("x"), Unsupported("x"), Unbounded("x"), BudgetExceeded("x"), SourceError("x")),
        *(LedgerError("x"), NotAllowed("x"), NotAuthenticated("x"), RequestConflict("x")),
        InvalidArgument("epsilon", "must be positive", -1),
        Overloaded("x", 3),
    ],
)
def test_an_error_comes_back_as_it_was(error: HedgerowError) -> None:
    problem = {"detail": str(error)} | describe_error_class(error)
    found = rebuild_error(400, problem, 3)
    assert type(found) is type(error)
    assert str(found) == str(error)
    assert vars(found) == vars(error)


def test_a_class_of_the_service_alone_comes_back_as_its_parent() -> None:
    class Nearer(InvalidArgument):
        pass

    described = describe_error_class(Nearer("body", "is too large"))
    assert described == {"error": "InvalidArgument", "argument": "body"}


def test_an_unexpected_error_names_no_class() -> None:
    assert describe_error_class(RuntimeError("secret")) == {}


@pytest.mark.parametrize(
    ("status", "class_"),
    [
        *((400, Refused), (401, NotAuthenticated), (402, BudgetExceeded), (403, NotAllowed)),
        *((409, RequestConflict), (429, Overloaded), (500, SourceError), (503, SourceError)),
    ],
)
def test_a_problem_without_a_class_has_that_of_its_status(
    status: int, class_: type[HedgerowError]
) -> None:
    assert type(rebuild_error(status, {"detail": "x"}, 1)) is class_
    assert str(status) in str(rebuild_error(status, {}, 1)) or status == 429

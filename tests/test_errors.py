"""The exception tree, and messages that show parameters, shortened where they are long."""

from __future__ import annotations

import pickle
import traceback
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from hedgerow import errors
from hedgerow.errors import InvalidArgument


def test_every_error_derives_from_hedgerow_error() -> None:
    kinds = [getattr(errors, name) for name in errors.__all__]
    assert all(issubclass(kind, errors.HedgerowError) for kind in kinds)
    assert {kind.__name__ for kind in kinds if issubclass(kind, errors.Refused)} == {
        "Refused",
        "Unsupported",
        "Unbounded",
        "BudgetExceeded",
    }
    assert issubclass(InvalidArgument, ValueError)
    assert not issubclass(errors.EntropyError, errors.Refused)


def test_the_docstring_shows_the_whole_tree() -> None:
    assert errors.__doc__ is not None
    assert all(name in errors.__doc__ for name in errors.__all__)


def test_an_invalid_argument_names_the_argument_and_shows_the_value() -> None:
    error = InvalidArgument("epsilon", "must be above 0", -1)
    assert str(error) == "epsilon must be above 0; got -1."
    assert error.argument == "epsilon"


def test_a_question_ends_with_its_own_mark() -> None:
    assert str(InvalidArgument("unti", "is no key; did you mean 'unit'?")).endswith("'unit'?")


def test_data_are_not_shown() -> None:
    assert str(InvalidArgument("exact", "must not hold NaN")) == "exact must not hold NaN."


def test_none_is_a_value_that_is_shown() -> None:
    assert (
        str(InvalidArgument("epsilon", "must be a number", None))
        == "epsilon must be a number; got None."
    )


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (Fraction(0), "0"),
        (Fraction(1, 10), "0.1"),
        (Fraction(-7, 4), "-1.75"),
        (Fraction(1, 3), "1/3"),
        (Fraction(10**20), "1" + 20 * "0"),
        (Fraction(1, 10**20), "1/1" + 20 * "0"),
        (Fraction(1, 10**300), "1e-300"),
        (Fraction(-3, 4 * 10**5000), "-7.5e-5001"),
        (Decimal("1.5"), "1.5"),
        (np.float64(0.1), "0.1"),
        (np.int64(3), "3"),
        (1.5, "1.5"),
        (True, "True"),
        (Path("x"), repr(Path("x"))),
    ],
)
def test_numbers_are_written_as_people_write_them(value: object, shown: str) -> None:
    assert str(InvalidArgument("epsilon", "is odd", value)) == f"epsilon is odd; got {shown}."


@pytest.mark.parametrize("value", ["x" * 58, "x" * 59, list(range(1000)), 10**100])
def test_long_values_are_shortened(value: object) -> None:
    told = str(InvalidArgument("table", "is unknown", value))
    shown = told.removeprefix("table is unknown; got ").removesuffix(".")
    assert len(shown) <= 60
    assert shown == repr(value) if len(repr(value)) <= 60 else shown == repr(value)[:59] + "…"


@pytest.mark.parametrize(
    "value",
    [10**5000, -(10**5000), Fraction(10**5000), [10**5000]],
    ids=["int", "negative", "fraction", "list"],
)
def test_integers_too_long_for_python_are_described(value: object) -> None:
    assert (
        str(InvalidArgument("epsilon", "is too large", value))
        == f"epsilon is too large; got a very long {type(value).__name__}."
    )


def test_errors_are_caught_by_their_class() -> None:
    with pytest.raises(errors.Refused, match="no budget"):
        raise errors.BudgetExceeded("no budget")
    with pytest.raises(ValueError, match="size must be"):
        raise InvalidArgument("size", "must be 0 or more", -1)


@pytest.mark.parametrize("kind", [errors.EntropyError, errors.Unbounded, errors.LedgerError])
def test_errors_can_be_pickled(kind: type[errors.HedgerowError]) -> None:
    copy = pickle.loads(pickle.dumps(kind("told")))
    assert (type(copy), str(copy)) == (kind, "told")


def test_a_pickled_invalid_argument_keeps_name_and_message() -> None:
    error = InvalidArgument("epsilon", "must be above 0", -1)
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), str(copy), copy.argument) == (InvalidArgument, str(error), "epsilon")


def test_a_notebook_shows_the_message_and_no_traceback() -> None:
    shown = errors.Refused("age needs bounds.")._render_traceback_()
    assert shown == ["Refused: age needs bounds."]


@errors.trim_tracebacks
def ask(failure: Exception) -> None:
    """Fail in a frame that is inside."""

    def refuse() -> None:
        raise failure

    refuse()


def list_frames(failure: Exception) -> list[str]:
    """Return the functions that the traceback shows."""
    with pytest.raises(type(failure)) as caught:
        ask(failure)
    return [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]


def test_a_script_shows_its_own_line_and_the_message() -> None:
    assert list_frames(errors.Refused("age needs bounds.")) == ["list_frames", "call"]
    assert ask.__name__ == "ask"


def test_frames_inside_stay_where_they_are_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    assert list_frames(KeyError("a mistake of ours"))[-2:] == ["ask", "refuse"]
    monkeypatch.setenv("HEDGEROW_TRACEBACK", "full")
    assert list_frames(errors.Refused("age needs bounds."))[-2:] == ["ask", "refuse"]

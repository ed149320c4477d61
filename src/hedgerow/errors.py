"""The exception tree of Hedgerow.

    HedgerowError
    ├── InvalidArgument       a parameter is invalid; the message shows its name and value
    ├── Refused               the question cannot be answered privately as asked
    │   ├── Unsupported       outside the supported language; the message says what works instead
    │   ├── Unbounded         a bound is missing; the message names it
    │   └── BudgetExceeded    the budget does not cover the question; shows the request and the rest
    ├── SourceError           the data source failed; the message never depends on the data
    ├── LedgerError           the ledger cannot be trusted or written
    └── EntropyError          the operating system gave no random bits; nothing was drawn

Errors about parameters show the value. Errors about data never do: a message that quotes a row
would be a release that nobody paid for.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from numbers import Number
from typing import Final, ParamSpec, TypeVar

__all__ = [
    "BudgetExceeded",
    "EntropyError",
    "HedgerowError",
    "InvalidArgument",
    "LedgerError",
    "Refused",
    "SourceError",
    "Unbounded",
    "Unsupported",
]

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")

_TRACEBACK_VARIABLE: Final = "HEDGEROW_TRACEBACK"
_MAX_SHOWN_CHARACTERS = 60
_MAX_DECIMAL_DIGITS = 12  # fractions with more digits are shown as p/q


class HedgerowError(Exception):
    """The base class of every error that Hedgerow raises on purpose."""

    def _render_traceback_(self) -> list[str]:
        """Return the message alone, which IPython shows in place of a traceback."""
        return [f"{type(self).__name__}: {self}"]


class InvalidArgument(HedgerowError, ValueError):
    """An invalid parameter.

    ``argument`` is its name. The message reads "name rule; got value.", without the value where the
    value is data.
    """

    def __init__(self, argument: str, rule: str, *shown: object) -> None:
        self.argument = argument
        message = f"{argument} {rule}"
        if shown:
            message += f"; got {_format_value(shown[0])}"
        super().__init__(message if message.endswith("?") else message + ".")

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the name and the message, so that an error of a worker process keeps its type.

        The value itself is not pickled: the message already shows it.
        """
        return _rebuild_invalid_argument, (self.argument, str(self))


class Refused(HedgerowError):
    """A question that cannot be answered privately as asked."""


class Unsupported(Refused):
    """A question outside the supported language."""


class Unbounded(Refused):
    """A question that one unit could move arbitrarily far, because a bound is missing."""


class BudgetExceeded(Refused):
    """A question that the budget does not cover."""


class SourceError(HedgerowError):
    """A failure of the data source. The message never depends on the data."""


class LedgerError(HedgerowError):
    """A ledger that cannot be trusted or written."""


class EntropyError(HedgerowError):
    """A lack of random bits from the operating system. Nothing was drawn or released."""


def trim_tracebacks(
    function: Callable[_Parameters, _Result],
) -> Callable[_Parameters, _Result]:
    """Wrap a public function so that its errors show the caller's line and the message.

    The frames of the modules inside say nothing to a caller, and hold values that nobody paid for.
    With ``HEDGEROW_TRACEBACK=full`` in the environment they stay; errors of other kinds, which are
    mistakes of ours, always have them.
    """

    @functools.wraps(function)
    def call(*arguments: _Parameters.args, **options: _Parameters.kwargs) -> _Result:
        try:
            return function(*arguments, **options)
        except HedgerowError as error:
            if os.environ.get(_TRACEBACK_VARIABLE) == "full":
                raise
            failure = error
        raise failure.with_traceback(None)

    return call


def _rebuild_invalid_argument(argument: str, message: str) -> InvalidArgument:
    error = InvalidArgument.__new__(InvalidArgument, message)
    error.argument = argument
    return error


def _format_number(value: Number) -> str:
    """Format a number as people write it, never as Fraction(1, 10), Decimal('0.1') or
    np.float64(0.1).
    """
    if isinstance(value, Fraction):
        rest = value.denominator
        for prime in (2, 5):
            while rest % prime == 0 and rest < 10**_MAX_DECIMAL_DIGITS:
                rest //= prime
        # a denominator of 2s and 5s alone has a finite decimal form
        if rest == 1 and max(value.denominator, abs(value)) < 10**_MAX_DECIMAL_DIGITS:
            return f"{Decimal(value.numerator) / value.denominator:f}"
        if value.denominator > 10**_MAX_SHOWN_CHARACTERS:
            return f"{Decimal(value.numerator) / value.denominator:.6g}"
    return str(value)


def _format_value(value: object) -> str:
    try:
        text = _format_number(value) if isinstance(value, Number) else repr(value)
    except ValueError:  # Python does not write out integers of more than a few thousand digits
        return f"a very long {type(value).__name__}"
    return text if len(text) <= _MAX_SHOWN_CHARACTERS else text[: _MAX_SHOWN_CHARACTERS - 1] + "…"

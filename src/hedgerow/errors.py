"""The one exception tree.

    HedgerowError
    ├── InvalidArgument       a parameter is wrong: names it, shows its value
    ├── Refused               the question cannot be answered privately as asked
    │   ├── Unsupported       outside what Hedgerow speaks; says what works instead
    │   ├── Unbounded         a bound is missing; names it
    │   └── BudgetExceeded    the budget does not cover it; says what was asked and what is left
    ├── SourceError           the data source failed; never says with what data
    ├── LedgerError           the ledger cannot be trusted or written
    └── EntropyError          the operating system gave no random bits; nothing was drawn

Errors about parameters show the value. Errors about data never do: a message that quotes a row is a
release nobody paid for.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from numbers import Number

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

_MAX_SHOWN_CHARACTERS = 60
_MAX_DECIMAL_DIGITS = 12  # of a fraction that is shown in decimals


class HedgerowError(Exception):
    """Everything Hedgerow raises on purpose."""


class InvalidArgument(HedgerowError, ValueError):
    """A parameter is wrong. ``argument`` is its name; the message ends with the value, unless it
    is data.
    """

    def __init__(self, argument: str, rule: str, *shown: object) -> None:
        self.argument = argument
        message = f"{argument} {rule}"
        if shown:
            message += f"; got {_format_value(shown[0])}"
        super().__init__(message + ".")

    def __reduce__(self) -> tuple[object, ...]:
        """An error raised in a worker process arrives as what it is; its value stays behind, the
        message has it.
        """
        return _rebuild_invalid_argument, (self.argument, str(self))


class Refused(HedgerowError):
    """The question cannot be answered privately as asked."""


class Unsupported(Refused):
    """Outside what Hedgerow speaks."""


class Unbounded(Refused):
    """One person could move the answer arbitrarily far, because a bound is missing."""


class BudgetExceeded(Refused):
    """The budget does not cover this question."""


class SourceError(HedgerowError):
    """The data source failed. The message never depends on the data."""


class LedgerError(HedgerowError):
    """The ledger cannot be trusted or written."""


class EntropyError(HedgerowError):
    """The operating system gave no random bits. Nothing was drawn and nothing was released."""


def _rebuild_invalid_argument(argument: str, message: str) -> InvalidArgument:
    error = InvalidArgument.__new__(InvalidArgument, message)
    error.argument = argument
    return error


def _format_number(value: Number) -> str:
    """A number as people write it: no Fraction(1, 10), Decimal('0.1') or np.float64(0.1)."""
    if isinstance(value, Fraction):
        rest = value.denominator
        for prime in (2, 5):
            while rest % prime == 0 and rest < 10**_MAX_DECIMAL_DIGITS:
                rest //= prime
        if (
            rest == 1
            and value.denominator < 10**_MAX_DECIMAL_DIGITS
            and abs(value) < 10**_MAX_DECIMAL_DIGITS
        ):
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

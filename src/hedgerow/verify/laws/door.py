"""The law about the door: what is no data is refused, in words that do not quote it, and before anything is drawn."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from typing import Any

from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms.shapes import Published, Released
from hedgerow.numeric import bits
from hedgerow.verify.laws.case import Case, Finding, LawBroken
from hedgerow.verify.laws.smoothed import given

__all__ = ["bad_input_is_refused"]

Use = tuple[tuple[Any, ...], dict[str, Any], str]


def bad_input_is_refused(case: Case) -> Finding:
    """InvalidArgument for whatever is no data, saying nothing about it, before a single bit is drawn."""
    law, kinds = "bad input is refused", 0
    for arguments, options, words in _uses(case):
        before = _position()
        try:
            case.mechanism.sample(*arguments, **options)
        except InvalidArgument as refusal:
            told = "".join(traceback.format_exception(refusal))
        except Exception as failure:
            raise LawBroken(law, f"InvalidArgument for {words}", type(failure).__name__) from None
        else:
            raise LawBroken(law, f"InvalidArgument for {words}", "an answer")
        if _SECRET in told:
            raise LawBroken(law, "a message that says nothing about the data", f"one that quotes {words}")
        if _position() != before:
            raise LawBroken(law, f"nothing drawn for {words}", "random bits used up")
        kinds += 1
    return Finding(law, f"{kinds} kinds")


def _position() -> tuple[int, int]:
    """How far the stream of random bits of this process has been read."""
    return bits._POOL._drawn, bits._POOL._next


_SECRET = "7" + "4311"  # in two pieces, so that no source line in a traceback holds it
_NUMBER = int(_SECRET)
_NO_COLUMN: list[tuple[Any, str]] = [
    (None, "None"),
    ("x" + _SECRET, "text"),
    ([float("nan"), 0.5 + _NUMBER], "a list with NaN"),
    ([0.5 + _NUMBER, None], "a list with None"),
    (["x" + _SECRET, 1], "a list with text"),
    ([[_NUMBER], [1, 2]], "a ragged list"),
    ({"a": _NUMBER}, "a mapping"),
]
_ALWAYS = [*_NO_COLUMN, ([], "an empty list")]
_BAD: dict[str, list[tuple[Any, str]]] = {
    "additive": [*_ALWAYS, (float("nan"), "NaN"), (float("inf"), "infinity"), ([2**63, -_NUMBER], "2^63"), ([2**64 + _NUMBER], "2^64")],
    "selection": [*_ALWAYS, (_NUMBER, "a single number"), ([[0, _NUMBER], [1, 2]], "a table"), ([-float("inf"), _NUMBER], "infinity")],
    "response": [*_ALWAYS, (-_NUMBER, "a negative value"), ([0, 1 << 40], "a value out of range"), (0.5, "half a category")],
}
_NO_DISTANCE: list[tuple[Any, str]] = [*_ALWAYS, (float("nan"), "NaN"), (-_NUMBER, "a negative number"), (0.5 + _NUMBER, "half a unit")]
_NO_COUNTS: list[tuple[Any, str]] = [
    *_ALWAYS[:-2],
    ({"a": 0, "b": _NUMBER}, "a key without rows"),
    ({"a": -_NUMBER}, "a negative count"),
    ({"a": 0.5 + _NUMBER}, "half a row"),
    ({"a": float("nan"), "b": _NUMBER}, "a count of NaN"),
    ({frozenset([_NUMBER]): 3}, "a key without an order"),
]


def _uses(case: Case) -> Iterator[Use]:
    """Arguments of ``sample`` that must be refused."""
    if case.shape in _BAD:
        yield from (((bad,), {}, words) for bad, words in _BAD[case.shape])
    elif case.shape == "point":
        bounds = {} if hasattr(case.mechanism, "quantile_log_prob") else {"lower": 0, "upper": 1 << 20}
        yield from (((bad,), bounds, words) for bad, words in (*_NO_COLUMN, (_NUMBER, "a single number")))
    elif case.shape == "smooth":
        yield from (((bad, 1), {}, words) for bad, words in _BAD["additive"])
        no_scale = (
            *_ALWAYS,
            (0, "a smooth sensitivity of 0"),
            (float("nan"), "NaN"),
            (float("inf"), "infinity"),
            (-_NUMBER, "a negative one"),
        )
        yield from (((given(case, 0.5), bad), {}, f"{words} as smooth sensitivity") for bad, words in no_scale)
    elif isinstance(case.mechanism, Released):
        yield from (((1, bad), {}, f"{words} as distance") for bad, words in _NO_DISTANCE)
        if hasattr(case.mechanism, "noise"):
            yield from (((bad, 3), {}, words) for bad, words in _BAD["additive"])
    elif isinstance(case.mechanism, Published):
        yield from (((bad,), {}, words) for bad, words in _NO_COUNTS)
    else:
        yield from ((([1, bad], 0), {}, f"{words} as an answer") for bad, words in _NO_DISTANCE if bad != -_NUMBER)
        yield from ((([1], bad), {}, f"{words} as threshold") for bad, words in _NO_DISTANCE if bad != -_NUMBER)
        yield ((None, 0), {}, "no answers")

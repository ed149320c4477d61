"""The law about input validation: invalid data is refused before anything is drawn, in a message
that does not quote it.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from typing import Any

from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms.interface import ReleaseTest, ThresholdedHistogram
from hedgerow.numeric import bits
from hedgerow.verify.laws.case import LawBroken, LawCase, LawFinding
from hedgerow.verify.laws.neighbours.smooth import make_answer

__all__ = ["bad_input_is_refused"]

BadCall = tuple[tuple[Any, ...], dict[str, Any], str]


def bad_input_is_refused(case: LawCase) -> LawFinding:
    """Check that invalid data raises InvalidArgument, that the error does not quote it, and that no
    random bit was drawn before.
    """
    law, kinds = "bad input is refused", 0
    for arguments, options, words in _list_bad_calls(case):
        before = _random_bit_position()
        try:
            case.mechanism.sample(*arguments, **options)
        except InvalidArgument as refusal:
            message = "".join(traceback.format_exception(refusal))
        except Exception as failure:
            raise LawBroken(law, f"InvalidArgument for {words}", type(failure).__name__) from None
        else:
            raise LawBroken(law, f"InvalidArgument for {words}", "an answer")
        if _SECRET in message:
            raise LawBroken(
                law, "a message that reveals nothing about the data", f"one that quotes {words}"
            )
        if _random_bit_position() != before:
            raise LawBroken(law, f"no draw for {words}", "random bits were drawn")
        kinds += 1
    return LawFinding(law, f"{kinds} kinds")


def _random_bit_position() -> tuple[int, int]:
    """Return the position in this process's stream of random bits."""
    return bits._PROCESS_POOL._drawn, bits._PROCESS_POOL._next


_SECRET = "7" + "4311"  # split, so that no source line in a traceback contains it
_NUMBER = int(_SECRET)
_BAD_COLUMNS: list[tuple[Any, str]] = [
    (None, "None"),
    ("x" + _SECRET, "text"),
    ([float("nan"), 0.5 + _NUMBER], "a list with NaN"),
    ([0.5 + _NUMBER, None], "a list with None"),
    (["x" + _SECRET, 1], "a list with text"),
    ([[_NUMBER], [1, 2]], "a ragged list"),
    ({"a": _NUMBER}, "a mapping"),
]
_BAD_ALWAYS = [*_BAD_COLUMNS, ([], "an empty list")]
_BAD_BY_SHAPE: dict[str, list[tuple[Any, str]]] = {
    "additive": [
        *_BAD_ALWAYS,
        (float("nan"), "NaN"),
        (float("inf"), "infinity"),
        ([2**63, -_NUMBER], "2^63"),
        ([2**64 + _NUMBER], "2^64"),
    ],
    "selection": [
        *_BAD_ALWAYS,
        (_NUMBER, "a single number"),
        ([[0, _NUMBER], [1, 2]], "a table"),
        ([-float("inf"), _NUMBER], "infinity"),
    ],
    "response": [
        *_BAD_ALWAYS,
        (-_NUMBER, "a negative value"),
        ([0, 1 << 40], "a value out of range"),
        (0.5, "half a category"),
    ],
}
_BAD_DISTANCES: list[tuple[Any, str]] = [
    *_BAD_ALWAYS,
    (float("nan"), "NaN"),
    (-_NUMBER, "a negative number"),
    (0.5 + _NUMBER, "half a unit"),
]
_BAD_COUNTS: list[tuple[Any, str]] = [
    *_BAD_ALWAYS[:-2],
    ({"a": 0, "b": _NUMBER}, "a key without rows"),
    ({"a": -_NUMBER}, "a negative count"),
    ({"a": 0.5 + _NUMBER}, "half a row"),
    ({"a": float("nan"), "b": _NUMBER}, "a count of NaN"),
    ({frozenset([_NUMBER]): 3}, "a key without an order"),
]


def _list_bad_calls(case: LawCase) -> Iterator[BadCall]:
    """Yield arguments of ``sample`` that must be refused."""
    if case.shape in _BAD_BY_SHAPE:
        yield from (((bad,), {}, words) for bad, words in _BAD_BY_SHAPE[case.shape])
    elif case.shape == "point":
        has_quantiles = hasattr(case.mechanism, "quantile_log_prob")
        bounds = {} if has_quantiles else {"lower": 0, "upper": 1 << 20}
        yield from (
            ((bad,), bounds, words) for bad, words in (*_BAD_COLUMNS, (_NUMBER, "a single number"))
        )
    elif case.shape == "smooth":
        yield from (((bad, 1), {}, words) for bad, words in _BAD_BY_SHAPE["additive"])
        no_scale = (
            *_BAD_ALWAYS,
            (0, "a smooth sensitivity of 0"),
            (float("nan"), "NaN"),
            (float("inf"), "infinity"),
            (-_NUMBER, "a negative one"),
        )
        yield from (
            ((make_answer(case, 0.5), bad), {}, f"{words} as smooth sensitivity")
            for bad, words in no_scale
        )
    elif isinstance(case.mechanism, ReleaseTest):
        yield from (((1, bad), {}, f"{words} as distance") for bad, words in _BAD_DISTANCES)
        if hasattr(case.mechanism, "noise"):
            yield from (((bad, 3), {}, words) for bad, words in _BAD_BY_SHAPE["additive"])
    elif isinstance(case.mechanism, ThresholdedHistogram):
        yield from (((bad,), {}, words) for bad, words in _BAD_COUNTS)
    else:
        yield from (
            (([1, bad], 0), {}, f"{words} as an answer")
            for bad, words in _BAD_DISTANCES
            if bad != -_NUMBER
        )
        yield from (
            (([1], bad), {}, f"{words} as threshold")
            for bad, words in _BAD_DISTANCES
            if bad != -_NUMBER
        )
        yield ((None, 0), {}, "no answers")

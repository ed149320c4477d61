"""The table of the SQL that engines write differently; a new engine starts with a row of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sqlglot import exp

__all__ = ["Dialect"]


@dataclass(frozen=True, slots=True)
class Dialect:
    """The constructs of one engine that the compiler cannot take from standard SQL."""

    name: str  # as sqlglot knows it
    wide_integer: str  # a type for sums beyond 64 bits
    # The pseudo-random order in which the groups of a unit are kept.
    build_rank: Callable[[Sequence[exp.Expr]], exp.Expr]
    truncating_divide: Callable[[exp.Expr, exp.Expr], exp.Expr]  # integers, towards zero
    is_nan: Callable[[exp.Expr], exp.Expr]
    ordinal: Callable[[exp.Expr], exp.Expr]  # days, counted from 1 on 0001-01-01
    # timestamps and their numbers: microseconds, so that dividing them by a day gives the ordinal
    timestamp_number: Callable[[exp.Expr], exp.Expr]
    build_timestamp: Callable[[exp.Expr], exp.Expr]
    full_match: Callable[[exp.Expr, str], exp.Expr]  # text against a regular expression
    regex_group: Callable[[exp.Expr, str, int], exp.Expr]
    date_parts: Mapping[str, Callable[[exp.Expr], exp.Expr]]
    date_truncations: Mapping[str, Callable[[exp.Expr], exp.Expr]]
    date_shifts: Mapping[str, Callable[[exp.Expr, exp.Expr], exp.Expr]]
    # Text out of a sorted list (or NULL) in a form that compares faster, in the same order, and
    # becomes the text again when it is cast.
    encode_text: Callable[[exp.Expr, Sequence[str]], exp.Expr]

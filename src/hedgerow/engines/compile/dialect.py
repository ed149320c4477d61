"""The table of the SQL that engines write differently; a new engine starts with a row of it.

The compiler names a function by what it means (``MEANINGS``). A dialect rewrites a finished tree
into the functions and operators of its engine, and may write no others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect as Grammar

from hedgerow.plan.values import Type

__all__ = ["MEANINGS", "Dialect", "place_tables"]

# The functions that the compiler calls, in DuckDB's words.
MEANINGS: Final = frozenset(
    [
        "abs",
        "ascii",
        "ceil",
        "coalesce",
        "concat",
        "concat_ws",
        "floor",
        "greatest",
        "least",
        "left",
        "length",
        "ln",
        "log10",
        "log2",
        "lower",
        "lpad",
        "min",
        "bool_and",
        "bool_or",
        "regexp_matches",
        "regexp_replace",
        "right",
        "round",
        "rpad",
        "sqrt",
        "starts_with",
        "string_split",
        "strpos",
        "substr",
        "substring",
        "sum",
        "trim",
        "unnest",
        "upper",
    ]
)


@dataclass(frozen=True, slots=True)
class Dialect:
    """The constructs of one engine that the compiler cannot take from standard SQL."""

    name: str
    grammar: str | type[Grammar]  # how sqlglot writes a tree
    functions: frozenset[str]  # all that may be written
    # A tree of meanings as one of this engine; it may refuse what the engine cannot do.
    rewrite: Callable[[exp.Expr], exp.Expr]
    wide_integer: str  # a type for sums beyond 64 bits
    # The pseudo-random order in which the groups of a unit are kept.
    build_rank: Callable[[Sequence[exp.Expr]], exp.Expr]
    # integers, towards zero; narrow ones, then those of the wide type
    truncating_divide: Callable[[exp.Expr, exp.Expr], exp.Expr]
    truncating_divide_wide: Callable[[exp.Expr, exp.Expr], exp.Expr]
    multiply_reals: Callable[[exp.Expr, exp.Expr], exp.Expr]
    divide_reals: Callable[[exp.Expr, exp.Expr], exp.Expr]  # NULL where the divisor is 0
    divide_by_nonzero: Callable[[exp.Expr, exp.Expr], exp.Expr]  # reals, the divisor at least 1
    # or a constant
    # A cast that is NULL where the value does not fit: value, type it has, type it gets, whether
    # it is wide (a decimal or an integer beyond 64 bits). Reals that become integers are whole.
    total_cast: Callable[[exp.Expr, Type, Type, bool], exp.Expr]
    concatenate: Callable[[exp.Expr, exp.Expr], exp.Expr]  # two texts; NULL if one is
    # rounding to a whole number, halves away from zero; decimals round by ROUND
    round_real: Callable[[exp.Expr], exp.Expr]
    # the same for reals that fit 64 bits when they are rounded, as an integer
    round_bounded: Callable[[exp.Expr], exp.Expr]
    # an integer in a form whose sum may exceed 64 bits
    widen_summand: Callable[[exp.Expr], exp.Expr]
    is_nan: Callable[[exp.Expr], exp.Expr]
    # A stored column, by its quoted name, as a value of its type that no later cast fails on; the
    # first for a declared column, the second for a unit id, which must stay as it is.
    read_stored: Callable[[exp.Expr, Type, bool], exp.Expr]
    read_stored_id: Callable[[exp.Expr, Type, bool], exp.Expr]
    days_between: Callable[[exp.Expr, exp.Expr], exp.Expr]  # the second date minus the first
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
    # Whether values of order statistics are always counted in the engine, because fetching one
    # number for each row would take longer.
    counts_values: bool = False


def place_tables(dialect: Dialect, places: Mapping[str, Sequence[str]]) -> Dialect:
    """Return a dialect that writes the numbered relations of plans by their names in a server, from
    the outermost part of a name to the table.
    """

    def rewrite(tree: exp.Expr) -> exp.Expr:
        found = dialect.rewrite(tree)
        for table in found.find_all(exp.Table):
            if table.name in places:
                parts = zip(("this", "db", "catalog"), reversed(places[table.name]), strict=False)
                for part, name in parts:
                    table.set(part, exp.to_identifier(name, quoted=True))
        return found

    return replace(dialect, rewrite=rewrite)

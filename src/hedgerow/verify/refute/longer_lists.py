"""Longer lists: the same pair of inputs with repeated entries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from hedgerow.verify.language.program import Program
from hedgerow.verify.refute.input_search import InputPair, find_size_names
from hedgerow.verify.refute.neighbours import are_neighbours
from hedgerow.verify.refute.path_values import PathValue
from hedgerow.verify.refute.paths import Arguments

__all__ = ["double_lists", "lengthen_lists"]

_MAX_LIST_LENGTH = 8
_MAX_DOUBLED_LENGTH = 32


def lengthen_lists(program: Program, pair: InputPair) -> Iterator[InputPair]:
    """Repeat the first or the last entry of every list, and raise the public sizes with it."""
    lists = [one.name for one in program.parameters if one.list and pair.first[one.name]]
    sizes = [
        one.name
        for one in program.parameters
        if one.name in find_size_names(program) and not one.private and not one.list
    ]
    for first in (True, False) if lists else ():
        one, other = (
            _repeat_entry(pair.first, lists, sizes, first),
            _repeat_entry(pair.second, lists, sizes, first),
        )
        if max(_measure(one[name]) for name in lists) <= _MAX_LIST_LENGTH and are_neighbours(
            program, one, other
        ):
            yield InputPair(one, other, pair.is_ordered)


def double_lists(program: Program, pair: InputPair) -> Iterator[InputPair]:
    """Make every list twice as long, by repeating its last entries or all of them, and the public
    sizes with it.
    """
    lists = [one.name for one in program.parameters if one.list and pair.first[one.name]]
    sizes = [
        one.name
        for one in program.parameters
        if one.name in find_size_names(program) and not one.private and not one.list
    ]
    for whole in (True, False) if lists else ():
        one, other = (
            _double_entries(side, lists, sizes, whole) for side in (pair.first, pair.second)
        )
        longest = max(_measure(one[name]) for name in lists)
        if longest <= _MAX_DOUBLED_LENGTH and are_neighbours(program, one, other):
            yield InputPair(one, other, pair.is_ordered)


def _double_entries(
    arguments: Arguments, lists: Sequence[str], sizes: Sequence[str], whole: bool
) -> Arguments:
    found = dict(arguments)
    for name in lists:
        entries = found[name]
        assert isinstance(entries, tuple)
        found[name] = (*entries, *(entries if whole else entries[-1:] * len(entries)))
    for name in sizes:
        size = found[name]
        assert isinstance(size, Fraction)
        found[name] = 2 * size
    return found


def _repeat_entry(
    arguments: Arguments, lists: Sequence[str], sizes: Sequence[str], first: bool
) -> Arguments:
    found = dict(arguments)
    for name in lists:
        entries = found[name]
        assert isinstance(entries, tuple)
        found[name] = (entries[0], *entries) if first else (*entries, entries[-1])
    for name in sizes:
        size = found[name]
        assert isinstance(size, Fraction)
        found[name] = size + 1
    return found


def _measure(value: PathValue | tuple[PathValue, ...]) -> int:
    return len(value) if isinstance(value, tuple) else 1

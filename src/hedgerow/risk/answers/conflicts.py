"""Answers that no table can have: an irreducible set of them, and the sum that shows it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hedgerow.risk.answers.bounds import System
from hedgerow.risk.answers.findings import Finding, amount, listed, sum_of

__all__ = ["conflict"]


def conflict(system: System, names: Sequence[str]) -> Finding | None:
    """The finding that names answers of which not all can be exact; leave any of them out and the rest can be. None if a table has them."""
    for place, (low, high) in enumerate(zip(system.low, system.high, strict=True)):
        if low is not None and high is not None and low > high:
            said = f"{names[place]} is no whole number: nobody counted people so. {_FIX}"
            return Finding("inconsistent", said, answers=(names[place],))
    if system.contradiction() is not None:
        small, called = _irreducible(system, list(names), lambda each: each.contradiction() is not None)
        proof = small.contradiction()
        if proof is not None:
            terms = [(called[place], coefficient) for place, coefficient in proof.terms]
            whom = listed([name for name, _ in terms])
            sums = sum_of(terms)
            if len(terms) == 1:
                said = f"{whom} cannot be exact: it is {amount(proof.at_most)}, and a count is at least 0. {_FIX}"
                return Finding("inconsistent", said, answers=(whom,), combination=sums)
            said = (
                f"{whom} cannot {'both' if len(terms) == 2 else 'all'} be exact: {sums} takes nobody away whom it has not added, "
                f"so it is at least 0, but the answers make it {amount(proof.at_most)}. {_FIX}"
            )
            return Finding("inconsistent", said, answers=tuple(name for name, _ in terms), combination=sums)
    if system.impossible():
        small, called = _irreducible(system, list(names), System.impossible)
        said = f"{listed(called)} cannot all be exact: fractions of people would fit, whole people do not. {_FIX}"
        return Finding("inconsistent", said, answers=tuple(called))
    return None


_FIX = "Something was mistyped, rounded (say how far with 'within'), made noisy, or taken from other data."


def _irreducible(system: System, names: list[str], broken: Callable[[System], bool]) -> tuple[System, list[str]]:
    """One answer after the other is left out, and stays out if the rest is still broken."""
    first = system.contradiction()
    if first is not None:  # begin with the answers of one contradiction, which are few
        kept = {place for place, _ in first.terms}
        for place in reversed(range(len(names))):
            if place not in kept:
                system, names = system.without(place), names[:place] + names[place + 1 :]
    for place in reversed(range(len(names))):
        rest = system.without(place)
        if len(names) > 1 and broken(rest):
            system, names = rest, names[:place] + names[place + 1 :]
    return system, names

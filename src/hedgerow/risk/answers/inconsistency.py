"""Answers that no table can have: an irreducible set of them, and the sum that shows it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hedgerow.numeric.formatting import join_words
from hedgerow.risk.answers.findings import (
    DisclosureFinding,
    format_amount,
    format_combination,
)
from hedgerow.risk.answers.lp_bounds import AnswerSystem

__all__ = ["find_inconsistency"]


def find_inconsistency(system: AnswerSystem, names: Sequence[str]) -> DisclosureFinding | None:
    """The finding that names answers of which not all can be exact; leave any of them out and
    the rest can be. None if a table has them.
    """
    for place, (low, high) in enumerate(zip(system.low, system.high, strict=True)):
        if low is not None and high is not None and low > high:
            said = f"{names[place]} is no whole number: nobody counted people so. {_FIX}"
            return DisclosureFinding("inconsistent", said, answers=(names[place],))
    if system.find_contradiction() is not None:
        small, called = _reduce_inconsistency(
            system, list(names), lambda each: each.find_contradiction() is not None
        )
        proof = small.find_contradiction()
        if proof is not None:
            terms = [(called[place], coefficient) for place, coefficient in proof.terms]
            whom = join_words([name for name, _ in terms])
            sums = format_combination(terms)
            if len(terms) == 1:
                said = (
                    f"{whom} cannot be exact: it is {format_amount(proof.upper_bound)}, and a count"
                    f" is at least 0. {_FIX}"
                )
                return DisclosureFinding("inconsistent", said, answers=(whom,), combination=sums)
            said = (
                f"{whom} cannot {'both' if len(terms) == 2 else 'all'} be exact: {sums} takes"
                " nobody away whom it has not added, so it is at least 0, but the answers make it"
                f" {format_amount(proof.upper_bound)}. {_FIX}"
            )
            return DisclosureFinding(
                "inconsistent", said, answers=tuple(name for name, _ in terms), combination=sums
            )
    if system.is_impossible():
        small, called = _reduce_inconsistency(system, list(names), AnswerSystem.is_impossible)
        said = (
            f"{join_words(called)} cannot all be exact: fractions of people would fit, whole people"
            f" do not. {_FIX}"
        )
        return DisclosureFinding("inconsistent", said, answers=tuple(called))
    return None


_FIX = (
    "Something was mistyped, rounded (say how far with 'within'), made noisy, or taken from other"
    " data."
)


def _reduce_inconsistency(
    system: AnswerSystem, names: list[str], broken: Callable[[AnswerSystem], bool]
) -> tuple[AnswerSystem, list[str]]:
    """One answer after the other is left out, and stays out if the rest is still broken."""
    first = system.find_contradiction()
    if first is not None:  # begin with the answers of one contradiction, which are few
        kept = {place for place, _ in first.terms}
        for place in reversed(range(len(names))):
            if place not in kept:
                system, names = system.drop_answer(place), names[:place] + names[place + 1 :]
    for place in reversed(range(len(names))):
        rest = system.drop_answer(place)
        if len(names) > 1 and broken(rest):
            system, names = rest, names[:place] + names[place + 1 :]
    return system, names

"""Answers that no table can have: an irreducible set of them, and the sum that proves it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hedgerow.charts.number_text import join_words
from hedgerow.risk.answers.findings import (
    DisclosureFinding,
    format_amount,
    format_combination,
)
from hedgerow.risk.answers.lp_bounds import AnswerSystem

__all__ = ["find_inconsistency"]


def find_inconsistency(system: AnswerSystem, names: Sequence[str]) -> DisclosureFinding | None:
    """Return the finding that names answers of which not all can be exact; None if all can.

    The set is irreducible: without any one of them the others can be exact.
    """
    for place, (low, high) in enumerate(zip(system.low, system.high, strict=True)):
        if low is not None and high is not None and low > high:
            sentence = f"{names[place]} is not a whole number, so it is not a count. {_FIX}"
            return DisclosureFinding("inconsistent", sentence, answers=(names[place],))
    if system.find_contradiction() is not None:
        small, reduced = _reduce_inconsistency(
            system, list(names), lambda each: each.find_contradiction() is not None
        )
        proof = small.find_contradiction()
        if proof is not None:
            terms = [(reduced[place], coefficient) for place, coefficient in proof.terms]
            involved = tuple(name for name, _ in terms)
            listed, total = join_words(involved), format_combination(terms)
            value = format_amount(proof.upper_bound)
            sentence = (
                f"{listed} cannot {'both' if len(terms) == 2 else 'all'} be exact: {total} removes"
                " only people whom it has added, so it is at least 0, but the answers make it"
                f" {value}. {_FIX}"
            )
            if len(terms) == 1:
                sentence = f"{listed} cannot be exact: it is {value}, below 0. {_FIX}"
            return DisclosureFinding("inconsistent", sentence, answers=involved, combination=total)
    if system.is_impossible():
        _, reduced = _reduce_inconsistency(system, list(names), AnswerSystem.is_impossible)
        sentence = (
            f"{join_words(reduced)} cannot all be exact: fractions of people would fit, whole"
            f" people do not. {_FIX}"
        )
        return DisclosureFinding("inconsistent", sentence, answers=tuple(reduced))
    return None


_FIX = (
    "A number may be mistyped, rounded (then state by how much with 'within'), noisy, or from other"
    " data."
)


def _reduce_inconsistency(
    system: AnswerSystem, names: list[str], broken: Callable[[AnswerSystem], bool]
) -> tuple[AnswerSystem, list[str]]:
    """Drop one answer after the other, as long as the rest is still inconsistent."""
    first = system.find_contradiction()
    if first is not None:  # start with the few answers of one contradiction
        kept = {place for place, _ in first.terms}
        for place in reversed(range(len(names))):
            if place not in kept:
                system, names = system.drop_answer(place), names[:place] + names[place + 1 :]
    for place in reversed(range(len(names))):
        rest = system.drop_answer(place)
        if len(names) > 1 and broken(rest):
            system, names = rest, names[:place] + names[place + 1 :]
    return system, names

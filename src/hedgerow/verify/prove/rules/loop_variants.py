"""The rule that a loop ends: its variant decreases from each round to the next.

A variant is a list of numbers. In each round that is followed by another one, some number that is
not negative falls by at least 1, and none before it grows. Of the numbers that fall infinitely
often, the first would fall without bound, since those before it no longer fall; so the loop ends.
"""

from __future__ import annotations

from collections.abc import Sequence

from hedgerow.verify.prove.solver import Term, z3

__all__ = ["build_decrease"]


def build_decrease(before: Sequence[Term], after: Sequence[Term]) -> Term:
    """Build the formula that the variant decreases from one round to the next."""
    options, kept = [], list[Term]()
    for old, new in zip(before, after, strict=True):
        options.append(z3.And(*kept, old >= 0, new <= old - 1))
        kept.append(new <= old)
    return z3.Or(*options)

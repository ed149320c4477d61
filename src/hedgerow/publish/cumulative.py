"""How many there are up to each code of an ordered attribute: the distribution of a number, or running totals along days.

From these every range can be read off, by a difference. How they are measured is chosen by expected error, from public numbers alone.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Final

import numpy as np

from hedgerow.errors import InvalidArgument
from hedgerow.publish.clean import clean
from hedgerow.publish.designs import Design, Floats, chosen, errors, noise_variance
from hedgerow.publish.domain import Domain
from hedgerow.publish.prefix import prefix_designs
from hedgerow.publish.sketch import Accuracy, Made, Sketch, Tell, measured, silent
from hedgerow.publish.table import dense
from hedgerow.publish.terms import Terms
from hedgerow.publish.tree import Ranges, Tree
from hedgerow.purse import Purse

__all__ = ["SHARE", "cdf", "stream"]

SHARE: Final = "share"
_BETA: Final = Fraction(1, 20)
_RANGES: Final = 2**15  # that a choice among trees looks at, and whose error is told
_WEIGHED: Final = 512  # codes up to which every weight of a design is computed


def cdf(terms: Terms, domain: Domain, *, ranges: bool = False) -> Sketch:
    """How many rows are at or below each value, and which share of all they are; with ``ranges``, measured such that the differences are
    told best, over all ranges, and not the totals."""
    return _cumulative("cdf", terms, domain, ranges=ranges)


def stream(terms: Terms, domain: Domain) -> Sketch:
    """How many rows there are so far, code by code."""
    return _cumulative("stream", terms, domain)


def _cumulative(kind: str, terms: Terms, domain: Domain, *, ranges: bool = False) -> Sketch:
    if len(domain.attributes) != 1 or not domain.attributes[0].ordered:
        raise InvalidArgument("column", "must be one column of numbers or dates: others have no order", ", ".join(domain.names))
    (size,) = domain.sizes
    ways = prefix_designs(size, terms)
    between = None
    if ranges:
        design, between = _for_ranges(size, terms, chosen(ways))
        ways = (design,)
    design = chosen(ways)
    lost = np.minimum(terms.lost(1) * np.arange(1, size + 1), terms.losing[1] / terms.fine)  # the n-th total adds up n codes
    variances, radii, lacking = errors(design, terms, _BETA, lost)
    prices = [terms.price(block, law) for block, law in design.measurements]

    def build(purse: Purse, tell: Tell = silent) -> Made:
        found = design.answers(measured(purse, design.measurements, tell))
        neat = rising(found)
        table = dense(domain, found, radii, neat)
        if kind == "cdf":
            table = table.append_column(SHARE, [neat / neat[-1] if neat[-1] > 0 else np.full(size, np.nan)])
        return Made(table, {"variances": {"mean": float(variances.mean()), "largest": float(variances.max())}} | terms.facts)

    return Sketch(
        kind,
        domain,
        design.name,
        sum(prices[1:], prices[0]),
        _accuracy(design, ways, (variances, radii), terms.fine, between),
        build,
        _notes(ways, design, between),
        design.measurements,
        lacking,
    )


def _for_ranges(size: int, terms: Terms, totals: Design) -> tuple[Design, float]:
    """What tells all ranges best, and the mean of their variances: the tree that is planned for them, asked for running totals (a range is
    a difference of its least-squares answers), or what is best for the totals themselves."""
    tree = Tree.plan(0, Ranges.all(size).fewer(_RANGES), terms)
    found: tuple[Design, float] = (replace(tree, ranges=Ranges.cumulative(size)), float(tree.variances().mean()))
    if size > _WEIGHED:
        return found
    return min(found, (totals, _between(totals, size)), key=lambda one: one[1])


def _between(design: Design, size: int) -> float:
    """The mean variance of the differences e_j - e_i of the errors e_0 = 0, e_1 … e_n of the totals. Where one draw has the weight w_i in
    e_i, its part of the sum over i < j of (w_j - w_i)^2 is (n + 1) sum w^2 - (sum w)^2."""
    total = 0.0
    shapes = [(block.shape, noise_variance(law)) for block, law in design.measurements]
    for index, (shape, variance) in enumerate(shapes):
        for cell in range(math.prod(shape)):
            noisy = [np.zeros(other) for other, _ in shapes]
            noisy[index].flat[cell] = 1.0
            weights = design.answers(noisy)
            total += variance * ((size + 1) * float(weights @ weights) - float(weights.sum()) ** 2)
    return total / (size * (size + 1) / 2)


def rising(found: Floats) -> Floats:
    """Running totals that never fall, from the steps between them made clean: not negative, with the same end."""
    steps = np.diff(found, prepend=0.0)
    return np.cumsum(clean(steps))


def _accuracy(
    design: Design, ways: tuple[Design, ...], found: tuple[Floats, Floats], fine: int, between: float | None
) -> tuple[Accuracy, ...]:
    variances, radii = found
    size = len(variances)
    own = Accuracy("each running total", size, math.sqrt(float(variances.mean())), float(radii.max()))
    if between is not None:
        return (Accuracy("each range", size * (size + 1) // 2, math.sqrt(between) / fine), own)
    others = [
        Accuracy(f"the same by {way.name}", size, math.sqrt(float(way.variances().mean())) / fine) for way in ways if way is not design
    ]
    return (own, *others)


def _notes(ways: tuple[Design, ...], design: Design, between: float | None) -> tuple[str, ...]:
    if between is not None:
        return ("count is right on average; a range is the difference of two lines; count_clean is made afterwards: it never falls.",)
    return (
        f"Of {len(ways)} ways to measure running totals this one ({design.name}) is expected to be off least.",
        "count is right on average; count_clean is made of it afterwards: it never falls.",
    )
